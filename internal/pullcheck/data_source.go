// Package pullcheck serves the data source aktrust_pull_check: may this ServiceAccount pull this image, and if not, which
// link of the chain is it.
package pullcheck

import (
	"context"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/datasource"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/connection"
	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust"
)

// DataSource is aktrust_pull_check.
type DataSource struct {
	connection.DataSource
	sources *sources
}

var _ datasource.DataSourceWithConfigure = (*DataSource)(nil)

// Factory gives the provider's list a function that makes data sources. All that one function makes share what they ask of
// the cluster and the registry.
func Factory() func() datasource.DataSource {
	shared := &sources{}
	return func() datasource.DataSource { return &DataSource{sources: shared} }
}

// sources are shared by the checks of one provider.
type sources struct {
	mu       sync.Mutex
	cluster  *cluster.Client
	registry *artifactkeeper.Client
	shared   trust.Sources
}

// of gives the sources of two connections; they are new when a connection is.
func (s *sources) of(client *cluster.Client, registry *artifactkeeper.Client) trust.Sources {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cluster != client || s.registry != registry {
		s.cluster, s.registry = client, registry
		s.shared = trust.Shared(trust.Sources{
			Cluster: trust.FromClient(client), Registry: registry, Publisher: trust.NewPublisher(nil),
		})
	}
	return s.shared
}

// Metadata names the data source.
func (d *DataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_pull_check"
}

// Read looks at every link. Only what keeps it from looking at all is an error: a connection that is not configured.
func (d *DataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	request, diags := config.request(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	client, err := d.Cluster()
	var registry *artifactkeeper.Client
	if err == nil {
		registry, err = d.Registry()
	}
	var result trust.Result
	if err == nil {
		result, err = trust.Check(ctx, d.sources.of(client, registry), request)
	}
	if err != nil {
		object := fmt.Sprintf("whether ServiceAccount %s/%s may pull %s", request.Namespace, request.ServiceAccount, request.Image)
		resp.Diagnostics.Append(diagnose.Error("check", object, err))
		return
	}
	config.fromResult(result)
	resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
}
