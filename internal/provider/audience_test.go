package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
	"github.com/aktrust/terraform-provider-aktrust/internal/artifactkeeper/emulator"
)

// The objects of a chain, each with an expression for its audience and further arguments.

func trusted(audience string, more ...string) string {
	arguments := strings.Join(more, "\n")
	for _, fallback := range []string{`name = "prod"`, `provider_type = "kubernetes"`} {
		if name, _, _ := strings.Cut(fallback, "="); !strings.Contains(arguments, name) {
			arguments += "\n" + fallback
		}
	}
	return "resource \"aktrust_ci_oidc_provider\" \"p\" {\n  issuer_url = \"https://oidc.example.com\"\n  audience = " + audience + "\n" + arguments + "\n}\n"
}

func requested(audience string, more ...string) string {
	return "resource \"aktrust_node_audience\" \"r\" {\n  audience = " + audience + "\n" + strings.Join(more, "\n") + "\n}\n"
}

// asked is the kubelet's file, with one entry for each audience.
func asked(more string, audiences ...string) string {
	return "resource \"aktrust_credential_provider_config\" \"f\" {\n  path = \"kubelet.yaml\"\n  providers = " + askers(audiences...) + "\n" + more + "\n}\n"
}

func rendered(audiences ...string) string {
	return "data \"aktrust_credential_provider_config\" \"f\" {\n  providers = " + askers(audiences...) + "\n}\n"
}

func askers(audiences ...string) string {
	var entries []string
	for i, audience := range audiences {
		token := fmt.Sprintf("{\n service_account_token_audience = %s\n cache_type = \"Token\"\n require_service_account = true\n}", audience)
		if audience == "" {
			token = "null"
		}
		entries = append(entries, fmt.Sprintf("{\n name = \"plugin-%d\"\n match_images = [\"ak.test\"]\n default_cache_duration = \"1h\"\n "+
			"token_attributes = %s\n}", i, token))
	}
	return "[" + strings.Join(entries, ", ") + "]"
}

// known is a text that is known only once another resource was made.
func known(later string) string {
	return "resource \"terraform_data\" \"later\" {\n  input = " + later + "\n}\n"
}

const (
	later       = "terraform_data.later.output"
	byReference = "aktrust_ci_oidc_provider.p.audience"

	// What warnings of two audiences say.
	fileAndNodes    = `Warning: The kubelet's file asks for tokens of "b", but nodes may request tokens of "a"`
	fileAndProvider = `Warning: The kubelet's file asks for tokens of "b", but the registry takes tokens of "a"`
	nodesAndTrusted = `Warning: Nodes may request tokens of "b", but the registry takes tokens of "a"`
)

// One plan that makes everything: where both ends of a link are known, a mismatch is named, and nothing else is.
func TestAudiencesOfOnePlan(t *testing.T) {
	const none = "resource \"terraform_data\" \"none\" {}\n"
	for _, c := range []struct {
		name, config string
		says         []string // nothing for no warning
	}{
		{"all equal", trusted(`"a"`) + requested(`"a"`) + asked("", `"a"`), nil},
		{"all by reference", trusted(`"a"`) + requested(byReference) + asked("", byReference), nil},
		{"the default by reference", trusted("null") + requested(byReference) + asked("", byReference), nil},
		{"file and nodes", requested(`"a"`) + asked("", `"b"`), []string{fileAndNodes,
			`in the credential provider config kubelet.yaml, and "a" in the node audience "a" (ClusterRole aktrust-audience-a-`,
			"aktrust_ci_oidc_provider.NAME.audience"}},
		{"nodes and registry", trusted(`"a"`) + requested(`"b"`), []string{nodesAndTrusted, `in the CI OIDC provider "prod"`}},
		{"file and registry", trusted(`"a"`) + asked("", `"b"`), []string{fileAndProvider}},
		{"the file alone", trusted(`"a"`) + requested(`"a"`) + asked("", `"b"`), []string{fileAndNodes, fileAndProvider}},
		{"names to come", known(`"x"`) + trusted(`"a"`, "name = "+later) + strings.Replace(asked("", `"b"`), `"kubelet.yaml"`, later, 1),
			[]string{"in a credential provider config whose path is not known yet,", "in a CI OIDC provider whose name is not known yet."}},
		{"the default", trusted("null") + asked("", `"b"`), []string{`but the registry takes tokens of "artifact-keeper"`}},
		{"upper and lower case", requested(`"Registry"`) + asked("", `"registry"`), []string{"They differ by upper and lower case alone"}},
		{"several ways", trusted(`"https://ak.test/"`) + asked("", `"ak.test "`),
			[]string{`"ak.test "`, "They differ by white space, the scheme in front and a trailing slash alone"}},
		{"an entry among others", requested(`"a"`) + asked("", "", `"b"`), []string{fileAndNodes}},
		{"entries of two registries", trusted(`"a"`) + requested(`"a"`) + asked("", `"a"`, `"b"`), nil},
		{"a near miss beside another registry", trusted(`"a"`) + asked("", `"A"`, `"b"`), []string{"upper and lower case alone"}},
		{"entries of a file of others", requested(`"a"`) + asked(`manage = "entries"`, `"b"`), []string{fileAndNodes}},
		{"a text", requested(`"a"`) + rendered(`"b"`), []string{fileAndNodes, "the data source aktrust_credential_provider_config"}},
		{"a text that fits", requested(`"a"`) + rendered(`"a"`), nil},
		{"a text alone", none + rendered(`"b"`), nil},
		{"no token asked for", trusted(`"a"`) + requested(`"a"`) + asked("", ""), nil},
		{"an issuer of another type", trusted(`"a"`, `provider_type = "generic"`) + asked("", `"b"`), nil},
		{"a disabled provider", trusted(`"a"`, "is_enabled = false") + asked("", `"b"`), nil},
		{"nobody may request", requested(`"a"`, "groups = []") + asked("", `"b"`), nil},
		{"no namespaces", requested(`"a"`, "namespaces = []") + asked("", `"b"`), nil},
		{"unknown to nodes", known(`"b"`) + trusted(`"a"`) + requested(later), nil},
		{"unknown to the registry", known(`"b"`) + trusted(later) + requested(`"a"`) + asked("", `"a"`), nil},
		{"unknown to the file", known(`"b"`) + trusted(`"a"`) + asked("", later), nil},
		{"an unknown token", known(`"b"`) + trusted(`"a"`) + strings.Replace(asked("", `"b"`), "token_attributes = {", "token_attributes = "+later+
			" == \"b\" ? null : {", 1), nil},
		{"unknown whether enabled", known("true") + trusted(`"a"`, "is_enabled = "+later) + requested(`"b"`), nil},
		{"an unknown type", known(`"kubernetes"`) + trusted(`"a"`, "provider_type = "+later) + requested(`"b"`), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := acctest.NewWorkspace(t, acctest.ProviderBlock(acctest.Registry(t, emulator.Options{}))+c.config)
			out := w.Plan(2)
			if acctest.Says(t, out, c.says...); c.says == nil {
				acctest.Silent(t, out, "okens of \"")
			}
		})
	}
}

// A mismatch comes with the plan that makes or changes one of the two, whichever is planned last, and with no other.
func TestAudienceMismatchIsToldOnce(t *testing.T) {
	cluster := controlplane.Shared(t)
	server := acctest.Registry(t, emulator.Options{})
	w := acctest.NewWorkspace(t, "")
	configure := func(objects ...string) {
		w.Config(acctest.ProviderBlock(server, fmt.Sprintf("kubernetes = {\n host = %q\n token = %q\n cluster_ca_certificate = %s\n}",
			cluster.URL(), cluster.Token(controlplane.Admin), acctest.HCL(cluster.CA()))) + strings.Join(objects, ""))
	}
	const after = "depends_on = [aktrust_ci_oidc_provider.p]"

	configure(trusted(`"a"`), requested(`"a"`), asked(after, `"b"`))
	acctest.Says(t, w.Plan(2), fileAndNodes, fileAndProvider)
	w.Apply()
	acctest.Silent(t, w.Plan(0), "Warning: ")

	// The registry's end changes, and is planned first; the file stays as it is.
	configure(trusted(`"a"`, "key_source = \"static\"", "static_jwks = "+acctest.HCL(acctest.KeySet("k"))), requested(`"a"`), asked(after, `"b"`))
	out := w.Plan(2)
	acctest.Says(t, out, "1 to change", fileAndProvider)
	acctest.Silent(t, out, fileAndNodes)
	w.Apply()
	acctest.Silent(t, w.Plan(0), "Warning: ")

	// Now the file changes.
	configure(trusted(`"a"`, "key_source = \"static\"", "static_jwks = "+acctest.HCL(acctest.KeySet("k"))), requested(`"a"`), asked(after, `"a"`))
	acctest.Silent(t, w.Plan(2), "Warning: ")
	acctest.Silent(t, w.Apply(), "Warning: ")
	acctest.Silent(t, w.Plan(0), "Warning: ")

	// What nodes may request is replaced: the new value counts, and not the old one.
	configure(trusted(`"a"`, "key_source = \"static\"", "static_jwks = "+acctest.HCL(acctest.KeySet("k"))), requested(`"b"`), asked(after, `"a"`))
	out = w.Plan(2)
	acctest.Says(t, out, "1 to add, 0 to change, 1 to destroy", nodesAndTrusted, `The kubelet's file asks for tokens of "a", but nodes may request tokens of "b"`)
	acctest.Silent(t, out, `takes tokens of "a", but`, fileAndProvider)
	w.Apply()
	acctest.Silent(t, w.Plan(0), "Warning: ")

	acctest.Silent(t, w.Plan(2, "-destroy"), "Warning: ")
	acctest.Silent(t, w.Apply("-destroy"), "Warning: ")

	// The last object that goes says nothing about those that come.
	configure(requested(`"b"`))
	w.Apply()
	configure(trusted(`"a"`), asked("", `"a"`))
	acctest.Silent(t, w.Plan(2), "Warning: ")
	acctest.Silent(t, w.Apply(), "Warning: ")
	w.Apply("-destroy")

	// What is unknown while planning is compared when it is known.
	configure(known(`"a"`), trusted(later), requested(later), asked("", `"b"`))
	acctest.Silent(t, w.Plan(2), "Warning: ")
	acctest.Says(t, w.Apply(), fileAndNodes, fileAndProvider)
	acctest.Silent(t, w.Plan(0), "Warning: ")
	w.Apply("-destroy")
}

// A text that is rendered during apply comes last, and is compared with what that apply makes; in later plans it changes nothing.
func TestAudienceOfATextDuringApply(t *testing.T) {
	waits := strings.Replace(rendered(`"b"`), "providers =", "depends_on = [aktrust_ci_oidc_provider.p]\n  providers =", 1)
	w := acctest.NewWorkspace(t, acctest.ProviderBlock(acctest.Registry(t, emulator.Options{}))+trusted(`"a"`)+waits)
	acctest.Silent(t, w.Plan(2), "Warning: ")
	acctest.Says(t, w.Apply(), fileAndProvider)
	acctest.Silent(t, w.Plan(0), "Warning: ")
}

// Two chains of one provider instance are told apart, and need no plan of their own.
func TestAudiencesOfTwoChains(t *testing.T) {
	server := acctest.Registry(t, emulator.Options{})
	chain := func(name, audience, reference string) string {
		const after = "depends_on = [aktrust_ci_oidc_provider.p]" // as a reference has it
		objects := trusted(audience, "name = "+acctest.HCL(name)) + requested(reference, after) + asked(after, reference)
		return strings.NewReplacer("\"p\"", acctest.HCL("p-"+name), "\"r\"", acctest.HCL("r-"+name), "\"f\"", acctest.HCL("f-"+name),
			"kubelet.yaml", name+".yaml", "oidc.example.com", name+".example.com",
			"provider.p", "provider.p-"+name).Replace(objects)
	}
	w := acctest.NewWorkspace(t, acctest.ProviderBlock(server)+chain("one", `"a"`, byReference)+chain("two", `"b"`, byReference))
	out := w.Plan(2)
	acctest.Says(t, out, "6 to add")
	acctest.Silent(t, out, "Warning: ")

	// With two chains there is nothing but near misses to go by.
	w.Config(acctest.ProviderBlock(server) + chain("one", `"a"`, byReference) + chain("two", `"b"`, `"B"`))
	out = w.Plan(2)
	acctest.Says(t, out, `The kubelet's file asks for tokens of "B", but the registry takes tokens of "b"`, "upper and lower case alone")
	acctest.Silent(t, out, `tokens of "a"`)
}
