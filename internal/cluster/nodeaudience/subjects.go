package nodeaudience

import (
	"fmt"
	"maps"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
)

// readBindings takes namespaces and groups from the bindings, and tells about everything else.
func (f *Finding) readBindings(o *Observed, last *Grant) {
	wide := o.clusterRoleBinding()
	everywhere := wide != nil || len(o.RoleBindings) == 0
	if last != nil {
		everywhere = last.Namespaces == nil
	}
	// A grant to nobody has no bindings: those of somebody else that merely have its name are none of its business, and a
	// namespace without one misses none.
	nobody := last != nil && len(last.Groups) == 0
	var used []*binding
	if everywhere {
		if wide != nil && (!nobody || concerns(wide)) {
			used = append(used, wide)
		}
		for _, b := range o.roleBindings() {
			if nobody {
				f.problem("%s is left over: the audience is granted to nobody", b)
			} else {
				f.problem("%s is left over: the audience is granted in all namespaces", b)
			}
		}
	} else {
		f.Namespaces = []string{}
		if nobody {
			f.Namespaces = append(f.Namespaces, last.Namespaces...)
		}
		for _, b := range o.roleBindings() {
			if !nobody || concerns(b) {
				used = append(used, b)
				f.Namespaces = append(f.Namespaces, b.Namespace)
			}
		}
		f.Namespaces = append([]string{}, sorted(f.Namespaces)...)
		if wide != nil && concerns(wide) {
			f.problem("%s grants the audience in all namespaces", wide)
		}
	}
	f.readSubjects(used, last)
	labels, annotations := f.Labels, f.Annotations
	if last != nil {
		labels, annotations = last.Labels, last.Annotations
	}
	for _, b := range used {
		if !b.binds() {
			f.problem("%s binds %s %s instead of ClusterRole %s", b, b.roleRef.Kind, b.roleRef.Name, f.Name)
		}
		f.checkMeta(b.kind, b.ObjectMeta)
		f.checkPairs(b, "label", labels, b.Labels)
		f.checkPairs(b, "annotation", annotations, b.Annotations)
	}
}

// concerns tells whether a binding has to do with the grant of its name: it binds its role, or is ours.
func concerns(b *binding) bool { return b.binds() || ours(b.ObjectMeta) }

// readSubjects takes the groups that all bindings have; what one has besides is somebody else's. With the groups of the
// last time known, only those can be ours. Without any binding, everywhere means nobody, while bindings of namespaces
// that are gone show as namespaces that are gone, and say nothing of the groups.
func (f *Finding) readSubjects(used []*binding, last *Grant) {
	if len(used) == 0 {
		f.Groups = []string{}
		if f.Namespaces != nil && last != nil {
			f.Groups = append(f.Groups, sorted(last.Groups)...)
		}
		return
	}
	counts := map[string]int{}
	for _, b := range used {
		for _, group := range sorted(groupsOf(b)) {
			counts[group]++
		}
	}
	f.Groups = []string{}
	for _, group := range slices.Sorted(maps.Keys(counts)) {
		known := last == nil || len(last.Groups) == 0 || slices.Contains(last.Groups, group)
		if counts[group] == len(used) && known {
			f.Groups = append(f.Groups, group)
		}
	}
	for _, b := range used {
		for _, subject := range b.subjects {
			group, isGroup := asGroup(subject)
			missingElsewhere := isGroup && last != nil && slices.Contains(last.Groups, group)
			if isGroup && slices.Contains(f.Groups, group) || missingElsewhere {
				continue
			}
			f.UnmanagedSubjects = append(f.UnmanagedSubjects, describeSubject(subject, b.Namespace))
		}
	}
	f.UnmanagedSubjects = sorted(f.UnmanagedSubjects)
}

func groupsOf(b *binding) []string {
	var groups []string
	for _, subject := range b.subjects {
		if group, ok := asGroup(subject); ok {
			groups = append(groups, group)
		}
	}
	return groups
}

func asGroup(subject rbacv1.Subject) (string, bool) {
	return subject.Name, subject.Kind == rbacv1.GroupKind && subject.APIGroup == rbacv1.GroupName
}

func describeSubject(subject rbacv1.Subject, namespace string) string {
	text := fmt.Sprintf("%s %q", subject.Kind, subject.Name)
	if subject.Namespace != "" {
		text = fmt.Sprintf("%s %q", subject.Kind, subject.Namespace+"/"+subject.Name)
	}
	if namespace != "" {
		text += " in namespace " + namespace
	}
	return text
}

// checkPairs tells when a binding's labels or annotations are not those of the role.
func (f *Finding) checkPairs(b *binding, what string, want, have map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(want)) {
		switch value, there := have[key]; {
		case !there:
			f.problem("%s lacks the %s %s=%s", b, what, key, want[key])
		case value != want[key]:
			f.problem("%s has the %s %s=%s instead of %s", b, what, key, value, want[key])
		}
	}
}
