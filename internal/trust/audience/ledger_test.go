package audience

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

func file(changes bool, audiences ...string) End {
	return End{Kind: File, Name: "the file " + strings.Join(audiences, ","), Audiences: audiences, Changes: changes}
}

func nodes(changes bool, audience string) End {
	return End{Kind: Nodes, Name: "the role " + audience, Audiences: []string{audience}, Changes: changes}
}

func provider(changes bool, audience string) End {
	return End{Kind: Provider, Name: "the provider " + audience, Audiences: []string{audience}, Changes: changes}
}

// tell adds ends one by one and gives the mismatches as "file b, nodes a", sorted.
func tell(l *Ledger, ends ...End) []string {
	var all []string
	for _, end := range ends {
		for _, m := range l.Add(end) {
			var parts []string
			for _, said := range m {
				parts = append(parts, [kinds]string{"file", "nodes", "provider"}[said.Kind]+" "+said.Audience)
			}
			all = append(all, strings.Join(parts, ", "))
		}
	}
	slices.Sort(all)
	return all
}

// permutations are all orders of some ends.
func permutations(ends []End) [][]End {
	if len(ends) < 2 {
		return [][]End{ends}
	}
	var all [][]End
	for i := range ends {
		for _, rest := range permutations(slices.Delete(slices.Clone(ends), i, i+1)) {
			all = append(all, append([]End{ends[i]}, rest...))
		}
	}
	return all
}

// In one chain the order in which the ends come decides nothing.
func TestOneChainInEveryOrder(t *testing.T) {
	for _, c := range []struct {
		name string
		ends []End
		want []string
	}{
		{"all equal", []End{file(true, "a"), nodes(true, "a"), provider(true, "a")}, nil},
		{"the file differs", []End{file(true, "b"), nodes(true, "a"), provider(true, "a")}, []string{"file b, nodes a", "file b, provider a"}},
		{"the nodes differ", []End{file(true, "a"), nodes(true, "b"), provider(true, "a")}, []string{"file a, nodes b", "nodes b, provider a"}},
		{"the provider differs", []End{file(true, "a"), nodes(true, "a"), provider(true, "b")}, []string{"file a, provider b", "nodes a, provider b"}},
		{"all differ", []End{file(true, "a"), nodes(true, "b"), provider(true, "c")},
			[]string{"file a, nodes b", "file a, provider c", "nodes b, provider c"}},
		{"a near miss", []End{file(true, "A"), nodes(true, "a"), provider(true, "a")}, []string{"file A, nodes a", "file A, provider a"}},
		{"nothing changes", []End{file(false, "b"), nodes(false, "a"), provider(false, "a")}, nil},
		{"the odd one changes", []End{file(true, "b"), nodes(false, "a"), provider(false, "a")}, []string{"file b, nodes a", "file b, provider a"}},
		{"another one changes", []End{file(false, "b"), nodes(true, "a"), provider(false, "a")}, []string{"file b, nodes a"}},
		{"one is unknown", []End{file(true, "b"), nodes(true, ""), provider(true, "a")}, []string{"file b, provider a"}},
		{"all but one are unknown", []End{file(true), nodes(true, ""), provider(true, "a")}, nil},
		{"an end says it twice", []End{file(true, "b", "b"), file(true, "b"), nodes(true, "a")}, []string{"file b, nodes a"}},
		{"many ends of one audience", []End{file(true, "a"), nodes(true, "a"), nodes(false, "a"), provider(true, "a")}, nil},
	} {
		for _, order := range permutations(c.ends) {
			if got := tell(&Ledger{}, order...); !slices.Equal(got, c.want) {
				t.Errorf("%s: as %v, %q, want %q", c.name, order, got, c.want)
			}
		}
	}
}

// Where one kind has two audiences, the chains are several, and only what is nearly alike is matched up.
func TestSeveralChains(t *testing.T) {
	for _, c := range []struct {
		name string
		ends []End
		want []string
	}{
		{"references: each object after the one that it refers to", []End{
			provider(true, "a"), file(true, "a"), provider(true, "b"), nodes(true, "a"), file(true, "b"), nodes(true, "b")}, nil},
		{"references: all of one kind first", []End{
			provider(true, "a"), provider(true, "b"), file(true, "b"), nodes(true, "a"), nodes(true, "b"), file(true, "a")}, nil},
		{"a file for two registries", []End{provider(true, "a"), nodes(true, "a"), file(true, "a", "b")}, nil},
		{"a file for two registries, first", []End{file(true, "b", "a"), provider(true, "a"), nodes(true, "a")}, nil},
		{"a near miss in a file for two registries", []End{provider(true, "a"), nodes(true, "a"), file(true, "A", "b")},
			[]string{"file A, nodes a", "file A, provider a"}},
		{"a cluster whose file is elsewhere", []End{provider(true, "a"), file(true, "a"), provider(true, "b"), nodes(true, "a")}, nil},
		{"a near miss in a fleet", []End{provider(true, "a"), provider(true, "b/"), file(true, "b"), file(true, "a")}, []string{"file b, provider b/"}},
		{"spellings that all have a match", []End{provider(true, "b"), provider(true, "b/"), file(true, "b/"), file(true, "b")}, nil},
		{"a fleet that stays as it is", []End{provider(false, "a"), provider(false, "b/"), file(false, "b"), file(false, "a")}, nil},
		{"what cannot be known: the first halves of two chains", []End{provider(true, "a"), file(true, "b"), provider(true, "b"), file(true, "a")},
			[]string{"file b, provider a"}},
		{"what cannot be known: no near miss", []End{provider(true, "a"), provider(true, "b"), file(true, "a"), file(true, "c")}, nil},
	} {
		if got := tell(&Ledger{}, c.ends...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// What is expected counts for how many chains there are, and for nothing else.
func TestExpectedEnds(t *testing.T) {
	var fleet Ledger
	for _, end := range []End{provider(false, "a"), file(false, "b"), provider(false, "b")} {
		fleet.Expect(end)
	}
	if got := tell(&fleet, provider(true, "a"), file(true, "b"), provider(true, "b"), file(true, "a")); got != nil {
		t.Errorf("a fleet that was expected: %q", got)
	}
	var one Ledger
	for _, end := range []End{provider(false, "a"), provider(false, ""), file(false)} {
		one.Expect(end)
	}
	if got := tell(&one, file(true, "b")); got != nil {
		t.Errorf("%q, before the other has come", got)
	}
	if got := tell(&one, provider(true, "a")); !slices.Equal(got, []string{"file b, provider a"}) {
		t.Errorf("one chain that was expected: %q", got)
	}
}

// Each mismatch is given once, however often an object is planned, and from the moment on that one of the two changes.
func TestOnce(t *testing.T) {
	var l Ledger
	if got := tell(&l, provider(false, "a"), file(false, "b"), file(false, "b")); got != nil {
		t.Errorf("%q of what does not change", got)
	}
	if got := tell(&l, file(true, "b"), file(true, "b"), provider(true, "a")); !slices.Equal(got, []string{"file b, provider a"}) {
		t.Errorf("%q, want one", got)
	}
}

// Objects are planned side by side; whoever is last finds the mismatch.
func TestSideBySide(t *testing.T) {
	for range 200 {
		var l Ledger
		var mu sync.Mutex
		var all []string
		var wait sync.WaitGroup
		for _, end := range []End{file(true, "b"), nodes(true, "a"), provider(true, "a")} {
			wait.Go(func() {
				l.Expect(end)
				found := tell(&l, end)
				mu.Lock()
				defer mu.Unlock()
				all = append(all, found...)
			})
		}
		wait.Wait()
		slices.Sort(all)
		if want := []string{"file b, nodes a", "file b, provider a"}; !slices.Equal(all, want) {
			t.Fatalf("%q, want %q", all, want)
		}
	}
}

func TestTexts(t *testing.T) {
	mismatch := func(ends ...End) Mismatch {
		var l Ledger
		var found []Mismatch
		for _, end := range ends {
			found = append(found, l.Add(end)...)
		}
		if len(found) != 1 {
			t.Fatalf("%d mismatches of %v", len(found), ends)
		}
		return found[0]
	}
	for _, c := range []struct {
		ends          []End
		summary, text string
	}{
		{[]End{nodes(true, "a"), file(true, "b")}, `The kubelet's file asks for tokens of "b", but nodes may request tokens of "a"`,
			`The audience is "b" in the file b, and "a" in the role a. The API server refuses the kubelet such a token`},
		{[]End{file(true, "b"), provider(true, "a")}, `The kubelet's file asks for tokens of "b", but the registry takes tokens of "a"`,
			`"a" in the provider a. The registry refuses the kubelet's token`},
		{[]End{provider(true, "A"), nodes(true, "a")}, `Nodes may request tokens of "a", but the registry takes tokens of "A"`,
			"They differ by upper and lower case alone, which counts. The registry refuses every token that nodes may request"},
	} {
		m := mismatch(c.ends...)
		if m.Summary() != c.summary || !strings.Contains(m.Text(), c.text) || !strings.Contains(m.Text(), "aktrust_ci_oidc_provider.NAME.audience") {
			t.Errorf("%s\n%s\nwant\n%s\n%s", m.Summary(), m.Text(), c.summary, c.text)
		}
	}
	ends := []End{{Kind: Provider, Name: "p", Audiences: []string{"a"}, Changes: true}}
	for i := range 5 {
		ends = append(ends, End{Kind: File, Name: fmt.Sprintf("f%d", i), Audiences: []string{"a"}})
	}
	m := mismatch(append(ends, nodes(true, "b"))[1:]...)
	if want := `"a" in f0, f1, f2 and 2 more`; !strings.Contains(m.Text(), want) {
		t.Errorf("%s\nwant %s", m.Text(), want)
	}
}

func TestDifferences(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"artifact-keeper", "Artifact-Keeper", "upper and lower case"},
		{"https://ak.test", "https://ak.test/", "a trailing slash"},
		{"https://ak.test//", "https://ak.test/", "a trailing slash"},
		{"ak.test", "https://ak.test", "the scheme in front"},
		{"http://ak.test", "https://ak.test", "the scheme in front"},
		{"HTTPS://ak.test", "https://ak.test", "upper and lower case"},
		{"artifact-keeper ", "artifact-keeper", "white space"},
		{"artifact-\u00a0keeper", "artifact-keeper", "white space"},
		{"artifact-\u200bkeeper\n", "artifact-keeper", "white space"},
		{"\thttps://AK.test/", "ak.test", "white space, upper and lower case, the scheme in front, a trailing slash"},
		{"HTTPS://ak.test", "ak.test", "upper and lower case, the scheme in front"},
		{"cluster-1", "cluster-2", ""},
		{"artifact-keeper", "artifact_keeper", ""},
		{"https://ak.test/a", "https://ak.test/b", ""},
		{"ftp://ak.test", "ak.test", ""},
		{"a", "a", ""},
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if got := strings.Join(differences(pair[0], pair[1]), ", "); got != c.want {
				t.Errorf("%q and %q differ by %q, want %q", pair[0], pair[1], got, c.want)
			}
		}
	}
}

// A thousand clusters of one instance cost next to nothing.
func BenchmarkFleet(b *testing.B) {
	for b.Loop() {
		var l Ledger
		for i := range 1000 {
			l.Add(provider(true, fmt.Sprintf("https://ak-%d.test", i)))
			l.Add(file(true, fmt.Sprintf("https://ak-%d.test/", i)))
		}
	}
}
