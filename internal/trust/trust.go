// Package trust answers one question before a pod does: may this ServiceAccount pull this image with its own identity, and
// if not, why not. It looks at every link of the chain from the kubelet's file to the registry's permission by itself, so
// that all broken links are named at once, while a pod only ever meets the first.
//
// The rules are those of the kubelet and the API server (Kubernetes 1.34 to 1.37) and of the registry API (1.11).
package trust

import (
	"fmt"
	"slices"
	"strings"
)

// Name is the name of a link.
type Name string

// The links, in the order of [Names].
const (
	Versions          Name = "versions"
	File              Name = "file"
	FileAudience      Name = "file_audience"
	NodeAudience      Name = "node_audience"
	ServiceAccount    Name = "service_account"
	TokenRequest      Name = "token_request"
	Issuer            Name = "issuer"
	Provider          Name = "provider"
	Keys              Name = "keys"
	APIServerAudience Name = "api_server_audience"
	Mapping           Name = "mapping"
	Account           Name = "account"
	Permission        Name = "permission"
	Exchange          Name = "exchange"
	Manifest          Name = "manifest"
)

// Names lists the links in the order in which a pull passes them.
func Names() []Name {
	return []Name{
		Versions, File, FileAudience, NodeAudience, ServiceAccount, TokenRequest, Issuer, Provider, Keys, APIServerAudience,
		Mapping, Account, Permission, Exchange, Manifest,
	}
}

// Status is what was found about a link.
type Status string

const (
	// OK says that the link holds.
	OK Status = "ok"
	// Broken says that the link does not hold, and a pull fails for it.
	Broken Status = "broken"
	// Unknown says that the link could not be judged, for want of a permission or an answer, or because it depends on the pod.
	Unknown Status = "unknown"
	// Skipped says that the link was not asked for, or there is nothing to judge because an earlier link is broken.
	Skipped Status = "skipped"
)

// Link is one link of the chain.
type Link struct {
	Name   Name
	Status Status
	// Detail says what was found and what it means. It holds no credential.
	Detail string
	// Remedy is what to change: the HCL, or a command. It is empty where there is nothing to do.
	Remedy string

	// refusal marks a broken link by which the chain does what it is for: it keeps somebody out who is not meant to get in.
	refusal bool
	// echo marks a broken link at which the registry may do no more than to say what another link is broken for.
	echo bool
}

// Result is the outcome of a check.
type Result struct {
	// Links are all links, in the order of Names.
	Links []Link
	// MappingID and MappingName are those of the identity mapping that wins; empty when none does, or none for certain.
	MappingID, MappingName string
	// Username is the account that the registry gave a credential for; empty when it gave none.
	Username string
	// ExpiresIn is the lifetime of that credential in seconds; 0 when there was none.
	ExpiresIn int64

	subject string // who pulls what, for the summary
	caveat  string // a sentence of the summary, or empty
	public  bool   // everybody may pull from the repository, without any credential
	sealed  bool   // the repository was looked at, and is not public
}

// Link returns the link of a name.
func (r Result) Link(name Name) Link {
	for _, link := range r.Links {
		if link.Name == name {
			return link
		}
	}
	return Link{Name: name, Status: Skipped}
}

// With returns the names of the links of a status, in order.
func (r Result) With(status Status) []Name {
	var names []Name
	for _, link := range r.Links {
		if link.Status == status {
			names = append(names, link.Name)
		}
	}
	return names
}

// Allowed reports whether the pull is known to work: no link is broken, and none is unknown.
func (r Result) Allowed() bool { return len(r.With(Broken)) == 0 && len(r.With(Unknown)) == 0 }

// Summary says the outcome in one line.
func (r Result) Summary() string { return strings.TrimSpace(r.outcome() + " " + r.caveat) }

func (r Result) outcome() string {
	broken, unknown := r.With(Broken), r.With(Unknown)
	switch {
	case len(broken) > 0:
		verdict := "is refused"
		if r.Username != "" && slices.Equal(broken, []Name{Keys}) { // a registry that overlooks it, and the next may not
			verdict = "works at this registry today, and against the standard"
		}
		text := fmt.Sprintf("%s %s; %s: %s", r.subject, verdict, count(len(broken), "broken link"), r.details(broken))
		if len(unknown) > 0 {
			text += fmt.Sprintf(" Not known: %s.", join(unknown))
		}
		if r.public {
			text += " The repository is public all the same: everybody may pull from it without a credential."
		}
		return text
	case len(unknown) > 0:
		return fmt.Sprintf("%s cannot be confirmed; %s: %s", r.subject, count(len(unknown), "unknown link"), r.details(unknown))
	}
	text := r.subject + " is allowed"
	if r.MappingName != "" {
		text += fmt.Sprintf(", by the mapping %q as %s", r.MappingName, r.Username)
	}
	if r.public {
		text += ". The repository is public: everybody may pull from it"
	}
	return text + "."
}

func (r Result) details(names []Name) string {
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = fmt.Sprintf("[%s] %s", name, r.Link(name).Detail)
	}
	return strings.Join(parts, " ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func join(names []Name) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
	}
	return strings.Join(texts, ", ")
}

// finding collects what is found about one link.
type finding struct {
	broken, unknown, notes, remedies []string
	refusal, echo                    bool
}

// breaks says that the link does not hold.
func (f *finding) breaks(remedy, format string, args ...any) {
	f.broken = append(f.broken, fmt.Sprintf(format, args...))
	f.remedy(remedy)
}

// lacks says that something about the link could not be found out.
func (f *finding) lacks(remedy, format string, args ...any) {
	f.unknown = append(f.unknown, fmt.Sprintf(format, args...))
	f.remedy(remedy)
}

func (f *finding) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

func (f *finding) remedy(text string) {
	if text != "" && !slices.Contains(f.remedies, text) {
		f.remedies = append(f.remedies, text)
	}
}

// link gives the worst of what was found.
func (f *finding) link(name Name) Link {
	status := OK
	switch {
	case len(f.broken) > 0:
		status = Broken
	case len(f.unknown) > 0:
		status = Unknown
	}
	return Link{
		Name: name, Status: status, refusal: f.refusal, echo: f.echo,
		Detail: sentence(slices.Concat(f.broken, f.unknown, f.notes)), Remedy: strings.Join(f.remedies, "\n"),
	}
}

func skipped(name Name, format string, args ...any) Link {
	return Link{Name: name, Status: Skipped, Detail: sentence([]string{fmt.Sprintf(format, args...)})}
}

// sentence puts clauses one after the other. One that ends by itself, as the words of others may, begins a new sentence.
func sentence(clauses []string) string {
	var out strings.Builder
	ended := true
	for _, clause := range clauses {
		if clause = strings.TrimSpace(clause); clause == "" {
			continue
		}
		switch {
		case out.Len() == 0:
		case ended:
			out.WriteByte(' ')
		default:
			out.WriteString("; ")
		}
		out.WriteString(clause)
		ended = strings.ContainsAny(clause[len(clause)-1:], ".!?")
	}
	if !ended {
		out.WriteByte('.')
	}
	return out.String()
}
