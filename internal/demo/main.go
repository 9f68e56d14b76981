// Command demo walks through the whole chain of trust on one machine: it starts a Kubernetes API server and the
// registry's emulator on the loopback interface, runs examples/complete against both, and proves step by step that
// images can be pulled by those who should and by nobody else, that changes behind the provider's back show in a plan,
// and that a destroy leaves nothing.
//
// It exits with 0 only when every step is proven. KEEP=1 leaves everything running afterwards, until it is interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// patience bounds the whole walk. Building tools is not part of it: that takes as long as it takes.
const patience = 5 * time.Minute

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		cancel(orphaned(ctx))
		stop() // from here on a second signal ends the demo at once
	}()
	d := &demo{report: newReport(os.Stdout)}
	keep := os.Getenv("KEEP")
	if err := d.run(ctx, keep != "" && keep != "0"); err != nil {
		return 1
	}
	return 0
}

// run brings everything up, walks, and takes everything down again. What fails is reported.
func (d *demo) run(ctx context.Context, keep bool) error {
	err := d.prepare(ctx)
	prepared := err == nil
	if prepared {
		err = d.walk(ctx)
	}
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("stopped: %w", context.Cause(ctx)) // whatever else failed is a consequence
	}
	if err != nil {
		d.report.failed(err)
	}
	if prepared && keep && ctx.Err() == nil {
		// What failed is left as it is, to be looked into.
		if keepErr := d.keep(ctx, err == nil); keepErr != nil {
			d.report.failed(keepErr)
			err = keepErr
		}
	}
	if stopErr := d.stop(); stopErr != nil {
		d.report.failed(stopErr)
		err = stopErr
	}
	return err
}

// walk goes through the steps, and stops at the first that cannot be proven.
func (d *demo) walk(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("the demo was not through after %s", patience))
	defer cancel()
	for _, step := range d.steps() {
		if err := d.report.step(ctx, step); err != nil {
			return err
		}
	}
	d.report.done(len(d.steps()))
	return nil
}

// orphaned waits until ctx is over or the process that started this one is gone: go run dies of a SIGTERM without
// passing it on, and what it leaves behind would hold on to its ports.
func orphaned(ctx context.Context) error {
	parent := os.Getppid()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for os.Getppid() == parent {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
	return errors.New("the process that started the demo is gone")
}
