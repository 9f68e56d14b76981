package cluster

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/klog/v2"
)

// What an exec command prints is known to nobody beforehand, and is blanked out like every other credential.
func TestCredentialsOfCommandsAreBlankedOut(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	writeFile(t, token, "opaque-token-of-exec")
	var warning string
	config := execConfig(t, token)
	config.Warn = func(_ context.Context, text string) { warning = text }
	client := answering(t, config, func(w http.ResponseWriter, r *http.Request) {
		_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		w.Header().Set("Warning", `299 - "who is `+token+`?"`)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"nobody knows %s","code":502}`, token)
	})
	_, err := client.ClusterRole(t.Context(), "x")
	contains(t, err, "502 Bad Gateway: nobody knows (redacted)")
	if warning != "who is (redacted)?" {
		t.Errorf("warning %q", warning)
	}
}

// What cannot be read of a command's output may be the credential all the same. Client-go does not quote it, neither in
// its errors nor in its log; this test is what notices a change.
func TestOutputOfCommandsIsNotShown(t *testing.T) {
	var logged bytes.Buffer
	klog.LogToStderr(false)
	klog.SetOutput(&logged)
	t.Cleanup(func() { klog.LogToStderr(true) })
	const token = "opaque-token-of-exec"
	for name, test := range map[string]struct{ printed, says string }{
		"the token":       {token, "decoding stdout: "},
		"two lines":       {token + "\n" + token, "decoding stdout: "},
		"broken JSON":     {`{"token":"` + token, "decoding stdout: "},
		"YAML":            {"token: " + token, "exec plugin is configured to use API version"},
		"no version":      {`{"kind":"ExecCredential","status":{"token":"` + token + `"}}`, "exec plugin is configured to use API version"},
		"another kind":    {`{"apiVersion":"v1","kind":"Secret","data":{"token":"` + token + `"}}`, "decoding stdout: "},
		"a list of them":  {`{"apiVersion":"client.authentication.k8s.io/v1","status":{"token":["` + token + `"]}}`, "decoding stdout: "},
		"half of a pair":  {`{"apiVersion":"client.authentication.k8s.io/v1","status":{"clientKeyData":"` + token + `"}}`, "only certificate or key"},
		"a pair of words": {`{"apiVersion":"client.authentication.k8s.io/v1","status":{"clientCertificateData":"a","clientKeyData":"` + token + `"}}`, "failed parsing"},
	} {
		t.Run(name, func(t *testing.T) {
			// At first, and when it is run again because the API server refuses what it printed before.
			file := filepath.Join(t.TempDir(), "token")
			writeFile(t, file, test.printed)
			client := answering(t, execConfig(t, file, execVerbatim), func(w http.ResponseWriter, _ *http.Request) {
				writeFile(t, file, test.printed)
				w.WriteHeader(http.StatusUnauthorized)
			})
			_, first := client.ClusterRole(t.Context(), "x")
			contains(t, first, "getting credentials: ", test.says, "Run it by hand")
			writeFile(t, file, `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"`+token+`"}}`)
			_, second := client.ClusterRole(t.Context(), "x")
			contains(t, second, "401 Unauthorized")
			klog.Flush()
			if !strings.Contains(logged.String(), "refreshing credentials: ") {
				t.Errorf("client-go logged %q", logged.String())
			}
			if text := first.Error() + second.Error() + logged.String(); strings.Contains(text, token) {
				t.Errorf("the token is in %s", text)
			}
			logged.Reset()
		})
	}
}
