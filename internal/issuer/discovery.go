package issuer

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/strictjson"
)

// discovery reads the discovery document into p and gives the address to read the key set from; empty when there is none.
func (r *Reader) discovery(ctx context.Context, p *Published, issuer string) string {
	if problem := Invalid(issuer); problem != "" {
		p.add(Problem{
			Found: fmt.Sprintf("%s cannot be an issuer: %s", shown(issuer), problem), Means: noDocument,
			Remedy: "An issuer is an https URL without query and fragment.",
		})
		return ""
	}
	at := DiscoveryURL(issuer)
	got := r.get(ctx, p, document{
		name: "discovery document", means: noDocument, types: []string{"application/json"},
		absent: "Publish the discovery document under exactly this address: that of the issuer, path and all, and then " +
			discoveryPath + ".",
	}, at)
	if got == nil {
		return ""
	}
	members, problem := readDiscovery(string(got.text))
	if problem != "" {
		p.add(Problem{
			Found: fmt.Sprintf("the discovery document at %s %s", shown(at), problem), Means: noDocument,
			Remedy: "Publish a JSON object with issuer and jwks_uri there.",
		})
		return ""
	}
	p.Issuer = p.text(members, "issuer", at)
	if p.Issuer != "" && p.Issuer != issuer {
		p.add(Problem{
			Found: fmt.Sprintf("the discovery document at %s says that its issuer is %s, and not %s: %s", shown(at), quote(p.Issuer),
				quote(issuer), Difference(p.Issuer, issuer)),
			Means: "Consumers compare the document's issuer with the URL that they were given and with the iss of tokens, character " +
				"for character, and refuse on any difference.",
			Remedy: fmt.Sprintf("Publish the document with \"issuer\": %s, if that is the iss of the tokens.", quote(issuer)),
		})
	}
	p.JWKSURI = p.text(members, "jwks_uri", at)
	if p.JWKSURI == "" {
		return ""
	}
	return p.jwksURI(issuer, at)
}

// readDiscovery reads the text of a discovery document, or says what is wrong with it, as in "the document ...".
func readDiscovery(text string) (members map[string]any, problem string) {
	value, err := strictjson.Decode(text)
	if err != nil {
		if strings.HasPrefix(text, "\ufeff") {
			return nil, "begins with a byte order mark, with which it is not valid JSON"
		}
		return nil, fmt.Sprintf("cannot be read: %s", err)
	}
	members, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Sprintf("is %s and not an object", strictjson.TypeName(value))
	}
	_, issuer := members["issuer"]
	_, uri := members["jwks_uri"]
	if _, keys := members["keys"]; keys && !issuer && !uri {
		return nil, "is a key set, which belongs to where jwks_uri points"
	}
	return members, ""
}

// text gives a member that has to be there and a text.
func (p *Published) text(members map[string]any, name, at string) string {
	value, found := members[name]
	text, ok := value.(string)
	if text != "" {
		return text
	}
	what := "has an empty " + name
	if !ok {
		what = fmt.Sprintf("has %s as %s, and not a text", strictjson.TypeName(value), name)
	}
	if !found {
		what = "has no " + name
	}
	problem := Problem{Found: fmt.Sprintf("the discovery document at %s %s", shown(at), what)}
	if name == "issuer" {
		problem.Means = "Consumers compare it with the URL that they were given, and refuse the document."
		problem.Remedy = "Publish the document with the iss of the tokens as issuer."
	} else {
		problem.Means, problem.Remedy = noKeys, "Publish the document with the https URL of the key set as jwks_uri."
	}
	p.add(problem)
	return ""
}

// jwksURI gives the address of the key set, or an empty text when no consumer should or can read it.
func (p *Published) jwksURI(issuer, at string) string {
	found := fmt.Sprintf("the discovery document at %s says that the keys are at %s", shown(at), shown(p.JWKSURI))
	if _, problem := parse(p.JWKSURI); problem != "" {
		p.add(Problem{
			Found: found + ", which cannot be read: " + problem, Means: noKeys,
			Remedy: "Publish the document with an https URL that everybody reaches as jwks_uri.",
		})
		return ""
	}
	if host(issuer) == host(p.JWKSURI) { // Another port of it belongs to the same people.
		return p.JWKSURI
	}
	if problem := NotPublic(p.JWKSURI); problem != "" {
		p.add(Problem{
			Found: found + ", which is not public: " + problem,
			Means: "Consumers outside of that network get no keys, and refuse every token. The document is probably the API server's " +
				"own, which names its own address.",
			Remedy: "Publish the key set on the issuer's host, and the document with that URL as jwks_uri.",
		})
		return ""
	}
	p.add(Problem{
		Found: found + ", which is another host than the issuer's, " + host(issuer),
		Means: "Whoever answers there decides which tokens are accepted, and consumers that may reach the issuer's host alone get no " +
			"keys.",
		Remedy: "Publish the key set on the issuer's host, and the document with that URL as jwks_uri.",
	})
	return p.JWKSURI
}

func host(location string) string {
	u, err := url.Parse(location)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}
