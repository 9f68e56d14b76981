package nodeaudience

import (
	"context"
	"fmt"

	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
)

// MisnamedError says that an audience stands where the name of its ClusterRole belongs.
type MisnamedError struct {
	// Audience is what was given.
	Audience string
	// Name is that of the ClusterRole.
	Name string
}

func (e *MisnamedError) Error() string {
	return fmt.Sprintf("there is no ClusterRole %q; the one for that audience is called %s", e.Audience, e.Name)
}

// Advice says what to do about it.
func (e *MisnamedError) Advice() string {
	return fmt.Sprintf("Give the name of the ClusterRole instead of the audience: %s.", e.Name)
}

// Misnamed looks whether a text that should be the name of a ClusterRole is none, and is the audience of one that is called by
// DefaultName: a *MisnamedError. Whatever cannot be looked at is nil; whoever reads the object meets it.
func Misnamed(ctx context.Context, client *cluster.Client, given string) error {
	if ValidName(given) == nil { // or else nothing can be called that
		if _, err := client.ClusterRole(ctx, given); !cluster.IsNotFound(err) {
			return nil
		}
	}
	name := DefaultName(given)
	if _, err := client.ClusterRole(ctx, name); err == nil {
		return &MisnamedError{Audience: given, Name: name}
	}
	return nil
}
