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
		"plural":                   {`{"/kubernetes.io/namespaces":"team"}`, "/kubernetes.io/namespaces", []string{"No token", `for example "/kubernetes.io/namespace"`}},
		"plural without a slash":   {`{"kubernetes.io/namespaces":"team"}`, "kubernetes.io/namespaces", []string{"mean nothing", "No token"}},
		"deeper than there is":     {`{"/kubernetes.io/namespace/name":"team"}`, "/kubernetes.io/namespace/name", []string{"No token"}},
		"labels":                   {`{"/kubernetes.io/serviceaccount/labels/app":"x"}`, "/kubernetes.io/serviceaccount/labels/app", []string{"No token"}},
		"number as namespace":      {`{"/kubernetes.io/namespace":5}`, "/kubernetes.io/namespace", []string{"has the value 5", "is a string in every token"}},
		"bool as a name":           {`{"/kubernetes.io/node/name":true}`, "/kubernetes.io/node/name", []string{"has the value true", "is a string in every token"}},
		"number as uid":            {`{"/kubernetes.io/pod/uid":5}`, "/kubernetes.io/pod/uid", []string{"is a string in every token"}},
		"text as object":           {`{"/kubernetes.io/pod":"app"}`, "/kubernetes.io/pod", []string{"is an object in every token"}},
		"text as number":           {`{"/kubernetes.io/warnafter":"5"}`, "/kubernetes.io/warnafter", []string{"is a number in every token"}},
		"list in a list":           {`{"/kubernetes.io/namespace":["a",["b"]]}`, "/kubernetes.io/namespace", []string{`has the value ["b"]`, "never equal"}},
		"white space":              {`{"/kubernetes.io/namespace":" team"}`, "/kubernetes.io/namespace", []string{`" team"`, "none of that name"}},
		"upper case":               {`{"/kubernetes.io/namespace":["a","Team"]}`, "/kubernetes.io/namespace", []string{`"Team"`, "lower case"}},
		"a dot in a namespace":     {`{"/kubernetes.io/namespace":"a.b"}`, "/kubernetes.io/namespace", []string{`"a.b"`, "none of that name"}},
		"empty text":               {`{"/kubernetes.io/namespace":""}`, "/kubernetes.io/namespace", []string{`has the value ""`}},
		"empty uid":                {`{"/kubernetes.io/pod/uid":""}`, "/kubernetes.io/pod/uid", []string{`has the value ""`}},
		"upper case of an account": {`{"/kubernetes.io/namespace":"a","/kubernetes.io/serviceaccount/name":"App"}`, "/kubernetes.io/serviceaccount/name", []string{`"App"`, "up to 253"}},
		"an account's short name":  {`{"sub":"system:serviceaccount:team"}`, "sub", []string{"system:serviceaccount:NAMESPACE:NAME"}},
		"a group as subject":       {`{"sub":["system:serviceaccounts:team"]}`, "sub", []string{"system:serviceaccount:NAMESPACE:NAME"}},
		"upper case in a subject":  {`{"/sub":"system:serviceaccount:Team:app"}`, "/sub", []string{"lower case"}},
		"white space in front":     {`{"sub":" system:serviceaccount:team:app"}`, "sub", []string{"letter by letter"}},
		"no name at all":           {`{"":"x"}`, "", []string{`filter ""`, "which no token has"}},
		"no name, as a pointer":    {`{"/":"x"}`, "/", []string{`filter "/"`, "which no token has"}},
		"a name in any namespace":  {`{"/kubernetes.io/serviceaccount/name":["app","web"]}`, "/kubernetes.io/serviceaccount/name", []string{`"app" or "web" of every namespace`, `Add "/kubernetes.io/namespace"`}},
		"a name on a node":         {`{"/kubernetes.io/serviceaccount/name":"app","/kubernetes.io/node/name":"n"}`, "/kubernetes.io/serviceaccount/name", []string{"every namespace"}},
		"a name by its subject":    {`{"/kubernetes.io/serviceaccount/name":"app","sub":"system:serviceaccount:team:app"}`, "", nil},
		"a name by its uid":        {`{"/kubernetes.io/serviceaccount/name":"app","/kubernetes.io/serviceaccount/uid":"u"}`, "", nil},
		"all there is": {`{"/kubernetes.io/namespace":"team-1","/kubernetes.io/serviceaccount/name":"a.b-c","/kubernetes.io/serviceaccount/uid":"U",
			"/kubernetes.io/pod/name":"p","/kubernetes.io/pod/uid":"u","/kubernetes.io/node/name":"n.example.com","/kubernetes.io/node/uid":"u",
			"/kubernetes.io/secret/name":"s","/kubernetes.io/secret/uid":"u","/kubernetes.io/warnafter":5,"sub":"system:serviceaccount:team-1:a.b-c"}`, "", nil},
		"of anyone":     {`{"namespace":5,"sub":"repo:Org/Repo:ref","groups":["a",["b"]],"aud":[["x"]],"/custom/namespaces":" Team","n":""}`, "", nil},
		"URL as a name": {`{"https://example.com/role":"x","urn:example:a.b":"x"}`, "", nil},
		"own pointer":   {`{"/custom/claim.with.dots":"x"}`, "", nil},
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
