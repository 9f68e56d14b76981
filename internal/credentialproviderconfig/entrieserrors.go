package credentialproviderconfig

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/splice"
)

// errGone says that a file of others is not there any more.
var errGone error = &ownersError{
	message: "the file is gone, and it was not made by this configuration, so that it is not made again",
	advice: "If its owner puts it back, plan again. If it has no owner any more, let go of this resource (with state rm or a removed " +
		"block) and apply: the file is then made with these entries alone.",
}

// errNothingToMake says that there is neither a file nor an entry for one.
var errNothingToMake error = &ownersError{
	message: "there is no file yet, and one without a provider, on which the kubelet exits, is not made",
	advice:  "Name a provider, or apply again when the owner of the file has made it.",
}

// noneLeft says what to do where a change would leave no provider in the file; other errors stay what they are.
func noneLeft(err error, created bool) error {
	switch {
	case !errors.Is(err, splice.ErrNoneLeft):
		return err
	case created:
		return &ownersError{message: err.Error(), advice: "To be rid of the file, destroy the resource."}
	}
	return &ownersError{
		message: err.Error() + "; the file was not made by this configuration, so that it is not removed either",
		advice: "Put another provider into the file, or remove the file by hand together with the kubelet's flags for it, and try " +
			"again. To leave the file as it is, let go of this resource, with state rm or a removed block.",
	}
}

// ownersError is about what the owner of the file has to decide.
type ownersError struct{ message, advice string }

func (e *ownersError) Error() string { return e.message }

// Advice says what to do.
func (e *ownersError) Advice() string { return e.advice }

// unusableError says that the file is not one that entries can be put into or taken out of.
type unusableError struct {
	cause error
	// line is 0 where it is not known, or said by the cause.
	line int
}

func newUnusableError(content []byte, cause error) error {
	return &unusableError{cause: cause, line: splice.LineOf(content, cause)}
}

func (e *unusableError) Error() string {
	where := ""
	if e.line > 0 {
		where = fmt.Sprintf(" (line %d)", e.line)
	}
	return fmt.Sprintf("the file is not one that the kubelet starts with, so that it was left as it is%s: %s", where, e.cause)
}

// Unwrap returns the cause.
func (e *unusableError) Unwrap() error { return e.cause }

// Advice says what to do.
func (e *unusableError) Advice() string {
	return strings.TrimSpace(remedyOf(e.cause) + "\n\nMend it, or put back what was there before.")
}

// explainEntries gives the diagnostics of an action on entries.
func (m model) explainEntries(action string, err error) diag.Diagnostics {
	if taken, ok := errors.AsType[*splice.TakenError](err); ok {
		at := path.Root("providers").AtListIndex(taken.Wanted).AtName("name")
		return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "The provider is somebody else's",
			fmt.Sprintf("%s is to be put into %s, but %s, which was not put there by this resource. It is left as it is.\n\n"+
				"To manage that provider, import the file, with an import block or with:\n"+
				"  import aktrust_credential_provider_config.NAME %q\n"+
				"The apply after that takes over the providers that the configuration names, and lets go of the others in the file. "+
				"Where another resource of this configuration has put it there, a moved block hands it over. Otherwise choose another "+
				"name, or take that provider out of the file.", at, m.Path.ValueString(), taken, m.Path.ValueString()))}
	}
	if _, ok := errors.AsType[*kubeletconfig.ValidationError](err); ok {
		if _, theirs := errors.AsType[*unusableError](err); !theirs {
			return refusalsOf(err, true)
		}
	}
	return diag.Diagnostics{diagnose.Error(action, m.describe(), err)}
}

// warnOfLoss says of a refresh that it found no file of which it could tell the entries.
func (m model) warnOfLoss(err error) diag.Diagnostics {
	found := diagnose.Error("read the entries in", m.describe(), err)
	return diag.Diagnostics{diag.NewWarningDiagnostic(found.Summary(), found.Detail()+"\n\nThe state stays as it was.")}
}

// remedyOf gives what the library says to do about a text that the kubelet refuses, as a paragraph of its own.
func remedyOf(err error) string {
	if decode, ok := errors.AsType[*kubeletconfig.DecodeError](err); ok && decode.Advice() != "" {
		return "\n\n" + sentence(decode.Advice())
	}
	if refused, ok := errors.AsType[*kubeletconfig.ValidationError](err); ok {
		return "\n\n" + sentence(refused.Problems[0].Remedy)
	}
	return ""
}
