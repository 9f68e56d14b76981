// Package failures is the list of what goes wrong between a pod and an image: what is seen, which link of the chain it is,
// and what to do. The tests of the chain break each row's link for real, and the guide "My pod says ImagePullBackOff" is
// rendered from the same rows.
package failures

import "github.com/aktrust/terraform-provider-aktrust/internal/trust"

// What is seen of a fault, apart from the registry's refusal in the pod's event, which looks the same for all of them.
const (
	// seenNothing: the kubelet does not run the plugin and logs nothing.
	seenNothing = "nothing: the kubelet does not run the plugin"
	// seenExit: the kubelet does not start.
	seenExit = "the kubelet exits at start"
	// seenToken: the kubelet got no token. The guide has the line that it logs.
	seenToken = "the token was refused: `is not authorized to request tokens`"
	// seenPlugin: the plugin failed. Its own line, which the kubelet's line holds, has the registry's words.
	seenPlugin = "the plugin failed: "
)

// Row is one way in which a pull fails.
type Row struct {
	// Name is short and unique.
	Name string
	// Fault says what is wrong.
	Fault string
	// Seen is the line in the kubelet's log.
	Seen string
	// Link is the link that a check names.
	Link trust.Name
	// Detail and Remedy are words that the link's detail and remedy have. An empty Remedy asks for none.
	Detail, Remedy string
	// Fix says what to do.
	Fix string
}

// Rows lists all, in the order of the links.
func Rows() []Row {
	var rows []Row
	rows = append(rows, fileRows...)
	rows = append(rows, clusterRows...)
	rows = append(rows, providerRows...)
	rows = append(rows, mappingRows...)
	return append(rows, accessRows...)
}

// Find gives the row of a name; it panics when there is none, which only a wrong test can ask for.
func Find(name string) Row {
	for _, row := range Rows() {
		if row.Name == name {
			return row
		}
	}
	panic("failures: no row is called " + name)
}

var fileRows = []Row{
	{"wrong-plugin-version", "the entry has `tokenAttributes` and a plugin `apiVersion` other than `v1`", seenExit, trust.File,
		"the kubelet refuses the file", "", "set `api_version = \"credentialprovider.kubelet.k8s.io/v1\"`"},
	{"pattern-port", "the image has a port and the pattern has none, or the other way round", seenNothing, trust.File,
		"misses by the port", "match_images", "write the port into `match_images`, as the image has it"},
	{"pattern-labels", "the pattern has another number of labels than the host", seenNothing, trust.File,
		"misses by the number of labels", "match_images", "write one `*` for each label, or the host in full"},
	{"pattern-case", "the pattern and the host differ in upper and lower case", seenNothing, trust.File,
		"upper and lower case count", "match_images", "write the host as the image has it"},
	{"pattern-star", "the pattern has a star in its path", seenNothing, trust.File,
		"a star in a path is a star", "match_images", "leave the star out: paths are prefixes"},
	{"no-token-attributes", "the entry has no `tokenAttributes`", seenPlugin + "none, the plugin has no token", trust.FileAudience,
		"has no tokenAttributes", "token_attributes", "add `token_attributes` with the audience of the registry's provider"},
	{"audience-mismatch", "the file and the registry's provider have two audiences",
		seenPlugin + "`CI JWT validation failed: InvalidAudience`", trust.FileAudience,
		"of the registry takes", "service_account_token_audience", "feed one value to the file, the nodes and the provider"},
	{"audience-spelling", "the two audiences differ by a slash at the end, by upper and lower case or by white space",
		seenPlugin + "`CI JWT validation failed: InvalidAudience`", trust.FileAudience,
		"alone, which counts", "service_account_token_audience", "mend the file: audiences are compared to the letter"},
}

var clusterRows = []Row{
	{"audience-not-granted", "nodes may not request the audience", seenToken, trust.NodeAudience,
		"nodes may not request tokens of the audience", "aktrust_node_audience", "add `aktrust_node_audience` for the audience"},
	{"audience-granted-other", "nodes may request another audience than the file asks for", seenToken, trust.NodeAudience,
		"grants the audience", "aktrust_node_audience", "feed one value to the file, the nodes and the provider"},
	{"audience-granted-elsewhere", "nodes may request the audience in another namespace", seenToken, trust.NodeAudience,
		"grants it in the namespaces", "aktrust_node_audience", "add the namespace to `namespaces` of `aktrust_node_audience`"},
	{"service-account-missing", "the ServiceAccount does not exist", "the pod is not created at all", trust.ServiceAccount,
		"there is no ServiceAccount", "kubectl create serviceaccount", "create it, or mend `serviceAccountName` of the pod"},
	{"api-server-audience", "the audience is one of the API server", "nothing: pulls may work, and every pod's token opens the registry",
		trust.APIServerAudience, "is an audience of the API server itself", "audience =",
		"choose an audience that only the registry takes"},
}

var providerRows = []Row{
	{"issuer-slash", "the provider's issuer differs from the cluster's by a trailing slash",
		seenPlugin + "`CI JWT validation failed: InvalidIssuer`", trust.Issuer, "by the trailing slash alone", "issuer_url =",
		"take `issuer_url` from `aktrust_cluster_jwks`, verbatim"},
	{"two-providers", "two enabled providers have the issuer and the audience", seenPlugin +
		"`2 enabled CI OIDC providers are configured for issuer`",
		trust.Provider, "2 enabled providers", "--provider-id", "disable one, or name one by `--provider-id`"},
	{"provider-disabled", "the provider is disabled", seenPlugin + "`No enabled CI OIDC provider is configured for issuer`", trust.Provider,
		"is disabled", "is_enabled = true", "enable it"},
	{"all-providers-disabled", "all providers of the issuer are disabled", seenPlugin +
		"`No enabled CI OIDC provider is configured for issuer`", trust.Provider,
		"is disabled, and so is every other of the issuer", "is_enabled = true", "enable the one whose audience the file asks for"},
	{"no-provider", "no provider has the cluster's issuer", seenPlugin + "`No enabled CI OIDC provider is configured for issuer`",
		trust.Provider,
		"has no provider of the issuer", "aktrust_ci_oidc_provider", "add `aktrust_ci_oidc_provider` with the issuer of the cluster"},
	{"provider-id-unknown", "`--provider-id` of the plugin names a provider that is gone", seenPlugin + "`CI OIDC provider not found`",
		trust.Provider, "which the plugin's --provider-id in the file names", "--provider-id",
		"feed `id` of `aktrust_ci_oidc_provider` to `--provider-id`, and the file to the nodes again"},
	{"key-rotated", "the cluster signs with a key that the static set does not have", seenPlugin +
		"`is not in this provider's static JWKS`",
		trust.Keys, "the keys were rotated", "static_jwks", "apply again with `static_jwks` from `aktrust_cluster_jwks`"},
	{"issuer-unreachable", "the registry cannot fetch the issuer's documents", seenPlugin + "an internal error", trust.Keys,
		"neither the registry nor this machine gets them", "static_jwks", "pin the keys with `static_jwks`"},
	{"published-keys-stale", "the cluster signs with a key that the issuer has not published", seenPlugin + "`InvalidSignature`",
		trust.Keys, "the keys were rotated", "Publish the cluster's present key set",
		"publish the cluster's keys at the issuer; the registry fetches them within five minutes"},
	{"document-issuer", "the discovery document names another issuer", "nothing, as long as the registry does not compare the two",
		trust.Keys,
		"says that its issuer is", "discovery document", "publish the document with the issuer to the letter, or pin the keys"},
}

var mappingRows = []Row{
	{"no-mappings", "the provider has no mappings", seenPlugin + "`No CI OIDC identity mappings configured for this provider`",
		trust.Mapping,
		"has no identity mappings", "claim_filters", "add `aktrust_ci_oidc_mapping`"},
	{"other-namespace", "the mapping is for another namespace", seenPlugin + noMatch, trust.Mapping,
		"/kubernetes.io/namespace: the filter wants", "claim_filters", "filter on the pod's namespace"},
	{"dotted-key", "the filter has a key with dots instead of a JSON Pointer", seenPlugin + noMatch, trust.Mapping,
		"did you mean /kubernetes.io/namespace", "did you mean", "write `\"/kubernetes.io/namespace\"`"},
	{"boolean-as-text", "the filter has a value of another JSON type than the claim", seenPlugin + noMatch, trust.Mapping,
		"the filter has", "write", "write the value in the claim's type: `true` is not `\"true\"`"},
	{"mapping-disabled", "the mapping is disabled", seenPlugin + "`No CI OIDC identity mappings configured for this provider`",
		trust.Mapping,
		"and is disabled", "is_enabled = true", "enable it"},
}

const noMatch = "`CI JWT did not match any identity mapping`"

var accessRows = []Row{
	{"earlier-mapping", "an earlier mapping wins, whose account may not read the repository", seenRefused, trust.Permission,
		"which matches too, and whose account may read", "higher priority number",
		"give the earlier mapping a higher `priority` number than the one that is meant has, narrow it, or delete it: " +
			"`aktrust_ci_oidc_mappings_exclusive` shows one that somebody added"},
	{"everybody-mapping", "an earlier mapping takes every token (`claim_filters = {}`), and its account may not read", seenRefused,
		trust.Permission, "which takes every token of the cluster", "delete the mapping", "delete that mapping, and grant it nothing: " +
			"`aktrust_ci_oidc_mappings_exclusive` shows one that somebody added"},
	{"account-deactivated", "the mapping's account is deactivated", seenPlugin + "`The service account for this CI identity mapping " +
		"is deactivated`",
		trust.Account, "is deactivated", "Activate the account", "activate it by the command of the remedy, or replace the mapping"},
	{"no-grant", "the mapping names no group and its account has no grant of its own", seenRefused, trust.Permission,
		"no rule is about it or a group that it is in", "group_binding_ids", "name a group that may read in `group_binding_ids`"},
	{"group-without-read", "the mapping's groups may not read the repository", seenRefused, trust.Permission,
		"which is not to read", "group", "grant one of the groups the action `read` on the repository"},
	{"outside-ceiling", "the repository is not among `allowed_repo_ids`", seenRefused, trust.Permission,
		"is not among the 1 of allowed_repo_ids", "allowed_repo_ids", "add it, or leave `allowed_repo_ids` out: it grants nothing"},
	{"empty-ceiling", "`allowed_repo_ids = []`", seenRefused, trust.Permission,
		"shuts every repository out", "allowed_repo_ids", "leave it out, or name repositories"},
	{"registry-unreachable", "nothing answers at the registry's address", seenPlugin + "none, the connection fails", trust.Exchange,
		"cannot be reached", "Nothing answers at this address", "check the address, the network policy and the proxy of the nodes"},
	{"certificate-unknown", "the registry's certificate is signed by an unknown authority", seenPlugin + "none, the handshake fails",
		trust.Exchange,
		"certificate", "ca_certificate", "give the authority: `ca_certificate` here, `--ca-file` to the plugin on the nodes"},
	{"clock", "the clocks of the API server and the registry differ", seenPlugin + "`CI JWT validation failed: ExpiredSignature`",
		trust.Exchange,
		"ExpiredSignature", "clocks", "have both follow a time server"},
	{"manifest-missing", "the repository has no such image or tag", "`not found` in the pod's event", trust.Manifest,
		"has no", "Push the image", "push it, or mend the image's name (`manifest = true` looks)"},
}

const seenRefused = "nothing: the plugin succeeds, and the registry refuses the pull (`DENIED` or `NAME_UNKNOWN` in the event)"
