package rotation_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
	"github.com/aktrust/terraform-provider-aktrust/internal/rotation"
)

// keys remembers the private key of each name.
type keys map[string]*ecdsa.PrivateKey

func (k keys) private(t *testing.T, name string) *ecdsa.PrivateKey {
	t.Helper()
	if k[name] == nil {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		k[name] = key
	}
	return k[name]
}

// text is a key set. A name of two words is a kid and which key it is; "-" is a key without a kid.
func (k keys) text(t *testing.T, names ...string) string {
	t.Helper()
	set := jose.JSONWebKeySet{}
	for _, name := range names {
		kid, _, _ := strings.Cut(name, " ")
		set.Keys = append(set.Keys, jose.JSONWebKey{Key: k.private(t, name).Public(), KeyID: strings.Trim(kid, "-"), Use: "sig", Algorithm: "ES256"})
	}
	text, err := json.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// set is nil without names.
func (k keys) set(t *testing.T, names string) *jwks.Set {
	t.Helper()
	if names == "" {
		return nil
	}
	set, err := jwks.Parse(k.text(t, strings.Split(names, ",")...))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

const (
	signing  = "The key that signs now would be dropped"
	absent   = "The key that signs now is not in the set"
	inUse    = "Tokens of a dropped key may still be in use"
	disjoint = "No key of the old set remains"
)

type advised struct{ error }

func (advised) Advice() string { return "Give the account the verb." }

var (
	errForbidden = advised{errors.New("403 Forbidden")}
	errDown      = errors.New("connection refused")
)

// What is said of a change, from what was seen.
func TestWarnings(t *testing.T) {
	k := keys{}
	for name, c := range map[string]struct {
		old, next     string // names of keys
		signs, serves string
		signsErr      error
		servesErr     error
		want          []string // summaries
		says          []string // in the details
		silent        []string
	}{
		"a create":               {old: "", next: "a", signs: "b", serves: "b"},
		"no set any more":        {old: "a", next: "", signs: "a", serves: "a"},
		"nothing changes":        {old: "a,b", next: "a,b", signs: "c", serves: "c"},
		"a key is added":         {old: "a", next: "a,b", signs: "a", serves: "a,b"},
		"the last step":          {old: "a,b", next: "b", signs: "b", serves: "b"},
		"nothing added was seen": {old: "a", next: "a,b", signsErr: errDown, servesErr: errDown},

		"the key that signs": {old: "a,b", next: "b", signs: "a", serves: "a,b", want: []string{signing},
			says: []string{"signs tokens with the key a, which the new set does not have", "every new token", "all pulls", "Keep the key"}},
		"the key that signs, under its kid": {old: "a,b", next: "a 2,b", signs: "a", serves: "a,b", want: []string{signing},
			says: []string{"the key a, and the new set has another key under that kid"}},
		"the key that signs, and one that is served": {old: "a,b,c", next: "c", signs: "a", serves: "a,b,c", want: []string{signing, inUse},
			says: []string{"serves the key b, and so accepts tokens that are signed with it. The key that signs now is a."}},
		"the key that signs, all of them": {old: "a", next: "b", signs: "a", serves: "a", want: []string{signing, disjoint},
			says: []string{"every token that is signed with a key of the old set"}, silent: []string{"looked at", "unless"}},
		"the key that signs is new to all": {old: "a,b", next: "b", signs: "c", serves: "b,c", want: []string{absent},
			says: []string{"the key c", "before this change and after it"}},
		"the key that signs, while nobody knows what is served": {old: "a,b", next: "b", signs: "a", servesErr: errForbidden, want: []string{signing},
			silent: []string{"403"}},

		"a key that is served": {old: "a,b", next: "b", signs: "b", serves: "a,b", want: []string{inUse},
			says: []string{"still serves the key a,", "The key that signs now is b.", "take it out of the API server, and drop it here"}},
		"two keys that are served": {old: "a,b,c", next: "c", signs: "c", serves: "a,b,c", want: []string{inUse},
			says: []string{"the keys a, b, and so accepts tokens that are signed with them.", "take them out"}},
		"one of two is served":                      {old: "a,b,c", next: "c", signs: "c", serves: "b,c", want: []string{inUse}, says: []string{"still serves the key b,"}},
		"served under its kid, with other material": {old: "a,b", next: "b", signs: "b", serves: "a 2,b"},
		"a key without a kid":                       {old: "-,b", next: "b", signs: "b", serves: "-,b", want: []string{inUse}, says: []string{"(no kid)"}},

		"nobody knows which signs": {old: "a,b", next: "b", signsErr: errForbidden, serves: "a,b", want: []string{inUse},
			says: []string{"still serves the key a", "Which key it signs with could not be looked at: 403 Forbidden. Give the account the verb."}},
		"nobody knows which signs, and it is served no more": {old: "a,b", next: "b", signsErr: errForbidden, serves: "b"},
		"nobody knows what is served": {old: "a,b", next: "b", signs: "b", servesErr: errForbidden, want: []string{inUse},
			says: []string{"tokens that are signed with the key a.", "could not be looked at: 403 Forbidden. Give the account the verb. Apply when"}},
		"nobody answers": {old: "a,b,c", next: "c", signsErr: errDown, servesErr: errDown, want: []string{inUse},
			says: []string{"the keys a, b.", "could not be looked at: connection refused. Apply when"}},
		"two reasons": {old: "a,b", next: "b", signsErr: errForbidden, servesErr: errDown, want: []string{inUse},
			says: []string{"connection refused. 403 Forbidden. Give the account the verb."}},
		"signed elsewhere": {old: "a,b", next: "b", signs: "b", serves: "c", want: []string{inUse}, says: []string{"does not serve the key that it signs with"}},

		"all of them": {old: "a", next: "b", signs: "b", serves: "a,b", want: []string{inUse},
			says: []string{"still serves the key a,", "The key that signs now is b."}, silent: []string{"looked at"}},
		"all of them, the last step":      {old: "a", next: "b", signs: "b", serves: "b"},
		"all of them, foreign":            {old: "x", next: "a,b", signs: "b", serves: "a,b"},
		"all of them, foreign under kids": {old: "a 2", next: "a", signs: "a", serves: "a"},
		"one of them, foreign under kids": {old: "a 2,b", next: "a,b", signs: "a", serves: "a,b"},
		"all of them, foreign before and after": {old: "x", next: "y", signs: "a", serves: "a", want: []string{absent},
			silent: []string{"keep the old key"}},
		"all of them, foreign under kids before and after": {old: "a 2", next: "a 3", signs: "a", serves: "a", want: []string{absent},
			says: []string{"another key under that kid. The old one does not have it either"}},
		"all of them, one of two served": {old: "a,x", next: "b", signs: "b", serves: "a,b", want: []string{inUse}, says: []string{"still serves the key a,"}},
		"all of them, unseen": {old: "a", next: "b", signsErr: errDown, servesErr: errDown, want: []string{disjoint},
			says: []string{"unless no token of these keys is in use", "Which key signs now", "could not be looked at: connection refused."}},
		"all of them, signed elsewhere": {old: "a", next: "b", signs: "b", serves: "c", want: []string{disjoint},
			says: []string{"unless no token of these keys is in use", "The key that signs now is b.", "does not serve the key that it signs with"}},
		"all of them, nobody knows which signs": {old: "a", next: "b", signsErr: errForbidden, serves: "b", want: []string{disjoint},
			says: []string{"unless no token of these keys is in use", "Which key signs now", "403 Forbidden"}},
		"all of them, nobody knows what is served": {old: "a", next: "b", signs: "b", servesErr: errForbidden, want: []string{disjoint},
			says: []string{"unless no token of these keys is in use", "The key that signs now is b."}, silent: []string{"Which key signs"}},
		"all of them, under its kid, nobody knows what is served": {old: "a 2", next: "a", signs: "a", servesErr: errForbidden,
			want: []string{disjoint}, says: []string{"unless no token of these keys is in use"}},
		"one of them, under its kid, nobody knows what is served": {old: "a 2,b", next: "a,b", signs: "a", servesErr: errForbidden,
			want: []string{inUse}},
	} {
		t.Run(name, func(t *testing.T) {
			seen := rotation.Sight{Signs: c.signs, SignsErr: c.signsErr, Serves: k.set(t, c.serves), ServesErr: c.servesErr}
			var summaries, details []string
			for _, w := range (rotation.Change{Old: k.set(t, c.old), New: k.set(t, c.next)}).Warnings(seen) {
				summaries, details = append(summaries, w.Summary), append(details, w.Detail)
			}
			if !slices.Equal(summaries, c.want) {
				t.Errorf("says %q, want %q: %s", summaries, c.want, details)
			}
			text := strings.Join(details, "\n")
			for _, want := range c.says {
				if !strings.Contains(text, want) {
					t.Errorf("does not say %q:\n%s", want, text)
				}
			}
			for _, word := range c.silent {
				if strings.Contains(text, word) {
					t.Errorf("says %q:\n%s", word, text)
				}
			}
			for _, detail := range details {
				if !strings.HasSuffix(detail, ".") || strings.Contains(detail, "..") || strings.Contains(detail, "%!") {
					t.Errorf("not sentences: %s", detail)
				}
			}
		})
	}
}
