// Package cluster talks to a Kubernetes API server about the things that make a cluster trusted by a registry: its
// OpenID Connect documents, tokens of ServiceAccounts, and the RBAC objects that let nodes ask for such tokens.
//
// It stands on client-go's rest and clientcmd with a scheme of its own. A connection is exactly what a [Config] says:
// there is no fallback to KUBECONFIG, to a file in the home directory, or to the account of a pod.
package cluster
