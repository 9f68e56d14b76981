// Package older holds the types of the file in its versions before v1, for the decoder of kubeletconfig alone.
//
// The public packages k8s.io/kubelet/config/v1beta1 and v1alpha1 would do, but they hold the KubeletConfiguration as
// well and draw in the kubelet's logging and tracing. The names of these types are those of the originals, because the
// decoder's errors repeat them.
package older

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	configv1 "k8s.io/kubelet/config/v1"
)

// CredentialProviderConfig is the file in v1beta1 and v1alpha1, which are v1 without tokenAttributes.
type CredentialProviderConfig struct {
	metav1.TypeMeta `json:",inline"`

	Providers []CredentialProvider `json:"providers"`
}

// CredentialProvider is one provider of a [CredentialProviderConfig].
type CredentialProvider struct {
	Name                 string                `json:"name"`
	MatchImages          []string              `json:"matchImages"`
	DefaultCacheDuration *metav1.Duration      `json:"defaultCacheDuration"`
	APIVersion           string                `json:"apiVersion"`
	Args                 []string              `json:"args,omitempty"`
	Env                  []configv1.ExecEnvVar `json:"env,omitempty"`
}

// AddToScheme makes a scheme know both versions.
func AddToScheme(scheme *runtime.Scheme) error {
	for _, version := range []string{"v1beta1", "v1alpha1"} {
		scheme.AddKnownTypes(schema.GroupVersion{Group: configv1.GroupName, Version: version}, &CredentialProviderConfig{})
	}
	return nil
}

// DeepCopyObject is what a scheme asks of its types.
func (c *CredentialProviderConfig) DeepCopyObject() runtime.Object {
	copied := &CredentialProviderConfig{TypeMeta: c.TypeMeta, Providers: slices.Clone(c.Providers)}
	for i, p := range copied.Providers {
		copied.Providers[i].MatchImages = slices.Clone(p.MatchImages)
		copied.Providers[i].Args = slices.Clone(p.Args)
		copied.Providers[i].Env = slices.Clone(p.Env)
		if p.DefaultCacheDuration != nil {
			duration := *p.DefaultCacheDuration
			copied.Providers[i].DefaultCacheDuration = &duration
		}
	}
	return copied
}

// V1 returns the providers as version v1 holds them, sharing their lists; absent providers stay nil.
func (c *CredentialProviderConfig) V1() []configv1.CredentialProvider {
	if c.Providers == nil {
		return nil
	}
	providers := make([]configv1.CredentialProvider, len(c.Providers))
	for i, p := range c.Providers {
		providers[i] = configv1.CredentialProvider{
			Name: p.Name, MatchImages: p.MatchImages, DefaultCacheDuration: p.DefaultCacheDuration,
			APIVersion: p.APIVersion, Args: p.Args, Env: p.Env,
		}
	}
	return providers
}
