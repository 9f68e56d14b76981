package artifactkeeper

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// fill puts n mappings under one provider.
func fill(t testing.TB, server *emulator.Server, provider string, n int) []string {
	t.Helper()
	ids := make([]string, n)
	for i := range ids {
		m, err := server.AddMapping(emulator.Mapping{ProviderID: provider, Name: fmt.Sprint("m", i), Priority: 100, IsEnabled: true,
			ClaimFilters: json.RawMessage(`{"/kubernetes.io/namespace":"team"}`)})
		if err != nil {
			t.Fatal(err)
		}
		ids[i] = m.ID
	}
	return ids
}

// A UUID of the registry has one spelling, and what only looks like one is left alone.
func TestCanonicalID(t *testing.T) {
	const lower, upper = "3f2504e0-4f89-41d3-9a0c-0305e82c3301", "3F2504E0-4F89-41D3-9A0C-0305E82C3301"
	for in, want := range map[string]string{
		lower: lower, upper: lower, "{" + upper + "}": lower, "urn:uuid:" + upper: lower, strings.ReplaceAll(upper, "-", ""): lower,
		"x" + upper + "y": "x" + upper + "y", "(" + upper + ")": "(" + upper + ")", "Not-One": "Not-One", "": "",
	} {
		if got := CanonicalID(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// A refresh of a thousand mappings and their provider asks for two lists.
func TestRefreshOfAThousand(t *testing.T) {
	server, client := start(t, emulator.Options{})
	provider := under(t, server)
	ids := fill(t, server, provider, 1000)
	var wait sync.WaitGroup
	for _, id := range ids {
		wait.Go(func() {
			if _, err := client.Mapping(t.Context(), provider, id); err != nil {
				t.Error(err)
			}
			if _, err := client.Provider(t.Context(), provider); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if n := len(server.Requests()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

// A write to a parent drops its list and no other.
func TestWritesDropTheList(t *testing.T) {
	server, client := start(t, emulator.Options{})
	one, other := under(t, server), under(t, server)
	read := func(provider string) int {
		server.ResetRequests()
		if _, err := client.Mappings(t.Context(), provider); err != nil {
			t.Fatal(err)
		}
		return len(server.Requests())
	}
	read(one)
	read(other)
	m, err := client.CreateMapping(t.Context(), one, mappingInput("m"))
	if err != nil {
		t.Fatal(err)
	}
	if read(one) != 1 || read(one) != 0 || read(other) != 0 {
		t.Error("a create does not drop the list of its parent alone")
	}
	if _, err := client.UpdateMapping(t.Context(), one, m.ID, mappingInput("n")); err != nil {
		t.Fatal(err)
	}
	if read(one) != 1 || read(other) != 0 {
		t.Error("an update does not drop the list of its parent alone")
	}
	if err := client.DeleteMapping(t.Context(), one, m.ID); err != nil {
		t.Fatal(err)
	}
	if all, err := client.Mappings(t.Context(), one); err != nil || len(all) != 0 {
		t.Errorf("after the delete: %v, %v", all, err)
	}
}

// A list that was asked for before a write and answered after it is not kept.
func TestListFromBeforeAWrite(t *testing.T) {
	asked, release := make(chan struct{}), make(chan struct{})
	s := newStub(t, func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-release
		answer(http.StatusOK, "application/json", `[]`)(w, r)
	}, answer(http.StatusOK, "application/json", `[{"id":"new"}]`))
	client := s.client(t)
	early := make(chan error)
	go func() { _, err := client.Providers(t.Context()); early <- err }()
	<-asked
	client.providers.drop()
	close(release)
	if err := <-early; err != nil {
		t.Fatal(err)
	}
	if all, err := client.Providers(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("got %v, %v", all, err)
	}
}

// Only the registry's own answer about the object says that it is gone: the list alone does not.
func TestMissingFromTheList(t *testing.T) {
	server, client := start(t, emulator.Options{})
	provider := under(t, server)
	server.Inject(emulator.Fault{Method: "GET", Path: mappingsPath + "/*", Kind: emulator.NotFoundEmpty, Times: 1})
	if _, err := client.Mapping(t.Context(), provider, "8a4f7c1e-0000-4000-8000-000000000000"); err == nil || IsNotFound(err) {
		t.Errorf("an empty 404: %v", err)
	}
	if _, err := client.Mapping(t.Context(), provider, "8a4f7c1e-0000-4000-8000-000000000000"); !IsNotFound(err) {
		t.Errorf("the registry's 404: %v", err)
	}
	if err := server.DeleteProvider(provider); err != nil {
		t.Fatal(err)
	}
	if _, err := connect(t, server).Mapping(t.Context(), provider, "x"); !IsNotFound(err) {
		t.Errorf("under a provider that is gone: %v", err)
	}
}

// A delete that is repeated after a lost answer meets a 404, which is what was asked for; another 404 is not.
func TestDelete(t *testing.T) {
	for kind, fails := range map[emulator.Kind]bool{
		emulator.LostAfter: false, emulator.UnavailableAfter: false, emulator.CutBody: false,
		emulator.NotFoundEmpty: true, emulator.HTMLPage: true, emulator.HTMLError: false, emulator.Redirect: true,
	} {
		server, client := start(t, emulator.Options{})
		provider := under(t, server)
		server.Inject(emulator.Fault{Method: "DELETE", Kind: kind, Times: 1})
		if err := client.DeleteProvider(t.Context(), provider); (err != nil) != fails {
			t.Errorf("%s: %v", kind, err)
		}
		if left := len(server.State().Providers); (left != 0) != fails {
			t.Errorf("%s: %d providers left", kind, left)
		}
	}
}

// A registry that is out of reach is asked once for a list, not once for every object that is in it.
func TestDeadRegistryIsAskedOnce(t *testing.T) {
	s := newStub(t, hangUp)
	client := s.client(t)
	for range 20 {
		if _, err := client.Mapping(t.Context(), "p", "m"); err == nil {
			t.Fatal("a registry that hangs up answered")
		}
	}
	if n := s.requests.Load(); n != 3 {
		t.Errorf("%d requests, want 1 and 2 repetitions", n)
	}
	client.mappingsOf("p").drop() // A write, after which everything is looked at anew.
	if _, err := client.Mapping(t.Context(), "p", "m"); err == nil || s.requests.Load() != 6 {
		t.Errorf("after a write: %v, %d requests", err, s.requests.Load())
	}
}

// An id is the same in every spelling of a UUID, so that there is one list and one object for all of them.
func TestSpellingsOfAnID(t *testing.T) {
	server, client := start(t, emulator.Options{})
	provider := under(t, server)
	m, err := client.CreateMapping(t.Context(), provider, mappingInput("m"))
	if err != nil {
		t.Fatal(err)
	}
	spellings := func(id string) []string {
		return []string{strings.ToUpper(id), strings.ReplaceAll(id, "-", ""), "{" + id + "}", "urn:uuid:" + id}
	}
	for i := range spellings(provider) {
		got, err := client.Mapping(t.Context(), spellings(provider)[i], spellings(m.ID)[i])
		if err != nil || got.ID != m.ID {
			t.Errorf("%s: %+v, %v", spellings(m.ID)[i], got, err)
		}
		if p, err := client.Provider(t.Context(), spellings(provider)[i]); err != nil || p.ID != provider {
			t.Errorf("%s: %+v, %v", spellings(provider)[i], p, err)
		}
	}
	if n := count(server, "GET", "/mappings"); n != 2 {
		t.Errorf("%d lists, want 2: before the create and after it", n)
	}
}

func TestLookups(t *testing.T) {
	server, client := start(t, emulator.Options{})
	for i := range 150 {
		server.AddGroup(fmt.Sprintf("team-%03d", i), "")
	}
	wanted := server.AddGroup("team", "readers")
	server.AddGroup("Other", "")
	if g, err := client.GroupByName(t.Context(), "team"); err != nil || g.ID != wanted.ID || *g.Description != "readers" {
		t.Errorf("got %+v, %v", g, err)
	}
	_, err := client.GroupByName(t.Context(), "other")
	if adviceOf(err) != `Names are compared exactly; there is "Other".` {
		t.Errorf("error is %v (%s)", err, adviceOf(err))
	}
	repository := server.AddRepository(emulator.Repository{Key: "team", Name: "Team", Format: "docker"})
	if r, err := client.RepositoryByKey(t.Context(), "team"); err != nil || r.ID != repository.ID {
		t.Errorf("got %+v, %v", r, err)
	}
	if _, err := client.RepositoryByKey(t.Context(), "a/../b"); err == nil || adviceOf(err) == "" {
		t.Errorf("error is %v", err)
	}
	p := genericProvider("one")
	for i := range 2 {
		p.Audience = fmt.Sprint("a", i)
		if _, err := client.CreateProvider(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := client.ProviderByName(t.Context(), "one"); err == nil || adviceOf(err) != "Use the id of the one that is meant." {
		t.Errorf("error is %v (%s)", err, adviceOf(err))
	}
}
