package cluster

import (
	"context"
	"encoding/json"
	"strconv"
)

// Kubelet is a node and the version of its kubelet.
type Kubelet struct {
	Node string
	// Version is such as v1.34.3; empty while the kubelet has not reported.
	Version string
}

// nodesPerPage keeps answers in the low megabytes: a node lists up to 50 images.
const nodesPerPage = 100

// Kubelets lists the nodes with the versions of their kubelets, which needs the verb list on nodes.
func (c *Client) Kubelets(ctx context.Context) ([]Kubelet, error) {
	t := target{verb: "list", version: "v1", kind: "Node", resource: "nodes"}
	var all []Kubelet
	for next := ""; ; {
		request := t.on(c.rest.Get()).Param("limit", strconv.Itoa(nodesPerPage))
		if next != "" {
			request = request.Param("continue", next)
		}
		result, err := c.do(ctx, t, request)
		if err != nil {
			return nil, err
		}
		var list struct {
			Kind     string `json:"kind"`
			Metadata struct {
				Continue string `json:"continue"`
			} `json:"metadata"`
			Items []struct {
				Metadata struct {
					Name string `json:"name"`
				} `json:"metadata"`
				Status struct {
					NodeInfo struct {
						KubeletVersion string `json:"kubeletVersion"`
					} `json:"nodeInfo"`
				} `json:"status"`
			} `json:"items"`
		}
		text, err := result.Raw()
		if err != nil || json.Unmarshal(text, &list) != nil || list.Kind != "NodeList" {
			return nil, c.unfit(t, result, "not a list of nodes")
		}
		for _, node := range list.Items {
			all = append(all, Kubelet{Node: node.Metadata.Name, Version: node.Status.NodeInfo.KubeletVersion})
		}
		if next = list.Metadata.Continue; next == "" {
			return all, nil
		}
	}
}
