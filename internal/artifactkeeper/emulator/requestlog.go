package emulator

import (
	"encoding/base64"
	"encoding/json"
	"maps"
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
	secrets map[string]bool
}

// add notes a request, the credentials in it, and those in the body of its
// answer.
func (l *requestLog) add(entry Request, given []string, answer []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, entry)
	if l.secrets == nil {
		l.secrets = map[string]bool{}
	}
	for _, secret := range append(given, credentialMembers(answer)...) {
		if secret != anonymousToken { // everybody has it
			l.secrets[secret] = true
		}
	}
}

// Secrets returns every credential that the registry was given or gave since
// its start, sorted: tokens, passwords, and what stood in Authorization. They
// are for tests that look for them where they must not be.
func (s *Server) Secrets() []string {
	s.requests.mu.Lock()
	defer s.requests.mu.Unlock()
	return slices.Sorted(maps.Keys(s.requests.secrets))
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

// describe makes the log entry of a request that carries these credentials.
func describe(r *http.Request, body []byte, secrets []string, started time.Time, reply *answer, fault *Injection) Request {
	scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	blot := strings.NewReplacer(blots(secrets)...)
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

// secretMembers carry credentials, in JSON, in forms and in queries.
var secretMembers = []string{"password", "token", "access_token", "refresh_token", "client_secret"}

// secretsOf lists the credentials of a request: the presented header, what is
// inside it, and the members of a JSON or form body.
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
	for _, name := range secretMembers {
		found = append(found, form.Get(name), r.URL.Query().Get(name))
	}
	found = append(found, credentialMembers(body)...)
	return slices.DeleteFunc(found, func(secret string) bool { return secret == "" })
}

// credentialMembers are the texts of a JSON object that are credentials. What
// is no JSON object has none.
func credentialMembers(body []byte) []string {
	var members map[string]any
	_ = json.Unmarshal(body, &members)
	var found []string
	for _, name := range secretMembers {
		if text, _ := members[name].(string); text != "" {
			found = append(found, text)
		}
	}
	return found
}

// blots are pairs for a strings.Replacer that takes secrets out of a text.
func blots(secrets []string) []string {
	var pairs []string
	for _, secret := range secrets {
		inJSON, _ := json.Marshal(secret) // strings always encode
		for _, spelling := range []string{secret, string(inJSON[1 : len(inJSON)-1]), url.QueryEscape(secret)} {
			pairs = append(pairs, spelling, redacted)
		}
	}
	return pairs
}
