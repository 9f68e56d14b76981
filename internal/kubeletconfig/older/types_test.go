package older_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
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

func TestV1KeepsEverything(t *testing.T) {
	file := &older.CredentialProviderConfig{}
	if got := file.V1(); got != nil {
		t.Errorf("absent providers became %v", got)
	}
	file.Providers = []older.CredentialProvider{{
		Name: "ak", MatchImages: []string{"ak.test"}, DefaultCacheDuration: &metav1.Duration{Duration: time.Hour},
		APIVersion: "credentialprovider.kubelet.k8s.io/v1beta1", Args: []string{}, Env: []configv1.ExecEnvVar{{Name: "A", Value: "b"}},
	}}
	want := []configv1.CredentialProvider{{
		Name: "ak", MatchImages: []string{"ak.test"}, DefaultCacheDuration: &metav1.Duration{Duration: time.Hour},
		APIVersion: "credentialprovider.kubelet.k8s.io/v1beta1", Args: []string{}, Env: []configv1.ExecEnvVar{{Name: "A", Value: "b"}},
	}}
	if diff := cmp.Diff(want, file.V1()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestSchemeKnowsBothVersions(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := older.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"v1beta1", "v1alpha1"} {
		kind := configv1.SchemeGroupVersion.WithKind("CredentialProviderConfig")
		kind.Version = version
		if !scheme.Recognizes(kind) {
			t.Errorf("%s is not known", kind)
		}
	}
}
