package cluster

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// advise says what to do about an error.
func (c *Client) advise(e *Error) string {
	switch {
	case e.Code == 0:
		return c.adviseUnanswered(e.cause)
	case e.location != "":
		return "Nothing was sent to " + e.location + ", because the credentials would have gone with it. API servers do not redirect: " +
			"something in between does. If the API server itself is there, name it in kubernetes.host; if it is a place to log in, " +
			"the way to the API server is another one."
	case e.Code == http.StatusUnauthorized, e.Code == http.StatusForbidden && strings.Contains(e.Message, `"system:anonymous"`):
		return c.adviseUnauthorized() // an API server that allows anonymous requests takes credentials of an unknown kind for none
	case IsForbidden(e):
		return adviseForbidden(e)
	case len(e.Conflicts) > 0:
		return "Somebody else keeps these fields as they are: " + managers(e.Conflicts) + ". Let one of the two own the object: " +
			"remove it from the other's configuration, or take it over with force_conflicts = true and expect the other to take it back."
	case IsModified(e):
		return "It was changed or replaced at this moment. Run it again."
	case e.Code == http.StatusNotFound && e.Reason == metav1.StatusReasonNotFound && e.Namespace != "" && !e.missing &&
		strings.HasPrefix(e.Message, "namespaces "):
		return fmt.Sprintf("Create namespace %q first; depends_on puts the two in order.", e.Namespace)
	case e.Reason == "":
		return "That is not how an API server answers: something in between did. Check that kubernetes.host leads to the API server itself."
	case e.Code == http.StatusTooManyRequests || e.Code >= 500:
		return "The API server has trouble of its own. Run it again later."
	}
	return ""
}

// adviseUnauthorized depends on how the client said who it is.
func (c *Client) adviseUnauthorized() string {
	switch c.identity {
	case byExec:
		return "The credential that the exec command printed was refused. Log in again with that command, and check that its arguments " +
			"name this cluster and an account that the cluster knows. It runs again at each plan and apply: nothing is kept in between."
	case byToken:
		return "The token is refused: it has expired, or is one for another cluster. A token from a data source is as old as the plan, " +
			"while exec runs a command again at apply."
	case byPassword:
		return "The user name and password are refused. API servers have had no basic authentication since Kubernetes 1.19."
	case byCertificate:
		return "The client certificate is refused: it has expired, or was signed by an authority that this cluster does not trust."
	case byPod:
		return "The pod's ServiceAccount token is refused: the ServiceAccount was deleted, or automountServiceAccountToken is off."
	}
	return "No credentials are given. Set kubernetes.token, kubernetes.exec, or kubernetes.client_certificate and client_key."
}

// adviseForbidden names the permission.
func adviseForbidden(e *Error) string {
	if e.Resource == "" {
		return "Some roles may read this address: bind one to the account, for instance with kubectl create clusterrolebinding NAME " +
			"--clusterrole=system:service-account-issuer-discovery --user=USER (or --serviceaccount=NAMESPACE:NAME)."
	}
	if strings.Contains(e.Message, "attempting to grant RBAC permissions not currently held") {
		return "Whoever applies a role must hold all that it grants, or the verb escalate on it; whoever binds one must hold all that it " +
			"grants, or the verb bind on it. Give the account the verbs escalate and bind on clusterroles of API group " +
			"rbac.authorization.k8s.io (resourceNames may narrow that to this name)."
	}
	verb := e.Verb
	if verb == "patch" {
		verb = "patch (and create, when the object does not exist yet)"
	}
	group := e.Group
	if group == "" {
		group = `""`
	}
	scope := "a ClusterRole and a ClusterRoleBinding"
	if e.Namespace != "" {
		scope = "a Role in namespace " + e.Namespace + " or a ClusterRole, and a binding"
	}
	return fmt.Sprintf("The account needs the verb %s on %s of API group %s: %s give it.", verb, e.Resource, group, scope)
}

// adviseUnanswered knows the usual reasons why there is no answer.
func (c *Client) adviseUnanswered(err error) string {
	var (
		authority x509.UnknownAuthorityError
		hostname  x509.HostnameError
		invalid   x509.CertificateInvalidError
		dns       *net.DNSError
		timeout   net.Error
	)
	switch text := err.Error(); {
	case strings.Contains(text, "getting credentials: "): // client-go wraps without %w
		return "The exec command of the connection gave no credential that can be used. Run it by hand; its own messages are in " +
			"the log (TF_LOG=WARN)."
	case errors.As(err, &authority):
		return "Put the certificate of the authority that signed the API server's into kubernetes.cluster_ca_certificate."
	case errors.As(err, &hostname):
		return "Use a name of the certificate in kubernetes.host, or put one into kubernetes.tls_server_name."
	case errors.As(err, &invalid):
		return "Renew the API server's certificate, or mend the clock of this machine."
	case strings.Contains(text, "remote error: tls: "):
		return "The API server refused the client certificate during the handshake."
	case strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return "Something that is not the API server listens there, or one without TLS: check kubernetes.host."
	case errors.As(err, &dns):
		return "The name does not resolve here: check kubernetes.host and whether a VPN is needed."
	case errors.Is(err, syscall.ECONNREFUSED):
		return "Nothing listens there: check kubernetes.host, and whether the cluster is up."
	case errors.Is(err, context.Canceled):
		return ""
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "No answer in time: check kubernetes.host, kubernetes.proxy_url, and whether a firewall or VPN is in between."
	}
	return ""
}
