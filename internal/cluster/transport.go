package cluster

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/aktrust/terraform-provider-aktrust/internal/scrub"
)

// maxAnswer is more than any answer to what this package asks, and little enough to hold in memory.
const maxAnswer = 32 << 20

// httpClient is client-go's for a connection, without its habit of following redirects. Client-go lays the credentials
// over every request, so that one that is redirected would hand them to whatever host the redirect names, and an answer
// from there would count as the cluster's own.
func httpClient(config *rest.Config) (*http.Client, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	own := *client // it may be the default client of the process
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own, nil
}

// answer is what came over the wire and client-go does not hand on.
type answer struct {
	code     int    // 0 when nothing was answered
	location string // where a redirect points
}

// answerKey is where a request's context has an *answer to fill in.
type answerKey struct{}

// guard stands between client-go and the wire, below what lays credentials over a request. It notes answers, learns the
// credentials that must not be shown, and ends answers that are too long, which client-go would read to the end.
type guard struct {
	next    http.RoundTripper
	secrets *scrub.Scrubber
}

func (g *guard) RoundTrip(request *http.Request) (*http.Response, error) {
	// What an exec command printed, or a token file holds, is known here first.
	if _, credential, ok := strings.Cut(request.Header.Get("Authorization"), " "); ok {
		g.secrets.Add(credential)
	}
	response, err := g.next.RoundTrip(request)
	var got answer
	if err == nil {
		got.code = response.StatusCode
		if response.StatusCode >= 300 && response.StatusCode < 400 {
			got.location = locationOf(response)
		}
		response.Body = &boundedBody{response.Body, maxAnswer + 1}
	}
	if note, ok := request.Context().Value(answerKey{}).(*answer); ok {
		*note = got // of the last attempt, when client-go makes several
	}
	return response, err
}

// locationOf is where a redirect points, without what may be a credential; empty when it points nowhere.
func locationOf(response *http.Response) string {
	if response.Header.Get("Location") == "" {
		return ""
	}
	location, err := response.Location()
	if err != nil {
		return "an address that cannot be read" // the error quotes it
	}
	location.User, location.RawQuery, location.ForceQuery = nil, "", false
	location.Fragment, location.RawFragment = "", ""
	return location.String()
}

// WrappedRoundTripper lets client-go find the transport below, to close its idle connections.
func (g *guard) WrappedRoundTripper() http.RoundTripper { return g.next }

type boundedBody struct {
	io.ReadCloser
	left int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the answer is longer than %d MiB", maxAnswer>>20)
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	return n, err
}
