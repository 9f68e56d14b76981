package attribute

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
	"github.com/aktrust/terraform-provider-aktrust/internal/jwks"
)

// The kinds of text and their types.
type (
	// KeySetType is the type of a JSON Web Key Set as text. White space, member order and key order do not count.
	KeySetType = TextType[keySet]
	// KeySet is a value of KeySetType. jwks.Parse reads its text.
	KeySet = Text[keySet]

	// DurationType is the type of a duration as Go writes it (time.ParseDuration): "12h" is "12h0m0s".
	DurationType = TextType[duration]
	// Duration is a value of DurationType. time.ParseDuration reads its text.
	Duration = Text[duration]

	// UUIDType is the type of a UUID of the registry, for an attribute of its own or as the element of a set. Its
	// spelling does not count; see artifactkeeper.CanonicalID.
	UUIDType = TextType[uuidText]
	// UUID is a value of UUIDType.
	UUID = Text[uuidText]
)

type keySet struct{}

func (keySet) Kind() string          { return "KeySet" }
func (keySet) Same(a, b string) bool { return jwks.EqualTexts(a, b) }

type duration struct{}

func (duration) Kind() string { return "Duration" }

func (duration) Same(a, b string) bool {
	left, err := time.ParseDuration(a)
	if err != nil {
		return a == b
	}
	right, err := time.ParseDuration(b)
	return err == nil && left == right
}

type uuidText struct{}

func (uuidText) Kind() string { return "UUID" }
func (uuidText) Same(a, b string) bool {
	return artifactkeeper.CanonicalID(a) == artifactkeeper.CanonicalID(b)
}

// NewKeySetValue creates a known value.
func NewKeySetValue(text string) KeySet { return KeySet{StringValue: types.StringValue(text)} }

// NewKeySetNull creates a null value.
func NewKeySetNull() KeySet { return KeySet{StringValue: types.StringNull()} }

// NewKeySetUnknown creates an unknown value.
func NewKeySetUnknown() KeySet { return KeySet{StringValue: types.StringUnknown()} }

// NewDurationValue creates a known value.
func NewDurationValue(text string) Duration { return Duration{StringValue: types.StringValue(text)} }

// NewDurationNull creates a null value.
func NewDurationNull() Duration { return Duration{StringValue: types.StringNull()} }

// NewDurationUnknown creates an unknown value.
func NewDurationUnknown() Duration { return Duration{StringValue: types.StringUnknown()} }

// NewUUIDValue creates a known value.
func NewUUIDValue(text string) UUID { return UUID{StringValue: types.StringValue(text)} }

// NewUUIDNull creates a null value.
func NewUUIDNull() UUID { return UUID{StringValue: types.StringNull()} }

// NewUUIDUnknown creates an unknown value.
func NewUUIDUnknown() UUID { return UUID{StringValue: types.StringUnknown()} }

// TextOrNull is null for an empty text, where the other side does not tell one from nothing.
func TextOrNull(text string) types.String {
	if text == "" {
		return types.StringNull()
	}
	return types.StringValue(text)
}
