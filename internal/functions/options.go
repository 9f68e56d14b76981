package functions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper"
)

// option is a member of the object of options.
type option struct {
	name        string
	description string
	// flag is the plugin's flag that the option becomes, or empty for what the kubelet is told.
	flag string
	// check gives the text to use, or says in a clause what is wrong with it. Nil takes every text.
	check func(text string) (string, error)
}

// options are in the order of the plugin's flags in its own help.
var options = []option{
	{name: "name", description: "file name of the plugin's binary, default `" + defaultName + "`"},
	{
		name: "provider_id", flag: "--provider-id", check: checkUUID,
		description: "id of the `aktrust_ci_oidc_provider`, which the registry otherwise finds by the token's issuer and audience",
	},
	{
		name: "ca_file", flag: "--ca-file", check: checkNodePath,
		description: "absolute path, on the node, of the PEM file of certificate authorities to trust for `url`",
	},
	{
		name: "timeout", flag: "--timeout", check: checkPositive,
		description: "how long the plugin waits for the registry, such as `10s`, which is its default. The kubelet ends it after a minute",
	},
	{
		name: "cache_margin", flag: "--cache-margin", check: checkNotNegative,
		description: "how long before the registry's credential expires the kubelet drops it, such as `60s`, which is the default",
	},
	{name: "log_level", flag: "--log-level", description: "how much the plugin logs, handed on as it is"},
	{
		name: "default_cache_duration", check: checkDuration,
		description: "for how long the kubelet keeps an answer without a duration, which this plugin does not give, default `" +
			defaultCacheDuration + "`",
	},
	{
		name: "cache_type",
		description: "`" + defaultCacheType + "` (default) when the pods of one ServiceAccount may share a credential, `Token` when " +
			"mappings look at claims that differ between them",
	},
}

// chosen is the object of options as it was given.
type chosen struct {
	// position is the place of the object among the arguments.
	position int64
	// values are the options that are not null, by name.
	values map[string]string
}

// or gives an option, or the default where it was not given.
func (c chosen) or(name, standard string) string {
	if value, ok := c.values[name]; ok {
		return value
	}
	return standard
}

// readOptions reads the arguments behind the required ones.
func readOptions(ctx context.Context, arguments []types.Dynamic) (chosen, *function.FuncError) {
	result := chosen{position: optionsPosition}
	for i, argument := range arguments {
		position := optionsPosition + int64(i)
		switch {
		case argument.IsNull() || argument.IsUnderlyingValueNull():
			continue
		case result.values != nil:
			return chosen{}, function.NewArgumentFuncError(position, "there can be one object of options only; put all options into it")
		}
		members, err := readMembers(ctx, argument)
		if err != nil {
			return chosen{}, function.NewArgumentFuncError(position, err.Error())
		}
		result = chosen{position: position, values: members}
	}
	return result, nil
}

// readMembers reads an object, or a map. The error is about the first member, by name, that cannot be used.
func readMembers(ctx context.Context, argument types.Dynamic) (map[string]string, error) {
	var members map[string]attr.Value
	switch object := argument.UnderlyingValue().(type) {
	case types.Object:
		members = object.Attributes()
	case types.Map:
		members = object.Elements()
	default:
		return nil, fmt.Errorf("has to be an object of options such as { timeout = \"20s\" }, but its type is %s", typeName(ctx, argument))
	}
	values := make(map[string]string, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		at := slices.IndexFunc(options, func(o option) bool { return o.name == name })
		if at < 0 {
			return nil, fmt.Errorf("there is no option %q; the options are %s", name, strings.Join(optionNames(), ", "))
		}
		if members[name].IsNull() {
			continue
		}
		text, ok := members[name].(types.String)
		if !ok {
			return nil, fmt.Errorf("%s has to be a string, but its type is %s", name, typeName(ctx, members[name]))
		}
		value, err := options[at].read(text.ValueString())
		if err != nil {
			return nil, fmt.Errorf("%s %w", name, err)
		}
		values[name] = value
	}
	return values, nil
}

func optionNames() []string {
	names := make([]string, len(options))
	for i, option := range options {
		names[i] = option.name
	}
	return names
}

// read gives the text to use. No option means anything when it is empty, and an empty flag is not an absent one.
func (o option) read(text string) (string, error) {
	switch {
	case text == "":
		return "", errors.New("is empty; leave it out, or make it null, for its default")
	case o.check == nil:
		return text, nil
	}
	return o.check(text)
}

// typeName names the type of a value without its elements, as the language does: string, number, list, object.
func typeName(ctx context.Context, value attr.Value) string {
	raw, err := value.ToTerraformValue(ctx)
	if err != nil {
		return "value of another type"
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(raw.Type().String(), "tftypes."), "[")
	return strings.ToLower(name)
}

// checkUUID takes a UUID in each form that the registry takes, and gives the one that everybody takes.
func checkUUID(text string) (string, error) {
	if uuid.Validate(text) != nil {
		return "", fmt.Errorf("is %q, which is not a UUID; use the id of an aktrust_ci_oidc_provider", text)
	}
	return artifactkeeper.CanonicalID(text), nil
}

// checkNodePath takes a path of the node, which runs Linux whatever runs here. A relative one would be looked up in the
// kubelet's working directory.
func checkNodePath(text string) (string, error) {
	switch {
	case strings.Contains(text, "-----BEGIN"):
		return "", errors.New("is the text of a certificate; bring it onto the nodes, and give the absolute path that it has there")
	case !path.IsAbs(text):
		return "", fmt.Errorf("is %q, which is not an absolute path; give the path that the file has on the node, such as "+
			"/etc/kubernetes/ak-ca.pem", text)
	}
	return text, nil
}

func checkDuration(text string) (string, error) {
	if _, err := parseDuration(text); err != nil {
		return "", err
	}
	return text, nil
}

func checkPositive(text string) (string, error) {
	duration, err := parseDuration(text)
	if err == nil && duration <= 0 {
		err = fmt.Errorf("is %q, and has to be more than nothing", text)
	}
	return text, err
}

func checkNotNegative(text string) (string, error) {
	duration, err := parseDuration(text)
	if err == nil && duration < 0 {
		err = fmt.Errorf("is %q, and cannot be less than nothing; \"0s\" is none", text)
	}
	return text, err
}

func parseDuration(text string) (time.Duration, error) {
	duration, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("is %q, which is not a duration; write one the way Go does, such as \"90s\", \"5m\" or \"12h\" (there is "+
			"no unit for days)", text)
	}
	return duration, nil
}
