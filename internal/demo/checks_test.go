package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Check blocks are told from the conditions of resources, and one that was not looked at does not pass for one that holds.
func TestFailedChecks(t *testing.T) {
	const plan = `{"checks": [
		{"address": {"kind": "check", "to_display": "check.allowed_pull"}, "status": "fail", "instances": [
			{"address": {"to_display": "check.allowed_pull"}, "status": "fail", "problems": [{"message": "team/app is refused."}]}]},
		{"address": {"kind": "check", "to_display": "check.denied_pull"}, "status": "pass", "instances": [
			{"address": {"to_display": "check.denied_pull"}, "status": "pass"}]},
		{"address": {"kind": "check", "to_display": "check.later"}, "status": "unknown", "instances": [{"status": "unknown"}]},
		{"address": {"kind": "output_value", "to_display": "output.a"}, "status": "fail", "instances": []}]}`
	got, err := failedChecks(plan)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"check.allowed_pull": {"team/app is refused."}, "check.denied_pull": {}, "check.later": {"its status is unknown"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := holds(got); err == nil {
		t.Error("a check that fails passes for one that holds")
	}
	if err := holds(map[string][]string{allowedCheck: {}}); err == nil {
		t.Error("a check that was not looked at passes for one that holds")
	}
	if err := holds(map[string][]string{allowedCheck: {}, deniedCheck: {}}); err != nil {
		t.Error(err)
	}
	if _, err := failedChecks("No changes."); err == nil {
		t.Error("a text passes for a plan")
	}
}
