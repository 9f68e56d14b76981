package kubeletconfig_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func readJSON(f *testing.F, path string, into any) {
	f.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		f.Fatal(err)
	}
}

// readSeeds returns the documents of the vectors.
func readSeeds(f *testing.F) []string {
	f.Helper()
	var vectors []struct{ Document string }
	readJSON(f, "testdata/credential-provider-configs.json", &vectors)
	documents := make([]string, len(vectors))
	for i, v := range vectors {
		documents[i] = v.Document
	}
	return documents
}

// readMatchSeeds returns the patterns and images of the vectors.
func readMatchSeeds(f *testing.F) [][2]string {
	f.Helper()
	var vectors []struct{ Pattern, Image string }
	readJSON(f, "testdata/match-images.json", &vectors)
	pairs := make([][2]string, len(vectors))
	for i, v := range vectors {
		pairs[i] = [2]string{v.Pattern, v.Image}
	}
	return pairs
}

// saysNever reports whether a warning claims that its pattern matches no image.
func saysNever(warning string) bool {
	return strings.Contains(warning, "no image")
}
