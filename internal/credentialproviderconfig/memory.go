package credentialproviderconfig

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// memory is what the CLI keeps for a resource beside its state, and does not show.
type memory struct {
	// Accepted is the hash of the bytes that were last written or imported as a whole.
	Accepted string `json:"accepted,omitempty"`
	// Path is that of the file of which Names are.
	Path string `json:"path,omitempty"`
	// Names are those of the providers that are the resource's in a file of others. One that somebody took out stays in
	// here: when it comes back, it is known again.
	Names []string `json:"names,omitempty"`
	// Created says that the file was not there before.
	Created bool `json:"created,omitempty"`
}

// private is the data that the CLI keeps for a resource beside its state.
type private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

const memoryKey = "memory"

// recall gives what was remembered; what cannot be read is nothing.
func recall(ctx context.Context, data private) (memory, diag.Diagnostics) {
	stored, diags := data.GetKey(ctx, memoryKey)
	var known memory
	if err := json.Unmarshal(stored, &known); err != nil {
		return memory{}, diags
	}
	return known, diags
}

func (known memory) keep(ctx context.Context, data private) diag.Diagnostics {
	stored, err := json.Marshal(known)
	if err != nil {
		return diag.Diagnostics{diag.NewErrorDiagnostic("Cannot remember what stands in the file", err.Error())}
	}
	return data.SetKey(ctx, memoryKey, stored)
}
