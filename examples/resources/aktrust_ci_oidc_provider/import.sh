# By id
tofu import aktrust_ci_oidc_provider.cluster 3f1c2a7e-9f0b-4b53-8a53-0f6f5a0b7c11

# By name, when one provider has it
tofu import aktrust_ci_oidc_provider.cluster name:prod
