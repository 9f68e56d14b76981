package kubeletconfig_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

func TestCompareSaysWhereTheyPart(t *testing.T) {
	for _, c := range []struct {
		pattern, repository string
		want                kubeletconfig.Comparison
	}{
		{"*.ak.test/team", "eu.ak.test/team-sandbox/app", kubeletconfig.Comparison{}},
		{"ak.test:443", "ak.test/app", kubeletconfig.Comparison{Reason: kubeletconfig.PortDiffers, Pattern: "443"}},
		{"ak.test", "ak.test:443/app", kubeletconfig.Comparison{Reason: kubeletconfig.PortDiffers, Image: "443"}},
		{"*.ak.test", "a.eu.ak.test/app", kubeletconfig.Comparison{Reason: kubeletconfig.LabelCountDiffers, Pattern: "*.ak.test", Image: "a.eu.ak.test"}},
		{"ak.test/team/", "ak.test/team", kubeletconfig.Comparison{Reason: kubeletconfig.PathDiffers, Pattern: "/team/", Image: "/team"}},
		{"eu-*.ak.test", "us-1.ak.test/app", kubeletconfig.Comparison{Reason: kubeletconfig.LabelDiffers, Pattern: "eu-*", Image: "us-1"}},
		{"[::1]", "[::1]/app", kubeletconfig.Comparison{Reason: kubeletconfig.LabelDiffers, Pattern: "[::1]", Image: "[::1]"}},
		{"ak.test", "ak.test:port/app", kubeletconfig.Comparison{Reason: kubeletconfig.Unparsable, Image: "ak.test:port/app"}},
	} {
		pattern, err := kubeletconfig.ParsePattern(c.pattern)
		if err != nil {
			t.Fatalf("%s: %v", c.pattern, err)
		}
		got := pattern.Compare(c.repository)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s, %s: -want +got:\n%s", c.pattern, c.repository, diff)
		}
		if got.Matches() != (c.want.Reason == kubeletconfig.Matched) {
			t.Errorf("%s, %s: Matches() = %t", c.pattern, c.repository, got.Matches())
		}
	}
}

func TestMatchingProvidersKeepsTheFilesOrder(t *testing.T) {
	config := kubeletconfig.Config{Providers: []kubeletconfig.Provider{
		{Name: "z", MatchImages: []string{"no.test", "*.ak.test"}},
		{Name: "never", MatchImages: []string{"ak.test:*", "*.ak.test:443"}},
		{Name: "a", MatchImages: []string{"eu.ak.test/team/"}},
	}}
	for image, want := range map[string][]string{
		"eu.ak.test/team/app:1.0": {"z", "a"},
		"eu.ak.test/other/app":    {"z"},
		"nginx":                   {},
	} {
		got, err := kubeletconfig.MatchingProviders(config, image)
		if err != nil {
			t.Errorf("%s: %v", image, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", image, diff)
		}
	}
	if names, err := kubeletconfig.MatchingProviders(config, "eu.ak.test/UPPER"); err == nil {
		t.Errorf("an image that is none matches %v", names)
	}
}
