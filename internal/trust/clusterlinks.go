package trust

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/go-version"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
	"github.com/aktrust/terraform-provider-aktrust/internal/cluster/nodeaudience"
)

// MinimumKubernetes is the oldest version whose API server lets nodes request the audience and whose kubelet hands the
// token to a plugin unasked (KEP-4412, beta from 1.34).
const MinimumKubernetes = "1.34"

// older reports whether a version is known to be older than another. Pre-releases count as what they lead to.
func older(have, minimum string) (old, known bool) {
	parsed, err := version.NewVersion(have)
	if err != nil {
		return false, false
	}
	return parsed.Core().LessThan(version.Must(version.NewVersion(minimum))), true
}

func (c *chain) versions() Link {
	var f finding
	if c.apiVersionErr != nil {
		f.lacks(advice(c.apiVersionErr), "%s", c.apiVersionErr)
	} else {
		judgeVersion(&f, "the API server", c.apiVersion, MinimumKubernetes,
			"Upgrade the control plane to Kubernetes "+MinimumKubernetes+" or newer.")
		c.judgeKubelets(&f)
	}
	if c.healthErr != nil {
		f.lacks(advice(c.healthErr), "%s", c.healthErr)
	} else {
		judgeVersion(&f, "the registry", c.health.Version, artifactkeeper.MinimumVersion,
			"Upgrade the registry to Artifact Keeper "+artifactkeeper.MinimumVersion+" or newer.")
	}
	return f.link(Versions)
}

func judgeVersion(f *finding, what, have, minimum, remedy string) {
	switch old, known := older(have, minimum); {
	case !known:
		f.lacks("", "%s says that it is version %q, which cannot be compared with %s", what, have, minimum)
	case old:
		f.breaks(remedy, "%s is %s, and the chain works from %s on", what, have, minimum)
	default:
		f.note("%s is %s", what, have)
	}
}

// mostNodes is how many nodes a detail names.
const mostNodes = 5

func (c *chain) judgeKubelets(f *finding) {
	if c.kubeletsErr != nil {
		f.lacks(advice(c.kubeletsErr), "%s", c.kubeletsErr)
		return
	}
	var outdated []string
	silent := 0
	for _, kubelet := range c.kubelets {
		old, known := older(kubelet.Version, MinimumKubernetes)
		switch {
		case !known:
			silent++
		case old:
			outdated = append(outdated, fmt.Sprintf("%s (%s)", kubelet.Node, kubelet.Version))
		}
	}
	if n := len(outdated); n > 0 {
		slices.Sort(outdated)
		more := ""
		if n > mostNodes {
			outdated, more = outdated[:mostNodes], fmt.Sprintf(" and %d more", n-mostNodes)
		}
		f.breaks("Upgrade the kubelets of these nodes to "+MinimumKubernetes+" or newer.",
			"%s older than %s: %s%s", count(n, "kubelet"), MinimumKubernetes, strings.Join(outdated, ", "), more)
	}
	if silent > 0 {
		f.note("%s reports no version of a kubelet", count(silent, "node"))
	}
	f.note("%s looked at", count(len(c.kubelets), "node"))
}

// askForNodes asks the API server's authorizers whether a node may request the token (admission plugin NodeRestriction,
// feature ServiceAccountNodeAudienceRestriction, on by default from Kubernetes 1.33). A refusal that a role contradicts is
// asked about again for a moment.
func (c *chain) askForNodes(ctx context.Context) {
	c.granted, c.grantedErr = c.nodesMay(ctx, c.audience)
	if c.granted || c.grantedErr != nil || !c.bound(ctx) {
		return
	}
	// Its error says no more than that the time is over: what counts is the last answer.
	_ = wait.PollUntilContextTimeout(ctx, settling/10, settling, false, func(context.Context) (bool, error) {
		c.granted, c.grantedErr = c.nodesMay(ctx, c.audience)
		return c.granted || c.grantedErr != nil, nil
	})
}

// settling is how long a role that was made a moment ago, in the same apply for example, may take to reach the authorizers of
// the API server, which look at a cache.
const settling = time.Second

// bound reports whether a role grants what the nodes were refused.
func (c *chain) bound(ctx context.Context) bool {
	grants, err := c.Cluster.Grants(ctx)
	return err == nil && slices.ContainsFunc(grants, func(grant Grant) bool {
		return grant.Audience == c.audience && c.covers(grant)
	})
}

// covers reports whether a grant is for the ServiceAccount, whichever groups it is bound to.
func (c *chain) covers(grant Grant) bool {
	return (grant.Everywhere || slices.Contains(grant.Namespaces, c.Namespace)) &&
		(len(grant.ServiceAccounts) == 0 || slices.Contains(grant.ServiceAccounts, c.ServiceAccount))
}

func (c *chain) nodesMay(ctx context.Context, audience string) (bool, error) {
	node := "any"
	if len(c.kubelets) > 0 {
		node = c.kubelets[0].Node
	}
	allowed, _, err := c.Cluster.Allowed(ctx, cluster.Access{
		User:   "system:node:" + node,
		Groups: append([]string{nodeaudience.NodesGroup, "system:authenticated"}, c.NodeGroups...),
		Verb:   nodeaudience.Verb, Resource: audience, Namespace: c.Namespace, Name: c.ServiceAccount,
	})
	return allowed, err
}

func (c *chain) nodeAudience(ctx context.Context) Link {
	var f finding
	switch {
	case c.audience == "":
		f.lacks(noAudience, "it is not known which audience the nodes would ask for")
	case c.grantedErr != nil:
		f.lacks(advice(c.grantedErr), "%s", c.grantedErr)
	case c.granted:
		f.note("nodes may request tokens of the audience %q for ServiceAccount %s/%s", c.audience, c.Namespace, c.ServiceAccount)
	default:
		f.refusal = true
		f.breaks(c.grantRemedy(ctx), "nodes may not request tokens of the audience %q for ServiceAccount %s/%s, so that the API server "+
			"refuses the kubelet (\"is not authorized to request tokens\")%s", c.audience, c.Namespace, c.ServiceAccount,
			c.otherGrants(ctx))
	}
	return f.link(NodeAudience)
}

const noAudience = "Give audience, or credential_provider_config, or provider_id."

// grantRemedy lets nodes ask for what the registry takes. An audience that opens the API server is granted to nobody, and one
// that the registry does not take would be of no use: then the file is mended, and the nodes follow it.
func (c *chain) grantRemedy(ctx context.Context) string {
	audience := c.audience
	if c.opensAPIServer() {
		return "Do not grant it: choose another audience first, see the link api_server_audience."
	}
	p := c.resolved.provider
	if p == nil && len(c.resolved.rivals) > 0 && !slices.ContainsFunc(c.resolved.rivals, c.takes) {
		return "Mend the audience first, see the link provider: the registry does not take it."
	}
	if p != nil && p.Audience != audience {
		if cluster.IsAPIServerAudience(p.Audience) || c.documents != nil && p.Audience == c.documents.Issuer {
			return "Do not grant it: no provider takes it. See the link file_audience."
		}
		audience = p.Audience
		mend := "Mend the audience instead, see the link file_audience: the registry takes " + fmt.Sprintf("%q", audience)
		if allowed, err := c.nodesMay(ctx, audience); err == nil && allowed {
			return mend + ", and nodes may request it."
		}
		return mend + ", which nodes may not request either:\n" + c.grantOf(audience)
	}
	return c.grantOf(audience)
}

func (c *chain) grantOf(audience string) string {
	return fmt.Sprintf("resource \"aktrust_node_audience\" \"registry\" {\n  audience = %q\n  # namespaces = [%q] narrows it\n}",
		audience, c.Namespace)
}

// otherGrants tells what is granted instead. It only helps to understand, so that an error here says nothing.
func (c *chain) otherGrants(ctx context.Context) string {
	var out strings.Builder
	if p := c.resolved.provider; p != nil && p.Audience != c.audience {
		if allowed, err := c.nodesMay(ctx, p.Audience); err == nil && allowed {
			fmt.Fprintf(&out, "; they may for %q, the audience of the provider %q", p.Audience, p.Name)
		}
	}
	grants, err := c.Cluster.Grants(ctx)
	if err != nil {
		return out.String()
	}
	var same, other []string
	for _, grant := range grants {
		switch {
		case grant.Audience == c.audience:
			same = append(same, c.shortOf(grant))
		case grant.Everywhere || slices.Contains(grant.Namespaces, c.Namespace):
			other = append(other, fmt.Sprintf("; ClusterRole %q grants the audience %q%s", grant.Role, grant.Audience,
				byHow(c.audience, grant.Audience)))
		}
	}
	if len(same) == 0 { // one for another audience was hardly meant when there is one for this
		same = other[:min(len(other), mostGrants)]
	}
	return out.String() + strings.Join(same, "")
}

// mostGrants is how many grants of other audiences a detail names.
const mostGrants = 5

// shortOf says in what a grant of the audience falls short.
func (c *chain) shortOf(grant Grant) string {
	switch {
	case grant.Everywhere || slices.Contains(grant.Namespaces, c.Namespace):
		if len(grant.ServiceAccounts) > 0 && !slices.Contains(grant.ServiceAccounts, c.ServiceAccount) {
			return fmt.Sprintf("; ClusterRole %q grants it for the ServiceAccounts %s alone", grant.Role, quoted(grant.ServiceAccounts))
		}
		return fmt.Sprintf("; ClusterRole %q grants it, though not to the groups of these nodes", grant.Role)
	case len(grant.Namespaces) > 0:
		return fmt.Sprintf("; ClusterRole %q grants it in the namespaces %s alone", grant.Role, quoted(grant.Namespaces))
	}
	return fmt.Sprintf("; ClusterRole %q grants it, and nothing binds that", grant.Role)
}

func quoted(texts []string) string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = fmt.Sprintf("%q", text)
	}
	return strings.Join(out, ", ")
}

func (c *chain) serviceAccount(ctx context.Context) Link {
	var f finding
	switch {
	case cluster.IsNotFound(c.accountErr):
		create, without := fmt.Sprintf("kubectl create serviceaccount %s --namespace %s", c.ServiceAccount, c.Namespace), ""
		if _, err := c.Cluster.Namespace(ctx, c.Namespace); cluster.IsNotFound(err) {
			create = fmt.Sprintf("kubectl create namespace %s\n%s", c.Namespace, create)
			without = ": the namespace does not exist"
		}
		f.breaks(create, "there is no ServiceAccount %s/%s, so no pod can run as it%s", c.Namespace, c.ServiceAccount, without)
	case c.accountErr != nil && c.token != nil:
		f.note("ServiceAccount %s/%s exists, as a token was issued for it; it could not be read itself", c.Namespace, c.ServiceAccount)
	case c.accountErr != nil:
		f.lacks(advice(c.accountErr), "%s", c.accountErr)
	default:
		f.note("ServiceAccount %s/%s exists", c.Namespace, c.ServiceAccount)
	}
	c.judgeAnnotations(&f)
	return f.link(ServiceAccount)
}

// judgeAnnotations holds the ServiceAccount against requiredServiceAccountAnnotationKeys: without one of them the kubelet
// does not run the plugin.
func (c *chain) judgeAnnotations(f *finding) {
	if c.account == nil || c.file.chosen == nil || c.file.chosen.TokenAttributes == nil {
		return
	}
	for _, key := range c.file.chosen.TokenAttributes.RequiredServiceAccountAnnotationKeys {
		if _, found := c.account.Annotations[key]; !found {
			f.breaks(fmt.Sprintf("kubectl annotate serviceaccount %s --namespace %s %s=VALUE", c.ServiceAccount, c.Namespace, key),
				"it lacks the annotation %q that the provider %q of the file requires, so that the kubelet passes the plugin over", key,
				c.file.chosen.Name)
		}
	}
}

func (c *chain) tokenRequest() Link {
	var f finding
	switch {
	case c.token != nil:
		f.note("the API server issued a token for the audience %q, as a node would ask for; it lives in memory and is not kept", c.audience)
	case cluster.IsNotFound(c.accountErr) || cluster.IsNotFound(c.tokenErr):
		return skipped(TokenRequest, "there is no ServiceAccount to ask a token for")
	case c.audience == "":
		f.lacks(noAudience, "it is not known which audience to ask for")
	case refusedRequest(c.tokenErr):
		f.breaks(advice(c.tokenErr), "%s", c.tokenErr)
	default: // forbidden to this account, no answer, or trouble of the API server's own
		f.lacks(advice(c.tokenErr), "%s", c.tokenErr)
	}
	return f.link(TokenRequest)
}

// refusedRequest reports whether the API server found fault with what was asked, whoever asks. A token that cannot be read
// comes from no API server, and is of no use to a kubelet either.
func refusedRequest(err error) bool {
	answer, ok := errors.AsType[*cluster.Error](err)
	return !ok || slices.Contains([]int{http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity}, answer.Code)
}

// opensAPIServer reports whether the token, or one of its audience, is taken by the API server itself.
func (c *chain) opensAPIServer() bool {
	if c.token != nil && c.acceptedErr == nil {
		return c.accepted
	}
	return cluster.IsAPIServerAudience(c.audience) || c.documents != nil && c.audience == c.documents.Issuer
}

func (c *chain) apiServerAudience() Link {
	var f finding
	switch {
	case c.audience == "":
		f.lacks(noAudience, "it is not known which audience to look at")
	case c.opensAPIServer():
		f.breaks("Choose an audience that only the registry takes, the same for the provider, the nodes and the file:\naudience = "+
			"\"artifact-keeper\"",
			"%q is an audience of the API server itself: every pod holds a token for it, and whoever is handed one can act as the pod's "+
				"ServiceAccount in the cluster", c.audience)
	case c.token != nil && c.acceptedErr == nil:
		f.note("the API server does not take a token for %q as a credential of its own", c.audience)
	case c.acceptedErr != nil:
		f.lacks(advice(c.acceptedErr), "%q is none of the usual audiences of API servers, and whether it is one of this could not be "+
			"asked: %s",
			c.audience, c.acceptedErr)
	case c.documents == nil:
		f.lacks("", "%q is none of the usual audiences of API servers, and there is no token to try", c.audience)
	default:
		return skipped(APIServerAudience, "%q is neither the issuer nor a usual audience of API servers, and there is no token to try",
			c.audience)
	}
	return f.link(APIServerAudience)
}
