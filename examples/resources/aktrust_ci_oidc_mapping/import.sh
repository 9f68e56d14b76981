# By the ids of the provider and the mapping
tofu import aktrust_ci_oidc_mapping.team 3f1c2a7e-9f0b-4b53-8a53-0f6f5a0b7c11/9b1d7a52-6a1e-4c63-9d8f-6a7a4a8a2f10

# By their names, when one provider and one mapping have them
tofu import aktrust_ci_oidc_mapping.team 'name:prod/namespace team'
