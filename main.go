// Command terraform-provider-aktrust serves the provider to OpenTofu and Terraform.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"runtime/debug"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/aktrust/terraform-provider-aktrust/internal/provider"
)

// version is set by the linker in a release.
var version = "dev"

// memory is up to how many bytes the process grows before it collects garbage. It is short-lived, and a plan of a few
// hundred objects ends before.
const memory = 320 << 20

func main() {
	debugging := flag.Bool("debug", false, "wait for a debugger and print how the CLI attaches to this process")
	flag.Parse()

	quietSDK()
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memory)
		debug.SetGCPercent(-1)
	}
	err := providerserver.Serve(context.Background(), provider.Factory(version), providerserver.ServeOpts{
		Address: "registry.terraform.io/aktrust/aktrust",
		Debug:   *debugging,
	})
	if err != nil {
		log.Fatal(err)
	}
}

// quietSDK turns the SDK's own trace logs off unless the user asked for logs. Their loggers stand at TRACE by default, and
// the CLI throws the lines away, at a third of the plugin's CPU.
func quietSDK() {
	for _, asked := range []string{"TF_LOG", "TF_LOG_CORE", "TF_LOG_PROVIDER", "TF_LOG_SDK", "TF_LOG_PATH"} {
		if level := os.Getenv(asked); level != "" && !strings.EqualFold(level, "off") {
			return
		}
	}
	for _, logger := range []string{"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO"} {
		if os.Getenv(logger) == "" {
			_ = os.Setenv(logger, "ERROR") // A failure costs only speed.
		}
	}
}
