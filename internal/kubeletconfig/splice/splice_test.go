package splice_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/splice"
)

// provider is one that uses few members, with further arguments.
func provider(name string, args ...string) kubeletconfig.Provider {
	return kubeletconfig.Provider{
		Name: name, MatchImages: []string{"ak.test"}, DefaultCacheDuration: new(5 * time.Minute), APIVersion: kubeletconfig.PluginV1, Args: args,
	}
}

// documents are the texts of the vectors that the kubelet accepts.
func documents(t testing.TB) map[string]string {
	t.Helper()
	data, err := os.ReadFile("../testdata/credential-provider-configs.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Name     string
		Document string
		Accepted bool
	}
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, v := range vectors {
		if v.Accepted {
			found[v.Name] = v.Document
		}
	}
	if len(found) == 0 {
		t.Fatal("there are no accepted documents")
	}
	return found
}

func change(t *testing.T, text string, ours []string, want ...kubeletconfig.Provider) string {
	t.Helper()
	after, err := splice.Change([]byte(text), ours, want)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return string(after)
}

func TestPutInAndTakenOutIsTheSame(t *testing.T) {
	for name, text := range documents(t) {
		t.Run(name, func(t *testing.T) {
			names := []string{"one", "two"}
			with := change(t, text, nil, provider("one", "-v"), provider("two"))
			if diff := cmp.Diff(text, change(t, with, names)); diff != "" {
				t.Errorf("-before +after:\n%s", diff)
			}
			for i, first := range names {
				rest := change(t, with, []string{first})
				if diff := cmp.Diff(text, change(t, rest, []string{names[1-i]})); diff != "" {
					t.Errorf("first %s: -before +after:\n%s", first, diff)
				}
			}
		})
	}
}

// parse reads a text as the kubelet does.
func parse(t *testing.T, text string) kubeletconfig.Config {
	t.Helper()
	config, err := kubeletconfig.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return config
}

// isPart reports whether a text is another one with something left out.
func isPart(part, whole string) bool {
	for i := range len(part) {
		at := strings.IndexByte(whole, part[i])
		if at < 0 {
			return false
		}
		whole = whole[at+1:]
	}
	return true
}
