package kubeletconfig_test

import (
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// roundTrip checks that both formats read back as what was written, and are written the same way twice.
func roundTrip(t *testing.T, config kubeletconfig.Config) {
	t.Helper()
	for _, format := range []kubeletconfig.Format{kubeletconfig.YAML, kubeletconfig.JSON} {
		first, err := kubeletconfig.Encode(config, format)
		if err != nil {
			t.Fatalf("encode %s: %v", format, err)
		}
		read, err := kubeletconfig.Decode(first)
		if err != nil {
			t.Fatalf("decode what was encoded: %v\n%s", err, first)
		}
		if diff := cmp.Diff(config, read); diff != "" {
			t.Fatalf("%s reads back differently (-written +read):\n%s\n%s", format, diff, first)
		}
		second, err := kubeletconfig.Encode(read, format)
		if err != nil {
			t.Fatalf("encode %s again: %v", format, err)
		}
		if diff := cmp.Diff(string(first), string(second)); diff != "" {
			t.Fatalf("%s is not stable:\n%s", format, diff)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, v := range readSeeds(f) {
		f.Add([]byte(v))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		config, err := kubeletconfig.Decode(data)
		if err != nil {
			return
		}
		// Neither may panic, whatever the file says.
		_ = kubeletconfig.Validate(config)
		_ = kubeletconfig.Warnings(config)
		roundTrip(t, config)
	})
}

func FuzzEncode(f *testing.F) {
	for _, text := range []string{
		"", " ", "y", "No", "~", "null", "0755", "0o7", "1e3", "1_000", "190:20:30", "2026-01-02", "=", "<<", "- a", "a: b", "#c", "a #b",
		"*a", "&a", "!a", "%a", "@a", "`a", "|", ">", "?", ": ", "-", "---", "...", "a\nb", "\n a\n\n", "a\r\nb", "\t", "\u0085\u2028\ufeff",
		`"`, `'`, `\`, "\x00\x1b\x7f", "😀", "{a}", "[a]", "a, b", "true", "0x1f", ".inf", ".NaN", "<a&b>",
	} {
		f.Add(text, text, int64(12*time.Hour))
	}
	f.Add("\t", "`\nb", int64(time.Second)) // A tab in front of the first of several lines,
	f.Add("if x\n\tthen y", "a", int64(1))  // and of a later one.
	f.Fuzz(func(t *testing.T, a, b string, nanoseconds int64) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			return
		}
		duration := time.Duration(nanoseconds)
		roundTrip(t, kubeletconfig.Config{
			APIVersion: kubeletconfig.FileV1,
			Providers: []kubeletconfig.Provider{{
				Name:                 a,
				MatchImages:          []string{a, b},
				DefaultCacheDuration: &duration,
				APIVersion:           b,
				Args:                 []string{b, a + b},
				Env:                  []kubeletconfig.EnvVar{{Name: a, Value: b}, {Name: a, Value: a}},
				TokenAttributes: &kubeletconfig.TokenAttributes{
					ServiceAccountTokenAudience:          a,
					CacheType:                            b,
					RequiredServiceAccountAnnotationKeys: []string{a},
					OptionalServiceAccountAnnotationKeys: []string{},
				},
			}},
		})
	})
}

func FuzzMatches(f *testing.F) {
	f.Add("*.ak.test:443/team/", "eu.ak.test:443/team/app:1.0")
	f.Add("[::1]:5000", "[::1]:5000/x@sha256:aa")
	f.Add("user@ak.test?x#y", "nginx")
	f.Add("%2e%2F", "docker.io/library/nginx")
	f.Fuzz(func(t *testing.T, pattern, image string) {
		matches := kubeletconfig.Matches(pattern, image)
		repository, err := kubeletconfig.Repository(image)
		if err != nil {
			if matches {
				t.Fatalf("%q matches %q, which is no image", pattern, image)
			}
			return
		}
		if parsed, err := kubeletconfig.ParsePattern(pattern); err == nil && parsed.Compare(repository).Matches() != matches {
			t.Fatalf("Compare and Matches disagree on %q and %q", pattern, image)
		}
		// A repository is its own pattern, but for the brackets of an IPv6 address without a port, which are read as a glob.
		if own, err := kubeletconfig.ParsePattern(repository); err == nil && repository[0] != '[' && !own.Compare(repository).Matches() {
			t.Fatalf("%q does not match itself", repository)
		}
		_ = kubeletconfig.PatternWarnings(pattern)
	})
}

// FuzzPatternWarnings holds the warnings to their word: what is said to match no image matches none.
func FuzzPatternWarnings(f *testing.F) {
	for _, v := range readMatchSeeds(f) {
		f.Add(v[0], v[1])
	}
	f.Fuzz(func(t *testing.T, pattern, image string) {
		if !kubeletconfig.Matches(pattern, image) {
			return
		}
		for _, warning := range kubeletconfig.PatternWarnings(pattern) {
			if saysNever(warning) {
				t.Errorf("%q matches %q, but the warning is: %s", pattern, image, warning)
			}
		}
	})
}
