package cluster

import (
	"fmt"
	"io"
	"net/http"
)

// maxAnswer is more than any answer to what this package asks, and little enough to hold in memory.
const maxAnswer = 32 << 20

// bounded ends answers that are too long, which client-go would read to the end.
type bounded struct{ next http.RoundTripper }

func (b *bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.next.RoundTrip(request)
	if err == nil {
		response.Body = &boundedBody{response.Body, maxAnswer + 1}
	}
	return response, err
}

// WrappedRoundTripper lets client-go find the transport below, to close its idle connections.
func (b *bounded) WrappedRoundTripper() http.RoundTripper { return b.next }

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
