//go:build linux

package examples_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
)

// release is where the plugin can be downloaded, and its signature too.
var release = sync.OnceValue(func() *httptest.Server {
	return httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := released[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprint(w, text)
	}))
})

var released = map[string]string{
	"/amd64/ak-kubelet-provider":     binaries["amd64"],
	"/amd64/ak-kubelet-provider.sig": "signature of " + binaries["amd64"],
	"/arm64/ak-kubelet-provider":     binaries["arm64"],
	"/arm64/ak-kubelet-provider.sig": "signature of " + binaries["amd64"], // of another file
}

var binaries = map[string]string{"amd64": "#!/bin/sh\n# for amd64\n", "arm64": "#!/bin/sh\n# for arm64\n"}

func digest(arch string) string {
	sum := sha256.Sum256([]byte(binaries[arch]))
	return hex.EncodeToString(sum[:])
}

func address(arch string) string { return release().URL + "/" + arch + "/ak-kubelet-provider" }

// variables are those that all examples have.
func variables() map[string]any {
	plugin := map[string]any{}
	for arch := range binaries {
		plugin[arch] = map[string]string{"url": address(arch), "sha256": digest(arch)}
	}
	return map[string]any{"registry_endpoint": "https://ak.example.com", "plugin": plugin}
}

// authorityOf is the PEM text of the certificate that makes clients trust a server.
func authorityOf(server *httptest.Server) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
}
