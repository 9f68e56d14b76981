package controlplane

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// API speaks to the API server as one user, in JSON. It is deliberately independent of the client that the tests are
// about.
type API struct {
	base, token string
	client      *http.Client
}

// StatusError is an answer of the API server other than 2xx.
type StatusError struct {
	Method, Path string
	Code         int    // HTTP status code
	Reason       string // machine-readable, such as NotFound; empty when the answer was no Status object
	Message      string // of the Status object, or else the beginning of the body
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s %s: %d %s: %s", e.Method, e.Path, e.Code, http.StatusText(e.Code), e.Message)
}

// As returns the API as a user of the options sees it, Admin included. A user whom the control plane does not know
// is answered 401.
func (c *ControlPlane) As(user string) *API { return c.WithToken(c.Token(user)) }

// WithToken returns the API as the owner of a token sees it, such as one from CreateToken; "" is the anonymous user.
func (c *ControlPlane) WithToken(token string) *API {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(c.pki.caPEM)
	return &API{base: c.URL(), token: token, client: &http.Client{
		Timeout:   30 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, DisableKeepAlives: true},
	}}
}

// Do sends in as JSON, unless it is nil, and decodes the answer into out, unless that is nil. An answer other than
// 2xx is a *StatusError.
func (a *API) Do(ctx context.Context, method, path string, in, out any) error {
	return a.send(ctx, method, path, "application/json", in, out)
}

// Get reads an object.
func (a *API) Get(ctx context.Context, path string, out any) error {
	return a.Do(ctx, http.MethodGet, path, nil, out)
}

// Delete removes an object; nothing waits for finalizers.
func (a *API) Delete(ctx context.Context, path string) error {
	return a.Do(ctx, http.MethodDelete, path, nil, nil)
}

// Patch merges a patch (RFC 7386) as kubectl edit does: the manager becomes the owner of what it changes by an
// update, not by an apply.
func (a *API) Patch(ctx context.Context, path, manager string, patch any) error {
	return a.send(ctx, http.MethodPatch, path+"?fieldManager="+url.QueryEscape(manager), "application/merge-patch+json", patch, nil)
}

// Apply is a server-side apply of the whole object under a field manager.
func (a *API) Apply(ctx context.Context, path, manager string, force bool, object any) error {
	query := url.Values{"fieldManager": {manager}, "force": {strconv.FormatBool(force)}}
	return a.send(ctx, http.MethodPatch, path+"?"+query.Encode(), "application/apply-patch+yaml", object, nil)
}

func (a *API) send(ctx context.Context, method, path, contentType string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("%s %s: encode the request: %w", method, path, err)
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, a.base+path, body)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", contentType)
	if a.token != "" {
		request.Header.Set("Authorization", "Bearer "+a.token)
	}
	response, err := a.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("%s %s: read the answer: %w", method, path, err)
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return statusError(method, path, response.StatusCode, text)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("%s %s: decode the answer: %w", method, path, err)
	}
	return nil
}

func statusError(method, path string, code int, body []byte) error {
	e := &StatusError{Method: method, Path: path, Code: code}
	var status struct{ Kind, Reason, Message string }
	if json.Unmarshal(body, &status) == nil && status.Kind == "Status" {
		e.Reason, e.Message = status.Reason, status.Message
		return e
	}
	e.Message = string(body[:min(len(body), 300)])
	return e
}
