package splice_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/splice"
)

// writer makes up texts that the kubelet takes, in many styles.
type writer struct{ *rand.Rand }

func (w writer) one(of ...string) string { return of[w.IntN(len(of))] }

// text quotes a plain text in one way or another.
func (w writer) text(plain string) string {
	return w.one(plain, `"`+plain+`"`, "'"+plain+"'", "!!str "+plain, ">-\n        "+plain, "|-  # text\n        "+plain)
}

// remark is nothing, or a comment of its own lines.
func (w writer) remark() string {
	return w.one("", "", "", "\n", "# remark\n", "        # deep: [remark]\n", "\n  # - a remark\n\n")
}

// end ends a line.
func (w writer) end() string {
	return w.one("", "", "  ", " # - remark: {", "\t# remark") + "\n" + w.remark()
}

// block is a provider in block style, with its dash.
func (w writer) block(name string, column int) string {
	indent := strings.Repeat(" ", column)
	gap := w.one("- ", "-   ")
	inner := "\n" + indent + strings.Repeat(" ", len(gap))
	list := w.one("[ak.test]", `["ak.test", 'b.test',]`, "\n      - ak.test", "\n      - "+w.text("ak.test")+"\n      - b.test")
	members := []string{
		"name: " + name, "matchImages: " + list, "defaultCacheDuration: " + w.text("5m"),
		"apiVersion: credentialprovider.kubelet.k8s.io/v1",
	}
	for _, more := range []string{
		"args: [a, \"b\\\"#]\",\n      c]", "args:", "args: [ ]", "env: [{name: A, value: 'it''s'}]", "env:\n      - name: A\n        value: " + w.text("b c"),
		"tokenAttributes: {serviceAccountTokenAudience: a, cacheType: Token, requireServiceAccount: true}",
	} {
		if field, _, _ := strings.Cut(more, ":"); w.IntN(4) == 0 && !strings.Contains(strings.Join(members, "\n"), field) {
			members = append(members, more)
		}
	}
	w.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return indent + gap + strings.Join(members, inner)
}

func (w writer) flow(name string) string {
	quoted := fmt.Sprintf("%q", name)
	return w.one(
		`{"name":`+quoted+`,"matchImages":["a.test"],"defaultCacheDuration":"5m","apiVersion":"credentialprovider.kubelet.k8s.io/v1"}`,
		`{"name": `+quoted+`, "matchImages": [ "a.test" ], "defaultCacheDuration": "5m", "apiVersion": "credentialprovider.kubelet.k8s.io/v1" }`,
		"{\n    \"name\": "+quoted+",\n    \"matchImages\": [\"a.test\"],\n    \"defaultCacheDuration\": \"5m\",\n    \"apiVersion\": \"credentialprovider.kubelet.k8s.io/v1\"\n  }",
	)
}

func (w writer) document() string {
	names := []string{"one", "two", "three"}[:1+w.IntN(3)]
	head := []string{"apiVersion: kubelet.config.k8s.io/v1" + w.end(), "kind: CredentialProviderConfig" + w.end()}
	var list string
	switch w.IntN(3) {
	case 0: // JSON
		list = `{"apiVersion":"kubelet.config.k8s.io/v1","kind":"CredentialProviderConfig","providers": [` + w.one("", " ", "\n  ")
		for i, name := range names {
			if i > 0 {
				list += w.one(",", ", ", ",\n  ", "\n,")
			}
			list += w.flow(name)
		}
		return list + w.one("", " ", "\n") + "]}" + w.one("", "\n")
	case 1: // Flow style within a YAML text
		list = "providers: [" + w.one("", " ", "\n  ", " # remark, [\n  ")
		for i, name := range names {
			if i > 0 {
				list += w.one(",", ", ", ",\n  ", " # of, the first\n  , # of the next\n  ")
			}
			list += w.flow(name)
		}
		list += w.one("", ",", " ,", "\n ", ", # remark\n  ", "  # remark\n  ") + "]" + w.end()
	default:
		list = "providers:" + w.end()
		column := w.IntN(3)
		for _, name := range names {
			list += w.block(name, column) + w.end()
		}
	}
	head = append(head, list)
	w.Shuffle(len(head), func(i, j int) { head[i], head[j] = head[j], head[i] })
	text := w.one("", "---\n", "# remark\n", "\uFEFF") + strings.Join(head, "")
	switch w.IntN(4) {
	case 0:
		text = strings.TrimRight(text, "\n")
	case 1:
		text += w.one("...\n", "---\n", "---\nkind: Other\n")
	}
	return breaks[w.one("as it is", "CRLF", "CR")].Replace(text)
}

func TestPutInAndTakenOutOfGeneratedTexts(t *testing.T) {
	accepted := 0
	for seed := range uint64(2000) {
		w := writer{rand.New(rand.NewPCG(seed, 0))} // #nosec G404 -- the same texts in every run.
		text := w.document()
		if _, err := kubeletconfig.Parse([]byte(text)); err != nil {
			continue // A remark behind a text of many lines is a part of it.
		}
		accepted++
		with, err := splice.Change([]byte(text), nil, []kubeletconfig.Provider{provider("ours", "-v", "a\nb"), provider("more")})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if !isPart(text, string(with)) {
			t.Fatalf("seed %d: something of the others is gone:\n%s", seed, cmp.Diff(text, string(with)))
		}
		without, err := splice.Change(with, []string{"more", "ours"}, nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, with)
		}
		if diff := cmp.Diff(text, string(without)); diff != "" {
			t.Fatalf("seed %d: -before +after:\n%s", seed, diff)
		}
	}
	if accepted < 1600 {
		t.Errorf("only %d texts are ones that the kubelet takes", accepted)
	}
}
