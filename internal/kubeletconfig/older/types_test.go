package older_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	configv1 "k8s.io/kubelet/config/v1"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/older"
)

func TestDeepCopyObjectSharesNothing(t *testing.T) {
	build := func() *older.CredentialProviderConfig {
		return &older.CredentialProviderConfig{Providers: []older.CredentialProvider{{
			Name:                 "ak",
			MatchImages:          []string{"ak.test"},
			DefaultCacheDuration: &metav1.Duration{Duration: time.Hour},
			Args:                 []string{"--url=https://ak.test"},
			Env:                  []configv1.ExecEnvVar{{Name: "A", Value: "b"}},
		}, {}}}
	}
	original := build()
	copied := original.DeepCopyObject()
	if diff := cmp.Diff(original, copied); diff != "" {
		t.Fatalf("the copy differs:\n%s", diff)
	}
	provider := &original.Providers[0]
	provider.MatchImages[0], provider.Args[0], provider.Env[0].Value = "x", "x", "x"
	provider.DefaultCacheDuration.Duration = 0
	original.Providers[1].Name = "x"
	if diff := cmp.Diff(build(), copied); diff != "" {
		t.Errorf("the copy changed with its original:\n%s", diff)
	}
}
