package failures

import (
	"fmt"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/trust"
)

//go:generate go test -run TestGuide -args -update

// titles put the links into words, as headings of the guide.
var titles = map[trust.Name]string{
	trust.File:              "The kubelet's file has no provider for the image",
	trust.FileAudience:      "The file and the registry's provider do not agree on the audience",
	trust.NodeAudience:      "Nodes may not request the audience",
	trust.ServiceAccount:    "The ServiceAccount",
	trust.APIServerAudience: "The audience opens the API server",
	trust.Issuer:            "The issuer is not the same to the letter",
	trust.Provider:          "No provider of the registry answers, or more than one",
	trust.Keys:              "The registry does not know the key",
	trust.Mapping:           "No mapping matches",
	trust.Account:           "The mapping's account",
	trust.Permission:        "The account may not read the repository",
	trust.Exchange:          "The registry does not exchange the token",
	trust.Manifest:          "The image is not there",
}

// Markdown is the part of the guide that is about the rows: a table for each link, in the order of the links.
func Markdown() string {
	var out strings.Builder
	for _, name := range trust.Names() {
		first := true
		for _, row := range Rows() {
			if row.Link != name {
				continue
			}
			if first {
				fmt.Fprintf(&out, "\n## %s: `%s`\n\n", titles[name], name)
				out.WriteString("| what is wrong | what the kubelet logs | `detail` of the check says | what to do |\n|---|---|---|---|\n")
			}
			first = false
			fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", capital(row.Fault), row.Seen, row.Detail, capital(row.Fix))
		}
	}
	return out.String()
}

// capital begins a text with a capital letter, unless it begins with code.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
