package cluster

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
)

// IsAPIServerAudience tells whether tokens for an audience open API servers as they are commonly set up: the name of the
// API server's service inside the cluster, kubernetes.default.svc, alone or with the cluster's DNS domain, as an https URL
// or bare. Every pod holds a token for it.
//
// An API server takes what --api-audiences lists, or else its first --service-account-issuer. That is
// https://kubernetes.default.svc and the DNS domain (networking.dnsDomain) with kubeadm, and so with what builds on it,
// with k3s and with most installers; it is the bare name where the issuer was set up for Istio or Kubeflow. Registry
// 1.11 refuses the URL alone and with cluster.local. Whoever knows the cluster asks it: its issuer is the other default,
// and audiences are compared as they are, so that one with a slash behind it is not meant here.
func IsAPIServerAudience(audience string) bool {
	domain, ok := strings.CutPrefix(strings.TrimPrefix(audience, "https://"), "kubernetes.default.svc")
	if !ok || domain == "" {
		return ok
	}
	domain, ok = strings.CutPrefix(domain, ".")
	return ok && len(content.IsDNS1123Subdomain(domain)) == 0 // what a cluster's domain has to be, to kubeadm
}
