package credentialproviderconfig

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/diagnose"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/splice"
)

// planEntries looks whether the entries can be put into the file as it is now. What will stand in the whole file is left
// open where anything changes: others may change it until then, another resource of the same apply among them. Where
// nothing changes, the state stays as it is: what others did to their parts was taken over by the refresh, and is no
// reason for an apply.
func (r *Resource) planEntries(ctx context.Context, plan *model, prior model, known memory) diag.Diagnostics {
	plan.Content, plan.ConfigHash = types.StringUnknown(), types.StringUnknown()
	want, complete, diags := plan.entries(ctx)
	if diags.HasError() || plan.Path.IsUnknown() {
		return diags
	}
	update := prior.Path.Equal(plan.Path)
	if !update && known.Path == plan.Path.ValueString() {
		// A replacement: what stands there now is taken away first.
		return diags
	}
	asked := *plan
	var ours []string
	if update {
		ours = plan.ours(ctx, prior, known)
		if plan.APIVersion.IsUnknown() {
			plan.APIVersion = prior.APIVersion
		}
		if complete && leavesFile(ctx, want, prior) {
			plan.Content, plan.ConfigHash = prior.Content, prior.ConfigHash
		}
	}
	found, err := r.disk.Read(plan.Path.ValueString())
	switch {
	case errors.Is(err, fs.ErrNotExist) && update:
		// The refresh has said what is the matter. An error here would hold up a destroy too, which begins with a plan; the
		// apply gives it.
		plan.Content, plan.ConfigHash = types.StringUnknown(), types.StringUnknown()
		return diags
	case errors.Is(err, fs.ErrNotExist) && complete && len(want) == 0:
		return plan.explainEntries("plan", errNothingToMake)
	case errors.Is(err, fs.ErrNotExist):
		return diags
	case err != nil:
		return diag.Diagnostics{diagnose.Error("plan", plan.describe(), err)}
	}
	if kubeletconfig.IgnoredDocuments(found.Content) && (!update || plan.Content.IsUnknown()) {
		diags.AddAttributeWarning(path.Root("path"), "A part of the file is ignored", sentence(ignoredDocuments))
	}
	return append(diags, asked.checkFile(found.Content, ours, want, complete, known)...)
}

const ignoredDocuments = "the text has several YAML documents, of which the kubelet reads the first only: providers in the others " +
	"do not count, and entries go into the first"

// checkFile tries whether the entries can be put into the file as it is now. What is not known of them breaks no rule.
func (m model) checkFile(content []byte, ours []string, want []kubeletconfig.Provider, complete bool, known memory) diag.Diagnostics {
	theirs, err := splice.Read(content)
	if err != nil {
		return m.explainEntries("plan", newUnusableError(content, err))
	}
	if !m.APIVersion.IsUnknown() && m.APIVersion.ValueString() != theirs.APIVersion {
		return diag.Diagnostics{versionConflict(m.APIVersion.ValueString(), m.Path.ValueString(), theirs.APIVersion)}
	}
	if diags := refusals(kubeletconfig.Config{APIVersion: theirs.APIVersion, Providers: want}, true); diags.HasError() {
		return diags
	}
	if !complete {
		return m.takenNames(content, theirs, ours, want)
	}
	if _, err := splice.Change(content, ours, want); err != nil {
		return m.explainEntries("plan", noneLeft(err, known.Created))
	}
	return nil
}

// leavesFile reports whether all that is wanted stood in the file before, and nothing of ours beside it.
func leavesFile(ctx context.Context, want []kubeletconfig.Provider, prior model) bool {
	before, known, diags := prior.entries(ctx)
	if !known || diags.HasError() {
		return false
	}
	if !prior.managesEntries() {
		names := namesOf(want)
		before = slices.DeleteFunc(before, func(p kubeletconfig.Provider) bool { return !slices.Contains(names, p.Name) })
	}
	return slices.EqualFunc(before, want, kubeletconfig.Provider.Equal)
}

// takenNames finds names that are somebody else's, among those that are known.
func (m model) takenNames(content []byte, theirs kubeletconfig.Config, ours []string, want []kubeletconfig.Provider) diag.Diagnostics {
	var diags diag.Diagnostics
	for place, provider := range theirs.Providers {
		wanted := slices.Index(namesOf(want), provider.Name)
		if wanted >= 0 && !slices.Contains(ours, provider.Name) {
			taken := &splice.TakenError{Name: provider.Name, Wanted: wanted, Line: splice.Line(content, place)}
			diags.Append(m.explainEntries("plan", taken)...)
		}
	}
	return diags
}

// versionConflict says that a version was given and the text to be changed, or the file, has another one.
func versionConflict(given, text, has string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("api_version"), "Another version is there",
		fmt.Sprintf("api_version is %s, but %s is of version %s, which only its owner can change. Leave api_version out to take the "+
			"version that is there.", given, text, has))
}

// warnOfTransition says what becomes of the providers that are in the file beside those of the configuration when the
// part of it that is managed changes.
func warnOfTransition(ctx context.Context, plan, prior model) diag.Diagnostics {
	if !prior.Path.Equal(plan.Path) || plan.Manage.IsUnknown() || plan.managesEntries() == prior.managesEntries() {
		return nil
	}
	want, _, _ := plan.entries(ctx)
	before, _, _ := prior.entries(ctx)
	if parsed, err := kubeletconfig.Parse([]byte(prior.Content.ValueString())); err == nil && !plan.managesEntries() {
		before = parsed.Providers
	}
	others := slices.DeleteFunc(namesOf(before), func(name string) bool { return slices.Contains(namesOf(want), name) })
	if len(others) == 0 {
		return nil
	}
	list := strings.Join(others, ", ")
	if plan.managesEntries() {
		return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("manage"), "Providers that are managed no longer",
			fmt.Sprintf("These stay in %s as they are, and are somebody else's from now on: %s.", plan.Path.ValueString(), list))}
	}
	return diag.Diagnostics{diag.NewAttributeWarningDiagnostic(path.Root("manage"), "Providers of others are removed",
		fmt.Sprintf("The whole of %s is managed from now on, so that these providers, and all comments, are removed: %s.",
			plan.Path.ValueString(), list))}
}
