package functions_test

import (
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/functions"
)

const uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"

// entry runs ak_kubelet_provider with arguments that are good, but for options.
func entry(t *testing.T, options ...attr.Value) (map[string]attr.Value, *function.FuncError) {
	t.Helper()
	got, err := call(t, functions.NewAKKubeletProvider, text("https://ak.test"), text("artifact-keeper"), texts("ak.test"), variadic(options...))
	if err != nil {
		return nil, err
	}
	return got.(types.Object).Attributes(), nil
}

// minimal is the entry without options.
func minimal() map[string]attr.Value {
	return map[string]attr.Value{
		"name":                   text("ak-kubelet-provider"),
		"match_images":           texts("ak.test"),
		"default_cache_duration": text("5m"),
		"api_version":            text("credentialprovider.kubelet.k8s.io/v1"),
		"args":                   texts("--url=https://ak.test"),
		"env":                    types.MapNull(types.StringType),
		"token_attributes":       token("ServiceAccount"),
	}
}

func token(cacheType string) types.Object {
	return object(map[string]attr.Value{
		"service_account_token_audience":           text("artifact-keeper"),
		"cache_type":                               text(cacheType),
		"require_service_account":                  types.BoolValue(true),
		"required_service_account_annotation_keys": types.ListNull(types.StringType),
		"optional_service_account_annotation_keys": types.ListNull(types.StringType),
	})
}

func one(name string, value attr.Value) types.Object {
	return object(map[string]attr.Value{name: value})
}

func TestEntry(t *testing.T) {
	all := map[string]attr.Value{
		"cache_type": text("Token"), "default_cache_duration": text("90s"), "log_level": text("debug"), "cache_margin": text("0s"),
		"timeout": text("1m30s"), "ca_file": text("/etc/ak ca.pem"), "provider_id": text("URN:UUID:3F2504E0-4F89-41D3-9A0C-0305E82C3301"), "name": text("ak"),
	}
	nulls := map[string]attr.Value{}
	for name := range all {
		nulls[name] = types.StringNull()
	}
	nulls["timeout"] = types.DynamicNull()
	for name, c := range map[string]struct {
		options []attr.Value
		changed map[string]attr.Value
	}{
		"no options":     {nil, nil},
		"null":           {[]attr.Value{nil}, nil},
		"empty":          {[]attr.Value{object(nil)}, nil},
		"only nulls":     {[]attr.Value{object(nulls)}, nil},
		"null and one":   {[]attr.Value{nil, one("name", text("ak"))}, map[string]attr.Value{"name": text("ak")}},
		"one and a null": {[]attr.Value{one("name", text("ak")), types.ObjectNull(nil)}, map[string]attr.Value{"name": text("ak")}},
		"map": {
			[]attr.Value{types.MapValueMust(types.StringType, map[string]attr.Value{"timeout": text("5s")})},
			map[string]attr.Value{"args": texts("--url=https://ak.test", "--timeout=5s")},
		},
		"no caching": {[]attr.Value{one("default_cache_duration", text("0s"))}, map[string]attr.Value{"default_cache_duration": text("0s")}},
		// Flags come in one order, texts stay as they were written, a UUID is written as the registry does.
		"everything": {[]attr.Value{object(all)}, map[string]attr.Value{
			"name": text("ak"), "default_cache_duration": text("90s"), "token_attributes": token("Token"),
			"args": texts("--url=https://ak.test", "--provider-id="+uuid, "--ca-file=/etc/ak ca.pem", "--timeout=1m30s", "--cache-margin=0s", "--log-level=debug"),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := entry(t, c.options...)
			if err != nil {
				t.Fatal(err)
			}
			want := minimal()
			maps.Copy(want, c.changed)
			for name := range want {
				if !got[name].Equal(want[name]) {
					t.Errorf("%s is %s, want %s", name, got[name], want[name])
				}
			}
			if len(got) != len(want) {
				t.Errorf("got %d attributes, want %d", len(got), len(want))
			}
		})
	}
}

func TestRefusedOptions(t *testing.T) {
	for name, c := range map[string]struct {
		options []attr.Value
		says    []string
	}{
		"two objects":     {[]attr.Value{object(nil), object(nil)}, []string{"there can be one object of options only"}},
		"text":            {[]attr.Value{text("timeout=5s")}, []string{"has to be an object of options", "but its type is string"}},
		"list":            {[]attr.Value{texts("a")}, []string{"but its type is list"}},
		"unknown key":     {[]attr.Value{one("insecure_http", types.BoolValue(true))}, []string{`there is no option "insecure_http"`, "name, provider_id, ca_file, timeout, cache_margin, log_level, default_cache_duration, cache_type"}},
		"null of no key":  {[]attr.Value{one("url", types.StringNull())}, []string{`there is no option "url"`}},
		"number":          {[]attr.Value{one("timeout", types.Int64Value(10))}, []string{"timeout has to be a string, but its type is number"}},
		"bool":            {[]attr.Value{one("log_level", types.BoolValue(true))}, []string{"log_level has to be a string, but its type is bool"}},
		"object":          {[]attr.Value{one("cache_type", object(nil))}, []string{"cache_type has to be a string, but its type is object"}},
		"empty":           {[]attr.Value{one("provider_id", text(""))}, []string{"provider_id is empty; leave it out, or make it null"}},
		"map":             {[]attr.Value{types.MapValueMust(types.Int64Type, map[string]attr.Value{"timeout": types.Int64Value(1)})}, []string{"timeout has to be a string"}},
		"name":            {[]attr.Value{one("name", text("bin/ak"))}, []string{"provider name cannot contain '/'", "What to do: the name is the file name of the plugin's binary"}},
		"no UUID":         {[]attr.Value{one("provider_id", text("prod"))}, []string{`provider_id is "prod", which is not a UUID`}},
		"braces":          {[]attr.Value{one("provider_id", text("("+uuid+")"))}, []string{"is not a UUID"}},
		"relative":        {[]attr.Value{one("ca_file", text("certs/ca.pem"))}, []string{`ca_file is "certs/ca.pem", which is not an absolute path`}},
		"home":            {[]attr.Value{one("ca_file", text("~/ca.pem"))}, []string{"is not an absolute path"}},
		"PEM":             {[]attr.Value{one("ca_file", text("-----BEGIN CERTIFICATE-----\nMIIB\n"))}, []string{"ca_file is the text of a certificate"}},
		"no unit":         {[]attr.Value{one("timeout", text("10"))}, []string{`timeout is "10", which is not a duration`}},
		"zero":            {[]attr.Value{one("timeout", text("0s"))}, []string{`timeout is "0s", and has to be more than nothing`}},
		"negative margin": {[]attr.Value{one("cache_margin", text("-1s"))}, []string{`cache_margin is "-1s", and cannot be less than nothing`}},
		"days":            {[]attr.Value{one("cache_margin", text("1d"))}, []string{"is not a duration", "no unit for days"}},
		"negative cache":  {[]attr.Value{one("default_cache_duration", text("-5m"))}, []string{`providers.defaultCacheDuration: Invalid value: "-5m0s": must be greater than or equal to 0`}},
		"cache days":      {[]attr.Value{one("default_cache_duration", text("1d"))}, []string{`default_cache_duration is "1d", which is not a duration`}},
		"cache type":      {[]attr.Value{one("cache_type", text("serviceAccount"))}, []string{`Unsupported value: "serviceAccount": supported values: "ServiceAccount", "Token"`, "What to do: use ServiceAccount when"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := entry(t, c.options...)
			refusedAt(t, err, 2+int64(len(c.options)), c.says...)
			_, err = entry(t, append([]attr.Value{nil}, c.options...)...)
			refusedAt(t, err, 3+int64(len(c.options)), c.says...)
		})
	}
}

func TestURL(t *testing.T) {
	for address, want := range map[string]string{
		"https://ak.test":                       "",
		"https://ak.test/":                      "",
		"https://ak.test:8443/registry":         "",
		"https://[::1]:8443":                    "",
		"HTTPS://AK.test":                       "",
		"http://ak.test":                        "http:// is refused",
		"HTTP://hunter2@ak.test":                "http:// is refused",
		"ak.test":                               "has to begin with https://",
		"ak.test:8443":                          "has to begin with https://",
		"":                                      "has to begin with https://",
		" https://ak.test":                      "has to begin with https://",
		"ftp://ak.test":                         "has to begin with https://",
		"https://":                              "has no host",
		"https://:8443":                         "has no host",
		"https:///registry":                     "has no host",
		"https://ak.test:port":                  "is not a URL",
		"https://hunter2:hunter2@ak.test:hunt":  "is not a URL",
		"https://ak.test/ ":                     "is not a URL",
		"https://ak.test\n":                     "is not a URL",
		"https://user:hunter2@ak.test":          "has a user name or password",
		"https://hunter2@ak.test":               "has a user name or password",
		"https://ak.test?insecure=true":         "has a query or a fragment",
		"https://ak.test/?":                     "has a query or a fragment",
		"https://ak.test/#hunter2":              "has a query or a fragment",
		"https://user%zz:hunter2@ak.test/hello": "is not a URL",
	} {
		t.Run(address, func(t *testing.T) {
			got, err := call(t, functions.NewAKKubeletProvider, text(address), text("a"), texts("ak.test"), variadic())
			if want != "" {
				refusedAt(t, err, 0, want)
				acctest.Silent(t, err.Text, "hunter2")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if args := got.(types.Object).Attributes()["args"]; !args.Equal(texts("--url=" + address)) {
				t.Errorf("args are %s", args)
			}
		})
	}
}

func TestRefusedArguments(t *testing.T) {
	for name, c := range map[string]struct {
		audience string
		images   types.List
		position int64
		says     []string
	}{
		"no audience":     {"", texts("ak.test"), 1, []string{"providers.tokenAttributes.serviceAccountTokenAudience: Required value", "What to do: set the audience"}},
		"nothing at all":  {"", texts(), 1, []string{"serviceAccountTokenAudience"}},
		"no images":       {"a", texts(), 2, []string{"at least 1 item in matchImages is required", "What to do: name the registry"}},
		"broken patterns": {"a", texts("ak.test", "ak.test:*", ":x"), 2, []string{`Invalid value: "ak.test:*"`, `Invalid value: ":x"`, "What to do: write HOST[:PORT][/PATH]"}},
		"null pattern":    {"a", types.ListValueMust(types.StringType, []attr.Value{text("ak.test"), types.StringNull()}), 2, []string{"element 1 is null; leave it out"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := call(t, functions.NewAKKubeletProvider, text("https://ak.test"), text(c.audience), c.images, variadic())
			refusedAt(t, err, c.position, c.says...)
		})
	}
}
