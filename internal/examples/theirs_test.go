//go:build linux

package examples_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// theirArguments are those of other providers' objects that the examples use, as their documentation has them, the required ones
// with a mark. The providers themselves cannot be had in a test.
var theirArguments = map[string]string{
	"aws_eks_node_group": "cluster_name! node_group_name! node_role_arn! subnet_ids! scaling_config! " +
		"ami_type launch_template update_config",
	"aws_iam_openid_connect_provider":            "url! client_id_list!",
	"aws_iam_role":                               "assume_role_policy! name",
	"aws_launch_template":                        "name_prefix update_default_version user_data metadata_options",
	"aws_s3_bucket":                              "bucket",
	"aws_s3_bucket_policy":                       "bucket! policy!",
	"aws_s3_bucket_public_access_block":          "bucket! block_public_acls block_public_policy ignore_public_acls restrict_public_buckets",
	"aws_s3_bucket_versioning":                   "bucket! versioning_configuration!",
	"aws_s3_object":                              "bucket! key! content content_type cache_control",
	"azurerm_federated_identity_credential":      "name! user_assigned_identity_id! audience! issuer! subject!",
	"azurerm_storage_blob":                       "name! storage_container_id! type! source_content content_type cache_control",
	"azurerm_storage_container":                  "name! storage_account_id! container_access_type",
	"google_iam_workload_identity_pool":          "workload_identity_pool_id!",
	"google_iam_workload_identity_pool_provider": "workload_identity_pool_id! workload_identity_pool_provider_id! attribute_mapping oidc",
	"google_service_account_iam_member":          "service_account_id! role! member!",
	"google_storage_bucket":                      "name! location! uniform_bucket_level_access versioning",
	"google_storage_bucket_iam_member":           "bucket! role! member!",
	"google_storage_bucket_object":               "name! bucket! content content_type cache_control",
	"kubernetes_manifest":                        "manifest! wait timeouts",
	"talos_machine_configuration":                "cluster_name! cluster_endpoint! machine_type! machine_secrets! config_patches",
	"talos_machine_configuration_apply":          "node! client_configuration! machine_configuration_input!",
	"vault_jwt_auth_backend":                     "path type bound_issuer jwt_validation_pubkeys",
	"vault_jwt_auth_backend_role": "role_name! user_claim! backend role_type bound_audiences bound_claims " +
		"token_policies token_ttl",
}

var (
	object   = regexp.MustCompile(`(?ms)^(?:resource|data) "(\w+)" "\w+" \{\n(.*?)\n\}$`)
	argument = regexp.MustCompile(`(?m)^  (\w+)\s+(?:=|\{)`)
)

func TestOtherProvidersKnowTheArguments(t *testing.T) {
	for name := range checked {
		_, theirs := split(t, name)
		for file, text := range theirs {
			for _, found := range object.FindAllStringSubmatch(text, -1) {
				argumentsAreKnown(t, name+"/"+file, found[1], found[2])
			}
		}
	}
}

// argumentsAreKnown expects of an object of another provider that it has those arguments and blocks, and the required ones.
func argumentsAreKnown(t *testing.T, file, kind, body string) {
	t.Helper()
	known, ok := theirArguments[kind]
	if !ok {
		t.Errorf("%s: which arguments %s has is not known here", file, kind)
	}
	var used []string
	for _, match := range argument.FindAllStringSubmatch(body, -1) {
		used = append(used, match[1])
		if !slices.Contains([]string{"depends_on", "for_each"}, match[1]) &&
			!slices.Contains(strings.Fields(strings.ReplaceAll(known, "!", "")), match[1]) {
			t.Errorf("%s: %s has no argument %s", file, kind, match[1])
		}
	}
	for name := range strings.FieldsSeq(known) {
		if required, is := strings.CutSuffix(name, "!"); is && !slices.Contains(used, required) {
			t.Errorf("%s: %s needs %s", file, kind, required)
		}
	}
}
