package cluster

import "testing"

func TestIsAPIServerAudience(t *testing.T) {
	for audience, want := range map[string]bool{
		"https://kubernetes.default.svc":                     true,
		"https://kubernetes.default.svc.cluster.local":       true,
		"https://kubernetes.default.svc.corp.example":        true,
		"https://kubernetes.default.svc.k8s":                 true,
		"kubernetes.default.svc":                             true,
		"kubernetes.default.svc.cluster.local":               true,
		"https://kubernetes.default.svc/":                    false, // compared as it is, and nobody's default
		"https://kubernetes.default.svc.cluster.local/":      false,
		"https://kubernetes.default.svc.":                    false,
		"https://kubernetes.default.svc..local":              false,
		"https://kubernetes.default.svc.cluster.local:443/x": false,
		"https://kubernetes.default.svcs.example":            false,
		"https://kubernetes.default.svc-registry.example":    false,
		"https://registry.kubernetes.default.svc":            false,
		"http://kubernetes.default.svc":                      false,
		"https://https://kubernetes.default.svc":             false,
		"https://Kubernetes.default.svc":                     false,
		"https://kubernetes.default":                         false,
		"artifact-keeper":                                    false,
		"https://":                                           false,
		"":                                                   false,
	} {
		if got := IsAPIServerAudience(audience); got != want {
			t.Errorf("%q: %v, want %v", audience, got, want)
		}
	}
}
