package emulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// apiError is an error in the registry's own shape, {"code","message"}.
type apiError struct {
	status  int
	code    string
	message string
}

// Error implements error.
func (e *apiError) Error() string { return fmt.Sprintf("%d %s: %s", e.status, e.code, e.message) }

// The codes are the registry API's; each belongs to one status.
func validation(format string, args ...any) error {
	return &apiError{http.StatusBadRequest, "VALIDATION_ERROR", fmt.Sprintf(format, args...)}
}

func unauthorized(format string, args ...any) error {
	return &apiError{http.StatusUnauthorized, "AUTH_ERROR", fmt.Sprintf(format, args...)}
}

func forbidden(format string, args ...any) error {
	return &apiError{http.StatusForbidden, "FORBIDDEN", fmt.Sprintf(format, args...)}
}

func notFound(what string) error {
	return &apiError{http.StatusNotFound, "NOT_FOUND", what + " not found"}
}

func conflict(format string, args ...any) error {
	return &apiError{http.StatusConflict, "CONFLICT", fmt.Sprintf(format, args...)}
}

// databaseError is what a value that does not fit its column becomes: the
// registry hides the details of its own failures.
func databaseError() error {
	return &apiError{http.StatusInternalServerError, "DATABASE_ERROR", "Database operation failed"}
}

func internalError() *apiError {
	return &apiError{http.StatusInternalServerError, "INTERNAL_ERROR", "Internal server error"}
}

func unavailable(message string) error {
	return &apiError{http.StatusServiceUnavailable, "SERVICE_UNAVAILABLE", message}
}

// plainError is an answer of the framework under the registry, in front of
// its handlers: plain text, without a code.
type plainError struct {
	status  int
	message string
	header  map[string]string
}

// Error implements error.
func (e *plainError) Error() string { return fmt.Sprintf("%d %s", e.status, e.message) }

// refusal is an error that is itself the answer.
type refusal interface {
	error
	write(a *answer)
}

func (e *apiError) write(a *answer) {
	a.writeJSON(e.status, map[string]string{"code": e.code, "message": e.message})
}

func (e *plainError) write(a *answer) {
	for name, text := range e.header {
		a.Header().Set(name, text)
	}
	a.writeText(e.status, e.message)
}

// write puts what a handler returned into the answer: an error in its own
// shape, nil as 200 with an empty body, anything else as 200 with JSON.
func (a *answer) write(value any, err error) {
	if err != nil {
		var told refusal
		if !errors.As(err, &told) {
			told = internalError()
		}
		told.write(a)
		return
	}
	switch v := value.(type) {
	case nil:
		a.status = http.StatusOK
	case *content:
		v.write(a)
	default:
		a.writeJSON(http.StatusOK, v)
	}
}

func (a *answer) writeJSON(status int, value any) {
	a.status = status
	a.Header().Set("Content-Type", "application/json")
	if status == http.StatusServiceUnavailable {
		a.Header().Set("Retry-After", "1")
	}
	encoder := json.NewEncoder(&a.body)
	encoder.SetEscapeHTML(false) // as serde writes it
	if err := encoder.Encode(value); err != nil {
		// Only a value of this package can get here.
		panic(fmt.Sprintf("emulator: encode %T: %v", value, err))
	}
	a.body.Truncate(a.body.Len() - 1) // the encoder's newline
}

func (a *answer) writeText(status int, text string) {
	a.status = status
	if text != "" {
		a.Header().Set("Content-Type", "text/plain; charset=utf-8")
	}
	a.body.WriteString(text)
}

func htmlPage(status int, title string) *answer {
	reply := &answer{status: status}
	reply.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(&reply.body, "<!DOCTYPE html>\n<html><head><title>%s</title></head><body><h1>%s</h1></body></html>\n", title, title)
	return reply
}
