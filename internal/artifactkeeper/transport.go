package artifactkeeper

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

const (
	defaultRetryWait = 250 * time.Millisecond
	// longestWait is how long the client waits between attempts, whatever Retry-After asks for;
	// a limiter that wants more is an error that says how much.
	longestWait = 30 * time.Second
)

// methodKey carries the method to the retry policy, which otherwise cannot see it when there is no answer.
type methodKey struct{}

// retrying wraps the transport in the retry policy of this API.
func retrying(cfg Config, rt http.RoundTripper) *retryablehttp.Client {
	timeout := cfg.RequestTimeout
	if timeout <= 0 {
		timeout = DefaultRequestTimeout
	}
	wait := cfg.retryWait
	if wait <= 0 {
		wait = defaultRetryWait
	}
	return &retryablehttp.Client{
		HTTPClient: &http.Client{
			Transport: wholeAnswers{rt},
			Timeout:   timeout,
			// A redirect would carry the credential to another place.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		RetryMax:     cfg.MaxRetries,
		RetryWaitMin: wait,
		RetryWaitMax: longestWait,
		Backoff:      pause,
		CheckRetry:   mayRepeat,
		// The last answer holds the registry's own words; the default would replace them.
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
}

// wholeAnswers reads an answer before it hands it on, up to one byte more than maxAnswer, so that a connection that is lost in
// the middle of it counts as lost and the policy of repeating holds.
type wholeAnswers struct{ next http.RoundTripper }

func (w wholeAnswers) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := w.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// pause is how long to wait before the next attempt: what the answer asks for, whatever its status, or ever longer.
func pause(shortest, longest time.Duration, attempt int, resp *http.Response) time.Duration {
	if asked := retryAfter(resp); asked > 0 {
		return asked
	}
	return retryablehttp.DefaultBackoff(shortest, longest, attempt, nil)
}

// mayRepeat decides whether a request is sent again. A POST is only when it surely did not run: refused by the
// rate limiter in front of the handlers, or never sent. A 503 does not mean that nothing happened.
func mayRepeat(ctx context.Context, resp *http.Response, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	method, _ := ctx.Value(methodKey{}).(string)
	if err != nil {
		if permanent(err) {
			return false, nil
		}
		return method != http.MethodPost || !maySend(err), nil
	}
	if retryAfter(resp) > longestWait {
		return false, nil
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests:
		return true, nil
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return method != http.MethodPost, nil
	}
	return false, nil
}

// maySend reports whether a request that failed with err may have reached the server.
// Until a connection is made, nothing is sent.
func maySend(err error) bool {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return false
	}
	return !permanent(err)
}

// permanent reports whether a failure is of the kind that the next attempt meets again. All of them happen
// before a request is sent.
func permanent(err error) bool {
	var (
		unknownCA *tls.CertificateVerificationError
		hostname  x509.HostnameError
		record    tls.RecordHeaderError
		dns       *net.DNSError
	)
	return errors.As(err, &unknownCA) || errors.As(err, &hostname) || errors.As(err, &record) ||
		(errors.As(err, &dns) && dns.IsNotFound)
}

// retryAfter is how long an answer asks to wait, in the header's two forms; zero when it does not.
func retryAfter(resp *http.Response) time.Duration {
	if resp == nil {
		return 0
	}
	value := resp.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(time.Until(at).Round(time.Second), 0)
	}
	return 0
}

// transportError says why there is no answer, and what to do.
func (c *Client) transportError(method, path string, err error) error {
	e := &TransportError{Method: method, Path: path, Host: c.base.Host, Sent: maySend(err)}
	// A *url.Error repeats the URL with its query; the reason alone is enough.
	reason := err
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		reason = wrapped.Err
	}
	e.advice = transportAdvice(err)
	if cleaned := c.scrub.Clean(reason.Error()); cleaned != reason.Error() {
		reason = errors.New(cleaned)
	}
	e.Err = reason
	return e
}

func transportAdvice(err error) string {
	var (
		verify  *tls.CertificateVerificationError
		record  tls.RecordHeaderError
		dns     *net.DNSError
		op      *net.OpError
		timeout interface{ Timeout() bool }
	)
	switch {
	case errors.As(err, &verify):
		return "The registry's certificate is not trusted from here. Give the authority that signed it as ca_certificate."
	case errors.As(err, &record):
		return "The server does not speak TLS on this port. Check the scheme and port of endpoint."
	case strings.Contains(err.Error(), "certificate required"), strings.Contains(err.Error(), "bad certificate"):
		return "The server asks for a client certificate. Give client_certificate and client_key."
	case errors.As(err, &dns):
		return "The host name of endpoint cannot be resolved from here. Check its spelling and the resolver."
	case errors.As(err, &op) && op.Op == "dial":
		return "Nothing answers at this address. Check endpoint, and that the registry can be reached from where the CLI runs."
	case errors.Is(err, context.Canceled):
		return "The run was cancelled."
	case errors.As(err, &timeout) && timeout.Timeout():
		return "The registry did not answer in time. Try again later, or raise request_timeout."
	}
	return "The connection broke. Try again; if it happens often, look at what is between here and the registry."
}

// describeWait is a duration in the words of an error, in seconds or minutes.
func describeWait(d time.Duration) string {
	if d >= 2*time.Minute {
		return fmt.Sprintf("%d minutes", int((d+time.Minute-1)/time.Minute))
	}
	return fmt.Sprintf("%d seconds", int((d+time.Second-1)/time.Second))
}
