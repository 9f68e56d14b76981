//go:build e2e && linux

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/tool"
	"github.com/aktrust/terraform-provider-aktrust/internal/e2e/node"
)

const (
	always       = "Always"
	ifNotPresent = "IfNotPresent"
)

// TestNode goes through the life of a node, in order: each step stands on what the ones before it have left.
func TestNode(t *testing.T) {
	w := newWorld(t)
	for _, step := range []struct {
		title string
		prove func(*testing.T)
	}{
		{"apply writes the role and the file that a kubelet starts with", w.proveStart},
		{"a pod of the mapped namespace pulls and runs", w.provePull},
		{"a pod of another namespace is refused, and only the kubelet's log says why", w.proveRefusal},
		{"a second pod of the same ServiceAccount does not exchange again", w.proveCache},
		{"an image that is on the node already hides the refusal, unless it is always pulled", w.provePresentImage},
		{"without the role the API server refuses the token", w.proveRoleMissing},
		{"once the role is back the waiting pod pulls", w.proveRoleBack},
	} {
		passed := t.Run(step.title, func(t *testing.T) {
			t.Cleanup(func() {
				if t.Failed() && !errors.Is(w.ctx.Err(), context.Canceled) { // by a signal
					w.explain(t)
				}
			})
			step.prove(t)
		})
		if !passed {
			t.FailNow()
		}
	}
}

func (w *world) proveStart(t *testing.T) {
	w.tofu(t, "apply", "-auto-approve")
	args := w.kubeletArgs(t)
	w.installPlugin(t, args)
	binary, err := tool.Path("kubelet")
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig, err := w.plane.Kubeconfig(controlplane.NodeUser(nodeName))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the kubelet is started with %s", strings.Join(args, " "))
	if err := w.node.StartKubelet(node.Kubelet{Binary: binary, Name: nodeName, Kubeconfig: kubeconfig, Args: args}); err != nil {
		t.Fatal(err)
	}
	var registered struct {
		Status struct {
			NodeInfo struct{ KubeletVersion, ContainerRuntimeVersion string }
		}
	}
	w.await(t, "the kubelet has registered its node", func(ctx context.Context) error {
		return w.plane.As(controlplane.Admin).Get(ctx, "/api/v1/nodes/"+nodeName, &registered)
	})
	info := registered.Status.NodeInfo
	if !strings.HasPrefix(info.KubeletVersion, "v1.34.") {
		t.Errorf("the kubelet says that it is %q, want 1.34", info.KubeletVersion)
	}
	t.Logf("kubelet %s, %s", info.KubeletVersion, info.ContainerRuntimeVersion)
}

// tofu runs a command on examples/complete.
func (w *world) tofu(t *testing.T, args ...string) string {
	t.Helper()
	result, err := w.cli.Run(w.ctx, append(args, "-no-color")...)
	if err != nil {
		t.Fatal(err)
	}
	if result.Code != 0 {
		t.Fatalf("tofu %s exits with %d:\n%s", strings.Join(args, " "), result.Code, result.Output)
	}
	return result.Output
}

// kubeletArgs are the flags that the example says a kubelet must be started with.
func (w *world) kubeletArgs(t *testing.T) (args []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(w.tofu(t, "output", "-json", "kubelet_args")), &args); err != nil {
		t.Fatalf("reading the output kubelet_args: %s", err)
	}
	return args
}

// installPlugin puts the plugin where the kubelet's flags say.
func (w *world) installPlugin(t *testing.T, args []string) {
	t.Helper()
	source := filepath.Join(w.programs(), "plugin")
	if other := os.Getenv(pluginVariable); other != "" {
		t.Logf("the plugin is %s, of %s", other, pluginVariable)
		source = other
	}
	program, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	for _, arg := range args {
		if dir, ok := strings.CutPrefix(arg, "--image-credential-provider-bin-dir="); ok {
			if err := w.node.WriteFile(filepath.Join(dir, pluginName), program, 0o755); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("the kubelet's flags name no directory of plugins: %q", args)
}

func (w *world) provePull(t *testing.T) {
	asked := w.since()
	digest := w.mustRun(t, w.create(t, "team", "first", "app", ifNotPresent))
	if digest != w.digests["app"] {
		t.Errorf("the container's image is %s, want %s", digest, w.digests["app"])
	}
	if n := len(asked().exchanges().answered(http.StatusOK)); n != 1 {
		t.Errorf("the registry has taken %d tokens, want 1", n)
	}
	t.Logf("team/first runs %s", digest)
}

func (w *world) proveRefusal(t *testing.T) {
	const words = "CI JWT did not match any identity mapping" // the registry's
	asked := w.since()
	first := w.create(t, "sandbox", "first", "tool", ifNotPresent)
	message := w.mustNotPull(t, first)
	if strings.Contains(message, words) {
		t.Errorf("the event says why, which a kubelet of 1.34 keeps to itself: %s", message)
	}
	if !strings.Contains(message, w.registry.Host()+"/team/tool:1.0") || !strings.Contains(message, "401") {
		t.Errorf("the event does not say that the registry has refused the image: %s", message)
	}
	t.Logf("event: %s", message)
	line := w.mustLog(t, "Failed getting credential from external registry credential provider", words)
	t.Logf("kubelet's log: %s", line)
	if n := len(asked().exchanges().answered(http.StatusUnauthorized)); n == 0 {
		t.Error("the registry has refused no token")
	}
	w.remove(t, first)
	if served := asked().pulls("tool").answered(http.StatusOK); len(served) > 0 {
		t.Errorf("the registry has given the image to somebody without a right to it: %+v", served)
	}
}

func (w *world) proveCache(t *testing.T) {
	asked := w.since()
	w.mustRun(t, w.create(t, "team", "second", "app", always))
	if n := len(asked().pulls("app").answered(http.StatusOK)); n == 0 {
		t.Error("the image was not asked for at the registry")
	}
	if n := len(asked().exchanges()); n != 0 {
		t.Errorf("the token was exchanged %d times, want the credential from the kubelet's cache", n)
	}
}

func (w *world) provePresentImage(t *testing.T) {
	asked := w.since()
	w.mustRun(t, w.create(t, "sandbox", "hidden", "app", ifNotPresent))
	if all := asked(); len(all.pulls("app"))+len(all.exchanges()) > 0 {
		t.Errorf("the registry was asked: %+v", all)
	}
	t.Log("sandbox/hidden runs, with an image that its namespace may not pull")
	asked = w.since()
	second := w.create(t, "sandbox", "always", "app", always)
	message := w.mustNotPull(t, second)
	w.remove(t, second)
	if n := len(asked().exchanges().answered(http.StatusUnauthorized)); n == 0 {
		t.Error("the registry has refused no token")
	}
	t.Logf("sandbox/always does not: %s", message)
}

func (w *world) proveRoleMissing(t *testing.T) {
	w.tofu(t, "destroy", "-auto-approve", "-target=aktrust_node_audience.registry")
	w.awaitRefusedToken(t)
	asked := w.since()
	message := w.mustNotPull(t, w.create(t, "team", "third", "app", always))
	t.Logf("event: %s", message)
	line := w.mustLog(t, "Error getting service account token team/app", `audience "artifact-keeper" not found in pod spec volume`,
		controlplane.NodeUser(nodeName)+" is not authorized to request tokens for this audience")
	t.Logf("kubelet's log: %s", line)
	if n := len(asked().exchanges()); n != 0 {
		t.Errorf("the registry was presented %d tokens, the API server should have given none", n)
	}
}

// awaitRefusedToken waits until the API server's authorizers have learned that the role is gone.
func (w *world) awaitRefusedToken(t *testing.T) {
	t.Helper()
	first := pod{namespace: "team", name: "first"}
	status, err := w.status(w.ctx, first)
	if err != nil {
		t.Fatal(err)
	}
	kubelet := w.plane.As(controlplane.NodeUser(nodeName))
	bound := controlplane.Pod{Namespace: first.namespace, Name: first.name, UID: status.Metadata.UID}
	w.await(t, "the API server refuses tokens for the registry", func(ctx context.Context) error {
		_, err := kubelet.CreateToken(ctx, first.namespace, "app", "artifact-keeper", &bound)
		if refused, ok := errors.AsType[*controlplane.StatusError](err); ok && refused.Code == http.StatusForbidden {
			return nil
		}
		return errors.Join(errors.New("the API server does not refuse one"), err)
	})
}

func (w *world) proveRoleBack(t *testing.T) {
	w.tofu(t, "apply", "-auto-approve")
	w.mustRun(t, pod{namespace: "team", name: "third"})
}

// mustLog waits for a line of the kubelet's log that has all parts.
func (w *world) mustLog(t *testing.T, parts ...string) (found string) {
	t.Helper()
	w.await(t, "the kubelet's log says why", func(context.Context) error {
		text, err := w.node.KubeletLog()
		if err != nil {
			return err
		}
		for line := range strings.Lines(text) {
			if containsAll(line, parts) {
				found = strings.TrimSpace(line)
				return nil
			}
		}
		return fmt.Errorf("no line of it has all of %q", parts)
	})
	return found
}

func containsAll(text string, parts []string) bool {
	for _, part := range parts {
		// A structured log quotes quotes.
		if !strings.Contains(strings.ReplaceAll(text, `\"`, `"`), part) {
			return false
		}
	}
	return true
}
