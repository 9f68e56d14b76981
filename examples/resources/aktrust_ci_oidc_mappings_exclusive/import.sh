# By the id of the provider. Every mapping that it has counts as wanted at first; the plan shows which are not in mapping_ids.
tofu import aktrust_ci_oidc_mappings_exclusive.cluster 3f1c2a7e-9f0b-4b53-8a53-0f6f5a0b7c11
