package functions

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// refusal words what the kubelet says to something, and what is to be done about it. Core puts the name of the argument in
// front of it and a full stop behind it.
func refusal(what, said string, advice []string) string {
	text := "over " + what + " the kubelet exits at start, saying:\n  " + said
	advice = slices.Compact(advice)
	switch len(advice) {
	case 0:
		return text
	case 1:
		return text + "\n\nWhat to do: " + advice[0]
	}
	return text + "\n\nWhat to do:\n- " + strings.Join(advice, "\n- ")
}

// fileRefusal words an error of kubeletconfig.Parse.
func fileRefusal(err error) string {
	const file = "this file"
	if unreadable, ok := errors.AsType[*kubeletconfig.DecodeError](err); ok {
		var advice []string
		if unreadable.Remedy != "" {
			advice = append(advice, unreadable.Remedy)
		}
		return refusal(file, "error decoding config: "+unreadable.Message, advice)
	}
	var advice []string
	if invalid, ok := errors.AsType[*kubeletconfig.ValidationError](err); ok {
		for _, problem := range invalid.Problems {
			advice = append(advice, fmt.Sprintf("%s: %s", problem.Location, problem.Remedy))
		}
	}
	return refusal(file, err.Error(), advice)
}
