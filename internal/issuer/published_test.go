package issuer_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/publisher"
	"github.com/aktrust/terraform-provider-aktrust/internal/issuer"
)

const jsonType = "application/json"

func TestSound(t *testing.T) {
	server := publisher.Start(t, publisher.Options{})
	keys := set(t, key(t, "b"), rsa("a", 2048))
	for _, path := range []string{"", "/prod/eu"} {
		for _, types := range [][]string{
			{jsonType, "application/jwk-set+json"},
			{"application/json; charset=utf-8", "Application/JWK-Set+JSON; charset=UTF-8"},
			{"application/json", "application/json"},
			{"", ""}, // an answer without a type
		} {
			location := server.Issue(path, keys)
			put := func(path, text, media string) {
				server.Handle(path, func(w http.ResponseWriter, _ *http.Request) {
					w.Header()["Content-Type"] = []string{media}
					if media == "" {
						w.Header()["Content-Type"] = nil
					}
					fmt.Fprint(w, text)
				})
			}
			uri := location + "/keys"
			put(path+publisher.DiscoveryPath, fmt.Sprintf(`{"issuer":%q,"jwks_uri":%q,"claims_supported":["sub"]}`, location, uri), types[0])
			put(path+"/keys", keys, types[1])
			published := read(t, trusting(t, nil, server), location)
			if published.Issuer != location || published.JWKSURI != uri || string(published.Answer) != keys {
				t.Errorf("%+v", published)
			}
			if diff := cmp.Diff([]string{"a", "b"}, published.Keys.KeyIDs()); diff != "" {
				t.Error(diff)
			}
		}
	}
}

// An issuer with a slash at its end has its document where one without has it (OpenID Connect Discovery 1.0, section 4).
func TestSlashAtTheEnd(t *testing.T) {
	server := publisher.Start(t, publisher.Options{})
	location := server.URL() + "/prod/"
	put := func(issuer string) {
		server.Put("/prod"+publisher.DiscoveryPath, fmt.Sprintf(`{"issuer":%q,"jwks_uri":%q}`, issuer, location+"keys"), "Content-Type", jsonType)
	}
	server.Put("/prod/keys", set(t, key(t, "a")), "Content-Type", jsonType)
	put(location)
	read(t, trusting(t, nil, server), location)
	put(server.URL() + "/prod")
	read(t, trusting(t, nil, server), location, "they differ by the trailing slash alone")
	put("HTTPS" + strings.TrimPrefix(server.URL(), "https") + "/prod")
	read(t, trusting(t, nil, server), location, "they differ by the trailing slash and by upper and lower case")
}

// What to do is about the member that is not there.
func TestMissingMembers(t *testing.T) {
	server := publisher.Start(t, publisher.Options{})
	server.Put(publisher.DiscoveryPath, "{}", "Content-Type", jsonType)
	problems := read(t, trusting(t, nil, server), server.URL(), "has no issuer", "has no jwks_uri").Problems
	for i, remedy := range []string{"the iss of the tokens as issuer.", "the https URL of the key set as jwks_uri."} {
		if !strings.HasSuffix(problems[i].String(), remedy) {
			t.Errorf("%s, without %q", problems[i], remedy)
		}
	}
}

// Each discovery document is broken in its own way. ISSUER stands for the issuer.
func TestBrokenDiscovery(t *testing.T) {
	const sound = `{"issuer":"ISSUER","jwks_uri":"ISSUER/keys"}`
	cases := map[string]struct {
		text, media string
		found       []string
		keys        bool // whether the key set is read all the same
	}{
		"empty":                {"", jsonType, []string{"answered with an empty body"}, false},
		"white space":          {" \n", jsonType, []string{"answered with an empty body"}, false},
		"HTML":                 {"<!doctype html><title>Sign in</title>", "text/html", []string{"answered with a page of HTML or XML"}, false},
		"too large":            {`{"issuer":"` + strings.Repeat("x", 5<<20) + `"}`, jsonType, []string{"answered with more than 1024 KiB"}, false},
		"a little too large":   {sound + strings.Repeat(" ", issuer.MaxDocument), jsonType, []string{"answered with more than 1024 KiB"}, false},
		"text/html":            {sound, "text/html; charset=utf-8", []string{`the content type "text/html"`}, true},
		"text/plain":           {sound, "text/plain", []string{`the content type "text/plain"`}, true},
		"no guess":             {sound, "binary/octet-stream", []string{`the content type "binary/octet-stream"`}, true},
		"type of a key set":    {sound, "application/jwk-set+json", []string{`the content type "application/jwk-set+json"`}, true},
		"not a type":           {sound, "json", []string{`the content type "json"`}, true},
		"no type at all":       {sound, "application/json/x", []string{`the content type "application/json/x"`}, true},
		"same host":            {`{"issuer":"ISSUER","jwks_uri":"https://OIDC.example.test:443/keys"}`, jsonType, nil, true},
		"not JSON":             {"issuer: x", jsonType, []string{"not valid JSON at line 1, column 1"}, false},
		"cut off":              {sound[:30], jsonType, []string{"not valid JSON"}, false},
		"two values":           {sound + "{}", jsonType, []string{"not valid JSON"}, false},
		"byte order mark":      {"\ufeff" + sound, jsonType, []string{"begins with a byte order mark"}, false},
		"named twice":          {`{"issuer":"a","issuer":"b"}`, jsonType, []string{`duplicate member "issuer"`}, false},
		"array":                {"[]", jsonType, []string{"is an array and not an object"}, false},
		"null":                 {"null", jsonType, []string{"is null and not an object"}, false},
		"text":                 {`"x"`, jsonType, []string{"is a string and not an object"}, false},
		"key set":              {set(t, key(t, "a")), jsonType, []string{"is a key set"}, false},
		"nothing in it":        {"{}", jsonType, []string{"has no issuer", "has no jwks_uri"}, false},
		"wrong types":          {`{"issuer":1,"jwks_uri":["ISSUER/keys"]}`, jsonType, []string{"has a number as issuer", "has an array as jwks_uri"}, false},
		"null members":         {`{"issuer":null,"jwks_uri":null}`, jsonType, []string{"has null as issuer", "has null as jwks_uri"}, false},
		"empty members":        {`{"issuer":"","jwks_uri":""}`, jsonType, []string{"has an empty issuer", "has an empty jwks_uri"}, false},
		"no issuer":            {`{"jwks_uri":"ISSUER/keys"}`, jsonType, []string{"has no issuer"}, true},
		"slash":                {`{"issuer":"ISSUER/","jwks_uri":"ISSUER/keys"}`, jsonType, []string{"they differ by the trailing slash alone"}, true},
		"case":                 {`{"issuer":"HTTPS://oidc.example.test/prod","jwks_uri":"ISSUER/keys"}`, jsonType, []string{"they differ by upper and lower case alone"}, true},
		"slash and case":       {`{"issuer":"https://oidc.example.test/Prod/","jwks_uri":"ISSUER/keys"}`, jsonType, []string{"by the trailing slash and by upper and lower case"}, true},
		"another issuer":       {`{"issuer":"https://kubernetes.default.svc","jwks_uri":"ISSUER/keys"}`, jsonType, []string{`"https://kubernetes.default.svc", and not "https://oidc.example.test/prod": they are two issuers`}, true},
		"long issuer":          {`{"issuer":"` + strings.Repeat("x", 100_000) + `","jwks_uri":"ISSUER/keys"}`, jsonType, []string{"they are two issuers"}, true},
		"http":                 {`{"issuer":"ISSUER","jwks_uri":"http://oidc.example.test/keys"}`, jsonType, []string{"it is not an https URL"}, false},
		"file":                 {`{"issuer":"ISSUER","jwks_uri":"file:///etc/passwd"}`, jsonType, []string{"it is not an https URL"}, false},
		"relative":             {`{"issuer":"ISSUER","jwks_uri":"/keys"}`, jsonType, []string{"it is not an https URL"}, false},
		"not a URL":            {`{"issuer":"ISSUER","jwks_uri":"https://a b/"}`, jsonType, []string{"it is not a URL"}, false},
		"no host":              {`{"issuer":"ISSUER","jwks_uri":"https:///keys"}`, jsonType, []string{"it names no host"}, false},
		"password":             {`{"issuer":"ISSUER","jwks_uri":"https://u:hunter2@oidc.example.test/keys"}`, jsonType, []string{"it has a user name or a password"}, false},
		"in the cluster":       {`{"issuer":"ISSUER","jwks_uri":"https://kubernetes.default.svc/openid/v1/jwks"}`, jsonType, []string{"its host is a name inside the cluster"}, false},
		"of the network":       {`{"issuer":"ISSUER","jwks_uri":"https://api.corp.local:6443/openid/v1/jwks"}`, jsonType, []string{"its host is a name inside a private network"}, false},
		"private address":      {`{"issuer":"ISSUER","jwks_uri":"https://10.0.0.1:6443/openid/v1/jwks"}`, jsonType, []string{"https://10.0.0.1:6443/openid/v1/jwks, which is not public: its host is a private address"}, false},
		"elsewhere":            {`{"issuer":"ISSUER","jwks_uri":"https://keys.example.test/keys?sig=hunter2"}`, jsonType, []string{"another host than the issuer's, oidc.example.test"}, true},
		"elsewhere and broken": {`{"issuer":"x","jwks_uri":"https://gone.example.test/keys"}`, jsonType, []string{"they are two issuers", "another host", `"gone.example.test" does not resolve`}, false},
		"another, and no keys": {`{"issuer":"x","jwks_uri":""}`, jsonType, []string{"they are two issuers", "has an empty jwks_uri"}, false},
		"all at once":          {`{"issuer":"ISSUER/","jwks_uri":"https://10.0.0.1/keys"}`, "text/plain", []string{"content type", "trailing slash", "private address"}, false},
	}
	const location = "https://oidc.example.test/prod"
	server := named(t)
	server.Put("/prod/keys", set(t, key(t, "a")), "Content-Type", jsonType)
	server.Put("/keys", set(t, key(t, "a")), "Content-Type", jsonType)
	transport := trusting(t, map[string]*publisher.Server{"oidc.example.test": server, "keys.example.test": server}, server)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			server.Put("/prod"+publisher.DiscoveryPath, strings.ReplaceAll(c.text, "ISSUER", location), "Content-Type", c.media)
			published := read(t, transport, location, c.found...)
			if c.keys != (published.Keys.Len() == 1) || c.keys != (published.Answer != nil) {
				t.Errorf("the keys are %v", published.Keys.KeyIDs())
			}
			for _, problem := range published.Problems {
				if strings.Contains(problem.String(), "hunter2") {
					t.Errorf("a password is shown: %s", problem)
				}
			}
		})
	}
}

func TestReadEnds(t *testing.T) {
	server := publisher.Start(t, publisher.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	server.Handle(publisher.DiscoveryPath, func(http.ResponseWriter, *http.Request) { cancel() })
	if _, err := issuer.NewReader(trusting(t, nil, server)).Read(ctx, server.URL()); err == nil {
		t.Error("a read that was given up has a result")
	}
}

func TestCompare(t *testing.T) {
	server := publisher.Start(t, publisher.Options{})
	location := server.Issue("", set(t, key(t, "a"), key(t, "b")))
	published := read(t, trusting(t, nil, server), location)
	unread := &issuer.Published{Problems: []issuer.Problem{{Found: "x"}}}
	cases := map[string]struct {
		published      *issuer.Published
		expected       string
		missing, extra []string
		found          string
	}{
		"the same":    {published, set(t, key(t, "b"), key(t, "a")), []string{}, []string{}, ""},
		"one more":    {published, set(t, key(t, "a")), []string{}, []string{"b"}, ""},
		"one is gone": {published, set(t, key(t, "a"), key(t, "b"), key(t, "c")), []string{"c"}, []string{}, "lacks the key c, which should be published"},
		"rotated":     {published, set(t, key(t, "c"), key(t, "d")), []string{"c", "d"}, []string{"a", "b"}, "lacks the keys c, d, which should be published"},
		"other content": {
			published, set(t, key(t, "a"), key(t, "x", jwk{"kid": "b"}), key(t, "c")), []string{"b", "c"}, []string{"b"},
			"lacks the key c, which should be published, and has other content than it should under the kid of the key b",
		},
		"other content alone": {
			published, set(t, key(t, "a"), key(t, "x", jwk{"kid": "b"})), []string{"b"}, []string{"b"},
			"has other content than it should under the kid of the key b",
		},
		"a kid that hides": {published, set(t, key(t, "\x1b[8m")), []string{"\x1b[8m"}, []string{"a", "b"}, "lacks the key \ufffd[8m, which should be published"},
		"unread":           {unread, set(t, key(t, "a")), []string{"a"}, []string{}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			missing, extra, stale := c.published.Compare(parse(t, c.expected))
			if diff := cmp.Diff([][]string{c.missing, c.extra}, [][]string{missing, extra}); diff != "" {
				t.Error(diff)
			}
			if (c.found == "") != (len(stale) == 0) {
				t.Fatalf("%v", stale)
			}
			for _, problem := range stale {
				sentences(t, problem)
				want := "the key set at " + location + publisher.KeySetPath + " " + c.found
				if problem.Found != want || !strings.Contains(problem.String(), "stale") {
					t.Errorf("%s, want %q", problem, want)
				}
			}
		})
	}
}
