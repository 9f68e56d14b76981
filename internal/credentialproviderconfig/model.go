package credentialproviderconfig

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/file"
)

type model struct {
	ID                  types.String    `tfsdk:"id"`
	Path                pathValue       `tfsdk:"path"`
	Providers           types.List      `tfsdk:"providers"`
	APIVersion          types.String    `tfsdk:"api_version"`
	Manage              types.String    `tfsdk:"manage"`
	BinDir              types.String    `tfsdk:"bin_dir"`
	FilePermission      permissionValue `tfsdk:"file_permission"`
	DirectoryPermission permissionValue `tfsdk:"directory_permission"`
	Content             types.String    `tfsdk:"content"`
	ConfigHash          types.String    `tfsdk:"config_hash"`
	KubeletArgs         types.List      `tfsdk:"kubelet_args"`
}

// identity is what identifies the file.
type identity struct {
	Path types.String `tfsdk:"path"`
}

func (m model) identity() identity { return identity{Path: m.Path.StringValue} }

// describe names the file in an error.
func (m model) describe() string {
	if m.Path.IsUnknown() {
		return "a credential provider config whose path is not known yet"
	}
	return "the credential provider config " + m.Path.ValueString()
}

// config gives the providers and the version as the library has them. Where known is false, something stands in for
// what is unknown; see reader.
func (m model) config(ctx context.Context) (config kubeletconfig.Config, known bool, diags diag.Diagnostics) {
	return readConfig(ctx, m.APIVersion, m.Providers)
}

// entries gives the providers alone; see config.
func (m model) entries(ctx context.Context) (providers []kubeletconfig.Provider, known bool, diags diag.Diagnostics) {
	config, known, diags := readConfig(ctx, types.StringNull(), m.Providers)
	return config.Providers, known, diags
}

func readConfig(ctx context.Context, version types.String, providers types.List) (kubeletconfig.Config, bool, diag.Diagnostics) {
	var r reader
	config := kubeletconfig.Config{
		APIVersion: r.text(version, kubeletconfig.FileV1, kubeletconfig.FileV1),
		Providers:  r.providers(ctx, providers),
	}
	return config, !r.unknown, r.diags
}

// render gives the text of a file with this config at this path.
func render(config kubeletconfig.Config, path string) (string, error) {
	content, err := kubeletconfig.Encode(config, kubeletconfig.FormatOf(path))
	return string(content), err
}

// hold takes a text over as what stands in the file. Values of Terraform are Unicode, and files need not be: the hash
// is made of the bytes, and is what tells one content from another.
func (m *model) hold(content string) {
	m.Content = types.StringValue(strings.ToValidUTF8(content, "\uFFFD"))
	m.ConfigHash = types.StringValue(kubeletconfig.Hash([]byte(content)))
}

// derive works out what follows from path and bin_dir.
func (m *model) derive() {
	m.ID = m.Path.StringValue
	if m.Path.IsUnknown() || m.BinDir.IsUnknown() {
		m.KubeletArgs = types.ListUnknown(types.StringType)
		return
	}
	m.KubeletArgs = newTexts(kubeletconfig.Args(m.Path.ValueString(), m.BinDir.ValueString()))
}

// permissions gives what the schema has checked.
func (m model) permissions() (file.Permissions, diag.Diagnostics) {
	var diags diag.Diagnostics
	own, err := parsePermission(m.FilePermission.ValueString())
	if err != nil {
		diags.Append(diagnose.Error("set the permissions of", m.describe(), err))
	}
	directory, err := parsePermission(m.DirectoryPermission.ValueString())
	if err != nil {
		diags.Append(diagnose.Error("set the permissions of the directory of", m.describe(), err))
	}
	return file.Permissions{File: own, Directory: directory}, diags
}

// take takes over what stands on the disk. What means the same as before keeps its words. A file that the kubelet
// would refuse is no error: the plan shows what became of it, and apply mends it.
func (m *model) take(ctx context.Context, found file.File) diag.Diagnostics {
	imported := m.ConfigHash.IsNull()
	if imported {
		// These cannot be read off a file; an import takes them to be the default.
		m.Manage = types.StringValue(manageFile)
		m.DirectoryPermission = newPermission(defaultDirectoryPermission)
		m.FilePermission = newPermission(defaultFilePermission)
	}
	m.derive()
	m.hold(string(found.Content))
	permission := formatPermission(found.Mode)
	if file.HasPermissions && !(permissionMeaning{}).Same(permission, m.FilePermission.ValueString()) {
		m.FilePermission = newPermission(permission)
	}

	config, err := kubeletconfig.Decode(found.Content)
	if err != nil {
		if imported {
			return diag.Diagnostics{diagnose.Error("import", m.describe(), err)}
		}
		return diag.Diagnostics{m.warnOfFile(err)}
	}
	var diags diag.Diagnostics
	if err := kubeletconfig.Validate(config); err != nil {
		diags.Append(m.warnOfFile(err))
	}
	before, known, more := m.config(ctx)
	if known && !more.HasError() && !imported && config.Equal(before) {
		return diags
	}
	m.APIVersion = types.StringValue(config.APIVersion)
	providers, more := newEntries(ctx, config.Providers, m.Providers)
	m.Providers = providers
	return append(diags, more...)
}

// warnOfFile says that the kubelet would exit over what stands in the file now.
func (m model) warnOfFile(err error) diag.Diagnostic {
	return diag.NewWarningDiagnostic("The kubelet would not start with the file as it is now",
		fmt.Sprintf("Something else than this configuration changed %s, and the kubelet would exit at its next start, saying:\n  %s\n\n"+
			"Applying writes the file again.", m.Path.ValueString(), err))
}

func newPermission(text string) permissionValue {
	return attribute.Text[permissionMeaning]{StringValue: types.StringValue(text)}
}
