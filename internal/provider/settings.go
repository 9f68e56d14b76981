package provider

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/connection"
)

// settings reads one half of the configuration: the argument, else the environment, else nothing. An unknown argument is
// not absent: it is remembered, and no variable stands in for it.
type settings struct {
	// at is where the arguments stand; empty at the top.
	at      path.Path
	getenv  func(string) string
	unknown []string
	diags   diag.Diagnostics
}

func (s *settings) path(name string) path.Path { return s.at.AtName(name) }

// refuse adds an error about an argument, which it names in words: the CLI quotes the expression behind an attribute's path,
// and with it whatever secret stands on that line.
func (s *settings) refuse(name, summary, detail string) {
	s.diags.AddError(summary, "In the provider's configuration, "+s.path(name).String()+": "+detail)
}

// given reports whether an argument is written in the configuration, known or not.
func given(values ...attr.Value) bool {
	for _, v := range values {
		if !v.IsNull() {
			return true
		}
	}
	return false
}

// text reads a text. env may be empty, for an argument without a variable.
func (s *settings) text(name string, value types.String, env string) string {
	switch {
	case value.IsUnknown():
		s.unknown = append(s.unknown, s.path(name).String())
		return ""
	case !value.IsNull() && value.ValueString() == "":
		if env != "" && s.getenv(env) != "" {
			s.refuse(name, "Empty argument", "It is an empty text, and "+env+" has another value. Whether that one is meant cannot be "+
				"told. Give a value, or null to take the variable's.")
		}
		return ""
	case !value.IsNull():
		return value.ValueString()
	case env != "":
		return s.getenv(env)
	}
	return ""
}

// flag reads a switch, which is off by default.
func (s *settings) flag(name string, value types.Bool, env string) bool {
	switch {
	case value.IsUnknown():
		s.unknown = append(s.unknown, s.path(name).String())
		return false
	case !value.IsNull():
		return value.ValueBool()
	case env == "" || s.getenv(env) == "":
		return false
	}
	on, err := strconv.ParseBool(s.getenv(env))
	if err != nil {
		s.refuse(name, "Environment variable is not a switch", env+" is neither true nor false.")
	}
	return on
}

// duration reads a positive Go duration.
func (s *settings) duration(name string, value types.String, standard time.Duration) time.Duration {
	written := s.text(name, value, "")
	if written == "" {
		return standard
	}
	d, err := time.ParseDuration(written)
	if err != nil || d <= 0 {
		s.refuse(name, "Not a duration", strconv.Quote(written)+" is not a positive duration such as 30s or 2m.")
	}
	return d
}

// list reads a list of texts.
func (s *settings) list(ctx context.Context, name string, value types.List) []string {
	if !s.known(name, value, value.Elements()) {
		return nil
	}
	var out []string
	s.diags.Append(value.ElementsAs(ctx, &out, false)...)
	return out
}

// texts reads a map of texts.
func (s *settings) texts(ctx context.Context, name string, value types.Map) map[string]string {
	if !s.known(name, value, slices.Collect(maps.Values(value.Elements()))) {
		return nil
	}
	var out map[string]string
	s.diags.Append(value.ElementsAs(ctx, &out, false)...)
	return out
}

// known reports whether a collection is given and wholly known; a null element is an error.
func (s *settings) known(name string, value attr.Value, elements []attr.Value) bool {
	if value.IsNull() {
		return false
	}
	unknown := value.IsUnknown()
	for _, element := range elements {
		unknown = unknown || element.IsUnknown()
		if element.IsNull() {
			s.refuse(name, "Null element", "An element of it is null. Leave it out.")
			return false
		}
	}
	if unknown {
		s.unknown = append(s.unknown, s.path(name).String())
	}
	return !unknown
}

// unknownError names the unknown arguments of this half, or is nil.
func (s *settings) unknownError(half string) error {
	if len(s.unknown) == 0 {
		return nil
	}
	return &connection.UnknownError{Half: half, Arguments: s.unknown}
}
