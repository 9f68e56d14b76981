package connection

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/audience"
)

// base holds what Configure received; it is nil while the CLI only validates.
type base struct{ data *Data }

var errNotConfigured = errors.New("the provider is not configured")

// Registry gives the client of the registry, or the reason why there is none: an [*UnknownError] while planning, or an
// error that names the argument.
func (b *base) Registry() (*artifactkeeper.Client, error) {
	if b.data == nil {
		return nil, errNotConfigured
	}
	return b.data.registry()
}

// Cluster gives the client of the cluster, or the reason why there is none, as Registry does.
func (b *base) Cluster() (*cluster.Client, error) {
	if b.data == nil {
		return nil, errNotConfigured
	}
	return b.data.cluster()
}

// ExpectAudiences hands on what a configuration says of its chain's audience. The CLI has it checked right before each plan of
// an object, so that objects whose plans run side by side know of each other.
func (b *base) ExpectAudiences(end audience.End) {
	if b.data != nil { // or else it is checked alone
		b.data.audiences.Expect(end)
	}
}

// CompareAudiences hands on what an object says of its chain's audience, and warns, at the attribute that says it, of what does
// not fit the objects that came before. Each object of the chain says it whenever it is planned, changed or not: the one that
// does not fit may come later.
func (b *base) CompareAudiences(end audience.End, at path.Path) diag.Diagnostics {
	var diags diag.Diagnostics
	if b.data == nil {
		return diags
	}
	for _, mismatch := range b.data.audiences.Add(end) {
		diags.AddAttributeWarning(at, mismatch.Summary(), mismatch.Text())
	}
	return diags
}

func (b *base) receive(providerData any) diag.Diagnostics {
	var diags diag.Diagnostics
	if providerData == nil {
		return diags
	}
	data, ok := providerData.(*Data)
	if !ok {
		diags.AddError("Unexpected provider data", fmt.Sprintf("This is a fault of the provider: it handed over a %T.", providerData))
		return diags
	}
	b.data = data
	return diags
}

// Resource is embedded by resources; it brings Configure.
type Resource struct{ base }

// Configure receives the provider's data.
func (r *Resource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	resp.Diagnostics.Append(r.receive(req.ProviderData)...)
}

// KeepUnread handles a refresh while the provider's configuration is unknown: the prior state stays, and one warning says
// that drift was not checked. It reports whether err was of that kind; Read then returns.
func (r *Resource) KeepUnread(err error, resp *resource.ReadResponse) bool {
	var unknown *UnknownError
	if !errors.As(err, &unknown) {
		return false
	}
	resp.Diagnostics.Append(r.data.warnOnce(unknown)...)
	return true
}

// Identify gives a refreshed object its identity when the state does not bring it: a CLI that keeps no identities sends none,
// and the framework wants one even for an object that is gone. An object never changes its identity.
func Identify(ctx context.Context, current *tfsdk.ResourceIdentity, identity any) diag.Diagnostics {
	if !current.Raw.IsFullyNull() {
		return nil
	}
	return current.Set(ctx, identity)
}

// DataSource is embedded by data sources; it brings Configure.
type DataSource struct{ base }

// Configure receives the provider's data.
func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	resp.Diagnostics.Append(d.receive(req.ProviderData)...)
}

// Ephemeral is embedded by ephemeral resources; it brings Configure.
type Ephemeral struct{ base }

// Configure receives the provider's data.
func (e *Ephemeral) Configure(_ context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse) {
	resp.Diagnostics.Append(e.receive(req.ProviderData)...)
}
