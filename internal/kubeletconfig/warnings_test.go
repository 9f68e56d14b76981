package kubeletconfig_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

func TestPatternWarnings(t *testing.T) {
	for pattern, want := range map[string]string{
		"":                          "an empty pattern",
		"ak.test/*":                 "literal star",
		"https://ak.test":           `write "ak.test"`,
		"http://ak.test:5000/team":  `write "ak.test:5000/team"`,
		"AK.test/team":              `write "ak.test"`,
		"user:secret@ak.test":       `this one is "ak.test"`,
		"ak.test?x=1":               `this one is "ak.test"`,
		"a?.test":                   `this one is "a"`,
		"ak.test/team#x":            `this one is "ak.test/team"`,
		"/team":                     "no host",
		"[::1]":                     "IPv6",
		"ak test":                   "",
		"ak.test.":                  "empty label",
		".ak.test":                  "empty label",
		"ak..test":                  "empty label",
		"index.docker.io":           `write "docker.io"`,
		"*":                         "only localhost",
		"registry":                  "lies on docker.io",
		"reg*":                      "lies on docker.io",
		"ak.test/team/app:latest":   "tag and digest",
		"ak.test/app@sha256:0123":   "tag and digest",
		"ak.test/Team":              "lower case",
		"ak.test/my team":           "white space",
		"ak.test//team":             "empty component",
		"ak.test:*":                 "",
		"ak.test":                   "",
		"ak.test/team":              "",
		"ak.test:5000/team/":        "",
		"registry:5000":             "",
		"*:5000":                    "",
		"localhost":                 "",
		"[::1]:5000":                "",
		"*.dkr.ecr.*.amazonaws.com": "",
		"ak.test/%74eam":            "",
	} {
		got := strings.Join(kubeletconfig.PatternWarnings(pattern), "\n")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("PatternWarnings(%q) = %q, want %q", pattern, got, want)
		}
		if strings.Contains(got, "secret") {
			t.Errorf("PatternWarnings(%q) shows a password", pattern)
		}
	}
}

func TestWarningsNameTheirPlace(t *testing.T) {
	config := kubeletconfig.Config{Providers: []kubeletconfig.Provider{
		{Name: "fine", MatchImages: []string{"ak.test"}, TokenAttributes: &kubeletconfig.TokenAttributes{ServiceAccountTokenAudience: "artifact-keeper"}},
		{Name: "ak\t", MatchImages: []string{"ak.test", "AK.test/*", "ak.test"}},
		{Name: "", TokenAttributes: &kubeletconfig.TokenAttributes{ServiceAccountTokenAudience: " \t"}},
		{Name: "b", TokenAttributes: &kubeletconfig.TokenAttributes{ServiceAccountTokenAudience: "artifact-keeper "}},
		{Name: "c", TokenAttributes: &kubeletconfig.TokenAttributes{ServiceAccountTokenAudience: "https://kubernetes.default.svc/"}},
		{Name: "d", TokenAttributes: &kubeletconfig.TokenAttributes{}},
		{Name: "e", TokenAttributes: &kubeletconfig.TokenAttributes{ServiceAccountTokenAudience: "https://kubernetes.default.svc.corp.example"}},
	}}
	want := []struct{ at, message string }{
		{`providers[1] "ak\t": name`, "white space or control characters"},
		{`providers[1] "ak\t": matchImages[1]`, "upper and lower case"},
		{`providers[1] "ak\t": matchImages[1]`, "literal star"},
		{`providers[1] "ak\t": matchImages[2]`, "already, at place 0"},
		{`providers[2] "": name`, "exits at start"},
		{`providers[2] "": tokenAttributes.serviceAccountTokenAudience`, "nothing but white space"},
		{`providers[3] "b": tokenAttributes.serviceAccountTokenAudience`, "begins or ends with white space"},
		{`providers[4] "c": tokenAttributes.serviceAccountTokenAudience`, "opens the API server"},
		{`providers[6] "e": tokenAttributes.serviceAccountTokenAudience`, "opens the API server"},
	}
	got := kubeletconfig.Warnings(config)
	places := func(n int, at func(int) string) []string {
		all := make([]string, n)
		for i := range all {
			all[i] = at(i)
		}
		return all
	}
	if diff := cmp.Diff(
		places(len(want), func(i int) string { return want[i].at }),
		places(len(got), func(i int) string { return got[i].Location.String() }),
	); diff != "" {
		t.Fatalf("-want +got:\n%s", diff)
	}
	for i, warning := range got {
		if !strings.Contains(warning.String(), want[i].at+": ") || !strings.Contains(warning.Message, want[i].message) {
			t.Errorf("got %s, want %q", warning, want[i].message)
		}
	}
	if warnings := kubeletconfig.Warnings(full()); warnings != nil {
		t.Errorf("a sound config gives %v", warnings)
	}
}
