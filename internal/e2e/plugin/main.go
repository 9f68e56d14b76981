// Command plugin is a small kubelet credential provider plugin for Artifact Keeper, with the flags of
// ak-kubelet-provider. The end-to-end test runs it in that program's place.
//
// The kubelet writes a CredentialProviderRequest of credentialprovider.kubelet.k8s.io/v1 to its standard input, with a
// token of the pod's ServiceAccount. The plugin exchanges the token at the registry and answers with a
// CredentialProviderResponse on standard output. When anything fails it exits with 1 and says why in one line on standard
// error, which the kubelet copies into its log.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "k8s.io/kubelet/pkg/apis/credentialprovider/v1"
)

// apiVersion is the only one whose requests carry tokens.
var apiVersion = v1.SchemeGroupVersion.String()

func main() {
	if err := run(context.Background(), os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "ak-kubelet-provider:", oneLine(err.Error()))
		os.Exit(1)
	}
}

// run answers one request.
func run(ctx context.Context, args []string, getenv func(string) string, in io.Reader, out, logs io.Writer) error {
	s, err := parseSettings(args, getenv)
	if errors.Is(err, flag.ErrHelp) {
		return fmt.Errorf("usage:\n%s", usage())
	}
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(logs, &slog.HandlerOptions{Level: s.logLevel}))
	request, err := readRequest(in)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	credential, err := s.exchange(ctx, request.ServiceAccountToken)
	if err != nil {
		return fmt.Errorf("image %s: %w", request.Image, err)
	}
	log.Debug("exchanged", "image", request.Image, "username", credential.Username, "expires_in", credential.ExpiresIn)
	return json.NewEncoder(out).Encode(s.response(credential))
}

// readRequest reads what the kubelet asks. A request without a token cannot be answered.
func readRequest(in io.Reader) (v1.CredentialProviderRequest, error) {
	var request v1.CredentialProviderRequest
	if err := json.NewDecoder(in).Decode(&request); err != nil {
		return request, fmt.Errorf("reading the kubelet's request: %w", err)
	}
	switch {
	case request.APIVersion != apiVersion || request.Kind != "CredentialProviderRequest":
		return request, fmt.Errorf("the kubelet sends %s %s, CredentialProviderRequest of %s is needed: "+
			"set apiVersion in its file", request.Kind, request.APIVersion, apiVersion)
	case request.ServiceAccountToken == "":
		return request, errors.New("the kubelet sends no token of a ServiceAccount: set tokenAttributes in its file")
	}
	return request, nil
}

// response hands the credential over, for the host of the registry and for no other. It is good for every image there, and
// for as long as the registry's token lives, less a margin.
func (s *settings) response(c credential) v1.CredentialProviderResponse {
	lifetime := time.Duration(c.ExpiresIn) * time.Second
	return v1.CredentialProviderResponse{
		TypeMeta:      metav1.TypeMeta{APIVersion: apiVersion, Kind: "CredentialProviderResponse"},
		CacheKeyType:  v1.RegistryPluginCacheKeyType,
		CacheDuration: &metav1.Duration{Duration: max(0, lifetime-s.cacheMargin)},
		Auth:          map[string]v1.AuthConfig{s.url.Host: {Username: c.Username, Password: c.AccessToken}},
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
