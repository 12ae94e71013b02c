//go:build !js

package websocket_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// The tests of the browser's end, in Node, with a WebSocket class of their own.
func TestInNode(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil || testing.Short() {
		t.Skip("needs Node, and half a minute to build")
	}
	cmd := exec.Command("go", "test", "-vet=off", "-exec", filepath.Join(runtime.GOROOT(), "lib/wasm/go_js_wasm_exec"), ".")
	// An environment of many bytes does not fit what Go has for it under js.
	cmd.Env = []string{"GOOS=js", "GOARCH=wasm"}
	for _, name := range []string{"PATH", "HOME", "GOPATH", "GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY", "GONOSUMDB", "GONOSUMCHECK", "GOSUMDB", "TMPDIR"} {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
