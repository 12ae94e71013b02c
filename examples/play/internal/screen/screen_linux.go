//go:build !android

package screen

import (
	"os"
	"strings"
)

func init() {
	if os.Getenv("DISPLAY") != "" {
		return
	}
	if !testing(os.Args) {
		_, _ = os.Stderr.WriteString("play: there is no screen: set DISPLAY, or start this under xvfb-run -a, or play in a browser: go run ./examples/arena\n")
		os.Exit(1)
	}
	// The first line has go test say the same of the package.
	_, _ = os.Stdout.WriteString("testing: warning: no tests to run\nall tests are skipped: there is no screen: xvfb-run -a go test\n")
	os.Exit(0)
}

// testing reports whether these arguments start a test.
func testing(args []string) bool {
	return len(args) > 1 && strings.HasPrefix(args[1], "-test.") || len(args) > 0 && strings.HasSuffix(args[0], ".test")
}
