package issuer

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"

	"golang.org/x/net/http2"

	"github.com/aktrust/terraform-provider-aktrust/internal/scrub"
)

// unanswered says why there was no answer, in words that are the same the next time: without ports and addresses of
// connections, the resolver, or the time.
func unanswered(doc document, at string, err error) Problem {
	found, remedy := reason(err, host(at))
	return Problem{Found: fmt.Sprintf("GET %s got no answer: %s", shown(at), found), Means: doc.means, Remedy: remedy}
}

func reason(err error, host string) (found, remedy string) {
	var (
		op     *net.OpError
		dns    *net.DNSError
		verify *tls.CertificateVerificationError
		record tls.RecordHeaderError
		proxy  proxyError
	)
	switch {
	case errors.As(err, &proxy):
		return fmt.Sprintf("the proxy that the environment names answered %s", proxy), lookAtProxy
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return "the proxy that the environment names does not let it through", lookAtProxy
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Sprintf("the name %s does not resolve", quote(host)),
			"Check the spelling of the URL, and make the name known to the resolvers of the consumers."
	case errors.As(err, &dns):
		return fmt.Sprintf("the resolver did not say where %s is", quote(host)), "Try again; look at the resolver of this machine."
	case errors.As(err, &verify):
		return certificate(verify, host)
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return "the server does not speak TLS on this port", "Serve the document over https; consumers read it no other way."
	case errors.As(err, &op) && op.Op == "remote error": // as crypto/tls calls an alert of the other side
		return "the server broke off the TLS handshake: " + innermost(err),
			"Look at the server's TLS settings: consumers have no client certificate, and speak TLS 1.2 and newer."
	case isTimeout(err):
		return fmt.Sprintf("there was none within %s", Timeout), "Check that the address can be reached from here. " + tooSlow
	case closed(err):
		return "the connection was closed before one", tryAgain
	}
	return innermost(err), "Check that the address can be reached from here, and that something serves it."
}

const lookAtProxy = "Look at HTTPS_PROXY and NO_PROXY where this runs."

func isTimeout(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.As(err, &timeout) && timeout.Timeout()
}

// closed tells whether a connection ended early. In which way it did is a matter of chance.
func closed(err error) bool {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	var reset http2.StreamError // net/http lets its own be read as one.
	return errors.As(err, &reset)
}

// certificate says what is wrong with a server's certificate, and never what time it is.
func certificate(err *tls.CertificateVerificationError, host string) (found, remedy string) {
	var (
		invalid   x509.CertificateInvalidError
		hostname  x509.HostnameError
		authority x509.UnknownAuthorityError
		own       = "the certificate"
	)
	if len(err.UnverifiedCertificates) > 0 {
		own += " of " + holder(err.UnverifiedCertificates[0])
	}
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		of := "the certificate of " + holder(invalid.Cert) // It may be that of an authority in between.
		if time.Now().Before(invalid.Cert.NotBefore) {
			return fmt.Sprintf("%s is not valid before %s", of, day(invalid.Cert.NotBefore)),
				"Look at the clock of this machine and at what issued the certificate."
		}
		return fmt.Sprintf("%s has expired on %s", of, day(invalid.Cert.NotAfter)), "Renew the certificate."
	case errors.As(err, &hostname):
		return fmt.Sprintf("the certificate is for %s and not for %s", holders(hostname.Certificate), quote(host)),
			"Give the server a certificate for this name, or correct the URL."
	case errors.As(err, &authority):
		return own + " is signed by an authority that is not known here",
			"Use a certificate of an authority that the consumers know, with all intermediate ones; give a private one that they know as " +
				"ca_certificate."
	}
	return own + " cannot be used: " + innermost(err), "Give the server a certificate that consumers accept."
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// holder is by what a certificate is called.
func holder(certificate *x509.Certificate) string {
	switch {
	case len(certificate.DNSNames) > 0:
		return quote(certificate.DNSNames[0])
	case len(certificate.IPAddresses) > 0:
		return certificate.IPAddresses[0].String()
	}
	return quote(certificate.Subject.String())
}

// holders are all the names that a certificate is for.
func holders(certificate *x509.Certificate) string {
	names := append([]string{}, certificate.DNSNames...)
	for _, ip := range certificate.IPAddresses {
		names = append(names, ip.String())
	}
	if len(names) == 0 {
		return "no host at all"
	}
	return named(names)
}

// innermost is the cause of an error, without the addresses that stand around it.
func innermost(err error) string {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	var secrets scrub.Scrubber
	return shorten(secrets.Clean(err.Error()))
}
