package kubeletconfig

import "testing"

func TestIgnoredDocuments(t *testing.T) {
	const one = "apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\nproviders: []\n"
	for text, want := range map[string]bool{
		one:                                   false,
		"---\n" + one:                         false,
		one + "---\n":                         false,
		one + "---\n# nothing\n":              false,
		one + "...\n":                         false,
		one + "---\n" + one:                   true,
		one + "---\nproviders: []\n":          true,
		`{"kind":"CredentialProviderConfig"}`: false,
		"":                                    false,
		"\t":                                  false,
	} {
		if got := IgnoredDocuments([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
