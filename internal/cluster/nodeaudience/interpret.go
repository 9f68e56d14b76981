package nodeaudience

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Finding is what observed objects amount to.
type Finding struct {
	// Grant is what they grant, in so far as that can be said as a Grant. Labels and Annotations are ours alone.
	Grant
	// UnmanagedRules and UnmanagedSubjects are what somebody added to the role and to its bindings, in words, sorted.
	UnmanagedRules, UnmanagedSubjects []string
	// Problems is what else somebody bent, in words.
	Problems []string
}

// ErrNoGrant says that a ClusterRole is not about audiences of nodes.
var ErrNoGrant = errors.New("none of its rules lets nodes request an audience (verb " + Verb + ")")

// Interpret says what is there, given what was there last: it tells what is ours from what others added. With nothing
// given, as for an import, all that can be ours is, and a role without a rule for an audience is ErrNoGrant.
// There must be a Role.
func (o *Observed) Interpret(last *Grant) (*Finding, error) {
	f := &Finding{Grant: Grant{Name: o.name}}
	audience := ""
	if last != nil {
		audience = last.Audience
		f.Audience = last.Audience
	}
	rule := findRule(o.Role.Rules, audience)
	if rule < 0 && last == nil {
		return nil, ErrNoGrant
	}
	if o.Role.AggregationRule != nil {
		f.problem("%s has an aggregationRule: the control plane rewrites its rules", describe("ClusterRole", &o.Role.ObjectMeta))
	}
	f.readRules(o.Role.Rules, rule, audience)
	var labels, annotations map[string]string
	if last != nil {
		labels, annotations = last.Labels, last.Annotations
	}
	f.Labels = ownPairs(o.Role.Labels, labels, ownKeys(&o.Role.ObjectMeta, "labels"))
	f.Annotations = ownPairs(o.Role.Annotations, annotations, ownKeys(&o.Role.ObjectMeta, "annotations"))
	f.checkMeta("ClusterRole", &o.Role.ObjectMeta)
	f.readBindings(o, last)
	return f, nil
}

func (f *Finding) problem(format string, args ...any) {
	f.Problems = append(f.Problems, fmt.Sprintf(format, args...))
}

// findRule picks the rule that is ours: the one that grants the audience as we would, or else somehow, or else the one
// that grants another audience as we would. Without an audience any will do. It returns -1 when there is none.
func findRule(rules []rbacv1.PolicyRule, audience string) int {
	exact := func(r rbacv1.PolicyRule) bool {
		return slices.Equal(r.APIGroups, []string{""}) && len(r.Resources) == 1 && slices.Equal(r.Verbs, []string{Verb})
	}
	somehow := func(r rbacv1.PolicyRule) bool {
		return slices.Contains(r.APIGroups, "") && slices.Contains(r.Verbs, Verb) && len(r.Resources) > 0
	}
	about := func(r rbacv1.PolicyRule) bool { return slices.Contains(r.Resources, audience) }
	for _, matches := range []func(rbacv1.PolicyRule) bool{
		func(r rbacv1.PolicyRule) bool { return exact(r) && about(r) },
		func(r rbacv1.PolicyRule) bool { return somehow(r) && about(r) },
		exact,
		func(r rbacv1.PolicyRule) bool { return audience == "" && somehow(r) },
	} {
		if i := slices.IndexFunc(rules, matches); i >= 0 {
			return i
		}
	}
	return -1
}

// readRules takes audience and names from our rule, and tells about everything else.
func (f *Finding) readRules(rules []rbacv1.PolicyRule, mine int, audience string) {
	for i, rule := range rules {
		if i != mine {
			f.UnmanagedRules = append(f.UnmanagedRules, describeRule(rule))
		}
	}
	slices.Sort(f.UnmanagedRules)
	if mine < 0 {
		f.problem("no rule of ClusterRole %s lets nodes request %q any more", f.Name, audience)
		return
	}
	rule := rules[mine]
	if f.Audience = audience; !slices.Contains(rule.Resources, audience) {
		f.Audience = rule.Resources[0]
	}
	f.ServiceAccountNames = sorted(rule.ResourceNames)
	for _, dimension := range []struct {
		what       string
		have, want []string
	}{
		{"the verbs", rule.Verbs, []string{Verb}},
		{"the API groups", rule.APIGroups, []string{""}},
		{"the resources", rule.Resources, []string{f.Audience}},
	} {
		if more := without(dimension.have, dimension.want); len(more) > 0 {
			f.problem("the rule for the audience in ClusterRole %s also has %s %s", f.Name, dimension.what, quoted(more))
		}
	}
}

// ownPairs picks the labels or annotations that are ours: those of the last time, and those that we applied.
func ownPairs(live, last map[string]string, applied []string) map[string]string {
	var own map[string]string
	for _, key := range slices.Concat(applied, slices.Collect(maps.Keys(last))) {
		value, there := live[key]
		if !there || key == Label {
			continue
		}
		if own == nil {
			own = map[string]string{}
		}
		own[key] = value
	}
	return own
}

// checkMeta tells when our label is not on an object.
func (f *Finding) checkMeta(kind string, meta *metav1.ObjectMeta) {
	switch value, there := meta.Labels[Label]; {
	case !there:
		f.problem("%s lacks the label %s=%s", describe(kind, meta), Label, LabelValue)
	case value != LabelValue:
		f.problem("%s has the label %s=%s instead of %s", describe(kind, meta), Label, value, LabelValue)
	}
}

// describeRule puts a rule into words: what may be done to what.
func describeRule(rule rbacv1.PolicyRule) string {
	var parts []string
	if len(rule.Resources) > 0 {
		parts = append(parts, "on "+quoted(rule.Resources))
	}
	if groups := without(rule.APIGroups, []string{""}); len(groups) > 0 {
		parts = append(parts, "of API group "+quoted(rule.APIGroups))
	}
	if len(rule.ResourceNames) > 0 {
		parts = append(parts, "named "+quoted(rule.ResourceNames))
	}
	if len(rule.NonResourceURLs) > 0 {
		parts = append(parts, "on URLs "+quoted(rule.NonResourceURLs))
	}
	return strings.Join(append([]string{strings.Join(sorted(rule.Verbs), ", ")}, parts...), " ")
}

func quoted(values []string) string {
	values = sorted(values)
	for i, value := range values {
		values[i] = fmt.Sprintf("%q", value)
	}
	return strings.Join(values, ", ")
}

// without returns what is in have and not in drop, sorted.
func without(have, drop []string) []string {
	return slices.DeleteFunc(sorted(have), func(value string) bool { return slices.Contains(drop, value) })
}
