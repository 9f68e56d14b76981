package provider

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/net/http/httpguts"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
)

// model is the provider's configuration as written.
type model struct {
	Endpoint           types.String `tfsdk:"endpoint"`
	Token              types.String `tfsdk:"token"`
	TokenFile          types.String `tfsdk:"token_file"`
	Username           types.String `tfsdk:"username"`
	Password           types.String `tfsdk:"password"`
	CACertificate      types.String `tfsdk:"ca_certificate"`
	ClientCertificate  types.String `tfsdk:"client_certificate"`
	ClientKey          types.String `tfsdk:"client_key"`
	InsecureSkipVerify types.Bool   `tfsdk:"insecure_skip_verify"`
	AllowHTTP          types.Bool   `tfsdk:"allow_http"`
	Headers            types.Map    `tfsdk:"headers"`
	RequestTimeout     types.String `tfsdk:"request_timeout"`
	MaxRetries         types.Number `tfsdk:"max_retries"`
	Kubernetes         types.Object `tfsdk:"kubernetes"`
}

// registrySettings is the registry's half.
type registrySettings struct {
	settings
	config artifactkeeper.Config
}

// registry reads the registry's half. What is wrong whatever comes later is an error now; that nothing is configured at
// all is one only for what uses the registry.
func (m model) registry(ctx context.Context, getenv func(string) string) (*registrySettings, diag.Diagnostics) {
	s := &registrySettings{settings: settings{at: path.Empty(), getenv: getenv}}
	c := &s.config
	c.Endpoint = s.text("endpoint", m.Endpoint, "ARTIFACT_KEEPER_ENDPOINT")
	c.AllowHTTP = s.flag("allow_http", m.AllowHTTP, "")
	m.credential(s)
	c.CACertificate = s.text("ca_certificate", m.CACertificate, "ARTIFACT_KEEPER_CA_CERTIFICATE")
	c.ClientCertificate = s.text("client_certificate", m.ClientCertificate, "")
	c.ClientKey = s.text("client_key", m.ClientKey, "")
	c.InsecureSkipVerify = s.flag("insecure_skip_verify", m.InsecureSkipVerify, "ARTIFACT_KEEPER_INSECURE_SKIP_VERIFY")
	c.RequestTimeout = s.duration("request_timeout", m.RequestTimeout, artifactkeeper.DefaultRequestTimeout)
	c.MaxRetries = artifactkeeper.DefaultMaxRetries
	switch {
	case m.MaxRetries.IsUnknown():
		s.unknown = append(s.unknown, "max_retries")
	case !m.MaxRetries.IsNull():
		c.MaxRetries = int(attribute.Whole(m.MaxRetries))
	}
	c.Headers = s.texts(ctx, "headers", m.Headers)
	for name, value := range c.Headers {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			s.refuse("headers", "Not a header", strconv.Quote(name)+" has a name or a value that HTTP does not allow.")
		}
		if slices.Contains(ownHeaders, http.CanonicalHeaderKey(name)) {
			s.refuse("headers", "A header of the provider's own", name+" says how the request itself is made, and cannot be set here.")
		}
	}
	if c.InsecureSkipVerify {
		s.diags.AddAttributeWarning(path.Root("insecure_skip_verify"), "The registry's certificate is not checked",
			"Whoever stands between here and the registry can read the administrator's token. Give ca_certificate instead.")
	}
	s.check(given(m.Endpoint, m.Token, m.TokenFile, m.Username, m.Password, m.CACertificate, m.ClientCertificate, m.ClientKey, m.AllowHTTP))
	return s, s.diags
}

// ownHeaders are set for each request; Authorization carries the token.
var ownHeaders = []string{"Authorization", "Content-Length", "Content-Type", "Host"}

// credential reads the one way to log in. A way that is written in the configuration, known or not, keeps the variables of
// the other ways out: two credentials would leave open which one acts.
func (m model) credential(s *registrySettings) {
	ways := []struct {
		name    string
		written bool
	}{
		{"token", given(m.Token)},
		{"token_file", given(m.TokenFile)},
		{"username and password", given(m.Username, m.Password)},
	}
	var chosen string
	for _, way := range ways {
		if !way.written {
			continue
		}
		// Whether an unknown argument turns out null is not known yet; apply sees.
		if chosen != "" && !m.Token.IsUnknown() && !m.TokenFile.IsUnknown() && !m.Username.IsUnknown() && !m.Password.IsUnknown() {
			s.refuse(chosen, "Two credentials", "It stands beside "+way.name+". Give one of token, token_file, and username with password.")
		}
		chosen = way.name
	}
	c := &s.config
	if chosen == "" || given(m.Token) {
		c.Token = s.text("token", m.Token, "ARTIFACT_KEEPER_TOKEN")
	}
	if (chosen == "" && c.Token == "") || given(m.TokenFile) {
		c.TokenFile = s.text("token_file", m.TokenFile, "ARTIFACT_KEEPER_TOKEN_FILE")
	}
	if (chosen == "" && c.Token == "" && c.TokenFile == "") || given(m.Username, m.Password) {
		c.Username = s.text("username", m.Username, "ARTIFACT_KEEPER_USERNAME")
		c.Password = s.text("password", m.Password, "ARTIFACT_KEEPER_PASSWORD")
	}
}

// check lets the client look at what is written in the configuration, when all of it is known. What only variables say waits
// for the first use: not every configuration uses the registry.
func (s *registrySettings) check(written bool) {
	if !written || len(s.unknown) > 0 || s.config.Endpoint == "" || s.diags.HasError() {
		return
	}
	_, err := artifactkeeper.New(s.config)
	if wrong, ok := errors.AsType[*artifactkeeper.ConfigError](err); ok {
		s.refuse(wrong.Argument, "Invalid "+wrong.Argument, wrong.Problem+".")
	} else if err != nil {
		s.diags.AddError("Invalid configuration of the registry", err.Error())
	}
}
