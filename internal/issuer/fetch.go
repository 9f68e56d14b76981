package issuer

import (
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/go-cleanhttp"
)

const (
	// MaxDocument is how many bytes a document may have: that of the registry.
	MaxDocument = 1 << 20
	// Timeout is how long a document may take, from the first packet to the last: that of the registry.
	Timeout = 10 * time.Second
)

// Authorities reads PEM certificates, at least one. The error does not repeat the text, which may be a private key by mistake.
func Authorities(text string) (*x509.CertPool, error) {
	pool, found := x509.NewCertPool(), 0
	for rest := []byte(text); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if strings.HasSuffix(block.Type, "PRIVATE KEY") {
			return nil, errors.New("it holds a private key, which nobody needs to verify a server")
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("the certificate number %d in it cannot be read: %w", found+1, err)
		}
		pool.AddCert(certificate)
		found++
	}
	if found == 0 {
		return nil, errors.New("it holds no PEM certificate")
	}
	return pool, nil
}

// Transport makes a transport with these authorities, or those of the system for nil, and the proxies of the environment. It
// keeps no connection open.
func Transport(authorities *x509.CertPool) *http.Transport {
	t := cleanhttp.DefaultTransport()
	t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: authorities}
	t.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
		if answer.StatusCode != http.StatusOK {
			return proxyError(answer.StatusCode)
		}
		return nil
	}
	return t
}

// proxyError is the status with which a proxy refuses a connection. In net/http its text alone would be the error.
type proxyError int

func (e proxyError) Error() string { return statusLine(int(e)) }

func statusLine(code int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code)))
}

// document is one of the two that an issuer publishes.
type document struct {
	name string
	// means is what it means that it cannot be read, and absent what to do when it is not there.
	means, absent string
	// types are the media types that no consumer refuses.
	types []string
}

// answer is a document as it was served.
type answer struct {
	text   []byte
	header http.Header
}

// get reads a document, and notes what keeps a consumer from it; nil when it cannot be read at all.
func (r *Reader) get(ctx context.Context, p *Published, doc document, at string) *answer {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at, http.NoBody)
	if err != nil {
		p.add(Problem{Found: fmt.Sprintf("%s cannot be read: it is not a URL", shown(at)), Means: doc.means, Remedy: "Correct it."})
		return nil
	}
	request.Header.Set("Accept", "application/json, application/jwk-set+json")
	request.Header.Set("User-Agent", "terraform-provider-aktrust")
	response, err := r.transport.RoundTrip(request) // A client would follow redirects.
	if err != nil {
		p.add(unanswered(doc, at, err))
		return nil
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		p.add(refused(doc, at, response))
		return nil
	}
	text, problem := body(response)
	if problem.Found != "" {
		problem.Found, problem.Means = fmt.Sprintf("GET %s %s", shown(at), problem.Found), doc.means
		p.add(problem)
		return nil
	}
	if problem := contentType(response.Header, doc); problem != "" {
		p.add(Problem{
			Found: fmt.Sprintf("GET %s answered with the content type %s", shown(at), problem),
			Means: "The standards ask for JSON under its name, and some consumers refuse the " + doc.name + " under another.",
			Remedy: fmt.Sprintf("Give the object the content type %s; object stores make a guess, by the name, when it is uploaded "+
				"without one.", strings.Join(doc.types, " or ")),
		})
	}
	return &answer{text, response.Header}
}

// body reads an answer of 200. A problem says what "GET URL" did.
func body(response *http.Response) ([]byte, Problem) {
	if encoding := response.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, Problem{
			Found:  fmt.Sprintf("answered in the encoding %s, for which nobody asked", quote(encoding)),
			Remedy: "Store the document as it is, without compression.",
		}
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, MaxDocument+1))
	trimmed := strings.TrimSpace(string(text))
	switch {
	case len(text) > MaxDocument:
		return nil, Problem{
			Found:  fmt.Sprintf("answered with more than %d KiB", MaxDocument>>10),
			Remedy: "Put the document there, which has a few hundred bytes for each key; consumers stop reading long before that.",
		}
	case isTimeout(err):
		return nil, Problem{Found: fmt.Sprintf("did not answer in full within %s", Timeout), Remedy: tooSlow}
	case errors.Is(err, gzip.ErrHeader):
		return nil, Problem{
			Found:  "answered with something else than gzip, and says that it is in this encoding",
			Remedy: "Store the document as it is, and without a Content-Encoding.",
		}
	case err != nil:
		return nil, Problem{Found: "answered in part, and broke off", Remedy: tryAgain}
	case trimmed == "":
		return nil, Problem{Found: "answered with an empty body", Remedy: "Put the document there; an upload may have failed half-way."}
	case trimmed[0] == '<':
		return nil, Problem{
			Found: "answered with a page of HTML or XML",
			Remedy: "Put the document there. Pages come from a login in front of it, from a proxy, or from a site that answers every " +
				"path with its start page.",
		}
	}
	return text, Problem{}
}

// contentType is the media type of an answer, when it is one that consumers refuse. None at all is not: they go by the text.
func contentType(header http.Header, doc document) string {
	given := header.Get("Content-Type")
	media, _, err := mime.ParseMediaType(given)
	if given == "" || (media != "" && slices.Contains(doc.types, media)) {
		return ""
	}
	if err != nil {
		return quote(given)
	}
	return quote(media)
}

const (
	tooSlow  = "Look at what serves the document; consumers wait about as long."
	tryAgain = "Try again; if it happens often, look at what serves the document and what is in front of it."
)

// code is the word for an error of the object stores that answer with XML: S3, GCS and Azure alike.
var code = regexp.MustCompile(`<Code>([A-Za-z]{1,64})</Code>`)

// refused says what it means that a document is answered with another status than 200.
func refused(doc document, at string, response *http.Response) Problem {
	answered := statusLine(response.StatusCode)
	beginning, _ := io.ReadAll(io.LimitReader(response.Body, 4<<10)) // What can be read of it has to do.
	if word := code.FindSubmatch(beginning); word != nil {
		answered += " (" + string(word[1]) + ")"
	}
	problem := Problem{Found: fmt.Sprintf("GET %s answered %s", shown(at), answered), Means: doc.means}
	switch status := response.StatusCode; {
	case status >= 300 && status < 400:
		problem.Found += redirect(response)
		problem.Means = "The standard asks for the document itself under this address (OpenID Connect Discovery 1.0, section 4.2): some " +
			"consumers follow, and others refuse every token of the issuer."
		problem.Remedy = "Serve the document at this address itself, without a login or another address in between."
	case status == http.StatusUnauthorized:
		problem.Remedy = "Let everybody read this address: consumers have no credential for it."
	case status == http.StatusForbidden:
		problem.Remedy = "Let everybody read this object, and look whether it lies under exactly this path: an object store answers 403 " +
			"for one that is not public, and also for one that is not there when nobody may list."
	case status == http.StatusNotFound || status == http.StatusGone:
		problem.Remedy = doc.absent
	case status == http.StatusTooManyRequests || status >= 500:
		problem.Remedy = tryAgain
	default:
		problem.Remedy = "Serve the document at this address with the status 200."
	}
	return problem
}

// redirect says where an answer sends its reader, no closer than to the host: the rest may be another at every request.
func redirect(response *http.Response) string {
	location, err := response.Location()
	switch {
	case errors.Is(err, http.ErrNoLocation):
		return ", a redirect to nowhere"
	case err != nil:
		return ", a redirect to an address that cannot be read"
	case location.Scheme != "https":
		return ", a redirect to an address without TLS"
	case strings.EqualFold(location.Host, response.Request.URL.Host):
		return ", a redirect to another address on the same host"
	}
	return ", a redirect to another host, " + quote(location.Host)
}
