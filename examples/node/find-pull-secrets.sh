#!/usr/bin/env bash
# find-pull-secrets.sh: lists what in the cluster names image pull secrets, one object a line with the names, and then the
# Secrets themselves. What generates these objects (charts, operators) stands in the next place to look.
set -euo pipefail

# list KINDS PATH: those of these kinds that have something under the path.
list() {
  kubectl get "$1" --all-namespaces --output \
    jsonpath="{range .items[?(@$2)]}{.kind}{\"\\t\"}{.metadata.namespace}/{.metadata.name}{\"\\t\"}{$2[*].name}{\"\\n\"}{end}"
}

list serviceaccounts .imagePullSecrets
list deployments,statefulsets,daemonsets,replicasets,jobs,replicationcontrollers .spec.template.spec.imagePullSecrets
list cronjobs .spec.jobTemplate.spec.template.spec.imagePullSecrets
list podtemplates .template.spec.imagePullSecrets
list pods .spec.imagePullSecrets

for type in kubernetes.io/dockerconfigjson kubernetes.io/dockercfg; do
  kubectl get secrets --all-namespaces --field-selector "type=$type" --output \
    jsonpath='{range .items[*]}{.kind}{"\t"}{.metadata.namespace}/{.metadata.name}{"\t"}{.type}{"\n"}{end}'
done
