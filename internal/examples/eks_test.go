//go:build linux

package examples_test

import (
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

const (
	eksBinDir = "/etc/eks/image-credential-provider"
	eksConfig = "/etc/eks/image-credential-provider/config.json"
	eksOurs   = "/etc/aktrust/credential-provider.json"
	// nodeadmWrote has the layout of what nodeadm writes, and fewer patterns.
	nodeadmWrote = `{
  "apiVersion": "kubelet.config.k8s.io/v1",
  "kind": "CredentialProviderConfig",
  "providers": [
    {
      "name": "ecr-credential-provider",
      "matchImages": [
        "*.dkr.ecr.*.amazonaws.com",
        "public.ecr.aws"
      ],
      "defaultCacheDuration": "12h0m0s",
      "apiVersion": "credentialprovider.kubelet.k8s.io/v1"
    }
  ]
}`
)

type part struct{ contentType, body string }

// parts are those of a MIME document, as cloud-init and nodeadm see it.
func parts(t *testing.T, document string) []part {
	t.Helper()
	message, err := mail.ReadMessage(strings.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	kind, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/mixed" {
		t.Fatalf("the document is of type %q (%v)", kind, err)
	}
	var found []part
	reader := multipart.NewReader(message.Body, parameters["boundary"])
	for {
		next, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(next)
		if err != nil {
			t.Fatal(err)
		}
		kind, _, err := mime.ParseMediaType(next.Header.Get("Content-Type"))
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, part{kind, string(body)})
	}
}

type nodeConfig struct {
	APIVersion, Kind string
	Spec             struct {
		Cluster *struct{ Name, APIServerEndpoint, CertificateAuthority, CIDR string }
		Kubelet struct{ Flags []string }
	}
}

// eksUserData is the script and the NodeConfig in the user data that the launch template is given.
func eksUserData(t *testing.T, variables map[string]any) (string, nodeConfig) {
	t.Helper()
	out := outputs(t, "eks-al2023", variables)
	document, err := base64.StdEncoding.DecodeString(decode[string](t, handed(t, out, "aws.tf")[0]))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the user data", output[string](t, out, "user_data"), string(document))
	found := parts(t, string(document))
	if len(found) != 2 || found[0].contentType != "text/x-shellscript" || found[1].contentType != "application/node.eks.aws" {
		t.Fatalf("the parts are %v", found)
	}
	if !strings.HasPrefix(found[0].body, "#!/usr/bin/env bash\n") {
		t.Error("cloud-init runs nothing that does not begin with #!")
	}
	var config nodeConfig
	if err := yaml.UnmarshalStrict([]byte(found[1].body), &config); err != nil {
		t.Fatal(err)
	}
	same(t, "the kind", "node.eks.aws/v1alpha1 NodeConfig", config.APIVersion+" "+config.Kind)
	return found[0].body, config
}

// eksNode is a node on which nodeadm has written its configuration, and which starts the kubelet with it and with the
// flags of the NodeConfig behind its own.
func eksNode(t *testing.T, wrote string, config nodeConfig) *machine {
	t.Helper()
	m := newMachine(t)
	writeFile(t, m.root+eksConfig, wrote, 0o644)
	writeFile(t, m.root+eksBinDir+"/ecr-credential-provider", anyProgram, 0o755)
	m.flags = func() []string {
		return m.below(append(kubeletconfig.Args(eksConfig, eksBinDir), config.Spec.Kubelet.Flags...))
	}
	return m
}

// boots starts the kubelet and expects that it has taken the second file.
func (m *machine) boots(t *testing.T) string {
	t.Helper()
	if err := m.restart(); err != nil {
		t.Fatal(err)
	}
	text := readFile(t, m.root+eksOurs)
	m.kubelet.has(t, text)
	return text
}

func names(config kubeletconfig.Config) []string {
	var found []string
	for _, provider := range config.Providers {
		found = append(found, provider.Name)
	}
	return found
}

func TestEKSNodesReadTheEntryBehindECRs(t *testing.T) {
	script, config := eksUserData(t, variables())
	for name, wrote := range map[string]string{
		"as nodeadm writes it": nodeadmWrote,
		"on one line":          strings.Join(strings.Fields(nodeadmWrote), ""),
		"with a line behind":   nodeadmWrote + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			m := eksNode(t, wrote, config)
			m.succeeds(script, "")
			text := m.boots(t)
			parsed := parse(t, text)
			same(t, "the providers", []string{"ecr-credential-provider", "ak-kubelet-provider"}, names(parsed))
			if !parsed.Providers[0].Equal(parse(t, wrote).Providers[0]) {
				t.Errorf("EKS's own entry has changed:\n%s", text)
			}
			same(t, "the node", map[string]string{
				eksConfig: "0644 " + wrote, eksOurs: "0644 " + text, eksBinDir + "/ecr-credential-provider": "0755 " + anyProgram,
				eksBinDir + "/ak-kubelet-provider": "0755 " + plugin(),
			}, m.files())
		})
	}
}

// A node on which something goes wrong joins all the same, with EKS's own configuration.
func TestEKSNodesJoinWhateverHappens(t *testing.T) {
	script, config := eksUserData(t, variables())
	for name, c := range map[string]struct{ script, wrote, says string }{
		"no plugin to download": {spoil(t, script, "/ak-kubelet-provider'", "/gone'"), nodeadmWrote, "the plugin cannot be downloaded"},
		"members in another order": {
			script, spoil(t, spoil(t, nodeadmWrote, "\n  ]\n}", "\n  ],\n  \"kind\": \"CredentialProviderConfig\"\n}"),
				"  \"kind\": \"CredentialProviderConfig\",\n  \"providers", "  \"providers"),
			"does not end in the list of providers",
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := eksNode(t, c.wrote, config)
			m.fails(c.script, c.says)
			same(t, "the kubelet's file", c.wrote, m.boots(t))
		})
	}
}

func TestEKSNodesWithACluster(t *testing.T) {
	with := variables()
	with["cluster"] = map[string]string{
		"name": "prod", "api_server_endpoint": "https://ABC.gr7.eu-west-1.eks.amazonaws.com",
		"certificate_authority": "Q0E=", "cidr": "10.100.0.0/16",
	}
	with["node_ca_file"] = "/etc/pki/ak.pem"
	script, config := eksUserData(t, with)
	if cluster := config.Spec.Cluster; cluster == nil || cluster.Name != "prod" || cluster.CIDR != "10.100.0.0/16" {
		t.Errorf("the cluster is %v", cluster)
	}
	same(t, "the flags", kubeletconfig.Args(eksOurs, ""), config.Spec.Kubelet.Flags)
	acctest.Says(t, script, "--ca-file=/etc/pki/ak.pem")
	if _, without := eksUserData(t, variables()); without.Spec.Cluster != nil {
		t.Error("there is a cluster that was not given")
	}
}

// The other way that the guide names: EKS's own directory, with a file next to EKS's.
func TestKubeletReadsEKSsDirectory(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir+"/config.json", nodeadmWrote, 0o644)
	writeFile(t, dir+"/ak-kubelet-provider.yaml", soundFile, 0o644)
	for _, name := range []string{"ecr-credential-provider", "ak-kubelet-provider"} {
		writeFile(t, dir+"/"+name, anyProgram, 0o755)
	}
	k := startKubelet(t, kubeletconfig.Args(dir, dir)...)
	if want := kubeletconfig.Hash([]byte(soundFile), []byte(nodeadmWrote)); k.hash != want {
		t.Errorf("the kubelet has taken %q, want %q:\n%s", k.hash, want, k.says(t))
	}
}
