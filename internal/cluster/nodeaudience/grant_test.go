package nodeaudience

import (
	"regexp"
	"strings"
	"testing"
	"testing/quick"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestDefaultName(t *testing.T) {
	for audience, want := range map[string]string{
		"https://ak.test/":                  "aktrust-audience-ak-test-",
		"https://ak.test":                   "aktrust-audience-ak-test-",
		"artifact-keeper":                   "aktrust-audience-artifact-keeper-",
		"Registry_A.Example":                "aktrust-audience-registry-a-example-",
		"http://a//b":                       "aktrust-audience-a-b-",
		"///":                               "aktrust-audience-",
		"Füße":                              "aktrust-audience-f-e-",
		strings.Repeat("0123456789", 10):    "aktrust-audience-0123456789012345678901234567890123456789-",
		strings.Repeat("x", 39) + ".y.test": "aktrust-audience-" + strings.Repeat("x", 39) + "-",
	} {
		got := DefaultName(audience)
		if hash, ok := strings.CutPrefix(got, want); !ok || !regexp.MustCompile(`^[0-9a-f]{8}$`).MatchString(hash) {
			t.Errorf("DefaultName(%q) = %s, want %s and 8 hex digits", audience, got, want)
		}
	}
	// The first 8 hex digits of the SHA-256, as sha256sum prints them.
	if got := DefaultName("artifact-keeper"); got != "aktrust-audience-artifact-keeper-cae5438b" {
		t.Errorf("DefaultName changed to %s: that replaces everybody's role", got)
	}
	if DefaultName("https://ak.test/") == DefaultName("https://ak.test") {
		t.Error("two audiences share a name")
	}
	if err := quick.Check(func(audience string) bool { return ValidName(DefaultName(audience)) == nil }, nil); err != nil {
		t.Error(err)
	}
}

func TestObjectsOfAGrant(t *testing.T) {
	grant := Grant{
		Name: "n", Audience: "https://ak.test/", ServiceAccountNames: []string{"b", "a", "b"}, Groups: []string{"z", "system:nodes"},
		Namespaces: []string{"team"}, Labels: map[string]string{"l": "1"}, Annotations: map[string]string{"a": "2"},
	}
	meta := metav1.ObjectMeta{
		Name: "n", Labels: map[string]string{"l": "1", "app.kubernetes.io/managed-by": "terraform-provider-aktrust"},
		Annotations: map[string]string{"a": "2"},
	}
	inTeam := meta
	inTeam.Namespace = "team"
	subjects := []rbacv1.Subject{
		{APIGroup: "rbac.authorization.k8s.io", Kind: "Group", Name: "system:nodes"}, {APIGroup: "rbac.authorization.k8s.io", Kind: "Group", Name: "z"},
	}
	ref := rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "n"}
	want := []any{
		&rbacv1.ClusterRole{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{""}, Resources: []string{"https://ak.test/"}, Verbs: []string{"request-serviceaccounts-token-audience"},
			ResourceNames: []string{"a", "b"},
		}}},
		&rbacv1.ClusterRoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: ref},
		&rbacv1.RoleBinding{ObjectMeta: inTeam, Subjects: subjects, RoleRef: ref},
	}
	if diff := cmp.Diff(want, []any{grant.Role(), grant.ClusterRoleBinding(), grant.RoleBinding("team")}); diff != "" {
		t.Error(diff)
	}
}

func TestValidate(t *testing.T) {
	valid := func(change func(*Grant)) Grant {
		g := Grant{
			Name: "aktrust:x", Audience: "https://ak.test/", Namespaces: []string{"team"}, ServiceAccountNames: []string{"app.one"},
			Groups: []string{NodesGroup}, Labels: map[string]string{"example.com/a": "b"}, Annotations: map[string]string{"Example.com/A": "any text"},
		}
		if change != nil {
			change(&g)
		}
		return g
	}
	for _, g := range []Grant{
		valid(nil), valid(func(g *Grant) { g.Namespaces, g.ServiceAccountNames, g.Labels, g.Annotations = nil, nil, nil, nil }),
		valid(func(g *Grant) { g.Namespaces = []string{} }), valid(func(g *Grant) { g.Groups = []string{} }),
	} {
		if err := g.Validate(); err != nil {
			t.Errorf("%+v: %v", g, err)
		}
	}
	for says, change := range map[string]func(*Grant){
		"audience: an audience must not be empty":                func(g *Grant) { g.Audience = "" },
		"audience: * is every audience":                          func(g *Grant) { g.Audience = "*" },
		"name: a name must not be empty":                         func(g *Grant) { g.Name = "" },
		`name: "a/b"`:                                            func(g *Grant) { g.Name = "a/b" },
		`namespaces: "Team"`:                                     func(g *Grant) { g.Namespaces = []string{"ok", "Team"} },
		"service_account_names: an empty list would cover every": func(g *Grant) { g.ServiceAccountNames = []string{} },
		"service_account_names: a ServiceAccount's name must":    func(g *Grant) { g.ServiceAccountNames = []string{""} },
		"groups: not said":                                       func(g *Grant) { g.Groups = nil },
		"groups: a group must not be empty":                      func(g *Grant) { g.Groups = []string{""} },
		"labels: app.kubernetes.io/managed-by marks the objects": func(g *Grant) { g.Labels = map[string]string{Label: "me"} },
		`labels: "no value with spaces"`:                         func(g *Grant) { g.Labels = map[string]string{"a": "no value with spaces"} },
		`labels: "no key"`:                                       func(g *Grant) { g.Labels = map[string]string{"no key": "a"} },
		`annotations: "no key"`:                                  func(g *Grant) { g.Annotations = map[string]string{"no key": "a"} },
	} {
		if err := valid(change).Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v does not say %q", err, says)
		}
	}
	err := Grant{}.Validate()
	for _, field := range []string{"name", "audience", "groups"} {
		if !strings.Contains(err.Error(), field+": ") {
			t.Errorf("%v does not name %s too", err, field)
		}
	}
}

func TestWarnings(t *testing.T) {
	for name, test := range map[string]struct {
		grant Grant
		want  []string // field: beginning of the text
	}{
		"nothing":                {Grant{Audience: "artifact-keeper", ServiceAccountNames: []string{"app.one", "two"}}, nil},
		"the API server's":       {Grant{Audience: "https://kubernetes.default.svc"}, []string{"audience: An audience of the API server"}},
		"its long form":          {Grant{Audience: "https://kubernetes.default.svc.cluster.local"}, []string{"audience: An audience of the API server"}},
		"that of another domain": {Grant{Audience: "https://kubernetes.default.svc.corp.example"}, []string{"audience: An audience of the API server"}},
		"almost the API server":  {Grant{Audience: "https://kubernetes.default.svc/"}, nil},
		"no namespace":           {Grant{Namespaces: []string{}, Groups: []string{"g"}}, []string{"namespaces: Nothing is granted"}},
		"no group":               {Grant{Namespaces: []string{"n"}, Groups: []string{}}, []string{"groups: Nothing is granted"}},
		"white space":            {Grant{Audience: " ak"}, []string{"audience: White space around the audience"}},
		"names of another form": {
			Grant{Audience: "ak", ServiceAccountNames: []string{"*", "team/app", "ok"}},
			[]string{"service_account_names: No ServiceAccount has this name", "service_account_names: No ServiceAccount has this name"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, warning := range test.grant.Warnings() {
				got = append(got, warning.Field+": "+warning.Summary)
				if warning.Text == "" {
					t.Error("no text")
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
