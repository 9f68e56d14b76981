package kubeletconfig_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

const fullYAML = `apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
  - name: ak-kubelet-provider
    matchImages:
      - ak.test
      - '*.ak.test:8443/team/'
    defaultCacheDuration: 12h0m0s
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    args:
      - --url=https://ak.test
      - --log-level=info
    env:
      - name: AK_TIMEOUT
        value: 10s
      - name: HTTPS_PROXY
        value: ""
    tokenAttributes:
      serviceAccountTokenAudience: artifact-keeper
      cacheType: ServiceAccount
      requireServiceAccount: true
      requiredServiceAccountAnnotationKeys:
        - ak.test/role
      optionalServiceAccountAnnotationKeys:
        - ak.test/team
  - name: ecr-credential-provider
    matchImages:
      - '*.dkr.ecr.*.amazonaws.com'
    defaultCacheDuration: 0s
    apiVersion: credentialprovider.kubelet.k8s.io/v1
`

const fullJSON = `{
  "apiVersion": "kubelet.config.k8s.io/v1",
  "kind": "CredentialProviderConfig",
  "providers": [
    {
      "name": "ak-kubelet-provider",
      "matchImages": [
        "ak.test",
        "*.ak.test:8443/team/"
      ],
      "defaultCacheDuration": "12h0m0s",
      "apiVersion": "credentialprovider.kubelet.k8s.io/v1",
      "args": [
        "--url=https://ak.test",
        "--log-level=info"
      ],
      "env": [
        {
          "name": "AK_TIMEOUT",
          "value": "10s"
        },
        {
          "name": "HTTPS_PROXY",
          "value": ""
        }
      ],
      "tokenAttributes": {
        "serviceAccountTokenAudience": "artifact-keeper",
        "cacheType": "ServiceAccount",
        "requireServiceAccount": true,
        "requiredServiceAccountAnnotationKeys": [
          "ak.test/role"
        ],
        "optionalServiceAccountAnnotationKeys": [
          "ak.test/team"
        ]
      }
    },
    {
      "name": "ecr-credential-provider",
      "matchImages": [
        "*.dkr.ecr.*.amazonaws.com"
      ],
      "defaultCacheDuration": "0s",
      "apiVersion": "credentialprovider.kubelet.k8s.io/v1"
    }
  ]
}
`

func TestEncodeWritesMembersInReadingOrder(t *testing.T) {
	for format, want := range map[kubeletconfig.Format]string{kubeletconfig.YAML: fullYAML, kubeletconfig.JSON: fullJSON} {
		t.Run(format.String(), func(t *testing.T) {
			got, err := kubeletconfig.Encode(full(), format)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if _, err := kubeletconfig.Parse(got); err != nil {
				t.Errorf("the kubelet would refuse it: %v", err)
			}
		})
	}
}

func TestEncodeKeepsAbsentAndEmptyApart(t *testing.T) {
	configs := map[string]kubeletconfig.Config{
		"no providers":     {APIVersion: kubeletconfig.FileV1},
		"empty providers":  {APIVersion: kubeletconfig.FileV1, Providers: []kubeletconfig.Provider{}},
		"nothing set":      {APIVersion: kubeletconfig.FileV1, Providers: []kubeletconfig.Provider{{}}},
		"empty lists":      {APIVersion: kubeletconfig.FileV1, Providers: []kubeletconfig.Provider{{MatchImages: []string{}, Args: []string{}, Env: []kubeletconfig.EnvVar{}}}},
		"empty attributes": {APIVersion: kubeletconfig.FileV1, Providers: []kubeletconfig.Provider{{TokenAttributes: &kubeletconfig.TokenAttributes{}}}},
		"empty key lists": {APIVersion: kubeletconfig.FileV1, Providers: []kubeletconfig.Provider{{TokenAttributes: &kubeletconfig.TokenAttributes{
			RequireServiceAccount: new(false), RequiredServiceAccountAnnotationKeys: []string{}, OptionalServiceAccountAnnotationKeys: []string{},
		}}}},
		"everything": full(),
	}
	for name, config := range configs {
		t.Run(name, func(t *testing.T) { roundTrip(t, config) })
	}
}

func TestEncodeRoundTripsOlderVersions(t *testing.T) {
	for _, version := range kubeletconfig.FileVersions()[1:] {
		t.Run(version, func(t *testing.T) {
			config := changed(func(p *kubeletconfig.Provider) { p.TokenAttributes = nil })
			config.APIVersion = version
			roundTrip(t, config)
			roundTrip(t, kubeletconfig.Config{APIVersion: version})
		})
	}
}

func TestEncodeRefusesWhatIsNotText(t *testing.T) {
	const bad = "\xff"
	places := map[string]func(*kubeletconfig.Provider){
		"name":     func(p *kubeletconfig.Provider) { p.Name = bad },
		"pattern":  func(p *kubeletconfig.Provider) { p.MatchImages[1] = bad },
		"argument": func(p *kubeletconfig.Provider) { p.Args[0] = bad },
		"variable": func(p *kubeletconfig.Provider) { p.Env[1].Value = bad },
		"audience": func(p *kubeletconfig.Provider) { p.TokenAttributes.ServiceAccountTokenAudience = bad },
		"required": func(p *kubeletconfig.Provider) { p.TokenAttributes.RequiredServiceAccountAnnotationKeys[0] = bad },
		"optional": func(p *kubeletconfig.Provider) { p.TokenAttributes.OptionalServiceAccountAnnotationKeys[0] = bad },
	}
	for name, change := range places {
		t.Run(name, func(t *testing.T) {
			config := changed(change)
			if _, err := kubeletconfig.Encode(config, kubeletconfig.YAML); !errors.Is(err, kubeletconfig.ErrNotText) {
				t.Errorf("Encode: %v", err)
			}
			if _, err := kubeletconfig.EncodeProvider(config.Providers[0], kubeletconfig.JSON); !errors.Is(err, kubeletconfig.ErrNotText) {
				t.Errorf("EncodeProvider: %v", err)
			}
		})
	}
	if _, err := kubeletconfig.Encode(kubeletconfig.Config{APIVersion: bad}, kubeletconfig.JSON); !errors.Is(err, kubeletconfig.ErrNotText) {
		t.Errorf("a version: %v", err)
	}
}

func TestEncodeProviderIsAnElementOfTheList(t *testing.T) {
	got, err := kubeletconfig.EncodeProvider(full().Providers[1], kubeletconfig.YAML)
	if err != nil {
		t.Fatal(err)
	}
	const want = `name: ecr-credential-provider
matchImages:
  - '*.dkr.ecr.*.amazonaws.com'
defaultCacheDuration: 0s
apiVersion: credentialprovider.kubelet.k8s.io/v1
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	indented := "    " + strings.ReplaceAll(strings.TrimSpace(want), "\n", "\n    ")
	file := "apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\nproviders:\n  - " + strings.TrimSpace(indented)
	if _, err := kubeletconfig.Parse([]byte(file)); err != nil {
		t.Errorf("%v\n%s", err, file)
	}
}

func TestFormatOf(t *testing.T) {
	for path, want := range map[string]kubeletconfig.Format{
		"/etc/kubernetes/credential-providers.yaml": kubeletconfig.YAML,
		"config.yml":               kubeletconfig.YAML,
		"config":                   kubeletconfig.YAML,
		"config.json.bak":          kubeletconfig.YAML,
		"dir.json/config":          kubeletconfig.YAML,
		"/etc/eks/config.json":     kubeletconfig.JSON,
		"C:/kubelet/CONFIG.JSON":   kubeletconfig.JSON,
		"relative/x.config.json":   kubeletconfig.JSON,
		"/etc/kubernetes/.json":    kubeletconfig.JSON,
		"/etc/kubernetes/jsonfile": kubeletconfig.YAML,
	} {
		if got := kubeletconfig.FormatOf(path); got != want {
			t.Errorf("FormatOf(%q) = %s, want %s", path, got, want)
		}
	}
}
