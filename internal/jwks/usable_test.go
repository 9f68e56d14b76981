package jwks_test

import (
	"crypto/elliptic"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

// What can be used is there, whatever stands beside it.
func TestParseUsable(t *testing.T) {
	good, other := rsaKey(2048, 1).kid("good"), ecKey(t, elliptic.P256()).kid("other")
	tests := map[string]struct {
		text   string
		kids   []string
		faults []string
	}{
		"sound":         {set(t, good, other), []string{"good", "other"}, nil},
		"one of three":  {set(t, good, jwk{"kty": "OKP", "kid": "x"}, other), []string{"good", "other"}, []string{`keys[1] (kid "x"): kty "OKP"`}},
		"the same kid":  {set(t, good, rsaKey(2048, 2).kid("good"), rsaKey(2048, 3).kid("good")), []string{"good"}, []string{"keys[0] and keys[1] share", "keys[0] and keys[2] share"}},
		"private":       {set(t, good.with(jwk{"d": "AA"}), other), []string{"other"}, []string{`keys[0] (kid "good"): it has the private member "d"`}},
		"none":          {set(t, jwk{}, jwk{"kty": "RSA"}), []string{}, []string{"keys[0]", "keys[1]"}},
		"not even keys": {`{"keys":[1,null]}`, []string{}, []string{"keys[0]: a key is a JSON object", "keys[1]"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			usable, faults, err := jwks.ParseUsable(test.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.kids, usable.KeyIDs()); diff != "" {
				t.Error(diff)
			}
			if len(faults) != len(test.faults) {
				t.Fatalf("%v", faults)
			}
			for i, fault := range faults {
				if !strings.Contains(fault.Error(), test.faults[i]) {
					t.Errorf("%v, want %q", fault, test.faults[i])
				}
				if errors.Is(fault, jwks.ErrPrivateKey) != (name == "private") {
					t.Errorf("%v is about a private key, or is not", fault)
				}
			}
		})
	}
	for _, text := range []string{"", "<html>", "{}", `{"keys":[]}`, `{"keys":{}}`, set(t, good) + "{}"} {
		if _, _, err := jwks.ParseUsable(text); err == nil {
			t.Errorf("%q is a key set", text)
		}
	}
}

// Parse takes what has no fault, and refuses the rest for the first one.
func FuzzParseUsable(f *testing.F) {
	good, other := rsaKey(2048, 1).kid("good"), ecKey(f, elliptic.P384()).kid("other")
	for _, text := range []string{
		set(f, good, other), set(f, good, good), set(f, other, jwk{"kty": "oct", "k": "AA"}), set(f, rsaKey(1024, 1), other),
		`{"keys":[1]}`, `{"keys":[]}`, "{}", "", "<", "-----BEGIN PRIVATE KEY-----",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		strict, strictErr := jwks.Parse(text)
		usable, faults, err := jwks.ParseUsable(text)
		switch {
		case err != nil:
			if strictErr == nil || strictErr.Error() != err.Error() || usable != nil || faults != nil {
				t.Fatalf("%v, and Parse says %v", err, strictErr)
			}
			return
		case len(faults) > 0:
			if strictErr == nil || strictErr.Error() != faults[0].Error() {
				t.Fatalf("%v, and Parse says %v", faults, strictErr)
			}
		case strictErr != nil || !strict.Equal(usable):
			t.Fatalf("there is no fault, and Parse says %v", strictErr)
		}
		if usable.Len() == 0 {
			return
		}
		again, err := jwks.Parse(usable.Canonical())
		if err != nil || !again.Equal(usable) {
			t.Fatalf("what can be used does not read back: %v", err)
		}
	})
}
