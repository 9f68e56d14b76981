package splice_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/splice"
)

// named is a provider as a line of a block list.
func named(name string) string {
	return "- " + strings.Replace(gcr, "gcr,", name+",", 1) + " # " + name + "\n"
}

func TestWantedTakesThePlacesOfOurs(t *testing.T) {
	text := header + "providers:\n" + named("a") + named("their1") + named("b") + named("their2") + named("c")
	names := func(text string) (out []string) {
		for _, p := range parse(t, text).Providers {
			out = append(out, p.Name)
		}
		return out
	}
	for _, c := range []struct {
		ours, want string
		places     string
	}{
		{"a b c", "a b c", "a their1 b their2 c"},
		{"a b c", "b a c", "b their1 a their2 c"},
		{"c b a", "x a", "x their1 a their2"},
		{"b", "b d e", "a their1 b their2 c d e"},
		{"b gone", "", "a their1 their2 c"},
		{"gone", "d", "a their1 b their2 c d"},
		{"a c", "c b2", "c their1 b their2 b2"},
	} {
		var want []kubeletconfig.Provider
		for name := range strings.FieldsSeq(c.want) {
			want = append(want, provider(name))
		}
		after := change(t, text, strings.Fields(c.ours), want...)
		if diff := cmp.Diff(strings.Fields(c.places), names(after)); diff != "" {
			t.Errorf("%s becomes %s: -want +got:\n%s", c.ours, c.want, diff)
		}
		if !strings.Contains(after, named("their1")) || !strings.Contains(after, named("their2")) {
			t.Errorf("%s becomes %s: the others are not as they were:\n%s", c.ours, c.want, after)
		}
	}
}

func TestWhatMeansTheSameKeepsItsWords(t *testing.T) {
	text := header + "providers:\n" + named("a") + named("b")
	same := parse(t, text).Providers
	same[0].Args = []string{}
	if diff := cmp.Diff(text, change(t, text, []string{"a", "b"}, same...)); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
	same[1].Args = []string{"-v"}
	if after := change(t, text, []string{"a", "b"}, same...); !strings.HasPrefix(after, header+"providers:\n"+named("a")+"- name: b\n") {
		t.Errorf("a provider was written again that did not change:\n%s", after)
	}
}

func TestWhatCannotBeChangedIsRefused(t *testing.T) {
	block := header + "providers:\n" + named("a")
	withToken := provider("ours")
	withToken.TokenAttributes = &kubeletconfig.TokenAttributes{
		ServiceAccountTokenAudience: "a", CacheType: kubeletconfig.CacheTypeToken, RequireServiceAccount: new(true),
	}
	ours := []kubeletconfig.Provider{provider("ours")}
	for _, c := range []struct {
		name, text string
		ours       string
		want       []kubeletconfig.Provider
		says       string
	}{
		{"name of someone else", block + named("ours"), "", ours, `there is a provider "ours" already, on line 5`},
		{"nothing left", block, "a", nil, splice.ErrNoneLeft.Error()},
		{"nothing left, JSON", `{"apiVersion":"kubelet.config.k8s.io/v1","kind":"CredentialProviderConfig","providers":[` + ecr + `]}`, "ecr", nil, splice.ErrNoneLeft.Error()},
		{"empty", "", "", ours, "Kind"},
		{"no provider", header + "providers: []\n", "", ours, "at least 1 item in plugins is required"},
		{"unknown member", block + "more: 1\n", "", ours, `unknown field "more"`},
		{"not text", block + "# \xff\n", "", ours, "line 5: not valid UTF-8"},
		{"JSON that is not text", `{"apiVersion":"kubelet.config.k8s.io/v1","kind":"CredentialProviderConfig","providers":[` + strings.Replace(ecr, "12h", "1\xffh", 1) + `]}`, "", ours, "line 1: not valid UTF-8"},
		{"UTF-16", "\xff\xfea\x00:\x00", "", ours, "line 1: not valid UTF-8"},
		{"token in an older file", strings.Replace(block, "k8s.io/v1", "k8s.io/v1beta1", 1), "", []kubeletconfig.Provider{withToken}, `unknown field "providers[1].tokenAttributes"`},
		{"name twice", block, "", append(ours, ours...), `duplicate provider name "ours"`},
		{"nothing wrong", "providers: &p\n" + named("a") + "kind: CredentialProviderConfig\napiVersion: kubelet.config.k8s.io/v1\n", "", ours, ""},
		{"anchor that others use", header + "providers:\n- &a " + strings.Replace(gcr, "1m", "&d 1m", 1) + "\n- {name: b, matchImages: [b.test], defaultCacheDuration: *d, apiVersion: credentialprovider.kubelet.k8s.io/v1}\n", "gcr", nil, "other providers would not stay what they are"},
		{"not on a line of its own", header + "? providers\n: " + named("a") + "  " + named("b"), "a", nil, "does not begin on a line of its own"},
		{"a last line that would become longer", header + "providers:\n- name: a\n  matchImages: [x.test]\n  defaultCacheDuration: 1m\n  apiVersion: credentialprovider.kubelet.k8s.io/v1\n  args:\n  - |\n    text",
			"", ours, "other providers would not stay what they are"},
		{"not text of ours", block, "", []kubeletconfig.Provider{provider("ours", "\xff")}, "not valid UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			after, err := splice.Change([]byte(c.text), strings.Fields(c.ours), c.want)
			switch {
			case c.says == "" && err != nil:
				t.Error(err)
			case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
				t.Errorf("got %v, want %q\n%s", err, c.says, after)
			}
		})
	}
}

func TestErrorsTellKindsApart(t *testing.T) {
	text := []byte(header + "providers:\n" + named("a"))
	_, err := splice.Change(text, nil, []kubeletconfig.Provider{provider("b"), provider("a")})
	if taken, ok := errors.AsType[*splice.TakenError](err); !ok || *taken != (splice.TakenError{Name: "a", Wanted: 1, Line: 4}) {
		t.Errorf("got %#v", err)
	}
	if _, err = splice.Change(text, []string{"a"}, nil); !errors.Is(err, splice.ErrNoneLeft) {
		t.Errorf("got %#v", err)
	}
	_, err = splice.Change(text, []string{"a"}, []kubeletconfig.Provider{{Name: "a"}})
	if _, ok := errors.AsType[*kubeletconfig.ValidationError](err); !ok {
		t.Errorf("got %#v", err)
	}
	if _, err = splice.Read([]byte("\xff")); !errors.Is(err, kubeletconfig.ErrNotText) {
		t.Errorf("got %#v", err)
	}
}

func TestLine(t *testing.T) {
	for text, want := range map[string]int{
		header + "providers:\n" + named("a") + "#\n" + named("b"): 6,
		header + "providers: [\n" + gcr + ",\n\n" + gcr + "]":     6,
		"{\"providers\":[\n{},\n{}]}":                             3,
		header + "providers:\n" + named("a"):                      0,
		"providers: 1":                                            0,
		"{":                                                       0,
		"{\"providers\":{}}":                                      0,
		"[":                                                       0,
		"a: 1":                                                    0,
		"{\"a\":1}":                                               0,
		"{\"a\":}":                                                0,
	} {
		if got := splice.Line([]byte(text), 1); got != want {
			t.Errorf("got %d, want %d:\n%s", got, want, text)
		}
	}
}

func TestLineOf(t *testing.T) {
	for text, want := range map[string]int{
		header + "providers:\n" + named("a") + strings.Replace(named("b"), "1m", "-1m", 1):      5,
		header + "providers:\n" + named("a") + strings.Replace(named("b"), "match", "Match", 1): 5,
		header + "providers: []\n": 0,
		"a:\n  - b\n c\n":          0,
		"kind: b":                  0,
		"{\n\"kind\": \"x\"\n\n,}": 4,
		"{\"apiVersion\": \"kubelet.config.k8s.io/v1\", \"kind\": \"CredentialProviderConfig\", \"providers\": [" + ecr + "],\n\"x\": 1\n}\n}": 4,
	} {
		_, err := kubeletconfig.Parse([]byte(text))
		if err == nil {
			t.Fatalf("the kubelet takes this:\n%s", text)
		}
		if got := splice.LineOf([]byte(text), err); got != want {
			t.Errorf("got %d, want %d: %v\n%s", got, want, err, text)
		}
	}
}
