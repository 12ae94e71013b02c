package newgame

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// client is the folder of the npm package that pages use, from the root of the checkout.
const client = "systems/host/js"

// Install installs what a game's page needs, in this folder, as its lock file says: the package of the checkout at root in
// the place of the release, all else from the usual registry. It skips the test where there is no npm, and where the
// registry cannot be reached, except in CI.
func (f *Folder) Install(root string) {
	f.t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		f.t.Skip("there is no npm: apt-get install npm")
	}
	f.Env = append(f.Env[:len(f.Env):len(f.Env)], "npm_config_@tactusgo:registry="+registry(f.t, filepath.Join(root, filepath.FromSlash(client))))
	install := exec.CommandContext(f.t.Context(), "npm", "ci")
	install.Dir, install.Env = f.Dir, f.Env
	if out, err := install.CombinedOutput(); err != nil && os.Getenv("CI") == "" && strings.Contains(string(out), "registry") {
		f.t.Skipf("npm ci: %v\n%s", err, out)
	} else if err != nil {
		f.t.Fatalf("npm ci: %v\n%s", err, out)
	}
}

// registry serves the npm package in a folder as its release. It ends with the test.
func registry(t *testing.T, dir string) (url string) {
	t.Helper()
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	pack := exec.CommandContext(t.Context(), "npm", "pack", "--silent", dir)
	pack.Dir = tmp
	name, err := pack.Output()
	if err != nil {
		t.Fatalf("npm pack: %v", err)
	}
	packed, err := os.ReadFile(filepath.Join(tmp, strings.TrimSpace(string(name))))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var about map[string]any
	if err := json.Unmarshal(text, &about); err != nil {
		t.Fatal(err)
	}
	release := about["version"].(string)
	sum := sha512.Sum512(packed)

	var mux http.ServeMux
	s := httptest.NewServer(&mux)
	t.Cleanup(s.Close)
	about["dist"] = map[string]string{"tarball": s.URL + "/package.tgz", "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
	mux.HandleFunc("GET /package.tgz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(packed) })
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{
			"name": about["name"], "dist-tags": map[string]string{"latest": release}, "versions": map[string]any{release: about},
		})
	})
	return s.URL + "/"
}
