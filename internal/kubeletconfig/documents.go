package kubeletconfig

import (
	"bytes"

	"go.yaml.in/yaml/v3"
)

// IgnoredDocuments reports whether a text that [Decode] reads has further YAML documents behind the first, which the kubelet
// ignores without a word. A document of comments alone is none.
func IgnoredDocuments(text []byte) bool {
	if FormatOfText(text) == JSON {
		return false
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var first, second yaml.Node
	if decoder.Decode(&first) != nil || decoder.Decode(&second) != nil {
		return false
	}
	return len(second.Content) > 0 && second.Content[0].Tag != "!!null"
}
