package controlplane

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
)

// Key is a key pair for ServiceAccount tokens.
type Key struct{ private crypto.Signer }

// Keys are the key pairs of a control plane.
type Keys struct {
	// Sign signs new tokens (--service-account-signing-key-file). It verifies too.
	Sign *Key
	// Verify are accepted and published next to Sign (--service-account-key-file): the past and the future of a
	// rotation with overlap.
	Verify []*Key
}

// NewRSAKey makes an RSA key of 2048 bits, whose tokens are signed with RS256.
func NewRSAKey() (*Key, error) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, fmt.Errorf("make an RSA key: %w", err)
	}
	return &Key{private}, nil
}

// NewECKey makes a key on the curve P-256, whose tokens are signed with ES256.
func NewECKey() (*Key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make an EC key: %w", err)
	}
	return &Key{private}, nil
}

// ID is the key's kid in tokens and in the published key set: the unpadded base64url SHA-256 of the DER public key,
// as kube-apiserver derives it.
func (k *Key) ID() (string, error) {
	der, err := x509.MarshalPKIXPublicKey(k.private.Public())
	if err != nil {
		return "", fmt.Errorf("encode the public key: %w", err)
	}
	sum := sha256.Sum256(der)
	return base64.RawURLEncoding.EncodeToString(sum[:]), nil
}

// write puts the keys into dir and returns the API server's flags that name them.
func (k Keys) write(dir string) ([]string, error) {
	private, err := privatePEM(k.Sign.private)
	if err != nil {
		return nil, err
	}
	signing := filepath.Join(dir, "service-account.key")
	if err := os.WriteFile(signing, private, 0o600); err != nil {
		return nil, fmt.Errorf("write the signing key: %w", err)
	}
	flags := []string{"--service-account-signing-key-file=" + signing}
	for i, key := range append([]*Key{k.Sign}, k.Verify...) {
		der, err := x509.MarshalPKIXPublicKey(key.private.Public())
		if err != nil {
			return nil, fmt.Errorf("encode verification key %d: %w", i, err)
		}
		path := filepath.Join(dir, fmt.Sprintf("service-account-%d.pub", i))
		text := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return nil, fmt.Errorf("write verification key %d: %w", i, err)
		}
		flags = append(flags, "--service-account-key-file="+path)
	}
	return flags, nil
}
