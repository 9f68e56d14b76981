#!/usr/bin/env bash
# republish.sh: publishes the cluster's keys again when they have changed, and does nothing otherwise. For a schedule, in this
# directory, with the state and the credentials of the last apply. CLI=terraform is for Terraform.
set -euo pipefail
cli=${CLI:-tofu}
plan=$(mktemp)
trap 'rm -f "$plan"' EXIT

code=0
"$cli" plan -input=false -no-color -detailed-exitcode -out="$plan" || code=$?
case $code in
0) echo "what is published is up to date" ;;
2) "$cli" apply -input=false -no-color "$plan" && echo "published again" ;;
*) exit "$code" ;;
esac
