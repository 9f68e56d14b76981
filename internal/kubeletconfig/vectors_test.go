package kubeletconfig_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

func readVectors[T any](t *testing.T, name string) []T {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var vectors []T
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(vectors) == 0 {
		t.Fatalf("%s is empty", name)
	}
	return vectors
}

func TestParseAgreesWithTheKubelet(t *testing.T) {
	type vector struct {
		Name     string
		Document string
		Accepted bool
		Error    string
	}
	for _, v := range readVectors[vector](t, "credential-provider-configs.json") {
		t.Run(v.Name, func(t *testing.T) {
			_, err := kubeletconfig.Parse([]byte(v.Document))
			if v.Accepted {
				if err != nil {
					t.Fatalf("the kubelet accepts this, Parse says: %v", err)
				}
				return
			}
			if err == nil {
				t.Fatalf("the kubelet refuses this: %s", v.Error)
			}
			got := err.Error()
			if _, ok := errors.AsType[*kubeletconfig.DecodeError](err); ok {
				got = `error decoding config "CONFIG": ` + got
			}
			// The kubelet repeats the whole file here, which may hold secrets.
			want, _, _ := strings.Cut(v.Error, " in '"+v.Document)
			if got != want {
				t.Errorf("error\n got: %s\nwant: %s", got, want)
			}
		})
	}
}

func TestMatchesAgreesWithTheKubelet(t *testing.T) {
	type vector struct {
		Pattern    string
		Image      string
		Matches    bool
		Repository string
		Error      string
	}
	for _, v := range readVectors[vector](t, "match-images.json") {
		t.Run(v.Pattern+" "+v.Image, func(t *testing.T) {
			if got := kubeletconfig.Matches(v.Pattern, v.Image); got != v.Matches {
				t.Errorf("Matches = %t, the kubelet says %t", got, v.Matches)
			}
			repository, imageErr := kubeletconfig.Repository(v.Image)
			if repository != v.Repository {
				t.Errorf("Repository = %q, the kubelet's is %q", repository, v.Repository)
			}
			_, patternErr := kubeletconfig.ParsePattern(v.Pattern)
			var got string
			if err := errors.Join(imageErr, patternErr); err != nil {
				got = err.Error()
			}
			if got != v.Error {
				t.Errorf("error\n got: %s\nwant: %s", got, v.Error)
			}
		})
	}
}
