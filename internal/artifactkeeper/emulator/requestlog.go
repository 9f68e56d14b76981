package emulator

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// redacted stands in the request log where a secret stood in the request.
const redacted = "[redacted]"

// Request is what the registry saw of one request. It holds no credential:
// the Authorization and Cookie headers are left out, and a token or password
// is blotted out wherever else it stood.
type Request struct {
	// Time is when the request arrived, by the registry's clock.
	Time time.Time
	// Method and Path are those of the request line, the path without the
	// base path. Query is the raw query.
	Method string
	Path   string
	Query  string
	// Body is the request's body.
	Body string
	// Header holds the request's headers.
	Header http.Header
	// Scheme is the scheme of the Authorization header, such as "Bearer", or
	// empty when there was none.
	Scheme string
	// Status is the answer's status, 0 when the client got no answer.
	Status int
	// Fault is the fault that met the request, empty when none did.
	Fault Kind
}

type requestLog struct {
	mu      sync.Mutex
	entries []Request
}

func (l *requestLog) add(entry Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, entry)
}

// Requests returns what was asked since the start or the last
// [Server.ResetRequests], in the order of the answers. An entry is there
// before its client has the answer.
func (s *Server) Requests() []Request {
	s.requests.mu.Lock()
	defer s.requests.mu.Unlock()
	return slices.Clone(s.requests.entries)
}

// ResetRequests forgets the requests so far.
func (s *Server) ResetRequests() {
	s.requests.mu.Lock()
	defer s.requests.mu.Unlock()
	s.requests.entries = nil
}

// describe makes the log entry of a request.
func describe(r *http.Request, body []byte, started time.Time, reply *answer, fault *Injection) Request {
	scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	blot := strings.NewReplacer(secretsOf(r, body)...)
	header := http.Header{}
	for name, values := range r.Header {
		if name == "Authorization" || name == "Proxy-Authorization" || name == "Cookie" {
			continue
		}
		for _, value := range values {
			header.Add(name, blot.Replace(value))
		}
	}
	entry := Request{
		Time: started, Method: r.Method, Path: blot.Replace(r.URL.Path), Query: blot.Replace(r.URL.RawQuery),
		Body: blot.Replace(string(body)), Header: header, Scheme: scheme, Status: reply.status,
	}
	if reply.delivery == deliverNothing {
		entry.Status = 0
	}
	if fault != nil {
		entry.Fault = fault.fault.Kind
	}
	return entry
}

// secretsOf lists the credentials of a request as pairs for a
// strings.Replacer: the presented header, what is inside it, and the members
// of a JSON or form body that carry credentials.
func secretsOf(r *http.Request, body []byte) []string {
	var found []string
	if _, credential, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok {
		found = append(found, credential)
		if decoded, err := base64.StdEncoding.DecodeString(credential); err == nil {
			_, password, _ := strings.Cut(string(decoded), ":")
			found = append(found, password)
		}
	}
	form, _ := url.ParseQuery(string(body))
	var members map[string]any
	_ = json.Unmarshal(body, &members) // a body that is not JSON has no members
	for _, name := range []string{"password", "token", "access_token", "refresh_token", "client_secret"} {
		found = append(found, form.Get(name), r.URL.Query().Get(name))
		if text, ok := members[name].(string); ok {
			found = append(found, text)
		}
	}
	var pairs []string
	for _, secret := range found {
		if secret == "" {
			continue
		}
		inJSON, _ := json.Marshal(secret) // strings always encode
		for _, spelling := range []string{secret, string(inJSON[1 : len(inJSON)-1]), url.QueryEscape(secret)} {
			pairs = append(pairs, spelling, redacted)
		}
	}
	return pairs
}
