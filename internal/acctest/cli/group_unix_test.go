//go:build unix

package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// An interrupted command may finish what it is doing, and what it has started is gone with it.
func TestRunGroupEndsTheWholeGroup(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	// The child inherits the pipe as descriptor 3 and ignores the interrupt; the pipe ends when the last of them is gone.
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = read.Close() }) // nothing was written to it
	cmd := exec.CommandContext(ctx, "sh", "-c", `trap 'echo finished >&3; exit 3' INT
		sh -c 'trap "" INT; echo started >&3; exec sleep 1000' &
		wait`)
	cmd.ExtraFiles = []*os.File{write}
	done := make(chan error, 1)
	go func() {
		done <- RunGroup(cmd)
		_ = write.Close() // Ours; it was not written to.
	}()
	if err := read.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	started := make([]byte, len("started\n"))
	if _, err := io.ReadFull(read, started); err != nil {
		t.Fatalf("the command does not start: %v", err)
	}
	cancel()
	rest, err := io.ReadAll(read)
	if err != nil || strings.TrimSpace(string(rest)) != "finished" {
		t.Errorf("after the interrupt the group says %q, %v", rest, err)
	}
	var exit *exec.ExitError
	if err := <-done; !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("the command ended with %v", err)
	}
}

func TestRunTellsAnInterruptFromAFailure(t *testing.T) {
	w, err := New(t.TempDir(), "/bin/sh", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	result, err := w.Run(t.Context(), "-c", "echo out; echo err >&2; exit 7")
	if err != nil || result.Code != 7 || result.Output != "out\nerr\n" {
		t.Errorf("a failure: %+v, %v", result, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	if result, err := w.Run(ctx, "-c", "exit 7"); !errors.Is(err, enough) {
		t.Errorf("an interrupt: %+v, %v", result, err)
	}
}
