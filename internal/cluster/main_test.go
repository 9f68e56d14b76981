package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

// Variables by which the test binary, run as an exec command, is told what to do.
const (
	execTokenFile = "CLUSTER_TEST_TOKEN_FILE" // print the token in this file
	execCalls     = "CLUSTER_TEST_CALLS"      // append a line to this file
	execVerbatim  = "CLUSTER_TEST_VERBATIM"   // print the file as it is
)

func TestMain(m *testing.M) {
	if file := os.Getenv(execTokenFile); file != "" {
		os.Exit(printCredential(file))
	}
	os.Exit(controlplane.Main(m))
}

// printCredential is the exec command of the tests.
func printCredential(file string) int {
	calls, err := os.OpenFile(os.Getenv(execCalls), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Fprintln(calls, strings.Join(os.Args[1:], " "))
	token, err := os.ReadFile(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	if os.Getenv(execVerbatim) != "" {
		fmt.Print(string(token))
		return 0
	}
	fmt.Printf(`{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":%q}}`, token)
	return 0
}

// execConfig has the test binary print credentials, from the file and as the variables say.
func execConfig(t *testing.T, tokenFile string, variables ...string) Config {
	t.Helper()
	command, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{execTokenFile: tokenFile, execCalls: filepath.Join(t.TempDir(), "calls")}
	for _, variable := range variables {
		env[variable] = "1"
	}
	return Config{Exec: &Exec{APIVersion: execVersions[0], Command: command, Env: env}}
}

// as connects to the shared control plane as one of its users.
func as(t *testing.T, user string) *Client {
	t.Helper()
	plane := controlplane.Shared(t)
	return connect(t, Config{Host: plane.URL(), ClusterCACertificate: plane.CA(), Token: plane.Token(user)})
}

func connect(t *testing.T, config Config) *Client {
	t.Helper()
	client, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// contains checks that an error says all of these.
func contains(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	text := err.Error()
	if adviser, ok := err.(interface{ Advice() string }); ok {
		text += "\n" + adviser.Advice()
	}
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("error does not say %q:\n%s", part, text)
		}
	}
}
