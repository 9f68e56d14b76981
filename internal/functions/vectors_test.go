package functions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/functions"
)

// configOf is a file with one provider, called it, with this pattern.
func configOf(pattern string) string {
	return fmt.Sprintf(`{"apiVersion": "kubelet.config.k8s.io/v1", "kind": "CredentialProviderConfig", "providers": [{"name": "it",
		"matchImages": [%q], "defaultCacheDuration": "5m", "apiVersion": "credentialprovider.kubelet.k8s.io/v1"}]}`, pattern)
}

func TestImageMatchesAgreesWithTheKubelet(t *testing.T) {
	for _, v := range matchVectors(t) {
		t.Run(v.Pattern+" "+v.Image, func(t *testing.T) {
			got, err := call(t, functions.NewImageMatches, text(v.Pattern), text(v.Image))
			if err != nil {
				t.Fatal(err)
			}
			if !got.Equal(types.BoolValue(v.Matches)) {
				t.Errorf("%s, the kubelet says %t", got, v.Matches)
			}
		})
	}
}

// A provider with one pattern is run for an image exactly when the pattern matches. With a pattern that does not parse
// there is no kubelet that could run it.
func TestMatchingProvidersAgreesWithTheKubelet(t *testing.T) {
	for _, v := range matchVectors(t) {
		t.Run(v.Pattern+" "+v.Image, func(t *testing.T) {
			got, err := call(t, functions.NewMatchingProviders, text(configOf(v.Pattern)), text(v.Image))
			if strings.HasPrefix(v.Error, "parse ") {
				refusedAt(t, err, 0, v.Error)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := texts()
			if v.Matches {
				want = texts("it")
			}
			if !got.Equal(want) {
				t.Errorf("%s, the kubelet says %s", got, want)
			}
		})
	}
}

// The two functions that read a file accept what the kubelet accepts and repeat its words about the rest.
func TestFilesAgreeWithTheKubelet(t *testing.T) {
	for _, v := range configVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			_, parsing := call(t, functions.NewParseCredentialProviderConfig, text(v.Document))
			_, matching := call(t, functions.NewMatchingProviders, text(v.Document), text("ak.test/app"))
			if v.Accepted {
				if parsing != nil || matching != nil {
					t.Fatalf("the kubelet accepts this: %v, %v", parsing, matching)
				}
				return
			}
			// The kubelet names its file, and repeats all of it here, which may hold secrets.
			said, _, _ := strings.Cut(strings.TrimPrefix(v.Error, `error decoding config "CONFIG": `), " in '"+v.Document)
			refusedAt(t, parsing, 0, said)
			refusedAt(t, matching, 0, said)
		})
	}
}
