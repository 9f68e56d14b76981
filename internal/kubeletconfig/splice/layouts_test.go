package splice_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/splice"
)

const (
	header = "apiVersion: kubelet.config.k8s.io/v1\nkind: CredentialProviderConfig\n"
	ecr    = `{"name":"ecr","matchImages":["*.dkr.ecr.*.amazonaws.com"],"defaultCacheDuration":"12h","apiVersion":"credentialprovider.kubelet.k8s.io/v1"}`
	gcr    = `{name: gcr, matchImages: [gcr.io], defaultCacheDuration: 1m, apiVersion: credentialprovider.kubelet.k8s.io/v1}`
)

// layouts are texts in the styles that people and tools write. What stands between « and » is what comes in with a
// provider "ours" with one argument.
var layouts = map[string]string{
	"block": header + `providers:
  - name: ecr
    matchImages:
      - "*.dkr.ecr.*.amazonaws.com"
    defaultCacheDuration: 12h
    apiVersion: credentialprovider.kubelet.k8s.io/v1
«  - name: ours
    matchImages:
      - ak.test
    defaultCacheDuration: 5m0s
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    args:
      - -v
»`,
	"lists at the column of their name, comments, blank lines": `# kept by the platform team

` + header + `
providers: # in this order
# first the cloud
- name: ecr   # baked in
  # all regions
  matchImages:
  - "*.dkr.ecr.*.amazonaws.com"

  defaultCacheDuration: 12h
  apiVersion: credentialprovider.kubelet.k8s.io/v1 # stable
  # - an argument that is commented out
  # - and another
«- name: ours
  matchImages:
  - ak.test
  defaultCacheDuration: 5m0s
  apiVersion: credentialprovider.kubelet.k8s.io/v1
  args:
  - -v
»
# the end
`,
	"wide, with the list in front": `providers:
    -   name: ecr
        matchImages:
            - "*.dkr.ecr.*.amazonaws.com"
        defaultCacheDuration: 12h
        apiVersion: credentialprovider.kubelet.k8s.io/v1
«    -   name: ours
        matchImages:
            - ak.test
        defaultCacheDuration: 5m0s
        apiVersion: credentialprovider.kubelet.k8s.io/v1
        args:
            - -v
»` + header,
	"dashes alone, texts of many lines": header + `providers:
  -
    name: ecr
    matchImages: ["*.dkr.ecr.*.amazonaws.com"]
    defaultCacheDuration: "12\
      h"
    apiVersion:
      credentialprovider.kubelet.k8s.io/v1
    args:
      - it's
        plain 'text' of # this is a comment
      - 'it''s
        - quoted'
      - >- # folded
        of

        many
      - |+
        lines

«  - name: ours
    matchImages:
      - ak.test
    defaultCacheDuration: 5m0s
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    args:
      - -v
»---
# another document
providers: []
`,
	"anchors, tags and nothing": "%YAML 1.1\n---\n" + header + `providers: &all !!seq
  - &ecr
    name: !!str ecr
    matchImages: &m [ "*.dkr.ecr.*.amazonaws.com" ]
    defaultCacheDuration: &d !!str 12h
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    args:
  - defaultCacheDuration: *d
    "name": gcr
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    env: []
    ? matchImages
    : *m
«  - name: ours
    matchImages:
      - ak.test
    defaultCacheDuration: 5m0s
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    args:
      - -v
»...
`,
	"an alias at the end": header + `providers:
  - {name: ecr, matchImages: &m [x.test], defaultCacheDuration: 1m, apiVersion: credentialprovider.kubelet.k8s.io/v1}
  - name: gcr
    defaultCacheDuration: 1m
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    matchImages: *m
«  - name: ours
    matchImages:
      - ak.test
    defaultCacheDuration: 5m0s
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    args:
      - -v
»`,
	"no line break at the end": header + "providers:\n- " + gcr + "«\n" + `- name: ours
  matchImages:
    - ak.test
  defaultCacheDuration: 5m0s
  apiVersion: credentialprovider.kubelet.k8s.io/v1
  args:
    - -v»`,
	"characters of many bytes": "# Schlüssel für ☃ 😀\n" + header + `providers: # ☃
  - name: "ecr"
    matchImages: ["☃.test", &u 😀.test] # ☃
    defaultCacheDuration: 12h
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    args: ["\"☃", *u]
«  - name: ours
    matchImages:
      - ak.test
    defaultCacheDuration: 5m0s
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    args:
      - -v
»`,
	"flow, one line": "# as JSON\n{apiVersion: kubelet.config.k8s.io/v1, kind: CredentialProviderConfig, providers: [" + gcr +
		`«, {"name": "ours", "matchImages": ["ak.test"], "defaultCacheDuration": "5m0s", ` +
		`"apiVersion": "credentialprovider.kubelet.k8s.io/v1", "args": ["-v"]}»]}` + "\n",
	"flow, many lines": header + "providers: [\n  " + ecr + ", # the cloud\n  " + gcr + "«,\n  " +
		`{"name": "ours", "matchImages": ["ak.test"], "defaultCacheDuration": "5m0s", "apiVersion": "credentialprovider.kubelet.k8s.io/v1", "args": ["-v"]}` +
		"», # the other cloud\n]\n",
	"flow, providers on many lines": header + "providers: [ # ours\n  { name: gcr,\n    matchImages: [gcr.io,], # comma\n    defaultCacheDuration: 1m,\n" +
		"    apiVersion: credentialprovider.kubelet.k8s.io/v1, env: # none\n  }«" + `, {
    "name": "ours",
    "matchImages": [
      "ak.test"
    ],
    "defaultCacheDuration": "5m0s",
    "apiVersion": "credentialprovider.kubelet.k8s.io/v1",
    "args": [
      "-v"
    ]
  }»]` + "\n",
	"JSON, one line":            `{"apiVersion":"kubelet.config.k8s.io/v1","kind":"CredentialProviderConfig","providers":[` + ecr + `«,{"name":"ours","matchImages":["ak.test"],"defaultCacheDuration":"5m0s","apiVersion":"credentialprovider.kubelet.k8s.io/v1","args":["-v"]}»]}`,
	"JSON, one line with space": ` {"providers": [ {"name": "ecr", "matchImages": ["x.test"], "defaultCacheDuration": "12h", "apiVersion": "credentialprovider.kubelet.k8s.io/v1", "args": ["\ud83d\ude00,:\"\\"]}«, {"name": "ours", "matchImages": ["ak.test"], "defaultCacheDuration": "5m0s", "apiVersion": "credentialprovider.kubelet.k8s.io/v1", "args": ["-v"]}» ], "kind": "CredentialProviderConfig", "apiVersion": "kubelet.config.k8s.io/v1"}` + "\n",
	"JSON of EKS": `{
  "apiVersion": "kubelet.config.k8s.io/v1",
  "kind": "CredentialProviderConfig",
  "providers": [
    {
      "name": "ecr-credential-provider",
      "matchImages": [
        "*.dkr.ecr.*.amazonaws.com",
        "public.ecr.aws"
      ],
      "defaultCacheDuration": "12h",
      "apiVersion": "credentialprovider.kubelet.k8s.io/v1"
    }«,
    {
      "name": "ours",
      "matchImages": [
        "ak.test"
      ],
      "defaultCacheDuration": "5m0s",
      "apiVersion": "credentialprovider.kubelet.k8s.io/v1",
      "args": [
        "-v"
      ]
    }»
  ]
}
`,
	"JSON with tabs": strings.NewReplacer("→", "\t").Replace(`{
→"kind": "CredentialProviderConfig", "apiVersion": "kubelet.config.k8s.io/v1",
→"providers": [{
→→"name": "ecr", "matchImages": ["x.test"],
→→"defaultCacheDuration": "12h", "apiVersion": "credentialprovider.kubelet.k8s.io/v1"
→}, {
→→"name": "gcr", "matchImages": ["x.test"],
→→"defaultCacheDuration": "12h", "apiVersion": "credentialprovider.kubelet.k8s.io/v1"
→}«, {
→→"name": "ours",
→→"matchImages": [
→→→"ak.test"
→→],
→→"defaultCacheDuration": "5m0s",
→→"apiVersion": "credentialprovider.kubelet.k8s.io/v1",
→→"args": [
→→→"-v"
→→]
→}»]
}`),
}

// split gives a layout without and with what comes in.
func split(t testing.TB, layout string) (before, after string) {
	t.Helper()
	head, rest, found := strings.Cut(layout, "«")
	inner, tail, closed := strings.Cut(rest, "»")
	if !found || !closed {
		t.Fatal("the layout has no marks")
	}
	return head + tail, head + inner + tail
}

// breaks are the ways to break lines, and a byte order mark.
var breaks = map[string]*strings.Replacer{
	"as it is": strings.NewReplacer(), "CRLF": strings.NewReplacer("\n", "\r\n"), "CR": strings.NewReplacer("\n", "\r"),
}

func TestLayoutsAreFollowedAndLeftAsTheyWere(t *testing.T) {
	for name, layout := range layouts {
		for how, replacer := range breaks {
			t.Run(name+" "+how, func(t *testing.T) {
				before, after := split(t, replacer.Replace(layout))
				if diff := cmp.Diff(after, change(t, before, nil, provider("ours", "-v"))); diff != "" {
					t.Errorf("put in: -want +got:\n%s", diff)
				}
				if diff := cmp.Diff(before, change(t, after, []string{"ours"})); diff != "" {
					t.Errorf("taken out: -want +got:\n%s", diff)
				}
				if diff := cmp.Diff(after, change(t, after, []string{"ours"}, provider("ours", "-v"))); diff != "" {
					t.Errorf("left as it is: -want +got:\n%s", diff)
				}
				// Replaced and put back, it is where it was.
				other := change(t, after, []string{"ours"}, provider("theirs", "multi\nline\n", ""))
				if diff := cmp.Diff(after, change(t, other, []string{"theirs"}, provider("ours", "-v"))); diff != "" {
					t.Errorf("put back: -want +got:\n%s", diff)
				}
			})
		}
	}
}

// Behind a byte order mark the kubelet takes JSON for YAML, and refuses some of it.
func TestJSONBehindAByteOrderMark(t *testing.T) {
	tried := 0
	for name, layout := range layouts {
		before, _ := split(t, "\uFEFF"+layout)
		if _, err := splice.Read([]byte(before)); err != nil || !strings.HasPrefix(name, "JSON") {
			continue
		}
		tried++
		with := change(t, before, nil, provider("ours", "-v"))
		if diff := cmp.Diff(before, change(t, with, []string{"ours"})); diff != "" {
			t.Errorf("%s: -before +after:\n%s", name, diff)
		}
	}
	if tried == 0 {
		t.Error("nothing was tried")
	}
}

// Whatever is taken out, the rest is what it was, to the byte.
func TestEveryProviderCanBeTakenOut(t *testing.T) {
	for name, layout := range layouts {
		t.Run(name, func(t *testing.T) {
			_, text := split(t, layout)
			before := parse(t, text)
			for i, p := range before.Providers {
				after, err := splice.Change([]byte(text), []string{p.Name}, nil)
				if _, ok := errors.AsType[*splice.UnsupportedError](err); ok && strings.Contains(text, "&") && p.Name == "ecr" {
					continue // Others use what it gave a name to.
				}
				if err != nil {
					t.Fatal(err)
				}
				want := before
				want.Providers = slices.Delete(slices.Clone(before.Providers), i, i+1)
				if diff := cmp.Diff(want, parse(t, string(after))); diff != "" {
					t.Errorf("without %s: -want +got:\n%s", p.Name, diff)
				}
				if !isPart(string(after), text) {
					t.Errorf("without %s something is new:\n%s", p.Name, after)
				}
			}
		})
	}
}
