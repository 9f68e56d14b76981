package node

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime"
	"time"
)

// Image is a container image of one layer for this machine's architecture.
type Image struct {
	// Config is the image's configuration, as of the OCI image specification.
	Config []byte
	// Layer is an uncompressed tar archive.
	Layer []byte
}

// entrypoint is where the program of an image is.
const entrypoint = "/program"

// NewImage makes an image that holds nothing but one static program, which it runs. Images of the same program with
// different comments have different digests.
func NewImage(program []byte, comment string) (Image, error) {
	layer, err := archive(file{entrypoint[1:], 0o755, program})
	if err != nil {
		return Image{}, fmt.Errorf("make the layer of an image: %w", err)
	}
	sum := sha256.Sum256(layer)
	type object map[string]any
	config, err := json.Marshal(object{
		"os": "linux", "architecture": runtime.GOARCH,
		"config":  object{"Entrypoint": []string{entrypoint}},
		"rootfs":  object{"type": "layers", "diff_ids": []string{"sha256:" + hex.EncodeToString(sum[:])}},
		"history": []object{{"comment": comment}},
	})
	return Image{Config: config, Layer: layer}, err
}

// archive is the image in the format of docker save, which every container runtime imports, under a name with a tag.
func (i Image) archive(name string) ([]byte, error) {
	const config, layer = "config.json", "layer.tar"
	manifest, err := json.Marshal([]any{map[string]any{"Config": config, "Layers": []string{layer}, "RepoTags": []string{name}}})
	if err != nil {
		return nil, err
	}
	return archive(file{"manifest.json", 0o644, manifest}, file{config, 0o644, i.Config}, file{layer, 0o644, i.Layer})
}

type file struct {
	name    string
	mode    int64
	content []byte
}

// archive makes a tar archive, the same on every call.
func archive(files ...file) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.content)), ModTime: time.Unix(0, 0), Typeflag: tar.TypeReg}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}
