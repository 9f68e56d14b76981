package controlplane

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

// Context is the name of the context, the cluster and the user in a Kubeconfig.
const Context = "test"

// Kubeconfig is a kubeconfig by which kubectl and the like speak as one of the control plane's users.
func (c *ControlPlane) Kubeconfig(user string) (string, error) {
	token := c.Token(user)
	if token == "" {
		return "", fmt.Errorf("the control plane has no user %q", user)
	}
	type object map[string]any
	text, err := yaml.Marshal(object{
		"apiVersion": "v1", "kind": "Config", "current-context": Context,
		"clusters": []object{{"name": Context, "cluster": object{
			"server": c.URL(), "certificate-authority-data": base64.StdEncoding.EncodeToString(c.pki.caPEM),
		}}},
		"users":    []object{{"name": Context, "user": object{"token": token}}},
		"contexts": []object{{"name": Context, "context": object{"cluster": Context, "user": Context}}},
	})
	return string(text), err
}

// WriteKubeconfig writes Kubeconfig to a file that only its owner may read, making the directory when it is missing.
func (c *ControlPlane) WriteKubeconfig(path, user string) error {
	text, err := c.Kubeconfig(user)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make the directory of the kubeconfig: %w", err)
	}
	return os.WriteFile(path, []byte(text), 0o600)
}
