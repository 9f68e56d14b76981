//go:build e2e && !linux

package e2e

import "testing"

func TestNode(t *testing.T) {
	t.Fatal("the end-to-end test runs a kubelet and containers on this machine, which takes Linux; a small VM will do")
}
