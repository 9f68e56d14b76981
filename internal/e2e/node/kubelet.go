//go:build linux

package node

import (
	"fmt"
	"slices"

	"sigs.k8s.io/yaml"
)

// Kubelet says which kubelet a node has.
type Kubelet struct {
	// Binary is the path of the program.
	Binary string
	// Name is the node's, as the API server has it.
	Name string
	// Kubeconfig is the text of the kubeconfig with which the kubelet speaks to the API server.
	Kubeconfig string
	// Args are further flags.
	Args []string
}

// StartKubelet starts the node's kubelet, which registers the node by itself. It does not wait for that.
func (n *Node) StartKubelet(kubelet Kubelet) error {
	if err := reachable(kubelet.Binary); err != nil {
		return err
	}
	config, err := yaml.Marshal(n.kubeletConfig())
	if err != nil {
		return fmt.Errorf("write the kubelet's configuration: %w", err)
	}
	files := map[string][]byte{
		"kubelet.yaml": config,
		"kubeconfig":   []byte(kubelet.Kubeconfig),
		"resolv.conf":  nil, // the machine's own may lie in /run
	}
	for name, content := range files {
		if err := n.WriteFile(configDir+"/"+name, content, 0o600); err != nil {
			return err
		}
	}
	args := slices.Concat([]string{
		"--config=" + configDir + "/kubelet.yaml",
		"--kubeconfig=" + configDir + "/kubeconfig",
		"--hostname-override=" + kubelet.Name,
	}, kubelet.Args)
	n.kubelet, err = n.run("kubelet", kubelet.Binary, args...)
	return err
}

// kubeletConfig lets a kubelet run where it does not own the machine: without control groups for itself and for pods, with
// swap, with version 1 of control groups, on a disk that is nearly full, and without firewall rules or an open port.
func (n *Node) kubeletConfig() map[string]any {
	return map[string]any{
		"apiVersion":                    "kubelet.config.k8s.io/v1beta1",
		"kind":                          "KubeletConfiguration",
		"containerRuntimeEndpoint":      "unix://" + containerdSocket,
		"authentication":                map[string]any{"webhook": map[string]any{"enabled": false}},
		"authorization":                 map[string]any{"mode": "AlwaysAllow"}, // nobody can ask: no port is open
		"enableServer":                  false,
		"healthzPort":                   0,
		"resolvConf":                    configDir + "/resolv.conf",
		"volumePluginDir":               "/var/lib/kubelet/volumeplugins",
		"cgroupDriver":                  "cgroupfs",
		"cgroupRoot":                    "/" + n.name,
		"cgroupsPerQOS":                 false,
		"enforceNodeAllocatable":        []string{},
		"failSwapOn":                    false,
		"failCgroupV1":                  false,
		"makeIPTablesUtilChains":        false,
		"localStorageCapacityIsolation": false,
		"evictionHard": map[string]string{
			"memory.available": "1Mi", "nodefs.available": "1Mi", "nodefs.inodesFree": "1", "imagefs.available": "1Mi",
		},
		"imageGCHighThresholdPercent": 100,
	}
}
