package failures_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/tool"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust"
	"github.com/aktrust/terraform-provider-aktrust/internal/trust/failures"
)

var update = flag.Bool("update", false, "write the rows into the guide")

const (
	begin = "<!-- The tables are written by go generate ./internal/trust/failures. -->\n"
	end   = "<!-- Here they end. -->\n"
)

// The guide has the rows that the tests have.
func TestGuide(t *testing.T) {
	root, err := tool.Root()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "templates", "guides", "image-pull-backoff.md.tmpl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(text), begin)
	written, tail, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s does not have the two comments between which the tables stand", path)
	}
	if *update {
		if err := os.WriteFile(path, []byte(head+begin+failures.Markdown()+"\n"+end+tail), 0o644); err != nil { // #nosec G306 -- a page
			t.Fatal(err)
		}
		return
	}
	if written != failures.Markdown()+"\n" {
		t.Errorf("%s does not have the rows of the tests: run go generate ./internal/trust/failures", path)
	}
}

// Rows are complete, and told apart by their names. Each stands in the guide under its link.
func TestRows(t *testing.T) {
	names := map[string]bool{}
	guide := failures.Markdown()
	for _, row := range failures.Rows() {
		if names[row.Name] {
			t.Errorf("two rows are called %s", row.Name)
		}
		names[row.Name] = true
		if row.Fault == "" || row.Seen == "" || row.Detail == "" || row.Fix == "" || strings.Contains(row.Fault+row.Seen+row.Fix, "|") {
			t.Errorf("a row is not complete, or would break the table: %+v", row)
		}
		if !strings.Contains(guide, row.Detail) || !strings.Contains(guide, "`"+string(row.Link)+"`") {
			t.Errorf("the guide does not have %+v", row)
		}
		if row.Link == trust.Versions || row.Link == trust.TokenRequest {
			t.Errorf("no heading is written for %s", row.Link)
		}
	}
	if failures.Find("clock").Link != trust.Exchange {
		t.Error("a row is not found by its name")
	}
}
