package kubeletconfig

import (
	"strings"
	"time"
)

// FormatDuration writes a duration the way people do: Go's own form without its zeros, "12h" and not "12h0m0s".
func FormatDuration(duration time.Duration) string {
	text := duration.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
