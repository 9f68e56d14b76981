package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
)

// Schema describes the provider's arguments. Where an argument has an environment variable, the argument wins.
func (p *Provider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Declares the trust between Kubernetes clusters and an Artifact Keeper registry, so that nodes pull " +
			"private images with the identity of the pod's ServiceAccount and without a stored password.\n\n" +
			"Each half of the configuration, the registry and the cluster, is needed only by what uses it, and is connected at " +
			"its first use. Nothing falls back to `~/.kube/config`, `KUBECONFIG` or the account of the pod that runs the CLI.",
		Attributes: map[string]schema.Attribute{
			"endpoint": text("Address of the registry, with or without `/api/v1`; a bare host means https. `ARTIFACT_KEEPER_ENDPOINT`."),
			"token":    secret("Bearer token of an administrator. `ARTIFACT_KEEPER_TOKEN`."),
			"token_file": text("File with such a token; it is read again when a call answers 401. " +
				"`ARTIFACT_KEEPER_TOKEN_FILE`."),
			"username": text("User to log in as, with `password`, once per run. `ARTIFACT_KEEPER_USERNAME`."),
			"password": secret("Password of `username`. `ARTIFACT_KEEPER_PASSWORD`."),
			"ca_certificate": text("PEM text of the authorities to trust instead of the system's. " +
				"`ARTIFACT_KEEPER_CA_CERTIFICATE`."),
			"client_certificate": text("PEM text of a client certificate, with `client_key`."),
			"client_key":         secret("PEM text of the key of `client_certificate`."),
			"insecure_skip_verify": flag("Accept any certificate of the registry. Whoever is in between can then read the token. " +
				"`ARTIFACT_KEEPER_INSECURE_SKIP_VERIFY`."),
			"allow_http": flag("Permit an `http://` endpoint, over which the token travels in clear text. Default `false`."),
			"headers": schema.MapAttribute{
				MarkdownDescription: "Headers to send with every request, for an access proxy in front of the registry.",
				ElementType:         types.StringType, Optional: true, Sensitive: true,
			},
			"request_timeout": text("How long one attempt of a request may take, as a duration such as `30s`, which is the default."),
			"max_retries": schema.NumberAttribute{
				MarkdownDescription: "How often a request that may safely be repeated is repeated. Default `4`.",
				Optional:            true, Validators: []validator.Number{attribute.ValidWhole(0, 20)},
			},
			"kubernetes": schema.SingleNestedAttribute{
				MarkdownDescription: "The cluster. Names and variables are those of the helm provider.",
				Optional:            true, Attributes: kubernetesAttributes(),
			},
		},
	}
}

func kubernetesAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"config_path": text("Path of a kubeconfig file. `KUBE_CONFIG_PATH`."),
		"config_paths": schema.ListAttribute{
			MarkdownDescription: "Paths of several kubeconfig files, merged in this order. `KUBE_CONFIG_PATHS`.",
			ElementType:         types.StringType, Optional: true,
		},
		"config_context":           text("Context of the kubeconfig. `KUBE_CTX`."),
		"config_context_cluster":   text("Cluster of the kubeconfig, in place of the context's. `KUBE_CTX_CLUSTER`."),
		"config_context_auth_info": text("User of the kubeconfig, in place of the context's. `KUBE_CTX_AUTH_INFO`."),
		"host":                     text("Address of the API server. `KUBE_HOST`."),
		"token":                    secret("Bearer token. `KUBE_TOKEN`."),
		"username":                 text("User for basic authentication, as some proxies ask for it. `KUBE_USER`."),
		"password":                 secret("Password of `username`. `KUBE_PASSWORD`."),
		"cluster_ca_certificate": text("PEM text of the authorities that signed the API server's certificate. " +
			"`KUBE_CLUSTER_CA_CERT_DATA`."),
		"client_certificate": text("PEM text of a client certificate, with `client_key`. `KUBE_CLIENT_CERT_DATA`."),
		"client_key":         secret("PEM text of the key of `client_certificate`. `KUBE_CLIENT_KEY_DATA`."),
		"insecure":           flag("Accept any certificate of the API server. `KUBE_INSECURE`."),
		"tls_server_name":    text("Name to expect in the API server's certificate. `KUBE_TLS_SERVER_NAME`."),
		"proxy_url":          text("URL of a proxy to the API server. `KUBE_PROXY_URL`."),
		"in_cluster": flag("Use the account of the pod that the CLI runs in. Never happens unless asked for here. " +
			"Default `false`."),
		"exec": schema.SingleNestedAttribute{
			MarkdownDescription: "Command that prints a credential, run again whenever one is needed.",
			Optional:            true,
			Attributes: map[string]schema.Attribute{
				"api_version": schema.StringAttribute{
					MarkdownDescription: "Version of the exchange, such as `client.authentication.k8s.io/v1`.", Required: true,
				},
				"command": schema.StringAttribute{MarkdownDescription: "Command to run.", Required: true},
				"args": schema.ListAttribute{
					MarkdownDescription: "Arguments of the command.", ElementType: types.StringType, Optional: true,
				},
				"env": schema.MapAttribute{
					MarkdownDescription: "Environment variables to add.", ElementType: types.StringType, Optional: true,
				},
			},
		},
	}
}

func text(description string) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: description, Optional: true}
}

func secret(description string) schema.StringAttribute {
	return schema.StringAttribute{MarkdownDescription: description, Optional: true, Sensitive: true}
}

func flag(description string) schema.BoolAttribute {
	return schema.BoolAttribute{MarkdownDescription: description, Optional: true}
}
