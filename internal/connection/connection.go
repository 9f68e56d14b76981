// Package connection hands the two halves of the provider's configuration, the registry and the cluster, to resources and
// data sources. Each half is connected at its first use, and only then.
package connection

import (
	"fmt"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/audience"
)

// Data is what the provider's Configure gives to everything it serves.
type Data struct {
	registry func() (*artifactkeeper.Client, error)
	cluster  func() (*cluster.Client, error)
	// issuer is what ClusterIssuer tells.
	issuer func() string
	// warned holds the halves of which a refresh of a thousand objects has said, once, that it did not look.
	warned sync.Map
	// starts holds a *start for each provider id.
	starts sync.Map
	// audiences is what the objects that were planned say of their chain's audience.
	audiences audience.Ledger
	// sights are what looks at the cluster's keys have shown.
	sights sights
}

// New prepares the halves; each function runs at most once, at the first use of its half.
// An [*UnknownError] from it says that the half cannot be connected while planning.
func New(registry func() (*artifactkeeper.Client, error), cluster func() (*cluster.Client, error)) *Data {
	d := &Data{registry: sync.OnceValues(registry), cluster: sync.OnceValues(cluster)}
	d.issuer = sync.OnceValue(func() string { return issuerOf(d.cluster, LookTime) })
	return d
}

// UnknownError says that a half of the provider's configuration is not known before apply.
type UnknownError struct {
	// Half is "registry" or "cluster".
	Half string
	// Arguments are the names of the unknown arguments, such as "kubernetes.host".
	Arguments []string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("the provider's connection to the %s is not known yet: %s will be known after apply", e.Half,
		strings.Join(e.Arguments, ", "))
}

// Advice says what to do about it.
func (e *UnknownError) Advice() string {
	from := strings.Join(e.Arguments, " and ")
	return "A data source is read while planning, unless it depends on something that is not there yet: add depends_on with the " +
		"resource that " + from + " comes from, so that it is read during apply. An ephemeral resource waits when one of its " +
		"arguments comes from that resource; under Terraform depends_on alone does not make it wait. For an import, apply that " +
		"resource first."
}

// warnOnce gives the warning that a refresh did not happen, the first time it is asked for.
func (d *Data) warnOnce(err *UnknownError) diag.Diagnostics {
	var diags diag.Diagnostics
	if _, said := d.warned.LoadOrStore(err.Half, true); !said {
		diags.AddWarning("Drift was not checked", fmt.Sprintf("The provider's connection to the %s is not known yet (%s), so "+
			"objects that exist keep the state of the last run in this plan. The next plan checks them.", err.Half,
			strings.Join(err.Arguments, ", ")))
	}
	return diags
}
