package nodeaudience

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
)

// ForeignError says that an object is not ours to take, to change or to delete.
type ForeignError struct {
	// Object names it, such as ClusterRole x.
	Object string
	// Importable tells that it is a ClusterRole that could be managed after an import.
	Importable bool
	problem    string
	advice     string
}

func (e *ForeignError) Error() string { return e.Object + " " + e.problem }

// Advice says what to do about it.
func (e *ForeignError) Advice() string { return e.advice }

// aggregated refuses a role whose rules are not its own.
func aggregated(role *metav1.ObjectMeta) *ForeignError {
	return &ForeignError{
		Object: describe("ClusterRole", role), problem: "has an aggregationRule",
		advice: "The control plane rewrites the rules of such a role from those of other roles, so that they cannot be managed here. " +
			"Remove the aggregationRule, or use another name.",
	}
}

// appeared refuses an object that was not there when we looked.
func appeared(kind string, meta *metav1.ObjectMeta) *ForeignError {
	return &ForeignError{
		Object: describe(kind, meta), problem: "was made at this very moment, by another resource of this configuration or by " +
			"somebody else",
		advice: "Give one of the two resources another name. See who manages the object with kubectl get --show-managed-fields.",
	}
}

// stillGrants refuses to pass over a binding that grants more than is wanted.
func stillGrants(b *binding) *ForeignError {
	return &ForeignError{
		Object:  b.String(),
		problem: "grants more than is wanted, and is not ours to delete: it has neither our label nor a field that we applied",
		advice:  "Delete it with: " + kubectl("delete", b.kind, b.ObjectMeta),
	}
}

// replaceable refuses to replace a binding whose roleRef another manager applies.
func replaceable(b *binding, force bool) error {
	for _, entry := range b.ManagedFields {
		if _, owns := fieldsOf(entry)["f:roleRef"]; !owns || force || entry.Manager == cluster.FieldManager ||
			entry.Operation != metav1.ManagedFieldsOperationApply {
			continue
		}
		return &ForeignError{
			Object:  b.String(),
			problem: fmt.Sprintf("binds %s %s, and field manager %q keeps it so", b.roleRef.Kind, b.roleRef.Name, entry.Manager),
			advice: "Let one of the two own the object: remove it from the other's configuration, or take it over with " +
				"force_conflicts = true and expect the other to take it back.",
		}
	}
	return nil
}

// mayTake refuses objects that somebody else made.
func (a *application) mayTake() error {
	role := a.seen.Role
	if role != nil && role.AggregationRule != nil {
		return aggregated(&role.ObjectMeta)
	}
	if role != nil && a.options.Last == nil {
		if err := mayAdopt("ClusterRole", &role.ObjectMeta); err != nil {
			return err
		}
	}
	everywhere, namespaces := a.want.bound()
	if everywhere {
		if err := a.mayBind(a.seen.clusterRoleBinding(), hadEverywhere(a.options.Last)); err != nil {
			return err
		}
	}
	for _, namespace := range namespaces {
		if err := a.mayBind(a.seen.roleBinding(namespace), slices.Contains(scope(a.options.Last), namespace)); err != nil {
			return err
		}
	}
	if a.options.Last == nil && role != nil {
		return a.mayContinue()
	}
	return nil
}

func hadEverywhere(last *Grant) bool { return last != nil && last.Namespaces == nil }

// mayBind refuses a binding that is there and was not before. A last grant without groups had no binding, unless somebody
// has emptied ours, which still has what we applied.
func (a *application) mayBind(b *binding, had bool) error {
	if b == nil || had && (len(a.options.Last.Groups) > 0 || ours(b.ObjectMeta)) {
		return nil
	}
	return mayAdopt(b.kind, b.ObjectMeta)
}

// mayAdopt refuses an object without our label.
func mayAdopt(kind string, meta *metav1.ObjectMeta) error {
	if labelled(meta) {
		return nil
	}
	e := &ForeignError{
		Object: describe(kind, meta), Importable: kind == "ClusterRole", problem: "exists, and was not made by this provider",
		advice: "Use another name, or import it.",
	}
	if !e.Importable {
		e.advice = "Use another name, or let it be taken over by labelling it: " + kubectl("label", kind, meta) + " --overwrite " +
			Label + "=" + LabelValue
	}
	return e
}

// mayContinue lets a run go on that was cut short before the role had any rule. With rules, somebody relies on it.
func (a *application) mayContinue() error {
	if len(a.seen.Role.Rules) == 0 {
		return nil
	}
	return &ForeignError{
		Object: describe("ClusterRole", &a.seen.Role.ObjectMeta), Importable: true,
		problem: "exists, made by this provider for another resource, or by a run that was cut short",
		advice: "Two configurations, or two resources of one, must not share a role: destroying one would take it from the other. Use " +
			"another name, or import it if nothing else manages it.",
	}
}

// kubectl is the beginning of a command on an object.
func kubectl(verb, kind string, meta *metav1.ObjectMeta) string {
	command := "kubectl " + verb + " " + strings.ToLower(kind) + " " + meta.Name
	if meta.Namespace != "" {
		command += " --namespace=" + meta.Namespace
	}
	return command
}
