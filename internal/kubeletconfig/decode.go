package kubeletconfig

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	configv1 "k8s.io/kubelet/config/v1"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/older"
)

var (
	scheme = newScheme()
	codecs = serializer.NewCodecFactory(scheme, serializer.EnableStrict)
)

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(configv1.AddToScheme(s))
	utilruntime.Must(older.AddToScheme(s))
	return s
}

// DecodeError says that the kubelet cannot read a file as a CredentialProviderConfig.
type DecodeError struct {
	// Message is what the kubelet says after `error decoding config "PATH": `. Where its text would repeat the whole
	// file, the file is left out, because an environment in it may hold secrets.
	Message string
	// Remedy is what to do about it, or empty where the message says it all.
	Remedy string
	cause  error
}

func (e *DecodeError) Error() string { return e.Message }

// Advice returns the remedy.
func (e *DecodeError) Advice() string { return e.Remedy }

// Unwrap returns the decoder's error.
func (e *DecodeError) Unwrap() error { return e.cause }

// Parse does all that the kubelet does with the bytes of its file at start: it decodes and validates them.
// The error is a [*DecodeError] or a [*ValidationError], and its text is the kubelet's.
func Parse(data []byte) (Config, error) {
	config, err := Decode(data)
	if err != nil {
		return Config{}, err
	}
	if err := Validate(config); err != nil {
		return Config{}, err
	}
	return config, nil
}

// Decode reads YAML or JSON with the kubelet's own strictness: members that are unknown, differ in case or come twice
// are errors, and so is JSON with anything behind it. Of several YAML documents only the first is read.
// The result is not validated; the error is a [*DecodeError].
func Decode(data []byte) (Config, error) {
	object, _, err := codecs.UniversalDeserializer().Decode(data, nil, nil)
	if err != nil {
		return Config{}, newDecodeError(err)
	}
	switch file := object.(type) {
	case *configv1.CredentialProviderConfig:
		return fromFile(FileV1, file.Providers), nil
	case *older.CredentialProviderConfig:
		return fromFile(file.APIVersion, file.V1()), nil
	default:
		return Config{}, newDecodeError(fmt.Errorf("unable to convert %T to *%s", object, Kind))
	}
}

func fromFile(version string, providers []configv1.CredentialProvider) Config {
	config := Config{APIVersion: version}
	if providers != nil {
		config.Providers = make([]Provider, len(providers))
	}
	for i, p := range providers {
		config.Providers[i] = Provider{
			Name:                 p.Name,
			MatchImages:          p.MatchImages,
			DefaultCacheDuration: fromDuration(p.DefaultCacheDuration),
			APIVersion:           p.APIVersion,
			Args:                 p.Args,
			TokenAttributes:      fromTokenAttributes(p.TokenAttributes),
		}
		if p.Env != nil {
			config.Providers[i].Env = make([]EnvVar, len(p.Env))
		}
		for j, variable := range p.Env {
			config.Providers[i].Env[j] = EnvVar(variable)
		}
	}
	return config
}

func fromDuration(d *metav1.Duration) *time.Duration {
	if d == nil {
		return nil
	}
	return &d.Duration
}

func fromTokenAttributes(t *configv1.ServiceAccountTokenAttributes) *TokenAttributes {
	if t == nil {
		return nil
	}
	return &TokenAttributes{
		ServiceAccountTokenAudience:          t.ServiceAccountTokenAudience,
		CacheType:                            string(t.CacheType),
		RequireServiceAccount:                t.RequireServiceAccount,
		RequiredServiceAccountAnnotationKeys: t.RequiredServiceAccountAnnotationKeys,
		OptionalServiceAccountAnnotationKeys: t.OptionalServiceAccountAnnotationKeys,
	}
}

// newDecodeError keeps the decoder's words, without the copy of the file that two of its errors carry.
func newDecodeError(err error) *DecodeError {
	message := err.Error()
	switch {
	case runtime.IsMissingKind(err):
		message = "Object 'Kind' is missing"
	case runtime.IsMissingVersion(err):
		message = "Object 'apiVersion' is missing"
	}
	return &DecodeError{Message: message, Remedy: decodeRemedy(err), cause: err}
}

// remedies are tried in order; the texts on the left are those of encoding/json, of the YAML reader, of the time
// package and of apimachinery's strict decoder.
var remedies = []struct{ text, remedy string }{
	{`tokenAttributes"`, "tokenAttributes exist only in files of apiVersion " + FileV1},
	{"unknown field", "check the spelling, upper and lower case included: the kubelet takes no member that it does not know"},
	{"already set in map", "remove one of the two members"},
	{"duplicate field", "remove one of the two members"},
	{"ExecEnvVar.providers.env.value", "put the value in quotes: every value of an environment is a string"},
	{"defaultCacheDuration of type string", `write the duration as a string with its unit, such as "5m"`},
	{"duration", `write a duration the way Go does, such as "90s", "5m" or "12h"; there is no unit for days`},
	{"tab character", "indent with spaces"},
	{"after top-level value", "a JSON file must end with the object's closing brace"},
}

func decodeRemedy(err error) string {
	header := "the file must start with apiVersion: " + FileV1 + " and kind: " + Kind
	switch {
	case runtime.IsMissingKind(err), runtime.IsMissingVersion(err):
		return header + "; of several YAML documents only the first is read"
	case runtime.IsNotRegisteredError(err):
		return header + " (older versions: " + strings.Join(FileVersions()[1:], ", ") + ")"
	}
	for _, r := range remedies {
		if strings.Contains(err.Error(), r.text) {
			return r.remedy
		}
	}
	return ""
}
