package house

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// What a browser has itself is not carried to it: of the packages that a page's client is made of none links net/http
// or TLS, which are some seven megabytes.
func TestPagesAreSmall(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "./systems/devtools/runner", "./netsys/websocket")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if !slices.Contains(packages, "github.com/tactusgo/tactus/systems") {
		t.Fatalf("the list is not one of packages: %.200q", out)
	}
	for _, heavy := range []string{"net/http", "crypto/tls"} {
		if slices.Contains(packages, heavy) {
			t.Errorf("a page's client links %s: give what needs it a file for !js; go list -deps -f '{{.ImportPath}}: {{.Imports}}' says who does", heavy)
		}
	}
}
