//go:build linux

package examples_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
)

var texts = regexp.MustCompile("(?ms)^```text\n(.*?)\n```$")

// saidIn expects that an output says what a guide quotes in its text block that begins like this. Its paragraphs may be apart,
// and placeholders stand for what differs from run to run.
func saidIn(t *testing.T, output, guide, begin string, placeholders ...string) {
	t.Helper()
	blocks := texts.FindAllStringSubmatch(readFile(t, directory(t, "..", "templates", "guides", guide+".md.tmpl")), -1)
	at := slices.IndexFunc(blocks, func(block []string) bool { return strings.HasPrefix(block[1], begin) })
	if at < 0 {
		t.Fatalf("the guide %s quotes nothing that begins with %q", guide, begin)
	}
	for paragraph := range strings.SplitSeq(strings.NewReplacer(placeholders...).Replace(blocks[at][1]), "\n\n") {
		acctest.Says(t, output, paragraph)
	}
}
