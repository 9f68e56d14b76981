package artifactkeeper

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// Error is an answer that is not the one asked for: an error of the registry, or of something in between.
type Error struct {
	// Method and Path are the request; Path holds no query.
	Method, Path string
	// Status is the HTTP status of the answer.
	Status int
	// Code and Message are the registry's own, or, without its JSON shape, Message is a summary of the body.
	Code, Message string
	// FromRegistry is true when the answer has the shape of the registry's errors.
	FromRegistry bool
	// RetryAfter is how long the server asks to wait; zero when it does not say.
	RetryAfter time.Duration
	// advice replaces what the status alone suggests.
	advice string
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s %s answered %d %s", e.Method, e.Path, e.Status, http.StatusText(e.Status))
	if e.Code != "" {
		text += " (" + e.Code + ")"
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// Advice says what to do about it; empty when the message of the registry says it all.
func (e *Error) Advice() string {
	if e.advice != "" {
		return e.advice
	}
	switch {
	case e.Status == http.StatusUnauthorized:
		return "The registry does not accept the credential. A token may have expired or been revoked since it was " +
			"made: check token, token_file, or username and password."
	case e.Status == http.StatusForbidden:
		return "Either the credential has no administrator's rights, which everything under /admin needs, or an access proxy in " +
			"front of the registry refused the request and wants headers or a client certificate."
	case e.Status == http.StatusNotFound && !e.FromRegistry:
		return "This is not the registry's own not-found answer: the path does not exist there. Check that endpoint is the " +
			"registry's base address, and that the registry is Artifact Keeper 1.8 or newer."
	case e.Status == http.StatusTooManyRequests && e.RetryAfter > 0:
		return "A rate limiter refused the request; it asks to wait " + describeWait(e.RetryAfter) + " before trying again."
	case e.Status == http.StatusTooManyRequests:
		return "A rate limiter refused the request. Wait a little, or lower the CLI's -parallelism."
	case e.Status >= 300 && e.Status < 400:
		return "Redirects are not followed, because they would carry the credential to another place. Set endpoint to " +
			"the address that the registry itself answers at."
	case e.Status >= 500:
		return "The registry, or a proxy in front of it, is in trouble; its log says more."
	}
	return ""
}

// IsNotFound reports whether the registry itself said that the object does not exist.
// A missing route, a proxy's page and a refusal are not that.
func IsNotFound(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == http.StatusNotFound && e.FromRegistry && e.Code == "NOT_FOUND"
}

// TransportError is a request that got no answer.
type TransportError struct {
	Method, Path string
	// Host is the registry's host and port.
	Host string
	// Err is the reason, free of credentials.
	Err error
	// Sent is false when the request surely never reached the server.
	Sent   bool
	advice string
}

func (e *TransportError) Error() string {
	return fmt.Sprintf("%s %s got no answer from %s: %s", e.Method, e.Path, e.Host, e.Err)
}

func (e *TransportError) Unwrap() error { return e.Err }

// Advice says what to do about it.
func (e *TransportError) Advice() string { return e.advice }

// MalformedError is an answer with a good status that is not what the API gives: a page, broken JSON, too much of it.
type MalformedError struct {
	Method, Path string
	Status       int
	// Problem says what is wrong with the answer.
	Problem string
}

func (e *MalformedError) Error() string {
	return fmt.Sprintf("%s %s answered %d, but %s", e.Method, e.Path, e.Status, e.Problem)
}

// Advice says what to do about it.
func (e *MalformedError) Advice() string {
	return "Something that is not the registry's API may have answered, such as a login page or a proxy. Check that " +
		"endpoint is the registry's base address."
}

// answerError reads an error out of an answer. body is what was read of it; the texts still hold whatever the server wrote.
func answerError(resp *http.Response, method, path string, body []byte) *Error {
	e := &Error{Method: method, Path: path, Status: resp.StatusCode, RetryAfter: retryAfter(resp)}
	var shape struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	text := strings.TrimSpace(string(body))
	switch {
	case json.Unmarshal(body, &shape) == nil && shape.Code != "":
		e.Code, e.Message, e.FromRegistry = shape.Code, shape.Message, true
	case text == "":
		e.Message = "the answer has no body"
	case looksLikePage(resp, text):
		e.Message = "the answer is an HTML page" + pageTitle(text)
	default:
		e.Message = shorten(text, 300)
	}
	if location := resp.Header.Get("Location"); location != "" && e.Status >= 300 && e.Status < 400 {
		e.Message = "it redirects to " + withoutQuery(location)
	}
	return e
}

func looksLikePage(resp *http.Response, text string) bool {
	return strings.Contains(resp.Header.Get("Content-Type"), "html") || strings.HasPrefix(text, "<")
}

var titleTag = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// pageTitle is the title of an HTML page, which often tells who made it.
func pageTitle(text string) string {
	match := titleTag.FindStringSubmatch(text)
	if match == nil {
		return ""
	}
	title := strings.Join(strings.Fields(match[1]), " ")
	if title == "" {
		return ""
	}
	return fmt.Sprintf(" with the title %q", shorten(title, 80))
}

func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + " ..."
}

func withoutQuery(location string) string {
	if i := strings.IndexAny(location, "?#"); i >= 0 {
		location = location[:i]
	}
	return shorten(location, 200)
}
