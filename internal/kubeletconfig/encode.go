package kubeletconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	yamlutil "k8s.io/apimachinery/pkg/util/yaml"
)

// Format is a way of writing the file. The kubelet reads both whatever the file is called.
type Format int

// The formats.
const (
	YAML Format = iota
	JSON
)

// String returns the format's name.
func (f Format) String() string {
	if f == JSON {
		return "JSON"
	}
	return "YAML"
}

// FormatOf returns the format that the name of a file asks for: JSON for the extension .json, YAML for any other.
func FormatOf(path string) Format {
	if strings.EqualFold(filepath.Ext(path), ".json") {
		return JSON
	}
	return YAML
}

// FormatOfText returns the format that the kubelet takes a text for: JSON when its first character is a brace.
func FormatOfText(text []byte) Format {
	if yamlutil.IsJSONBuffer(text) {
		return JSON
	}
	return YAML
}

// ErrNotText says that a string in a [Config] is not valid UTF-8, so that neither format can hold it.
var ErrNotText = errors.New("not valid UTF-8")

// Encode writes a file that [Decode] reads back as the same Config. The same input gives the same bytes: members come
// in a fixed order, absent ones are left out, durations are written in Go's canonical form (12h is 12h0m0s).
// The config is not validated. The error wraps [ErrNotText] and names the provider.
func Encode(config Config, format Format) ([]byte, error) {
	out := document{APIVersion: text(config.APIVersion), Kind: Kind}
	if config.Providers != nil {
		out.Providers = make(list[entry], len(config.Providers))
	}
	for i, provider := range config.Providers {
		if err := checkText(provider); err != nil {
			return nil, fmt.Errorf("providers[%d] %q: %w", i, provider.Name, err)
		}
		out.Providers[i] = newEntry(provider)
	}
	if !utf8.ValidString(config.APIVersion) {
		return nil, fmt.Errorf("apiVersion: %w", ErrNotText)
	}
	return marshal(out, format)
}

// EncodeProvider writes one provider alone: a YAML or JSON object as it stands in the list providers of a file, for
// tools that add an entry to a file of their own. See [Encode].
func EncodeProvider(provider Provider, format Format) ([]byte, error) {
	if err := checkText(provider); err != nil {
		return nil, fmt.Errorf("provider %q: %w", provider.Name, err)
	}
	return marshal(newEntry(provider), format)
}

func marshal(value any, format Format) ([]byte, error) {
	var out bytes.Buffer
	if format == JSON {
		encoder := json.NewEncoder(&out)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(value); err != nil {
			return nil, fmt.Errorf("encode JSON: %w", err)
		}
		return out.Bytes(), nil
	}
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encode YAML: %w", err)
	}
	if err := encoder.Close(); err != nil {
		return nil, fmt.Errorf("encode YAML: %w", err)
	}
	return out.Bytes(), nil
}

// list is left out of a document when it is nil and kept when it is empty.
type list[T any] []T

func (l list[T]) IsZero() bool { return l == nil }

// text is a string. YAML's block style, which the library takes for several lines, reads a tab at the beginning of a line for
// its indentation, so that such a text is quoted.
type text string

func (t text) MarshalYAML() (any, error) {
	if strings.Contains(string(t), "\n") && strings.Contains("\n"+string(t), "\n\t") {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: string(t), Style: yaml.DoubleQuotedStyle}, nil
	}
	return string(t), nil
}

// texts keeps nil and empty apart.
func texts(in []string) list[text] {
	if in == nil {
		return nil
	}
	out := make(list[text], len(in))
	for i, one := range in {
		out[i] = text(one)
	}
	return out
}

// document and the types below are the file in the order in which people read it. The public types of k8s.io/kubelet
// would do but for two things: YAML made from them is in alphabetical order, and an empty list is lost.
type document struct {
	APIVersion text        `json:"apiVersion" yaml:"apiVersion"`
	Kind       string      `json:"kind" yaml:"kind"`
	Providers  list[entry] `json:"providers,omitzero" yaml:"providers,omitempty"`
}

type entry struct {
	Name                 text              `json:"name" yaml:"name"`
	MatchImages          list[text]        `json:"matchImages,omitzero" yaml:"matchImages,omitempty"`
	DefaultCacheDuration *duration         `json:"defaultCacheDuration,omitempty" yaml:"defaultCacheDuration,omitempty"`
	APIVersion           text              `json:"apiVersion" yaml:"apiVersion"`
	Args                 list[text]        `json:"args,omitzero" yaml:"args,omitempty"`
	Env                  list[envEntry]    `json:"env,omitzero" yaml:"env,omitempty"`
	TokenAttributes      *attributesObject `json:"tokenAttributes,omitempty" yaml:"tokenAttributes,omitempty"`
}

type envEntry struct {
	Name  text `json:"name" yaml:"name"`
	Value text `json:"value" yaml:"value"`
}

type attributesObject struct {
	Audience               text       `json:"serviceAccountTokenAudience" yaml:"serviceAccountTokenAudience"`
	CacheType              text       `json:"cacheType" yaml:"cacheType"`
	RequireServiceAccount  *bool      `json:"requireServiceAccount,omitempty" yaml:"requireServiceAccount,omitempty"`
	RequiredAnnotationKeys list[text] `json:"requiredServiceAccountAnnotationKeys,omitzero" yaml:"requiredServiceAccountAnnotationKeys,omitempty"` //nolint:lll // The names are that long.
	OptionalAnnotationKeys list[text] `json:"optionalServiceAccountAnnotationKeys,omitzero" yaml:"optionalServiceAccountAnnotationKeys,omitempty"` //nolint:lll // The names are that long.
}

type duration time.Duration

func (d duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

func newEntry(p Provider) entry {
	out := entry{
		Name:                 text(p.Name),
		MatchImages:          texts(p.MatchImages),
		DefaultCacheDuration: (*duration)(p.DefaultCacheDuration),
		APIVersion:           text(p.APIVersion),
		Args:                 texts(p.Args),
	}
	if p.Env != nil {
		out.Env = make(list[envEntry], len(p.Env))
	}
	for i, variable := range p.Env {
		out.Env[i] = envEntry{Name: text(variable.Name), Value: text(variable.Value)}
	}
	if t := p.TokenAttributes; t != nil {
		out.TokenAttributes = &attributesObject{
			Audience:               text(t.ServiceAccountTokenAudience),
			CacheType:              text(t.CacheType),
			RequireServiceAccount:  t.RequireServiceAccount,
			RequiredAnnotationKeys: texts(t.RequiredServiceAccountAnnotationKeys),
			OptionalAnnotationKeys: texts(t.OptionalServiceAccountAnnotationKeys),
		}
	}
	return out
}

// checkText finds strings that an encoder would silently bend into valid UTF-8.
func checkText(p Provider) error {
	all := append([]string{p.Name, p.APIVersion}, p.MatchImages...)
	all = append(all, p.Args...)
	for _, variable := range p.Env {
		all = append(all, variable.Name, variable.Value)
	}
	if t := p.TokenAttributes; t != nil {
		all = append(all, t.ServiceAccountTokenAudience, t.CacheType)
		all = append(all, t.RequiredServiceAccountAnnotationKeys...)
		all = append(all, t.OptionalServiceAccountAnnotationKeys...)
	}
	for _, one := range all {
		if !utf8.ValidString(one) {
			return ErrNotText
		}
	}
	return nil
}
