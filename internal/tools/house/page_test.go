package house

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A page's client links neither net/http nor TLS, because browsers have both. They are about seven megabytes.
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
