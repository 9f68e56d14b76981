package credentialproviderconfig

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/connection"
	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/file"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/splice"
)

// DataSource is the data source aktrust_credential_provider_config: the file's text without a file. It needs no
// connection.
type DataSource struct{ connection.DataSource }

var (
	_ datasource.DataSourceWithConfigure      = (*DataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*DataSource)(nil)
)

// NewDataSource gives the data source to the provider's list.
func NewDataSource() datasource.DataSource { return &DataSource{} }

// Metadata names the data source.
func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_credential_provider_config"
}

type rendering struct {
	Providers      types.List   `tfsdk:"providers"`
	APIVersion     types.String `tfsdk:"api_version"`
	Base           types.String `tfsdk:"base"`
	ConfigPath     types.String `tfsdk:"config_path"`
	BinDir         types.String `tfsdk:"bin_dir"`
	YAML           types.String `tfsdk:"yaml"`
	JSON           types.String `tfsdk:"json"`
	EntriesYAML    types.Map    `tfsdk:"entries_yaml"`
	EntriesJSON    types.Map    `tfsdk:"entries_json"`
	YAMLConfigHash types.String `tfsdk:"yaml_config_hash"`
	JSONConfigHash types.String `tfsdk:"json_config_hash"`
	KubeletArgs    types.List   `tfsdk:"kubelet_args"`
	Warnings       types.List   `tfsdk:"warnings"`
}

// ValidateConfig holds the kubelet's rules against what is known of the configuration.
func (d *DataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var m rendering
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	config, _, diags := readConfig(ctx, m.APIVersion, m.Providers)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(refusals(config, !m.Base.IsNull())...)
	d.ExpectAudiences(m.end(ctx))
}

// Read renders the text. Everything is known by then.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m rendering
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(m.render(ctx)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
	resp.Diagnostics.Append(d.CompareAudiences(m.end(ctx), path.Root("providers"))...)
}

func (m *rendering) render(ctx context.Context) diag.Diagnostics {
	config, _, diags := readConfig(ctx, m.APIVersion, m.Providers)
	if diags.HasError() {
		return diags
	}
	texts, diags := m.texts(config)
	if diags.HasError() {
		return diags
	}
	m.YAML, m.YAMLConfigHash = textAndHash(texts[kubeletconfig.YAML])
	m.JSON, m.JSONConfigHash = textAndHash(texts[kubeletconfig.JSON])
	m.KubeletArgs = newTexts(kubeletconfig.Args(m.ConfigPath.ValueString(), m.BinDir.ValueString()))
	warnings := []string{}
	for _, warning := range kubeletconfig.Warnings(config) {
		warnings = append(warnings, fmt.Sprintf("%s: %s", attributePath(warning.Location), warning.Message))
	}
	if kubeletconfig.IgnoredDocuments([]byte(m.Base.ValueString())) {
		warnings = append(warnings, "base: "+ignoredDocuments)
	}
	m.Warnings = newTexts(warnings)
	var err error
	if m.EntriesYAML, err = entriesOf(config, kubeletconfig.YAML); err == nil {
		m.EntriesJSON, err = entriesOf(config, kubeletconfig.JSON)
	}
	if err != nil {
		diags.Append(diagnose.Error("render", "the credential provider config", err))
	}
	return diags
}

// texts are the file in both formats. A base keeps its words in its own.
func (m *rendering) texts(config kubeletconfig.Config) (map[kubeletconfig.Format][]byte, diag.Diagnostics) {
	texts := map[kubeletconfig.Format][]byte{}
	if m.Base.IsNull() {
		if diags := refusals(config, false); diags.HasError() {
			return nil, diags
		}
	} else {
		text, diags := m.extend(config.Providers)
		if diags.HasError() {
			return nil, diags
		}
		texts[kubeletconfig.FormatOfText(text)] = text
		config, _ = kubeletconfig.Parse(text) // It was read before.
	}
	for _, format := range []kubeletconfig.Format{kubeletconfig.YAML, kubeletconfig.JSON} {
		if texts[format] != nil {
			continue
		}
		text, err := kubeletconfig.Encode(config, format)
		if err != nil {
			return nil, diag.Diagnostics{diagnose.Error("render", "the credential provider config", err)}
		}
		texts[format] = text
	}
	return texts, nil
}

// extend puts the providers into the base.
func (m *rendering) extend(want []kubeletconfig.Provider) ([]byte, diag.Diagnostics) {
	base := []byte(m.Base.ValueString())
	if len(base) > file.MaxSize {
		return nil, baseError(fmt.Sprintf("It has %d bytes, more than the %d of which a configuration can be.", len(base), file.MaxSize))
	}
	theirs, err := splice.Read(base)
	if err != nil {
		where := "this base"
		if line := splice.LineOf(base, err); line > 0 {
			where = fmt.Sprintf("line %d of this base", line)
		}
		return nil, baseError(fmt.Sprintf("Over %s the kubelet exits at start, saying:\n  %s%s", where, err, remedyOf(err)))
	}
	if !m.APIVersion.IsNull() && m.APIVersion.ValueString() != theirs.APIVersion {
		return nil, diag.Diagnostics{versionConflict(m.APIVersion.ValueString(), "the base", theirs.APIVersion)}
	}
	if diags := refusals(kubeletconfig.Config{APIVersion: theirs.APIVersion, Providers: want}, true); diags.HasError() {
		return nil, diags
	}
	text, err := splice.Change(base, namesOf(want), want)
	if err != nil {
		return nil, diag.Diagnostics{diagnose.Error("extend", "the base", err)}
	}
	return text, nil
}

func baseError(detail string) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("base"), "The base cannot be extended", detail)}
}

// textAndHash gives the values of a text that is valid UTF-8, as all are that come from a configuration.
func textAndHash(text []byte) (content, hash types.String) {
	return types.StringValue(string(text)), types.StringValue(kubeletconfig.Hash(text))
}

// entriesOf gives each provider alone, by its name.
func entriesOf(config kubeletconfig.Config, format kubeletconfig.Format) (types.Map, error) {
	entries := make(map[string]attr.Value, len(config.Providers))
	for _, provider := range config.Providers {
		text, err := kubeletconfig.EncodeProvider(provider, format)
		if err != nil {
			return types.MapNull(types.StringType), err
		}
		entries[provider.Name] = types.StringValue(string(text))
	}
	return types.MapValueMust(types.StringType, entries), nil
}
