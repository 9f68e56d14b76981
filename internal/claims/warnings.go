package claims

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Warning is about filters that the registry accepts and that hardly mean what they say.
type Warning struct {
	// Key is the filter it is about; empty when it is about all of them.
	Key string
	// Text says in sentences what will happen and what was probably meant.
	Text string
}

// Warnings returns what is worth saying about the filters, in the order of Keys: {} matches every token of the issuer,
// [] never matches, a key with dots or slashes that is not a pointer names a claim that hardly exists, a part of an object
// is compared with the whole, a pattern letter by letter, and what a Kubernetes token never has with what it has. A
// ServiceAccount's name alone is of every namespace. It is empty for sound filters.
func (f Filters) Warnings() []Warning {
	if f.Len() == 0 {
		return []Warning{{Text: "Claim filters {} match every token of the issuer."}}
	}
	var out []Warning
	for _, key := range f.Keys() {
		if text := suspicious(key, f.values[key]); text != "" {
			out = append(out, Warning{Key: key, Text: text})
		}
	}
	return append(out, f.inEveryNamespace()...)
}

func suspicious(key string, value any) string {
	if list, ok := value.([]any); ok && len(list) == 0 {
		return fmt.Sprintf("Claim filter %q accepts one of nothing: an empty list never matches, so neither does the mapping.",
			key)
	}
	if slices.Contains(alternatives(value), nil) {
		return fmt.Sprintf("Claim filter %q accepts null, which every token without this claim has. Leave the filter out if it is "+
			"not meant, or see why its value is null.", key)
	}
	if key == "" || key == "/" {
		return fmt.Sprintf("Claim filter %q names the claim without a name, which no token has. Write the name of a claim, such as "+
			"\"sub\", or a JSON Pointer to one inside of an object, such as %q.", key, podNamespace)
	}
	if pointer := meant(key); pointer != "" {
		text := fmt.Sprintf("Claim filter %q %s. A claim inside of an object is named by a JSON Pointer, here probably %q.",
			key, readAs(key), pointer)
		return strings.TrimSpace(text + " " + noClaim(pointer))
	}
	if text := noClaim(key); text != "" {
		return text
	}
	for _, one := range alternatives(value) {
		if part, ok := one.(map[string]any); ok && isPart(key, part) {
			return fmt.Sprintf("Claim filter %q compares the whole object, and %s is only a part of what a pod's token has there, so that "+
				"it matches none. The members are named by JSON Pointers, here %s.", key, brief(part), pointersTo(key, part))
		}
		if text, ok := one.(string); ok && wholeObject(key) {
			return fmt.Sprintf("Claim filter %q names the whole object and compares it with %q. A claim inside of it is named by"+
				" a JSON Pointer, for example %q.", key, text, podNamespace)
		}
		if text, ok := one.(string); ok && strings.Contains(text, "*") {
			return fmt.Sprintf("Claim filter %q has the value %q, which is compared letter by letter: there are no patterns.",
				key, text)
		}
		if text := impossible(key, one); text != "" {
			return text
		}
	}
	return ""
}

func readAs(key string) string {
	if strings.HasPrefix(key, "/") {
		return "leads to no claim of a Kubernetes token"
	}
	return "names one claim of exactly that name, its dots and slashes mean nothing"
}

// podObjects are the objects in the token of a pod, by the plain form of their names, and what each has at least. Of the
// node there may be no uid.
var podObjects = map[string][]string{
	plain(podRoot):                         {"namespace", "node", "pod", "serviceaccount"},
	plain("/kubernetes.io/serviceaccount"): {"name", "uid"},
	plain("/kubernetes.io/pod"):            {"name", "uid"},
	plain("/kubernetes.io/node"):           {"name"},
}

// isPart reports whether an object, as the value of a key, lacks what the claim in the token of a pod has for sure.
func isPart(key string, value map[string]any) bool {
	for _, name := range podObjects[plain(key)] {
		member, found := value[name]
		if !found {
			return true
		}
		if inner, ok := member.(map[string]any); ok && isPart(podRoot+"/"+name, inner) {
			return true
		}
	}
	return false
}

// pointersTo lists the pointers to what an object has, quoted; for nothing, a common one.
func pointersTo(key string, value map[string]any) string {
	var pointers []string
	var walk func(way []string, value any)
	walk = func(way []string, value any) {
		members, ok := value.(map[string]any)
		if !ok {
			pointers = append(pointers, strconv.Quote(pointerTo(way...)))
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			walk(append(slices.Clone(way), name), members[name])
		}
	}
	way := []string{key}
	if strings.HasPrefix(key, "/") {
		way = tokens(key)
	}
	walk(way, value)
	if len(pointers) == 0 {
		return strconv.Quote(podNamespace)
	}
	return strings.Join(pointers, ", ")
}

func wholeObject(key string) bool { return key == podRoot || key == podRootPointer }

// Claims that a Kubernetes API server puts into a token; kubernetesClaims are all.
const (
	podRoot            = "kubernetes.io"
	podRootPointer     = "/" + podRoot
	podNamespace       = podRootPointer + "/namespace"
	serviceAccount     = podRootPointer + "/serviceaccount"
	serviceAccountName = serviceAccount + "/name"
	serviceAccountUID  = serviceAccount + "/uid"
)

var podClaims = spellings(slices.Sorted(maps.Keys(kubernetesClaims)))

// spellings maps what is left of each pointer without its punctuation to the pointer. The claims of the old tokens in
// Secrets, which carry no audience and so never reach the registry, lead to their successors.
func spellings(pointers []string) map[string]string {
	out := map[string]string{
		plain("kubernetes.io/serviceaccount/namespace"):            podNamespace,
		plain("kubernetes.io/serviceaccount/service-account.name"): "/kubernetes.io/serviceaccount/name",
		plain("kubernetes.io/serviceaccount/service-account.uid"):  "/kubernetes.io/serviceaccount/uid",
	}
	for _, pointer := range pointers {
		if pointer == podRootPointer {
			continue // By its plain name it is right, too.
		}
		out[plain(pointer)] = pointer
	}
	return out
}

// plain is the key in lower case with one dot for any punctuation.
func plain(key string) string {
	words := strings.FieldsFunc(strings.ReplaceAll(key, "~1", "/"), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return strings.ToLower(strings.Join(words, "."))
}

// meant is the JSON Pointer that was probably meant by a key, or "" when the key looks as it should. Names that are
// URLs or URNs are common for claims of one's own (RFC 7519 section 4.2) and stay.
func meant(key string) string {
	if pointer := podClaims[plain(key)]; pointer != "" {
		if pointer == key {
			return ""
		}
		return pointer
	}
	switch {
	case strings.HasPrefix(key, "/"), wholeObject(key), strings.Contains(key, "://"), strings.HasPrefix(key, "urn:"):
		return ""
	case strings.Contains(key, "/"):
		return pointerTo(strings.Split(key, "/")...)
	case strings.HasPrefix(key, podRoot+"."):
		return pointerTo(append([]string{podRoot}, strings.Split(strings.TrimPrefix(key, podRoot+"."), ".")...)...)
	case strings.Contains(key, "."):
		return pointerTo(strings.Split(key, ".")...)
	}
	return ""
}
