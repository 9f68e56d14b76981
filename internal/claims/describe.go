package claims

import "strings"

// Describe says in one line which tokens the filters let through, for example:
//
//	/kubernetes.io/namespace is "team" and /kubernetes.io/serviceaccount/name is "api" or "worker"
//
// Keys are sorted, and long values are cut: the text is for reading, not for comparing.
func (f Filters) Describe() string {
	if f.Len() == 0 {
		return "every token"
	}
	parts := make([]string, 0, f.Len())
	for _, key := range f.Keys() {
		parts = append(parts, key+" is "+either(f.values[key]))
	}
	return strings.Join(parts, " and ")
}

func either(expected any) string {
	list := alternatives(expected)
	if len(list) == 0 {
		return "one of nothing (never)"
	}
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = brief(one)
		if one == nil {
			texts[i] = "null or missing"
		}
	}
	return strings.Join(texts, " or ")
}
