package house

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// notInBrowsers are packages that no browser client links. A page has its own HTTP, TLS and WebSockets, and each of these
// packages would add megabytes to every player's download. The list contains net, whose sockets do not exist in browsers, and
// log/slog, which links encoding/json: see package logging.
var notInBrowsers = []string{
	"net/http", "log/slog", "crypto/tls", "crypto/x509", "compress/gzip", "html/template", "text/template",
	"github.com/coder/websocket", "github.com/gobwas/ws", "github.com/panjf2000/gnet", "github.com/prometheus",
}

// browserClients are the packages of a browser client.
var browserClients = []string{"./systems", "./netsys/websocket", "./systems/host/wasm", "./examples/arena/wasm", "./examples/platformer/wasm"}

func TestBrowserClientsLinkNoHTTP(t *testing.T) {
	cmd := exec.Command("go", append([]string{"list", "-deps"}, browserClients...)...)
	cmd.Dir, cmd.Env = "../../..", append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	all := strings.Fields(string(out))
	if !slices.Contains(all, "syscall/js") || !slices.Contains(all, "github.com/tactusgo/tactus/systems/host/wasm") {
		t.Fatalf("these are not the packages of a browser client: %v", all)
	}
	for _, pkg := range all {
		if pkg == "net" || inAny(pkg, notInBrowsers) {
			t.Errorf("a browser client links %s: GOOS=js GOARCH=wasm go list -deps -json %s shows who imports it", pkg, strings.Join(browserClients, " "))
		}
	}
}
