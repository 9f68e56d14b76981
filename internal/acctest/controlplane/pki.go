package controlplane

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Files of the control plane's directory.
const (
	caCertFile      = "ca.crt"
	servingCertFile = "serving.crt"
	servingKeyFile  = "serving.key"
)

// pki is the certificate authority of one control plane. The authority's key stays in memory.
type pki struct {
	ca    *x509.Certificate
	caKey crypto.Signer
	caPEM []byte
}

// newPKI makes an authority, and writes its certificate and a serving certificate with key to dir.
func newPKI(dir string) (*pki, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the key of the certificate authority: %w", err)
	}
	template := certificate(pkix.Name{CommonName: "aktrust test control plane"})
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("make the certificate authority: %w", err)
	}
	p := &pki{caKey: key, caPEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}
	if p.ca, err = x509.ParseCertificate(der); err != nil {
		return nil, fmt.Errorf("read the certificate authority back: %w", err)
	}

	serving := certificate(pkix.Name{CommonName: "kube-apiserver"})
	serving.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	serving.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	serving.DNSNames = []string{"localhost", "kubernetes.default.svc"}
	cert, certKey, err := p.issue(serving)
	if err != nil {
		return nil, err
	}
	for name, text := range map[string][]byte{caCertFile: p.caPEM, servingCertFile: cert, servingKeyFile: certKey} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return nil, fmt.Errorf("write %s: %w", name, err)
		}
	}
	return p, nil
}

// issue signs a certificate for a fresh key and returns both as PEM.
func (p *pki) issue(template *x509.Certificate) (cert, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("make the key of %s: %w", template.Subject.CommonName, err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, p.ca, private.Public(), p.caKey)
	if err != nil {
		return nil, nil, fmt.Errorf("make the certificate of %s: %w", template.Subject.CommonName, err)
	}
	keyPEM, err := privatePEM(private)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), keyPEM, err
}

// ClientCertificate makes a PEM certificate and key by which the API server knows a user and its groups.
func (c *ControlPlane) ClientCertificate(user string, groups ...string) (cert, key string, err error) {
	template := certificate(pkix.Name{CommonName: user, Organization: groups})
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	certPEM, keyPEM, err := c.pki.issue(template)
	return string(certPEM), string(keyPEM), err
}

// certificate is what all certificates here have in common: they are valid for a day, from an hour ago on, so that
// clocks may differ.
func certificate(subject pkix.Name) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		Subject:      subject,
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(24 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

func privatePEM(key crypto.Signer) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode a private key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}
