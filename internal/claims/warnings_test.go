package claims_test

import (
	"strings"
	"testing"
)

func TestWarnings(t *testing.T) {
	tests := map[string]struct {
		filters string
		key     string   // "" is about all
		want    []string // none: no warning
	}{
		"every token":       {`{}`, "", []string{"match every token"}},
		"empty list":        {`{"sub":[],"aud":"x"}`, "sub", []string{`"sub"`, "never matches"}},
		"null":              {`{"sub":null}`, "sub", []string{"every token without this claim"}},
		"null among others": {`{"sub":["a",null]}`, "sub", []string{"every token without this claim"}},
		"dots":              {`{"kubernetes.io.namespace":"x"}`, "kubernetes.io.namespace", []string{"mean nothing", `"/kubernetes.io/namespace"`}},
		"dots, deeper":      {`{"kubernetes.io.serviceaccount.name":"x"}`, "kubernetes.io.serviceaccount.name", []string{`"/kubernetes.io/serviceaccount/name"`}},
		"dots, elsewhere":   {`{"kubernetes.io.labels.app":"x"}`, "kubernetes.io.labels.app", []string{`"/kubernetes.io/labels/app"`}},
		"no slash in front": {`{"kubernetes.io/namespace":"x"}`, "kubernetes.io/namespace", []string{`"/kubernetes.io/namespace"`}},
		"dots and a slash":  {`{"/kubernetes.io.namespace":"x"}`, "/kubernetes.io.namespace", []string{"leads to no claim", `"/kubernetes.io/namespace"`}},
		"all slashes":       {`{"/kubernetes/io/pod/name":"x"}`, "/kubernetes/io/pod/name", []string{`"/kubernetes.io/pod/name"`}},
		"case":              {`{"/kubernetes.io/Namespace":"x"}`, "/kubernetes.io/Namespace", []string{`"/kubernetes.io/namespace"`}},
		"trailing slash":    {`{"/kubernetes.io/namespace/":"x"}`, "/kubernetes.io/namespace/", []string{`"/kubernetes.io/namespace"`}},
		"claim of a Secret": {`{"/kubernetes.io/serviceaccount/namespace":"x"}`, "/kubernetes.io/serviceaccount/namespace", []string{`"/kubernetes.io/namespace"`}},
		"dots of anyone":    {`{"a.b.c":"x"}`, "a.b.c", []string{`"/a/b/c"`}},
		"slashes of anyone": {`{"a.b/c":"x"}`, "a.b/c", []string{`"/a.b/c"`}},
		"whole object":      {`{"kubernetes.io":"team"}`, "kubernetes.io", []string{"the whole object", `"/kubernetes.io/namespace"`}},
		"whole by pointer":  {`{"/kubernetes.io":["team"]}`, "/kubernetes.io", []string{"the whole object"}},
		"pattern":           {`{"sub":["x","team-*"]}`, "sub", []string{`"team-*"`, "no patterns"}},
		"sound":             {`{"/kubernetes.io/namespace":"team","/kubernetes.io/serviceaccount/name":["a","b"]}`, "", nil},
		"sound pipeline":    {`{"project_path":"group/repo","ref_protected":true,"n":1}`, "", nil},
		"a part of the object": {`{"kubernetes.io":{"namespace":"team","serviceaccount":{"name":"a"}}}`, "kubernetes.io",
			[]string{"the whole object", `{"namespace":"team","serviceaccount":{"name":"a"}}`, `"/kubernetes.io/namespace", "/kubernetes.io/serviceaccount/name".`}},
		"a part, by pointer":       {`{"/kubernetes.io":[{"namespace":"team"}]}`, "/kubernetes.io", []string{"the whole object", `"/kubernetes.io/namespace".`}},
		"a part of a part":         {`{"/kubernetes.io/serviceaccount":{"name":"a"}}`, "/kubernetes.io/serviceaccount", []string{`"/kubernetes.io/serviceaccount/name".`}},
		"a part of the pod":        {`{"/kubernetes.io/pod":{"name":"a"}}`, "/kubernetes.io/pod", []string{`"/kubernetes.io/pod/name".`}},
		"nothing of the object":    {`{"kubernetes.io":{}}`, "kubernetes.io", []string{`{} is only a part`, `"/kubernetes.io/namespace".`}},
		"a part inside":            {`{"kubernetes.io":{"namespace":"t","node":{"name":"n"},"pod":{"name":"p"},"serviceaccount":{"name":"a","uid":"u"}}}`, "kubernetes.io", []string{"the whole object"}},
		"the whole ServiceAccount": {`{"/kubernetes.io/serviceaccount":{"name":"a","uid":"u"}}`, "", nil},
		"the whole node":           {`{"/kubernetes.io/node":{"name":"n"}}`, "", nil},
		"the whole object":         {`{"kubernetes.io":{"namespace":"t","node":{"name":"n"},"pod":{"name":"p","uid":"u"},"serviceaccount":{"name":"a","uid":"u"}}}`, "", nil},
		"an object of one's own":   {`{"/custom":{"a":"b"},"role":{"a":"b"}}`, "", nil},
		"URL as a name":            {`{"https://example.com/role":"x","urn:example:a.b":"x"}`, "", nil},
		"own pointer":              {`{"/custom/claim.with.dots":"x"}`, "", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := filters(t, test.filters).Warnings()
			if len(test.want) == 0 {
				if len(got) != 0 {
					t.Errorf("got %v", got)
				}
				return
			}
			if len(got) != 1 || got[0].Key != test.key {
				t.Fatalf("got %v, want one about %q", got, test.key)
			}
			for _, want := range test.want {
				if !strings.Contains(got[0].Text, want) {
					t.Errorf("got %q, want %q in it", got[0].Text, want)
				}
			}
		})
	}
}

func TestWarningsOfEachKey(t *testing.T) {
	got := filters(t, `{"b.c":1,"a":[],"sub":"x"}`).Warnings()
	if len(got) != 2 || got[0].Key != "a" || got[1].Key != "b.c" {
		t.Errorf("got %v", got)
	}
}
