//go:build linux

package examples_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
	"github.com/aktrust/terraform-provider-aktrust/internal/acctest/controlplane"
)

// bucket is a folder of the site, in which every cluster has one of its own.
func bucket() string { return public().URL() + "/clusters" }

func storageVariables(t *testing.T, plane *controlplane.ControlPlane) map[string]any {
	t.Helper()
	return map[string]any{"kubeconfig": kubeconfig(t, plane), "bucket_url": bucket(), "issuer_ca_certificate": public().CA()}
}

// upload puts objects into the bucket, as the stores' own resources do.
func upload(objects map[string]document) {
	for name, object := range objects {
		public().Put("/clusters/"+name, object.Content, "Content-Type", object.ContentType, "Cache-Control", "public, max-age=300")
	}
}

// takeDown takes the objects out of the bucket.
func takeDown(objects map[string]document) {
	for name := range objects {
		public().Handle("/clusters/"+name, nil)
	}
}

// Consumers verify the cluster's tokens with what is handed to each of the stores, and again after the keys have been replaced.
func TestObjectStorageHasBothDocuments(t *testing.T) {
	if !runs(t, "issuer-object-storage") {
		return
	}
	plane := anotherCluster(t)
	w := example(t, "issuer-object-storage", storageVariables(t, plane))
	republish(t, w, "published again")
	objects := handedObjects(t, w)
	same(t, "the names", []string{"prod/.well-known/openid-configuration", "prod/openid/v1/jwks"}, slices.Sorted(maps.Keys(objects)))
	consumed := func() error {
		return consume(t, public().Client(), plane.Issuer(), tokenOf(t, plane, "team", "app", "somebody"))
	}
	takeDown(objects)
	if err := consumed(); err == nil {
		t.Error("a consumer verifies tokens of an issuer that has published nothing")
	}
	acctest.Says(t, w.Plan(0), "Check block assertion failed", "404")
	upload(objects)
	if err := consumed(); err != nil {
		t.Error(err)
	}
	acctest.Silent(t, w.Plan(0), "Warning")
	republish(t, w, "what is published is up to date")

	key, err := controlplane.NewECKey()
	if err != nil {
		t.Fatal(err)
	}
	if err := plane.RotateSigningKey(t.Context(), controlplane.Keys{Sign: key}); err != nil {
		t.Fatal(err)
	}
	if err := consumed(); err == nil {
		t.Error("a consumer verifies tokens of a key that is not published")
	}
	acctest.Says(t, w.Plan(2), "Check block assertion failed", kidOf(t, key))
	republish(t, w, "published again")
	upload(handedObjects(t, w))
	if err := consumed(); err != nil {
		t.Error(err)
	}
}

func kidOf(t *testing.T, key *controlplane.Key) string {
	t.Helper()
	kid, err := key.ID()
	if err != nil {
		t.Fatal(err)
	}
	return kid
}

// handedObjects are what every store is handed.
func handedObjects(t *testing.T, w *acctest.Workspace) map[string]document {
	t.Helper()
	out := outputsOf(t, w)
	objects := decode[map[string]document](t, handed(t, out, "s3.tf")[0])
	for _, file := range []string{"s3.tf", "gcs.tf", "azure.tf"} {
		same(t, file, objects, decode[map[string]document](t, handed(t, out, file)[0]))
		same(t, file, "public, max-age=300", decode[string](t, handed(t, out, file)[1]))
	}
	return objects
}

// republish runs the script for a schedule.
func republish(t *testing.T, w *acctest.Workspace, says string) {
	t.Helper()
	m := newMachine(t)
	m.env = append(m.env, w.Env...)
	m.env = append(m.env, "CLI="+w.CLI)
	code, out := m.command("bash", "-c", `cd "$1" && exec bash republish.sh`, "bash", w.Dir)
	if code != 0 {
		t.Fatalf("republish.sh exits with %d:\n%s", code, out)
	}
	acctest.Says(t, out, says)
}

// Where the documents go that no store takes: below a directory, byte for byte.
func TestDocumentsAreWrittenAsFiles(t *testing.T) {
	if !runs(t, "issuer-object-storage") {
		return
	}
	out := outputs(t, "issuer-object-storage", storageVariables(t, anotherCluster(t)))
	m, dir := newMachine(t), filepath.Join(t.TempDir(), "site")
	for range 2 { // It can run again.
		code, says := m.command("bash", "-c", output[string](t, out, "script"), "write.sh", dir)
		if code != 0 {
			t.Fatalf("the script exits with %d:\n%s", code, says)
		}
		acctest.Says(t, says, "prod/.well-known/openid-configuration application/json", "prod/openid/v1/jwks application/jwk-set+json")
	}
	objects := output[map[string]document](t, out, "objects")
	for name, object := range objects {
		same(t, name, object.Content, readFile(t, filepath.Join(dir, name)))
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*", "*", "*.new")); err != nil || len(left) > 0 {
		t.Errorf("there is %q too (%v)", left, err)
	}
	code, says := m.command("bash", "-c", output[string](t, out, "script"), "write.sh")
	if code == 0 || !strings.Contains(says, "usage: write.sh DIRECTORY") {
		t.Errorf("without a directory it exits with %d:\n%s", code, says)
	}
}

func TestBucketIsTheIssuers(t *testing.T) {
	if !runs(t, "issuer-object-storage") {
		return
	}
	v := storageVariables(t, anotherCluster(t))
	v["bucket_url"] = public().URL() + "/cluster"
	acctest.Says(t, example(t, "issuer-object-storage", v).Plan(1),
		"consumers look for its documents there, not at "+public().URL()+"/cluster")
}

func TestScheduledScriptIsOne(t *testing.T) {
	path := directory(t, "issuer-static-site", "republish.sh")
	same(t, "the script", readFile(t, path), readFile(t, directory(t, "issuer-object-storage", "republish.sh")))
	if info, err := os.Stat(path); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("it cannot be run: %v", err)
	}
	m := newMachine(t)
	for name, cli := range map[string]string{"no plan": "exit 1", "no apply": `[ "$1" = apply ] && exit 1; exit 2`} {
		m.stub("tofu", cli)
		code, out := m.command("bash", path)
		same(t, name, 1, code)
		acctest.Silent(t, out, "published")
	}
}
