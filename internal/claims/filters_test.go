package claims_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/claims"
)

func filters(t testing.TB, text string) claims.Filters {
	t.Helper()
	f, err := claims.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return f
}

func TestParse(t *testing.T) {
	tests := map[string]struct{ text, json string }{
		"nothing asked":       {`{}`, `{}`},
		"every type":          {`{"a":"x","b":1,"c":true,"d":null,"e":[],"f":{"g":[1]}}`, `{"a":"x","b":1,"c":true,"d":null,"e":[],"f":{"g":[1]}}`},
		"sorted":              {` {"b":1, "a" : 2} `, `{"a":2,"b":1}`},
		"numbers are kept":    {`{"a":[1.0,1e2,12345678901234567890123,-0]}`, `{"a":[1.0,1e2,12345678901234567890123,-0]}`},
		"pointers":            {`{"/kubernetes.io/namespace":"x","/":1,"/a~0b/c~1d":2}`, `{"/":1,"/a~0b/c~1d":2,"/kubernetes.io/namespace":"x"}`},
		"tilde in a name":     {`{"a~b":1,"~":2}`, `{"a~b":1,"~":2}`},
		"no HTML escapes":     {`{"a":"<&>"}`, `{"a":"<&>"}`},
		"duplicate inside of": {`{"a":["x","x"]}`, `{"a":["x","x"]}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := filters(t, test.text)
			if got := f.JSON(); got != test.json {
				t.Errorf("got %s, want %s", got, test.json)
			}
			text, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			var read claims.Filters
			if err := json.Unmarshal(text, &read); err != nil {
				t.Fatal(err)
			}
			if !read.Equal(f) {
				t.Errorf("%s was read back as %s", f.JSON(), read.JSON())
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"nothing":          {"", "the text is empty"},
		"not JSON":         {"{sub: 1}", "not valid JSON at line 1, column 2"},
		"trailing data":    {"{} {}", "after top-level value"},
		"array":            {`["a"]`, "this is an array"},
		"null":             {"null", "this is null"},
		"text":             {`"sub"`, "this is a string"},
		"encoded twice":    {`"{\"sub\":\"x\"}"`, "encoded twice?"},
		"same key twice":   {`{"sub":"a","sub":"b"}`, `duplicate member "sub"`},
		"escape of 2":      {`{"/a~2b":1}`, `claim filter "/a~2b" is not a JSON Pointer`},
		"tilde at the end": {`{"/a~":1}`, `RFC 6901`},
		"two tildes":       {`{"/a~~0":1}`, `"/a~~0"`},
		"number too large": {`{"a":[{"b":1e999}]}`, `claim filter "a": the number 1e999 is out of range`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := claims.Parse(test.text)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
}

// What the registry holds has to be readable, also where it should never have been saved.
func TestUnmarshalIsLenientAboutPointersAlone(t *testing.T) {
	var f claims.Filters
	if err := json.Unmarshal([]byte(`{"/a~2":1}`), &f); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"/a~2"}, f.Keys()); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{`null`, `[]`, `{"a":1,"a":2}`, `"x"`} {
		if err := json.Unmarshal([]byte(text), &f); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
}

func TestFromValue(t *testing.T) {
	f, err := claims.FromValue(map[string]any{
		"a": []string{"x", "y"}, "b": json.Number("1.0"), "c": 1.0, "d": int64(math.MaxInt64), "e": map[string]bool{"f": true},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"a":["x","y"],"b":1.0,"c":1,"d":9223372036854775807,"e":{"f":true}}`; f.JSON() != want {
		t.Errorf("got %s, want %s", f.JSON(), want)
	}
	for name, value := range map[string]any{
		"channel": make(chan int), "NaN": map[string]any{"a": math.NaN()}, "list": []any{1}, "nil": nil,
		"bad pointer": map[string]any{"/~": 1},
	} {
		if _, err := claims.FromValue(value); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestEqual(t *testing.T) {
	tests := map[string]struct {
		left, right string
		want        bool
	}{
		"order of keys":                {`{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		"order of members":             {`{"a":{"b":1,"c":2}}`, `{"a":{"c":2,"b":1}}`, true},
		"order of alternatives":        {`{"a":["x","y"]}`, `{"a":["y","x"]}`, true},
		"alternative named twice":      {`{"a":["x","y","x"]}`, `{"a":["y","x"]}`, true},
		"order of members in a list":   {`{"a":[{"b":1,"c":2},1]}`, `{"a":[1,{"c":2,"b":1}]}`, true},
		"escapes":                      {`{"\u0061":"\u0078"}`, `{"a":"x"}`, true},
		"same float":                   {`{"a":1.5}`, `{"a":15e-1}`, true},
		"decimals nobody can see":      {`{"a":0.1}`, `{"a":0.1000000000000000055}`, true},
		"beyond 64 bits":               {`{"a":12345678901234567890123}`, `{"a":1.2345678901234568e22}`, true},
		"negative zero":                {`{"a":-0}`, `{"a":0.0}`, true},
		"order of a nested list":       {`{"a":[["x","y"]]}`, `{"a":[["y","x"]]}`, false},
		"order of a list in an object": {`{"a":{"b":["x","y"]}}`, `{"a":{"b":["y","x"]}}`, false},
		"value and list of it":         {`{"a":"x"}`, `{"a":["x"]}`, false},
		"null and nothing":             {`{"a":null}`, `{}`, false},
		"null and empty list":          {`{"a":null}`, `{"a":[]}`, false},
		"text and boolean":             {`{"a":"true"}`, `{"a":true}`, false},
		"text and number":              {`{"a":"1"}`, `{"a":1}`, false},
		"integer and float":            {`{"a":1}`, `{"a":1.0}`, false},
		"zero and negative zero":       {`{"a":0}`, `{"a":-0}`, false},
		"largest integers":             {`{"a":18446744073709551615}`, `{"a":18446744073709551614}`, false},
		"smallest integers":            {`{"a":-9223372036854775808}`, `{"a":-9223372036854775807}`, false},
		"case of a key":                {`{"a":1}`, `{"A":1}`, false},
		"key and pointer":              {`{"a":1}`, `{"/a":1}`, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			left, right := filters(t, test.left), filters(t, test.right)
			if left.Equal(right) != test.want || right.Equal(left) != test.want {
				t.Errorf("%s and %s: got %v", left.Canonical(), right.Canonical(), left.Equal(right))
			}
			if !left.Equal(filters(t, left.Canonical())) {
				t.Errorf("%s does not read back as equal", left.Canonical())
			}
		})
	}
}

func TestValueIsACopy(t *testing.T) {
	f := filters(t, `{"a":["x",{"b":1}]}`)
	value := f.Value()
	value["c"] = true
	value["a"].([]any)[0] = "changed"
	value["a"].([]any)[1].(map[string]any)["b"] = "changed"
	if want := `{"a":["x",{"b":1}]}`; f.JSON() != want {
		t.Errorf("got %s, want %s", f.JSON(), want)
	}
}

func TestZeroFilters(t *testing.T) {
	var f claims.Filters
	if f.JSON() != "{}" || f.Canonical() != "{}" || f.Len() != 0 || len(f.Keys()) != 0 || len(f.Value()) != 0 {
		t.Error("the zero filters are not {}")
	}
	if !f.Equal(filters(t, "{}")) {
		t.Error("not equal to {}")
	}
}

func TestUsesPointer(t *testing.T) {
	for text, want := range map[string]bool{
		`{}`: false, `{"kubernetes.io":{}}`: false, `{"a/b":1}`: false, `{"sub":1,"/a":1}`: true, `{"/":1}`: true,
	} {
		if got := filters(t, text).UsesPointer(); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
}

func TestDescribe(t *testing.T) {
	tests := map[string]string{
		`{}`: "every token",
		`{"/kubernetes.io/serviceaccount/name":["api","worker"],"/kubernetes.io/namespace":"team"}`: `/kubernetes.io/namespace is "team" and /kubernetes.io/serviceaccount/name is "api" or "worker"`,
		`{"a":[]}`:            "a is one of nothing (never)",
		`{"a":null}`:          "a is null or missing",
		`{"a":[true,null,1]}`: "a is true or null or missing or 1",
		`{"a":{"b":[1]}}`:     `a is {"b":[1]}`,
		`{"a":[["x","y"]]}`:   `a is ["x","y"]`,
	}
	for text, want := range tests {
		if got := filters(t, text).Describe(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	if got := filters(t, `{"a":"`+strings.Repeat("x", 5000)+`"}`).Describe(); len(got) > 300 {
		t.Errorf("a long value makes %d bytes", len(got))
	}
}
