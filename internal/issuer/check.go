package issuer

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Check refuses an issuer for which no documents can be published that every consumer takes. A consumer holds three texts
// against each other, character by character: the issuer it was told, the issuer in the discovery document, and the iss of
// the token; and it fetches the document from below the first (OpenID Connect Discovery 1.0, section 4). So beside what
// Invalid names, there may be nothing that one client writes, resolves or asks for in another way than the next.
//
// An upper-case host and a written port, also 443, are no trouble: consumers compare the texts, and the host is looked up
// whatever its case. The error is a clause that begins with "it", and repeats no more of the text than a character or dots.
func Check(issuer string) error {
	if problem := Invalid(issuer); problem != "" {
		return errors.New(problem)
	}
	rest, found := strings.CutPrefix(issuer, "https://")
	if !found { // Upper-case letters, which the registry takes for another scheme.
		return errors.New("it does not begin with https:// in lower case")
	}
	authority, path, found := strings.Cut(rest, "/")
	if err := checkAuthority(authority); err != nil {
		return err
	}
	if !found {
		return nil
	}
	return checkPath(path)
}

// authorityForm is a host of DNS, where underscores are in use whatever RFC 1123 says, or an address; and a port. What stands
// in brackets is an IPv6 address, or url.Parse has refused it.
var authorityForm = regexp.MustCompile(`^(?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?|\[[0-9A-Fa-f:.]+\])(?::([0-9]*))?$`)

func checkAuthority(authority string) error {
	parts := authorityForm.FindStringSubmatch(authority)
	if parts == nil {
		return errors.New("its host is no name in letters, digits, hyphens and dots, and no IP address; a name in another script is " +
			"written in its ASCII form (xn--)")
	}
	if strings.HasSuffix(authority, ":") || parts[1] != "" {
		if port, err := strconv.ParseUint(parts[1], 10, 16); err != nil || port == 0 {
			return errors.New("its port is not a number between 1 and 65535")
		}
	}
	return nil
}

// pathCharacters are the characters of a path that stand for themselves (pchar of RFC 3986, section 3.3).
const pathCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/"

// checkPath checks what stands behind the slash after the host.
func checkPath(path string) error {
	for _, character := range path {
		switch {
		case strings.ContainsRune(pathCharacters, character):
		case character == '%':
			return errors.New("it has a percent sign in its path, where %2F and / or %61 and a are one to some and two to others, so " +
				"that it would not be sure where the documents belong")
		default:
			return fmt.Errorf("it has the character %q in its path, which clients send in different spellings; use those that a URL "+
				"may have as they are (RFC 3986, section 3.3)", character)
		}
	}
	segments := strings.Split(path, "/")
	if segments[len(segments)-1] == "" {
		return errors.New("it ends in a slash, and a consumer that is given the issuer without it refuses the document and every token; " +
			"leave it out, here and in the --service-account-issuer of the API server")
	}
	for _, segment := range segments {
		switch segment {
		case "":
			return errors.New("it has two slashes in a row in its path, which servers take for one")
		case ".", "..":
			return fmt.Errorf("it has the path segment %q, which clients resolve before they ask", segment)
		}
	}
	return nil
}
