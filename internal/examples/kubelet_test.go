//go:build linux

package examples_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/tool"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// kubeletVariable names the directory of a kubelet that this program, started once more, is to become.
const kubeletVariable = "AKTRUST_TEST_KUBELET"

// kubelet is a real one, without an API server and with a container runtime that does no more than say its name. It
// starts as far as it takes its file of credential providers and serves its metrics. It never gets to the machine's
// control groups and kernel settings, because the runtime does not become ready.
type kubelet struct {
	command *exec.Cmd
	log     string
	done    chan struct{} // closed when it has ended
	// serves says that it came as far as to serve its metrics, past its file.
	serves bool
	// hash is the label of the metric on the file that it has taken; empty when it was given none.
	hash string
}

// startKubelet starts a kubelet with further flags, and waits until it has taken its file or exited.
func startKubelet(t *testing.T, flags ...string) *kubelet {
	t.Helper()
	k, err := launchKubelet(t, flags...)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// launchKubelet is startKubelet for another goroutine than the test's.
func launchKubelet(t *testing.T, flags ...string) (*kubelet, error) {
	binary, err := tool.Path("kubelet")
	if err != nil {
		return nil, err
	}
	//nolint:usetesting // The path of the runtime's socket has room for 108 bytes, and the test's name may be longer.
	dir, err := os.MkdirTemp("", "aktrust-kubelet-")
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket, file := filepath.Join(dir, "cri.sock"), filepath.Join(dir, "kubelet.yaml")
	if err := serveRuntime(t, socket); err != nil {
		return nil, err
	}
	port, err := freePort(t.Context())
	if err != nil {
		return nil, err
	}
	err = errors.Join(
		os.WriteFile(file, fmt.Appendf(nil, kubeletConfig, socket, port), 0o600),
		os.Mkdir(filepath.Join(dir, "var-lib"), 0o755),
	)
	if err != nil {
		return nil, err
	}
	k := &kubelet{log: filepath.Join(dir, "log"), done: make(chan struct{})}
	if err := k.start(dir, append([]string{binary, "--config=" + file, "--hostname-override=node"}, flags...)); err != nil {
		return nil, err
	}
	t.Cleanup(k.stop)
	if err := k.await(t.Context(), port); err != nil {
		return nil, err
	}
	return k, nil
}

// kubeletConfig needs no swap, control groups, log of the kernel or firewall; its arguments are the runtime's socket and
// the port of the metrics.
const kubeletConfig = `
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix://%s
address: 127.0.0.1
readOnlyPort: %d
enableServer: false
healthzPort: 0
authentication: {webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
featureGates: {KubeletInUserNamespace: true}
cgroupDriver: cgroupfs
cgroupsPerQOS: false
enforceNodeAllocatable: []
failSwapOn: false
failCgroupV1: false
makeIPTablesUtilChains: false
localStorageCapacityIsolation: false
`

// start starts this program once more, in a mount namespace of its own, to become the kubelet. It ends with this process:
// the kernel ties it to the thread that started it.
func (k *kubelet) start(dir string, args []string) error {
	log, err := os.Create(k.log)
	if err != nil {
		return err
	}
	k.command = exec.Command("/proc/self/exe", args...)
	k.command.Args = args
	k.command.Env = append(os.Environ(), kubeletVariable+"="+dir)
	k.command.Stdout, k.command.Stderr = log, log
	k.command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() != 0 {
		attr := k.command.SysProcAttr
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := k.command.Start()
		started <- err
		if err == nil {
			_ = k.command.Wait() // How it has ended is in ProcessState.
			close(k.done)
		}
	}()
	return errors.Join(<-started, log.Close())
}

// becomeKubelet is the other half of start. The kubelet keeps what it does below /var/lib to itself.
func becomeKubelet(dir string) error {
	if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mount namespaces need root, or user namespaces for everybody: %w", err)
	}
	if err := syscall.Mount(filepath.Join(dir, "var-lib"), "/var/lib", "", syscall.MS_BIND, ""); err != nil {
		return fmt.Errorf("mount a directory for the kubelet over /var/lib: %w", err)
	}
	return fmt.Errorf("run %s: %w", os.Args[0], syscall.Exec(os.Args[0], os.Args, os.Environ()))
}

var configMetric = regexp.MustCompile(`(?m)^kubelet_credential_provider_config_info\{hash="([^"]*)"\} 1$`)

// await asks for the metrics until they are there or the kubelet has exited.
func (k *kubelet) await(ctx context.Context, port int) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return controlplane.Eventually(ctx, func(ctx context.Context) error {
		select {
		case <-k.done:
			return nil
		default:
		}
		text, err := get(ctx, fmt.Sprintf("http://127.0.0.1:%d/metrics", port))
		if err != nil {
			return err
		}
		k.serves = true
		if match := configMetric.FindStringSubmatch(text); match != nil {
			k.hash = match[1]
		}
		return nil
	})
}

func get(ctx context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}

// healthy reports whether it runs, and has taken its file if it was given one.
func (k *kubelet) healthy() bool {
	select {
	case <-k.done:
		return false
	default:
		return k.serves
	}
}

// has expects that it runs with a file of this content, by the metric with which it tells.
func (k *kubelet) has(t *testing.T, text string) {
	t.Helper()
	if want := kubeletconfig.Hash([]byte(text)); !k.healthy() || k.hash != want {
		t.Errorf("the kubelet has taken %q, want %q:\n%s", k.hash, want, k.says(t))
	}
}

func (k *kubelet) stop() {
	_ = k.command.Process.Kill() // It may have ended.
	<-k.done
}

// says is what the kubelet has logged.
func (k *kubelet) says(t *testing.T) string {
	t.Helper()
	return readFile(t, k.log)
}

// refusal is what it said of its file before it exited.
func (k *kubelet) refusal(t *testing.T) string {
	t.Helper()
	if k.healthy() {
		t.Fatal("the kubelet runs")
	}
	for line := range strings.Lines(k.says(t)) {
		if _, err, found := strings.Cut(line, `"Failed to register CRI auth plugins" err=`); found {
			return strings.TrimSpace(err)
		}
	}
	t.Fatalf("the kubelet exited for another reason:\n%s", k.says(t))
	return ""
}

type runtimeService struct {
	cri.UnimplementedRuntimeServiceServer
}

func (runtimeService) Version(context.Context, *cri.VersionRequest) (*cri.VersionResponse, error) {
	return &cri.VersionResponse{Version: "0.1.0", RuntimeName: "none", RuntimeVersion: "0", RuntimeApiVersion: "v1"}, nil
}

type imageService struct {
	cri.UnimplementedImageServiceServer
}

func (imageService) ImageFsInfo(context.Context, *cri.ImageFsInfoRequest) (*cri.ImageFsInfoResponse, error) {
	return &cri.ImageFsInfoResponse{}, nil
}

// serveRuntime answers what a kubelet asks of a container runtime before it reads its file of credential providers.
func serveRuntime(t *testing.T, socket string) error {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	cri.RegisterRuntimeServiceServer(server, runtimeService{})
	cri.RegisterImageServiceServer(server, imageService{})
	go func() { _ = server.Serve(listener) }() // Ends with Stop.
	t.Cleanup(server.Stop)
	return nil
}

func freePort(ctx context.Context) (int, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return listener.Addr().(*net.TCPAddr).Port, listener.Close()
}
