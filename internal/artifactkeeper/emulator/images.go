package emulator

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// The media types of an image that [Server.AddImage] makes itself.
const (
	ociManifest = "application/vnd.oci.image.manifest.v1+json"
	ociConfig   = "application/vnd.oci.image.config.v1+json"
	ociLayer    = "application/vnd.oci.image.layer.v1.tar"
)

// content is a manifest, a blob, or a document without a digest.
type content struct {
	mediaType string
	digest    string
	bytes     []byte
}

func (b *content) write(a *answer) {
	a.Header().Set("Content-Type", b.mediaType)
	a.Header().Set("Docker-Distribution-API-Version", "registry/2.0")
	if b.digest != "" {
		a.Header().Set("Docker-Content-Digest", b.digest)
	}
	_, _ = a.Write(b.bytes) // into memory
}

// images is what repositories hold, by repository id.
type images map[string]*imageStore

type imageStore struct {
	tags      map[string]map[string]string // image, tag, digest
	manifests map[string]map[string]*content
	blobs     map[string]*content
}

func (i images) forget(repositoryID string) { delete(i, repositoryID) }

// Image is an image to put into a repository.
type Image struct {
	// Repository is the key of a repository that exists.
	Repository string
	// Name is the image within it, such as "team/app".
	Name string
	// Tag is the tag; empty leaves the image reachable by digest only.
	Tag string
	// MediaType is that of the manifest; empty is the OCI image manifest's.
	MediaType string
	// Manifest is the manifest as it is served. Nil makes one: the first blob
	// is the configuration, the others are layers.
	Manifest []byte
	// Blobs are what the manifest refers to.
	Blobs [][]byte
}

// AddImage puts an image into a repository, as a push would, and returns the
// digest of its manifest. It fails when the repository does not exist.
func (s *Server) AddImage(image Image) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	repository := s.repositoryByKey(image.Repository)
	if repository == nil {
		return "", fmt.Errorf("emulator: add image %s/%s: no repository has the key %q", image.Repository, image.Name, image.Repository)
	}
	if image.Name == "" {
		return "", errors.New("emulator: add image: the name is empty")
	}
	if image.MediaType == "" {
		image.MediaType = ociManifest
	}
	if image.Manifest == nil {
		image.Manifest = makeManifest(image.MediaType, image.Blobs)
	}
	if s.store.images == nil {
		s.store.images = images{}
	}
	held := s.store.images[repository.ID]
	if held == nil {
		held = &imageStore{
			tags: map[string]map[string]string{}, manifests: map[string]map[string]*content{}, blobs: map[string]*content{},
		}
		s.store.images[repository.ID] = held
	}
	for _, blob := range image.Blobs {
		held.blobs[digestOf(blob)] = &content{"application/octet-stream", digestOf(blob), slices.Clone(blob)}
	}
	if held.manifests[image.Name] == nil {
		held.manifests[image.Name], held.tags[image.Name] = map[string]*content{}, map[string]string{}
	}
	digest := digestOf(image.Manifest)
	held.manifests[image.Name][digest] = &content{image.MediaType, digest, slices.Clone(image.Manifest)}
	if image.Tag != "" {
		held.tags[image.Name][image.Tag] = digest
	}
	return digest, nil
}

func digestOf(blob []byte) string {
	sum := sha256.Sum256(blob)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// makeManifest is the smallest image manifest over some blobs.
func makeManifest(mediaType string, blobs [][]byte) []byte {
	type descriptor struct {
		MediaType string `json:"mediaType"`
		Digest    string `json:"digest"`
		Size      int    `json:"size"`
	}
	config, layers := []byte("{}"), []descriptor{}
	if len(blobs) > 0 {
		config = blobs[0]
		for _, blob := range blobs[1:] {
			layers = append(layers, descriptor{ociLayer, digestOf(blob), len(blob)})
		}
	}
	text, err := json.Marshal(struct {
		SchemaVersion int          `json:"schemaVersion"`
		MediaType     string       `json:"mediaType"`
		Config        descriptor   `json:"config"`
		Layers        []descriptor `json:"layers"`
	}{2, mediaType, descriptor{ociConfig, digestOf(config), len(config)}, layers})
	if err != nil {
		panic(fmt.Sprintf("emulator: encode a manifest: %v", err)) // it holds text and numbers
	}
	return text
}
