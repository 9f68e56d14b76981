package emulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"

	"github.com/google/uuid"
)

// body reads the members of a JSON request one by one and keeps the first
// complaint. Members that nobody asks for are ignored, which is how an old
// registry treats the members of a newer one.
//
// Its complaints are the framework's, not the registry's: plain text, 400 for
// what is no JSON and 422 for JSON of another shape.
type body struct {
	members map[string]json.RawMessage
	err     error
}

// tristate is a member that may be left out, null, or a value: three things.
type tristate[T any] struct {
	given bool
	null  bool
	value T
}

// readBody parses the body of a request.
func readBody(r *http.Request) *body {
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media != "application/json" {
		return &body{err: &plainError{
			status: http.StatusUnsupportedMediaType, message: "Expected request with `Content-Type: application/json`",
		}}
	}
	text, err := io.ReadAll(r.Body)
	if err == nil && !json.Valid(text) {
		err = errors.New("invalid syntax")
	}
	if err != nil {
		return &body{err: &plainError{
			status: http.StatusBadRequest, message: fmt.Sprintf("Failed to parse the request body as JSON: %v", err),
		}}
	}
	b := &body{}
	if err := json.Unmarshal(text, &b.members); err != nil || b.members == nil {
		b.reject("expected a JSON object")
	}
	return b
}

func (b *body) reject(format string, args ...any) {
	if b.err == nil {
		b.err = &plainError{
			status:  http.StatusUnprocessableEntity,
			message: "Failed to deserialize the JSON body into the target type: " + fmt.Sprintf(format, args...),
		}
	}
}

// raw is a member that must be there, though it may be null.
func (b *body) raw(name string) json.RawMessage {
	value, ok := b.members[name]
	if !ok {
		b.reject("missing field `%s`", name)
	}
	return value
}

// optional is a member of type T, nil when it is left out or null.
func optional[T any](b *body, name string) *T {
	raw, ok := b.members[name]
	if !ok || isNull(raw) {
		return nil
	}
	var value T
	if err := json.Unmarshal(raw, &value); err != nil {
		b.reject("%s: invalid type, expected %T", name, value)
		return nil
	}
	return &value
}

// required is a member of type T that must be there and not null.
func required[T any](b *body, name string) T {
	var zero T
	if raw := b.raw(name); isNull(raw) && b.err == nil {
		b.reject("%s: invalid type: null, expected %T", name, zero)
	}
	if value := optional[T](b, name); value != nil {
		return *value
	}
	return zero
}

// int32 is a member that is a whole number of 32 bits, nil when it is left
// out or null.
func (b *body) int32(name string) *int32 {
	number := optional[json.Number](b, name)
	if number == nil {
		return nil
	}
	if b.members[name][0] == '"' { // json.Number also takes a string
		b.reject("%s: invalid type: string, expected i32", name)
		return nil
	}
	value, err := strconv.ParseInt(number.String(), 10, 32)
	if err != nil {
		b.reject("%s: invalid value: %s, expected i32", name, number)
		return nil
	}
	narrow := int32(value)
	return &narrow
}

// id is a member that must be a UUID, in the registry's spelling.
func (b *body) id(name string) string {
	text := required[string](b, name)
	if b.err != nil {
		return ""
	}
	id, err := uuid.Parse(text)
	if err != nil {
		b.reject("%s: UUID parsing failed", name)
		return ""
	}
	return id.String()
}

// ids is a member that is a list of UUIDs.
func (b *body) ids(name string) tristate[[]string] {
	raw, given := b.members[name]
	if !given {
		return tristate[[]string]{}
	}
	if isNull(raw) {
		return tristate[[]string]{given: true, null: true}
	}
	texts := optional[[]string](b, name)
	if texts == nil {
		return tristate[[]string]{given: true}
	}
	list := make([]string, 0, len(*texts))
	for _, text := range *texts {
		id, err := uuid.Parse(text)
		if err != nil {
			b.reject("%s: UUID parsing failed", name)
			return tristate[[]string]{given: true}
		}
		list = append(list, id.String())
	}
	return tristate[[]string]{given: true, value: list}
}

// document is a member that is any JSON, nil when it is left out or null.
func (b *body) document(name string) json.RawMessage {
	raw, ok := b.members[name]
	if !ok || isNull(raw) {
		return nil
	}
	return canonical(raw)
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

// canonical is JSON as the registry returns it from its database: no white
// space, members in alphabetical order, the last of equal members.
func canonical(raw json.RawMessage) json.RawMessage {
	value := decodeNumbers(raw)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Sprintf("emulator: encode decoded JSON: %v", err)) // what was decoded encodes
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}

// decodeNumbers decodes valid JSON and keeps its numbers as written.
func decodeNumbers(raw json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		panic(fmt.Sprintf("emulator: decode JSON that was valid before: %v", err))
	}
	return value
}
