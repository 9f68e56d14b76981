// Package advice gives warnings once: in the plan that creates or changes the object they are about, or, for what was not
// known then, during its apply. A plan that changes nothing warns of nothing.
package advice

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

// privateKey is where a plan keeps what it has warned of for its apply to see.
const privateKey = "warned"

// Private is the private data that the framework carries from a plan to its apply.
type Private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// Warnings collects what an object is worth a warning for, whether or not the moment has come to say it.
type Warnings struct{ list diag.Diagnostics }

// Add adds a warning on an attribute.
func (w *Warnings) Add(at path.Path, summary, detail string) {
	w.list.AddAttributeWarning(at, summary, detail)
}

// InPlan gives the warnings of a plan that creates or changes the object, and remembers them for the apply.
func (w *Warnings) InPlan(ctx context.Context, private Private) diag.Diagnostics {
	var seen []string
	for _, warning := range w.list {
		seen = append(seen, fingerprint(warning))
	}
	return append(slices.Clone(w.list), remember(ctx, private, seen)...)
}

// InApply gives the warnings that the plan did not give, because a value was unknown then.
func (w *Warnings) InApply(ctx context.Context, private Private) diag.Diagnostics {
	stored, diags := private.GetKey(ctx, privateKey)
	var seen []string
	if len(stored) > 0 {
		if err := json.Unmarshal(stored, &seen); err != nil {
			seen = nil // What cannot be read has warned of nothing.
		}
	}
	for _, warning := range w.list {
		if !slices.Contains(seen, fingerprint(warning)) {
			diags.Append(warning)
		}
	}
	if len(stored) > 0 {
		diags.Append(remember(ctx, private, nil)...)
	}
	return diags
}

func remember(ctx context.Context, private Private, seen []string) diag.Diagnostics {
	if seen == nil {
		seen = []string{}
	}
	encoded, err := json.Marshal(seen)
	if err != nil {
		return diag.Diagnostics{diag.NewErrorDiagnostic("Cannot keep the warnings of the plan", err.Error())}
	}
	return private.SetKey(ctx, privateKey, encoded)
}

// fingerprint stands for a warning, so that none of its text ends in the state.
func fingerprint(warning diag.Diagnostic) string {
	at := ""
	if withPath, ok := warning.(diag.DiagnosticWithPath); ok {
		at = withPath.Path().String()
	}
	sum := sha256.Sum256([]byte(at + "\x00" + warning.Summary() + "\x00" + warning.Detail()))
	return hex.EncodeToString(sum[:8])
}
