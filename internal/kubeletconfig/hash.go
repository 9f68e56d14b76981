package kubeletconfig

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Hash returns the value of the label hash of the kubelet's metric kubelet_credential_provider_config_info for a
// kubelet that reads these files: sha256: and 64 hex digits. Files of a configuration directory come in the byte order
// of their names. Each is preceded by its length (unsigned, 64 bit, big endian), as in Kubernetes since 1.34.
func Hash(files ...[]byte) string {
	sum := sha256.New()
	for _, content := range files {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(content)))
		// A hash never returns an error.
		sum.Write(length[:])
		sum.Write(content)
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}

// Args returns the kubelet's flags for a file (or a directory of files) and the directory of the plugins' binaries.
// What is empty is left out; the kubelet needs both or none and exits at start with only one of them.
func Args(configPath, binDir string) []string {
	args := make([]string, 0, 2)
	if configPath != "" {
		args = append(args, "--image-credential-provider-config="+configPath)
	}
	if binDir != "" {
		args = append(args, "--image-credential-provider-bin-dir="+binDir)
	}
	return args
}
