package node

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"slices"
	"testing"
)

func TestImage(t *testing.T) {
	program := []byte("program")
	image, err := NewImage(program, "first")
	if err != nil {
		t.Fatal(err)
	}
	layer := unpack(t, image.Layer)
	if content := layer[entrypoint[1:]]; len(layer) != 1 || !bytes.Equal(content, program) {
		t.Errorf("the layer holds %q", layer)
	}
	var config struct {
		OS, Architecture string
		Config           struct{ Entrypoint []string }
		RootFS           struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	if err := json.Unmarshal(image.Config, &config); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(image.Layer)
	if want := "sha256:" + hex.EncodeToString(sum[:]); !slices.Equal(config.RootFS.DiffIDs, []string{want}) {
		t.Errorf("the configuration names the layers %q, want %s", config.RootFS.DiffIDs, want)
	}
	if config.OS != "linux" || config.Architecture != runtime.GOARCH || !slices.Equal(config.Config.Entrypoint, []string{"/program"}) {
		t.Errorf("the configuration is %+v", config)
	}

	again, err := NewImage(program, "first")
	if err != nil || !bytes.Equal(again.Config, image.Config) || !bytes.Equal(again.Layer, image.Layer) {
		t.Errorf("made again, the image differs (error %v)", err)
	}
	other, err := NewImage(program, "second")
	if err != nil || bytes.Equal(other.Config, image.Config) {
		t.Errorf("an image with another comment is the same (error %v)", err)
	}
}

func TestArchive(t *testing.T) {
	image, err := NewImage([]byte("program"), "")
	if err != nil {
		t.Fatal(err)
	}
	text, err := image.archive("name.test/image:1")
	if err != nil {
		t.Fatal(err)
	}
	files := unpack(t, text)
	var manifest []struct {
		Config           string
		RepoTags, Layers []string
	}
	if err := json.Unmarshal(files["manifest.json"], &manifest); err != nil {
		t.Fatal(err)
	}
	if len(manifest) != 1 || len(manifest[0].Layers) != 1 || !slices.Equal(manifest[0].RepoTags, []string{"name.test/image:1"}) {
		t.Fatalf("the manifest is %+v", manifest)
	}
	if !bytes.Equal(files[manifest[0].Config], image.Config) || !bytes.Equal(files[manifest[0].Layers[0]], image.Layer) {
		t.Error("the manifest does not lead to the configuration and the layer")
	}
}

// unpack reads an archive of executable or plain files.
func unpack(t *testing.T, text []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	reader := tar.NewReader(bytes.NewReader(text))
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(reader); err != nil {
			t.Fatal(err)
		}
	}
}
