//go:build linux

package examples_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

const siteNamespace = "cluster-issuer"

var siteObjects = []string{
	"/api/v1/namespaces/" + siteNamespace,
	"/api/v1/namespaces/" + siteNamespace + "/configmaps/cluster-issuer",
	"/apis/apps/v1/namespaces/" + siteNamespace + "/deployments/cluster-issuer",
	"/apis/policy/v1/namespaces/" + siteNamespace + "/poddisruptionbudgets/cluster-issuer",
	"/api/v1/namespaces/" + siteNamespace + "/services/cluster-issuer",
	"/apis/networking.k8s.io/v1/namespaces/" + siteNamespace + "/ingresses/cluster-issuer",
}

func siteVariables(t *testing.T, plane *controlplane.ControlPlane, more map[string]any) map[string]any {
	t.Helper()
	v := map[string]any{
		"kubeconfig": kubeconfig(t, plane), "owner": "platform@example.com",
		"image": "docker.io/nginxinc/nginx-unprivileged@sha256:" + strings.Repeat("0", 64),
	}
	maps.Copy(v, more)
	return v
}

// The API server takes all objects as they are, and has them afterwards.
func TestStaticSiteServesBothDocuments(t *testing.T) {
	if !runs(t, "issuer-static-site") {
		return
	}
	plane := cluster(t)
	admin := plane.As(controlplane.Admin)
	out := outputs(t, "issuer-static-site", siteVariables(t, plane, map[string]any{
		"ingress_annotations": map[string]string{"cert-manager.io/cluster-issuer": "letsencrypt"},
	}))
	manifests := output[[]json.RawMessage](t, out, "manifests")
	same(t, "the number of objects", len(siteObjects), len(manifests))
	stored := map[string]map[string]any{}
	for i, object := range handed(t, out, "kubernetes.tf") {
		if !acctest.SameJSON(string(object), string(manifests[i])) {
			t.Errorf("%s: what is handed over is not the output", siteObjects[i])
		}
		if err := admin.Apply(t.Context(), siteObjects[i], "test", true, object); err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := admin.Get(t.Context(), siteObjects[i], &got); err != nil {
			t.Fatal(err)
		}
		want := decode[map[string]any](t, object)
		if where := lacks("", want, got); where != "" {
			t.Errorf("%s has another %s than was applied", siteObjects[i], where)
		}
		same(t, "the owner of "+siteObjects[i], any("platform@example.com"), at(got, "/metadata/annotations/aktrust~1owner"))
		stored[fmt.Sprint(want["kind"])] = got
	}
	pod := at(stored["Deployment"], "/spec/template/spec")
	podIsTaken(t, plane, pod)
	same(t, "a token in the pod", any(false), at(pod, "/automountServiceAccountToken"))
	same(t, "a file system that is read only", any(true), at(pod, "/containers/0/securityContext/readOnlyRootFilesystem"))
	documents := served(t, stored["ConfigMap"], stored["Ingress"])
	types := map[string]string{}
	for url, page := range documents {
		types[strings.TrimPrefix(url, plane.Issuer())] = page.ContentType
	}
	same(t, "what is served", map[string]string{
		"/.well-known/openid-configuration": "application/json", "/openid/v1/jwks": "application/jwk-set+json",
	}, types)
	client := &http.Client{Transport: documents}
	if err := consume(t, client, plane.Issuer(), tokenOf(t, plane, "team", "app", "somebody")); err != nil {
		t.Error(err)
	}
}

// lacks says where a value has something else than, or nothing of, what is wanted; more is fine.
func lacks(where string, want, got any) string {
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		for name, value := range want {
			if found := lacks(where+"."+name, value, object[name]); value != nil && found != "" {
				return found
			}
		}
	case []any:
		list, _ := got.([]any)
		if len(list) != len(want) {
			return where
		}
		for i, value := range want {
			if found := lacks(fmt.Sprintf("%s[%d]", where, i), value, list[i]); found != "" {
				return found
			}
		}
	default:
		if !reflect.DeepEqual(want, got) {
			return where
		}
	}
	return ""
}

// podIsTaken expects that the namespace, which is for restricted pods, takes such a pod.
func podIsTaken(t *testing.T, plane *controlplane.ControlPlane, spec any) {
	t.Helper()
	serviceAccount(t, plane, siteNamespace, "default")
	pods := "/api/v1/namespaces/" + siteNamespace + "/pods"
	pod := map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"generateName": "as-deployed-"}, "spec": spec}
	if err := plane.As(controlplane.Admin).Do(t.Context(), http.MethodPost, pods, pod, nil); err != nil {
		t.Error(err)
	}
	pod["spec"] = map[string]any{"containers": []any{map[string]any{"name": "main", "image": "nginx"}}}
	err := plane.As(controlplane.Admin).Do(t.Context(), http.MethodPost, pods, pod, nil)
	if err == nil || !strings.Contains(err.Error(), `violates PodSecurity "restricted`) {
		t.Errorf("any other pod is taken too: %v", err)
	}
}

var location = regexp.MustCompile(`(?s)location = /(\S+) \{\s+default_type (\S+);\s+alias\s+/site/(\S+);\s+}`)

// served are the documents by URL: those that the web server has at a path that the Ingress lets through.
func served(t *testing.T, configMap, ingress map[string]any) pages {
	t.Helper()
	files, _ := configMap["data"].(map[string]any)
	open := map[string]bool{}
	rule, _ := at(ingress, "/spec/rules/0").(map[string]any)
	paths, _ := at(rule, "/http/paths").([]any)
	for _, path := range paths {
		same(t, "the kind of path", any("Exact"), at(path, "/pathType"))
		open[strings.TrimPrefix(fmt.Sprint(at(path, "/path")), "/")] = true
	}
	same(t, "the host", at(ingress, "/spec/tls/0/hosts/0"), rule["host"])
	all := pages{}
	for _, match := range location.FindAllStringSubmatch(fmt.Sprint(files["nginx.conf"]), -1) {
		if open[match[1]] {
			all["https://"+fmt.Sprint(rule["host"])+"/"+match[1]] = document{ContentType: match[2], Content: fmt.Sprint(files[match[3]])}
		}
	}
	return all
}

func TestStaticSiteIsForPublicIssuers(t *testing.T) {
	if !runs(t, "issuer-static-site") {
		return
	}
	plane := anotherCluster(t) // Its issuer has a port.
	acctest.Says(t, example(t, "issuer-static-site", siteVariables(t, plane, nil)).Plan(1),
		"The cluster's issuer is "+plane.Issuer()+", which no Ingress answers to")
}
