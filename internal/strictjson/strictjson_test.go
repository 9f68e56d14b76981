package strictjson_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/strictjson"
)

func TestDecode(t *testing.T) {
	tests := map[string]struct {
		text string
		want any
	}{
		"null":         {"null", nil},
		"boolean":      {" true\n", true},
		"text":         {`"a\u00e9"`, "aé"},
		"exact number": {"12345678901234567890.10", json.Number("12345678901234567890.10")},
		"empty array":  {"[]", []any{}},
		"empty object": {"{}", map[string]any{}},
		"nested":       {`{"a":[1,{"b":null}]}`, map[string]any{"a": []any{json.Number("1"), map[string]any{"b": nil}}}},
		"same name at two depths is no duplicate": {`{"a":{"a":{}}}`, map[string]any{"a": map[string]any{"a": map[string]any{}}}},
		"case tells names apart":                  {`{"a":1,"A":2}`, map[string]any{"a": json.Number("1"), "A": json.Number("2")}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := strictjson.Decode(test.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"nothing":                  {"", "empty"},
		"white space":              {" \n\t", "empty"},
		"HTML":                     {"<html>", "line 1, column 1"},
		"cut off":                  {"{\"a\":\n [1,", "unexpected end of JSON input"},
		"trailing data":            {"{}\n{}", "line 2, column 1: invalid character '{' after top-level value"},
		"trailing comma":           {"[1,]", "line 1, column 4"},
		"column counts characters": {`["é" x]`, "line 1, column 6"},
		"duplicate at the top":     {`{"a":1,"a":1}`, `duplicate member "a" in the top-level object`},
		"duplicate deep down":      {`{"keys":[{},{"kid":"x","kid":"y"}]}`, `duplicate member "kid" in keys[1]`},
		"duplicate by escape":      {`{"a":1,"\u0061":1}`, `duplicate member "a"`},
		"too deep":                 {strings.Repeat("[", 20000) + strings.Repeat("]", 20000), "exceeded max depth"},
		"NaN":                      {"NaN", "invalid character 'N'"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := strictjson.Decode(test.text)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestErrorsAreShort(t *testing.T) {
	name := strings.Repeat("x", 5000)
	_, err := strictjson.Decode(`{"` + name + `":1,"` + name + `":2}`)
	if err == nil || len(err.Error()) > 300 {
		t.Errorf("got an error of %d bytes", len(err.Error()))
	}
}

func TestEncode(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"sorted and without white space": {`{ "b": [1, 2.50], "a": {"d": null, "c": true} }`, `{"a":{"c":true,"d":null},"b":[1,2.50]}`},
		"no HTML escapes":                {`"<a> & b"`, `"<a> & b"`},
		"big number":                     {"123456789012345678901234567890", "123456789012345678901234567890"},
		"empty containers":               {`{"a":[],"b":{}}`, `{"a":[],"b":{}}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			v, err := strictjson.Decode(test.in)
			if err != nil {
				t.Fatal(err)
			}
			got, err := strictjson.Encode(v)
			if err != nil {
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	if _, err := strictjson.Encode(make(chan int)); err == nil {
		t.Error("a channel was encoded")
	}
}

func TestTypeName(t *testing.T) {
	for text, want := range map[string]string{
		"null": "null", "true": "a boolean", "1": "a number", `""`: "a string", "[]": "an array", "{}": "an object",
	} {
		v, err := strictjson.Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := strictjson.TypeName(v); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// FuzzDecode: what is accepted is valid JSON for everyone else too, and its encoding is a fixed point.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.5e3,"x",null,true]}`, `[[[]]]`, `{"a":1,"a":2}`, `"\ud800"`, "-0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := strictjson.Decode(text)
		if err != nil {
			return
		}
		if !json.Valid([]byte(text)) {
			t.Fatalf("accepted invalid JSON %q", text)
		}
		once, err := strictjson.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		again, err := strictjson.Decode(once)
		if err != nil {
			t.Fatalf("%q is not read back: %v", once, err)
		}
		if diff := cmp.Diff(v, again); diff != "" {
			t.Fatal(diff)
		}
	})
}
