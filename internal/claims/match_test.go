package claims_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aktrust/terraform-provider-aktrust/internal/claims"
)

// token has the claims of a token that the kubelet requests for a pod, and some of a pipeline's.
const token = `{
	"iss": "https://cluster.example.com/", "aud": ["ak.example.com"], "sub": "system:serviceaccount:team:api",
	"exp": 1700003600, "ref_protected": true, "project_id": "17", "ratio": 1.0, "empty": null, "path": "group/repo",
	"https://example.com/role": "dev", "a.b": "dotted", "": {"": "nameless"}, "~": "tilde", "x/y": {"0": "member"},
	"list": [{"name": "first"}, "second"],
	"kubernetes.io": {"namespace": "team", "serviceaccount": {"name": "api", "uid": "u-1"},
		"pod": {"name": "api-0", "uid": "u-2"}, "node": {"name": "n-1", "uid": "u-3"}}
}`

func parsed(t testing.TB, text string) claims.Claims {
	t.Helper()
	c, err := claims.ParseClaims(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestMatch(t *testing.T) {
	tests := map[string]struct {
		filters string
		want    bool
	}{
		"nothing asked":                  {`{}`, true},
		"text":                           {`{"sub":"system:serviceaccount:team:api"}`, true},
		"two that match":                 {`{"/kubernetes.io/namespace":"team","ref_protected":true}`, true},
		"one of two":                     {`{"/kubernetes.io/namespace":"team","ref_protected":false}`, false},
		"any of a list":                  {`{"/kubernetes.io/serviceaccount/name":["worker","api"]}`, true},
		"none of a list":                 {`{"/kubernetes.io/serviceaccount/name":["worker","web"]}`, false},
		"empty list":                     {`{"sub":[]}`, false},
		"empty list and a missing claim": {`{"nope":[]}`, false},
		"prefix":                         {`{"path":"group"}`, false},
		"pattern":                        {`{"path":"group/*"}`, false},
		"case of the value":              {`{"path":"Group/repo"}`, false},
		"case of the key":                {`{"Path":"group/repo"}`, false},
		"text for a boolean":             {`{"ref_protected":"true"}`, false},
		"number for a text":              {`{"project_id":17}`, false},
		"text for a number":              {`{"exp":"1700003600"}`, false},
		"number":                         {`{"exp":1700003600}`, true},
		"decimal for an integer":         {`{"exp":1700003600.0}`, false},
		"integer for a decimal":          {`{"ratio":1}`, false},
		"decimal":                        {`{"ratio":10e-1}`, true},
		"null for a null":                {`{"empty":null}`, true},
		"null for a missing claim":       {`{"nope":null}`, true},
		"null behind a missing way":      {`{"/no/way":null}`, true},
		"null among alternatives":        {`{"nope":["x",null]}`, true},
		"null for a claim":               {`{"sub":null}`, false},
		"text for null":                  {`{"empty":"null"}`, false},
		"list is no alternative":         {`{"aud":["ak.example.com"]}`, false},
		"list within a list":             {`{"aud":[["ak.example.com"]]}`, true},
		"element of a list claim":        {`{"aud":"ak.example.com"}`, false},
		"object":                         {`{"/kubernetes.io/node":{"uid":"u-3","name":"n-1"}}`, true},
		"part of an object":              {`{"/kubernetes.io/node":{"name":"n-1"}}`, false},
		"dotted path":                    {`{"kubernetes.io.namespace":"team"}`, false},
		"dotted name":                    {`{"a.b":"dotted"}`, true},
		"URL as a name":                  {`{"https://example.com/role":"dev"}`, true},
		"pointer to a top-level claim":   {`{"/path":"group/repo"}`, true},
		"escaped slash":                  {`{"/x~1y/0":"member"}`, true},
		"escaped tilde":                  {`{"/~0":"tilde"}`, true},
		"tilde by name":                  {`{"~":"tilde"}`, true},
		"empty names":                    {`{"//":"nameless","":{"":"nameless"}}`, true},
		"slash alone is the empty name":  {`{"/":{"":"nameless"}}`, true},
		"element by index":               {`{"/list/0/name":"first","/list/1":"second"}`, true},
		"index with a zero in front":     {`{"/list/01":"second"}`, false},
		"index with a plus":              {`{"/list/+1":"second"}`, false},
		"index beyond":                   {`{"/list/2":"second"}`, false},
		"dash is no index":               {`{"/list/-":"second"}`, false},
		"through a text":                 {`{"/sub/x":"y"}`, false},
		"trailing slash":                 {`{"/kubernetes.io/namespace/":"team"}`, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := filters(t, test.filters)
			got, reasons := f.Match(parsed(t, token))
			if got != test.want {
				t.Errorf("got %v: %v", got, reasons)
			}
			keys, all := []string{}, true
			for _, reason := range reasons {
				keys = append(keys, reason.Key)
				all = all && reason.Matched
				if reason.Matched && len(reason.Hints) > 0 {
					t.Errorf("hints on what matched: %v", reason)
				}
			}
			if diff := cmp.Diff(f.Keys(), keys, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
			if all != got {
				t.Errorf("the reasons %v contradict %v", reasons, got)
			}
		})
	}
}

func TestReasons(t *testing.T) {
	tests := map[string]struct{ filters, want string }{
		"match": {`{"/kubernetes.io/namespace":"team"}`,
			`/kubernetes.io/namespace: the filter wants "team", and the claim is "team"`},
		"match of a list": {`{"/kubernetes.io/namespace":["x","team"]}`,
			`/kubernetes.io/namespace: the filter wants one of ["x","team"], and the claim is "team"`},
		"match of nothing":  {`{"nope":null}`, `nope: the filter wants null, and the token has no such claim, which equals null`},
		"nothing close":     {`{"path":"other"}`, `path: the filter wants "other", the claim is "group/repo"`},
		"case":              {`{"path":"Group/Repo"}`, `; upper and lower case count`},
		"white space":       {`{"path":"group/repo "}`, `; white space counts`},
		"trailing slash":    {`{"iss":"https://cluster.example.com"}`, `; a trailing slash counts`},
		"pattern":           {`{"path":"group/*"}`, `; "group/*" is compared letter by letter, there are no patterns; list the values`},
		"prefix":            {`{"sub":"system:serviceaccount:team:"}`, `is only the beginning of the claim`},
		"boolean":           {`{"ref_protected":"true"}`, `; the filter has a string and the claim is a boolean; write true`},
		"number":            {`{"exp":"1700003600"}`, `; the filter has a string and the claim is a number; write 1700003600`},
		"text":              {`{"project_id":17}`, `; the filter has a number and the claim is a string; write "17"`},
		"null as text":      {`{"empty":"null"}`, `; the filter has a string and the claim is null; write null`},
		"decimal":           {`{"ratio":1}`, `the registry tells integers and decimals apart`},
		"list claim":        {`{"aud":"ak.example.com"}`, `the claim is a list that has "ak.example.com" in it, and a filter compares the whole list; write [["ak.example.com"]]`},
		"object":            {`{"kubernetes.io":"team"}`, `the claim is an object with "namespace", "node", "pod", "serviceaccount"; name a member by a pointer`},
		"part of an object": {`{"kubernetes.io":{"namespace":"team","serviceaccount":{"name":"api"}}}`, `; the claim has that and more, and whole objects are compared; name its members by pointers`},
		"empty list":        {`{"sub":[]}`, `sub: the filter wants one of nothing, the claim is "system:serviceaccount:team:api"; an empty list never matches`},
		"dotted":            {`{"kubernetes.io.namespace":"team"}`, `the token has no such claim; did you mean /kubernetes.io/namespace, which is "team"?`},
		"without slash":     {`{"kubernetes.io/serviceaccount/name":"api"}`, `did you mean /kubernetes.io/serviceaccount/name, which is "api"?`},
		"any dotted":        {`{"list.0.name":"first"}`, `did you mean /list/0/name, which is "first"?`},
		"case of a key":     {`{"Path":"group/repo"}`, `; the token has "path", and upper and lower case count`},
		"case inside":       {`{"/kubernetes.io/pod/Name":"x"}`, `did you mean /kubernetes.io/pod/name`},
		"typing error":      {`{"/kubernetes.io/namspace":"team"}`, `; /kubernetes.io has "namespace", "node", "pod", "serviceaccount"`},
		"way ends early":    {`{"/kubernetes.io/namespace/x":"team"}`, `; /kubernetes.io/namespace is "team", it has nothing inside`},
		"way into a list":   {`{"/list/first":1}`, `; /list is a list of 2, its elements are named 0, 1, 2 and so on`},
		"escaped way":       {`{"/x~1y/1":1}`, `; /x~1y has "0"`},
		"unknown name":      {`{"nope":1}`, `; the token has "", "a.b", "aud", "empty", "exp", "https://example.com/role", "iss", "kubernetes.io", "list", "path", "project_id", "ratio" and 4 more`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, reasons := filters(t, test.filters).Match(parsed(t, token))
			if len(reasons) != 1 || !strings.Contains(reasons[0].String(), test.want) {
				t.Errorf("got  %v\nwant %s", reasons, test.want)
			}
		})
	}
}

func TestReasonMembers(t *testing.T) {
	_, got := filters(t, `{"path":["GROUP/repo","group/Repo","x"],"nope":1}`).Match(parsed(t, `{"path":"group/repo"}`))
	want := []claims.Reason{
		{Key: "nope", Expected: "1", Hints: []string{`the token has "path"`}},
		{Key: "path", Expected: `one of ["GROUP/repo","group/Repo","x"]`, Present: true, Found: `"group/repo"`,
			Hints: []string{"upper and lower case count"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMatchOfNoClaims(t *testing.T) {
	var none claims.Claims
	ok, reasons := filters(t, `{"/a/b":1,"sub":1}`).Match(none)
	if ok || len(reasons) != 2 || !strings.Contains(reasons[1].String(), "has no claims at all") {
		t.Errorf("got %v, %v", ok, reasons)
	}
	if ok, reasons := (claims.Filters{}).Match(none); !ok || len(reasons) != 0 {
		t.Errorf("got %v, %v", ok, reasons)
	}
}

func TestParseClaimsRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "empty",
		"[]":                 "this is an array",
		`{"sub":1,"sub":2}`:  `duplicate member "sub"`,
		`{"a":{"b":-1e999}}`: `claim "a": the number -1e999 is out of range`,
	} {
		if _, err := claims.ParseClaims(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v, want one with %q", text, err, want)
		}
	}
}

func TestClaimsFromValue(t *testing.T) {
	c, err := claims.ClaimsFromValue(map[string]any{"exp": float64(1700003600), "groups": []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	if ok, reasons := filters(t, `{"exp":1700003600,"/groups/0":"a"}`).Match(c); !ok {
		t.Error(reasons)
	}
	if _, err := claims.ClaimsFromValue(func() {}); err == nil {
		t.Error("a function was accepted")
	}
}

func TestLookup(t *testing.T) {
	value, found := parsed(t, token).Lookup("/kubernetes.io/pod/name")
	if value != "api-0" || !found {
		t.Errorf("got %v, %v", value, found)
	}
	if value, found := parsed(t, token).Lookup("empty"); value != nil || !found {
		t.Errorf("got %v, %v for a claim that is null", value, found)
	}
	if value, found := parsed(t, token).Lookup("/a~2b"); value != nil || found {
		t.Errorf("got %v, %v for a bad pointer", value, found)
	}
}
