package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
)

// maxDocument bounds a text that is not an object of the API: a key set is a few kilobytes.
const maxDocument = 1 << 20

// do sends a request. It returns what was answered with a code of success, whatever that holds; all else is an *Error.
func (c *Client) do(ctx context.Context, t target, request *rest.Request) (rest.Result, error) {
	var got answer
	result := request.Do(context.WithValue(ctx, answerKey{}, &got))
	if err := result.Error(); err != nil {
		return result, c.fail(t, got, err)
	}
	return result, nil
}

// object sends a request whose answer is an object, and returns it with the code of the answer. The object has to say
// that it is one of that kind, and of that name: client-go alone would take {} or a proxy's JSON for one without rules.
func object[P runtime.Object](ctx context.Context, c *Client, t target, request *rest.Request) (out P, code int, err error) {
	result, err := c.do(ctx, t, request)
	if err != nil {
		return out, 0, err
	}
	result.StatusCode(&code)
	decoded, err := result.Get()
	found, ok := decoded.(P)
	if err != nil || !ok {
		return out, code, c.unfit(t, result, "not "+t.object())
	}
	if named, ok := decoded.(metav1.Object); ok && t.subresource == "" && t.name != "" && named.GetName() != t.name {
		return out, code, c.unfit(t, result, "not "+t.object())
	}
	return found, code, nil
}

// ask creates an object that is a question, such as a TokenRequest, and returns it with the answer in its status.
func ask[P runtime.Object](ctx context.Context, c *Client, t target, question P) (out P, err error) {
	body, err := json.Marshal(question)
	if err != nil {
		return out, c.fail(t, answer{}, err)
	}
	request := t.on(c.rest.Post()).SetHeader("Content-Type", runtime.ContentTypeJSON).Body(body)
	out, _, err = object[P](ctx, c, t, request)
	return out, err
}

// document reads a text that is not an object of the API, and has it checked.
func (c *Client) document(ctx context.Context, t target, request *rest.Request, check func([]byte) error) ([]byte, error) {
	result, err := c.do(ctx, t, request)
	if err != nil {
		return nil, err
	}
	text, err := result.Raw()
	if err == nil && len(text) > maxDocument {
		err = fmt.Errorf("longer than %d KiB", maxDocument>>10)
	}
	if err == nil {
		err = check(text)
	}
	if err != nil {
		return nil, c.unfit(t, result, err.Error())
	}
	return text, nil
}

// unfit is about an answer with a code of success that is not what an API server answers.
func (c *Client) unfit(t target, result rest.Result, problem string) error {
	e := c.newError(t)
	result.StatusCode(&e.Code)
	e.Message = c.secrets.Clean(problem + ": " + describeAnswer(result))
	e.advice = c.advise(e)
	return e
}

// describeAnswer tells what an answer is, without quoting what may hold a credential or a private key: only what was written
// for people, such as a proxy's page, is shown, and no data that is served under its type.
func describeAnswer(result rest.Result) string {
	var contentType string
	body, _ := result.ContentType(&contentType).Raw()
	mediaType, _, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil:
		mediaType = "something without a media type"
	case strings.HasPrefix(mediaType, "text/") && !isData(body):
		return mediaType + ", " + oneLine(string(body))
	case mediaType == runtime.ContentTypeJSON && !json.Valid(body):
		mediaType = "broken " + mediaType
	}
	return fmt.Sprintf("%s of %d bytes", mediaType, len(body))
}

// isData tells whether a text begins as JSON or PEM does.
func isData(text []byte) bool {
	text = bytes.TrimSpace(text)
	return bytes.IndexAny(text, `{["`) == 0 || bytes.HasPrefix(text, []byte("-----BEGIN"))
}
