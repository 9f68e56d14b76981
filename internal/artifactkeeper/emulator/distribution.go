package emulator

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

const (
	// registryService is the service that a token is asked for.
	registryService = "artifact-keeper"
	// anonymousToken is the token of a guest, who may pull what is public.
	anonymousToken = "anonymous"
)

// distributionError is an error in the shape of the distribution
// specification, {"errors":[{"code","message"}]}.
type distributionError struct {
	status    int
	code      string
	message   string
	challenge string // of WWW-Authenticate
}

// Error implements error.
func (e *distributionError) Error() string {
	return fmt.Sprintf("%d %s: %s", e.status, e.code, e.message)
}

func (e *distributionError) write(a *answer) {
	if e.challenge != "" {
		a.Header().Set("WWW-Authenticate", e.challenge)
	}
	type entry struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	a.writeJSON(e.status, map[string][]entry{"errors": {{e.code, e.message}}})
}

// reference is a path under /v2/: NAME/manifests/REF, NAME/blobs/DIGEST or
// NAME/tags/list, where the first segment of NAME is the repository's key.
type reference struct {
	name, key, image string
	kind, value      string
}

func parseReference(path string) (reference, bool) {
	path = strings.TrimPrefix(path, "/v2/")
	for _, kind := range []string{"manifests", "blobs", "tags"} {
		at := strings.LastIndex(path, "/"+kind+"/")
		if at <= 0 {
			continue
		}
		out := reference{name: path[:at], kind: kind, value: path[at+len(kind)+2:]}
		key, image, nested := strings.Cut(out.name, "/")
		if out.key, out.image = key, image; !nested {
			out.image = key
		}
		return out, true
	}
	return reference{}, false
}

// distribution serves /v2/: the version check, manifests, blobs and tags, to
// those who may read the repository.
func distribution(c *call) (any, error) {
	ref, ok := parseReference(c.request.URL.Path)
	if !ok {
		if c.request.URL.Path != "/v2/" {
			return nil, &distributionError{status: http.StatusNotFound, code: "UNSUPPORTED", message: "the operation is unsupported"}
		}
		caller, _ := c.server.credential(c.request.Header.Get("Authorization"))
		if caller == nil {
			return nil, c.challenge("")
		}
		return &content{mediaType: "application/json", bytes: []byte("{}")}, nil
	}
	repository, err := c.pullFrom(ref)
	if err != nil {
		return nil, err
	}
	return c.server.find(repository, ref)
}

// pullFrom finds the repository of a reference, if the caller may pull from
// it.
func (c *call) pullFrom(ref reference) (*Repository, error) {
	s := c.server
	header := c.request.Header.Get("Authorization")
	caller, _ := s.credential(header)
	guest := header == "Bearer "+anonymousToken
	reading := c.request.Method == http.MethodGet || c.request.Method == http.MethodHead
	if caller == nil && (!guest || !reading) {
		return nil, c.challenge(ref.scope(reading))
	}
	if !reading {
		return nil, refusePush(caller)
	}
	repository := s.repositoryByKey(ref.key)
	switch {
	case repository == nil && guest:
		return nil, c.challenge(ref.scope(reading)) // a guest learns nothing
	case repository == nil:
		return nil, nameUnknown(ref.key)
	case s.mayRead(caller, repository):
		return repository, nil
	case guest:
		return nil, c.challenge(ref.scope(reading))
	case s.options.AsBuilt && (s.isGoverned(repository) || caller.session.ceiling != nil):
		return nil, &distributionError{
			status: http.StatusForbidden, code: "DENIED", message: "You do not have access to this repository",
		}
	}
	return nil, nameUnknown(ref.key)
}

func (r reference) scope(reading bool) string {
	if reading {
		return "repository:" + r.name + ":pull"
	}
	return "repository:" + r.name + ":pull,push"
}

// refusePush answers everything that writes. Images get in through AddImage;
// what matters here is that the token of a kubelet may not push.
func refusePush(caller *principal) error {
	if caller.session.readOnly {
		return &distributionError{
			status: http.StatusForbidden, code: "DENIED", message: "Token does not have required scope: write:artifacts",
		}
	}
	return &distributionError{status: http.StatusMethodNotAllowed, code: "UNSUPPORTED", message: "the operation is unsupported"}
}

func nameUnknown(key string) error {
	return &distributionError{status: http.StatusNotFound, code: "NAME_UNKNOWN", message: "repository not found: " + key}
}

// challenge tells a client where to get a token.
func (c *call) challenge(scope string) error {
	// The client's own name for the registry, which it can reach.
	base := c.server.scheme() + "://" + c.request.Host + c.server.options.BasePath
	value := fmt.Sprintf("Bearer realm=%q,service=%q", base+"/v2/token", registryService)
	if scope != "" {
		value += fmt.Sprintf(",scope=%q", scope)
	}
	return &distributionError{
		status: http.StatusUnauthorized, code: "UNAUTHORIZED", message: "authentication required", challenge: value,
	}
}

// find is what a reference leads to in a repository.
func (s *Server) find(repository *Repository, ref reference) (any, error) {
	held := s.store.images[repository.ID]
	if held == nil {
		held = &imageStore{}
	}
	switch ref.kind {
	case "blobs":
		if blob, ok := held.blobs[ref.value]; ok {
			return blob, nil
		}
		return nil, &distributionError{status: http.StatusNotFound, code: "BLOB_UNKNOWN", message: "blob not found"}
	case "tags":
		tags, ok := held.tags[ref.image]
		if !ok || ref.value != "list" {
			return nil, &distributionError{
				status: http.StatusNotFound, code: "NAME_UNKNOWN",
				message: "repository name not known to registry: " + ref.name,
			}
		}
		list := make([]string, 0, len(tags))
		for tag := range tags {
			list = append(list, tag)
		}
		slices.Sort(list)
		return map[string]any{"name": ref.image, "tags": list}, nil
	}
	digest := ref.value
	if tagged, ok := held.tags[ref.image][ref.value]; ok {
		digest = tagged
	}
	if manifest, ok := held.manifests[ref.image][digest]; ok {
		return manifest, nil
	}
	return nil, &distributionError{status: http.StatusNotFound, code: "MANIFEST_UNKNOWN", message: "manifest not found"}
}
