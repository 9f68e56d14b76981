package kubeletconfig_test

import (
	"time"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
)

// full is a config that uses every member.
func full() kubeletconfig.Config {
	return kubeletconfig.Config{
		APIVersion: kubeletconfig.FileV1,
		Providers: []kubeletconfig.Provider{
			{
				Name:                 "ak-kubelet-provider",
				MatchImages:          []string{"ak.test", "*.ak.test:8443/team/"},
				DefaultCacheDuration: new(12 * time.Hour),
				APIVersion:           kubeletconfig.PluginV1,
				Args:                 []string{"--url=https://ak.test", "--log-level=info"},
				Env:                  []kubeletconfig.EnvVar{{Name: "AK_TIMEOUT", Value: "10s"}, {Name: "HTTPS_PROXY", Value: ""}},
				TokenAttributes: &kubeletconfig.TokenAttributes{
					ServiceAccountTokenAudience:          "artifact-keeper",
					CacheType:                            kubeletconfig.CacheTypeServiceAccount,
					RequireServiceAccount:                new(true),
					RequiredServiceAccountAnnotationKeys: []string{"ak.test/role"},
					OptionalServiceAccountAnnotationKeys: []string{"ak.test/team"},
				},
			},
			{
				Name:                 "ecr-credential-provider",
				MatchImages:          []string{"*.dkr.ecr.*.amazonaws.com"},
				DefaultCacheDuration: new(time.Duration(0)),
				APIVersion:           kubeletconfig.PluginV1,
			},
		},
	}
}

// changed returns full with one thing about its first provider changed.
func changed(change func(*kubeletconfig.Provider)) kubeletconfig.Config {
	config := full()
	change(&config.Providers[0])
	return config
}
