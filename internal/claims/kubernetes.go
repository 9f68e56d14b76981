package claims

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/aktrust/terraform-provider-aktrust/internal/strictjson"
)

// known says of a claim that a Kubernetes API server issues what its values are in every token that has it
// (kubernetes/pkg/serviceaccount/claims.go).
type known struct {
	// what it is, in a sentence: "a string".
	what string
	// is reports whether a JSON value is of that type.
	is func(any) bool
	// problems says why a text cannot be a value, nil for any text.
	problems func(string) []string
	// rule is what problems says, in a sentence.
	rule string
}

const (
	labelRule     = "a namespace's name is lower case letters, digits and hyphens between them, up to 63"
	subdomainRule = "such a name is lower case letters, digits, and hyphens and dots between them, up to 253"
)

var (
	anObject  = known{what: "an object", is: func(v any) bool { _, ok := v.(map[string]any); return ok }}
	aNumber   = known{what: "a number", is: func(v any) bool { _, ok := v.(json.Number); return ok }}
	aUID      = known{what: "a string", is: isText}
	aName     = known{what: "a string", is: isText, problems: content.IsDNS1123Subdomain, rule: subdomainRule}
	namespace = known{what: "a string", is: isText, problems: content.IsDNS1123Label, rule: labelRule}
)

// kubernetesClaims are all claims in the object kubernetes.io, by their pointers. Every token has the namespace and the
// ServiceAccount, one of a pod has the pod and its node.
var kubernetesClaims = map[string]known{
	podNamespace:         namespace,
	podRootPointer:       anObject,
	serviceAccount:       anObject,
	serviceAccountName:   aName,
	serviceAccountUID:    aUID,
	"/kubernetes.io/pod": anObject, "/kubernetes.io/pod/name": aName, "/kubernetes.io/pod/uid": aUID,
	"/kubernetes.io/node": anObject, "/kubernetes.io/node/name": aName, "/kubernetes.io/node/uid": aUID,
	"/kubernetes.io/secret": anObject, "/kubernetes.io/secret/name": aName, "/kubernetes.io/secret/uid": aUID,
	"/kubernetes.io/warnafter": aNumber,
}

// noClaim says of a pointer into the object kubernetes.io that no token has what it leads to.
func noClaim(pointer string) string {
	if _, found := kubernetesClaims[pointer]; found || !strings.HasPrefix(pointer, podRootPointer+"/") {
		return ""
	}
	return fmt.Sprintf("No token of a Kubernetes cluster has %q. In kubernetes.io there are namespace, and serviceaccount, pod, node and "+
		"secret, each with name and uid: for example %q.", pointer, podNamespace)
}

// impossible says of a value that the claim of a Kubernetes token never has it; empty when it may, and for the claims of others.
func impossible(key string, value any) string {
	claim, found := kubernetesClaims[key]
	text, isText := value.(string)
	switch {
	case key == "sub" || key == "/sub":
		return impossibleSubject(key, text)
	case !found || wholeObject(key) && isText: // for which there are other words
		return ""
	case !claim.is(value):
		return fmt.Sprintf("Claim filter %q has the value %s, which is %s. The claim is %s in every token, and nothing is converted: "+
			"the two are never equal.", key, brief(value), strictjson.TypeName(value), claim.what)
	case isText && text == "":
		return fmt.Sprintf("Claim filter %q has the value \"\", and the claim is empty in no token.", key)
	case isText && claim.problems != nil && len(claim.problems(text)) > 0:
		return fmt.Sprintf("Claim filter %q has the value %q, and there can be none of that name: %s. Case and white space count.",
			key, text, claim.rule)
	}
	return ""
}

const subjectPrefix = "system:serviceaccount"

// impossibleSubject looks at texts alone that are meant to be the name of a ServiceAccount's user.
func impossibleSubject(key, text string) string {
	parts := strings.Split(text, ":")
	switch {
	case !strings.HasPrefix(strings.ToLower(strings.TrimSpace(text)), subjectPrefix):
		return ""
	case len(parts) == 4 && parts[0]+":"+parts[1] == subjectPrefix &&
		len(content.IsDNS1123Label(parts[2])) == 0 && len(content.IsDNS1123Subdomain(parts[3])) == 0:
		return ""
	}
	return fmt.Sprintf("Claim filter %q has the value %q, which no ServiceAccount can be called. Its name is %s:NAMESPACE:NAME, whole and "+
		"in lower case, and is compared letter by letter.", key, text, subjectPrefix)
}

func isText(value any) bool { _, ok := value.(string); return ok }

// inEveryNamespace warns of the name of a ServiceAccount without anything that says in which namespace it is.
func (f Filters) inEveryNamespace() []Warning {
	name, named := f.values[serviceAccountName]
	narrows := func(key string) bool { _, found := f.values[key]; return found }
	if !named || slices.ContainsFunc([]string{
		podNamespace, podRoot, podRootPointer, serviceAccount, serviceAccountUID, "sub", "/sub", "/kubernetes.io/pod/uid",
	}, narrows) {
		return nil
	}
	return []Warning{{Key: serviceAccountName, Text: fmt.Sprintf("Claim filter %q alone lets in %s of every namespace: whoever may "+
		"make a ServiceAccount anywhere in the cluster can make one of that name. Add %s, unless that is meant.",
		serviceAccountName, either(name), strconv.Quote(podNamespace))}}
}
