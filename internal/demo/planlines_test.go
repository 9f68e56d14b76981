package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// drifted is a plan as OpenTofu and Terraform print it, with all that has to be told apart.
const drifted = `data.aktrust_cluster_jwks.this: Reading...
aktrust_ci_oidc_provider.cluster: Refreshing state... [id=cbea3d50-52d0-4504-b7fe-529278e40598]

Note: Objects have changed outside of OpenTofu

  # aktrust_ci_oidc_provider.cluster has changed
  ~ resource "aktrust_ci_oidc_provider" "cluster" {
      ~ key_ids       = [
          - "outside",
        ]
    }

OpenTofu will perform the following actions:

  # aktrust_ci_oidc_mapping.team will be updated in-place
  ~ resource "aktrust_ci_oidc_mapping" "team" {
      ~ claim_filters            = {
          ~ "/kubernetes.io/namespace" = [
              - "team",
              - "sandbox",
            ] -> "team"
        }
        id                       = "01adef1b-95af-4381-b599-3abf9f645160"
      + priority                 = 100
        # (6 unchanged attributes hidden)
    }

  # aktrust_ci_oidc_provider.cluster will be updated in-place
  ~ resource "aktrust_ci_oidc_provider" "cluster" {
        id            = "707157dd-bd96-4fb3-a7af-4b72dca752ab"
      ~ key_ids       = [
          - "old",
            "kept",
          + "new",
            # (1 unchanged element hidden)
        ]
        name          = "demo"
      ~ static_jwks   = jsonencode(
          ~ {
              ~ keys = [
                  + {
                      + kid = "new"
                    },
                ]
            }
        )
    }

  # aktrust_ci_oidc_provider.cluster2 will be destroyed
  - resource "aktrust_ci_oidc_provider" "cluster2" {
      - key_ids       = [
          - "other",
        ] -> null
    }

  # aktrust_credential_provider_config.kubelet must be replaced
-/+ resource "aktrust_credential_provider_config" "kubelet" {
      ~ id                   = "a" -> "b"
      ~ providers            = [
          ~ {
              ~ default_cache_duration = "720h" -> "5m"
                name                   = "ak-kubelet-provider"
                # (4 unchanged attributes hidden)
            },
        ]
    }

Plan: 0 to add, 3 to change, 0 to destroy.

Changes to Outputs:
  ~ key_ids      = [
      + "output",
    ]
`

func TestPlanLines(t *testing.T) {
	for name, test := range map[string]struct {
		address    string
		attributes []string
		want       string
	}{
		"keys of a rotation": {"aktrust_ci_oidc_provider.cluster", []string{"key_ids"}, `
~ key_ids = [
    - "old",
    + "new",
  ]`},
		"nested": {"aktrust_ci_oidc_mapping.team", []string{"claim_filters"}, `
~ claim_filters = {
    ~ "/kubernetes.io/namespace" = [
        - "team",
        - "sandbox",
      ] -> "team"
  }`},
		"several": {"aktrust_ci_oidc_mapping.team", []string{"priority", "claim_filters"}, `
~ claim_filters = {
    ~ "/kubernetes.io/namespace" = [
        - "team",
        - "sandbox",
      ] -> "team"
  }
+ priority = 100`},
		"JSON text": {"aktrust_ci_oidc_provider.cluster", []string{"static_jwks"}, `
~ static_jwks = jsonencode(
    ~ {
        ~ keys = [
            + {
                + kid = "new"
              },
          ]
      }
  )`},
		"replaced": {"aktrust_credential_provider_config.kubelet", []string{"providers"}, `
~ providers = [
    ~ {
        ~ default_cache_duration = "720h" -> "5m"
      },
  ]`},
		"destroyed":                 {"aktrust_ci_oidc_provider.cluster2", []string{"key_ids"}, "\n- key_ids = [\n    - \"other\",\n  ] -> null"},
		"attribute without changes": {"aktrust_ci_oidc_mapping.team", []string{"id", "key_ids"}, ""},
		"resource without changes":  {"aktrust_node_audience.registry", []string{"groups"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := planLines(drifted, test.address, test.attributes...)
			if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), strings.Join(got, "\n")); diff != "" {
				t.Errorf("picked (-want +got):\n%s", diff)
			}
		})
	}
	if got := planLines("No changes.\n", "aktrust_ci_oidc_provider.cluster", "key_ids"); got != nil {
		t.Errorf("picked %q from an empty plan", got)
	}
}

func TestLineWith(t *testing.T) {
	const out = "\nx\n  Apply complete! Resources: 1 added.\nApply complete! again\n"
	if got := lineWith(out, "complete!"); got != "Apply complete! Resources: 1 added." {
		t.Errorf("found %q", got)
	}
	if got := lineWith(out, "missing"); got != "missing" {
		t.Errorf("found %q", got)
	}
}
