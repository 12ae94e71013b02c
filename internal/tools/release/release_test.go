package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The newest section of the changelog, the nested modules and the npm package name one version.
func TestVersions(t *testing.T) {
	const root = "../../.."
	changelog, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	version, _, err := newest(changelog)
	if err != nil {
		t.Fatal(err)
	}
	differ, err := disagreements(root, version)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differ {
		t.Errorf("%s; the newest release of CHANGELOG.md is %s", d, version)
	}
	mods, err := modules(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mods {
		if !m.imported() {
			continue
		}
		if _, err := os.Stat(filepath.Join("testdata", filepath.Base(m.path)+".txt")); err != nil {
			t.Errorf("%s is released: write a program that imports it, and says so in a line: %v", m.path, err)
		}
	}
}

func TestNewest(t *testing.T) {
	const top = "# Changelog\n\n## [Unreleased]\n"
	for _, c := range []struct{ changelog, version, unreleased, err string }{
		{top + "\n- A.\n\n## [1.2.3] - 2026-01-31\n\n- B.\n\n## [0.1.0] - 2025-01-01\n", "1.2.3", "- A.", ""},
		{top + "\n## [1.2.3] - 2026-01-31\n", "1.2.3", "", ""},
		{top + "\n- A.\n\n## 1.2.3\n", "", "", "no section of a release"},
		{"# Changelog\n\n## [1.2.3] - 2026-01-31\n", "", "", "no section [Unreleased]"},
	} {
		version, unreleased, err := newest([]byte(c.changelog))
		if version != c.version || unreleased != c.unreleased || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %q, %q, %v", c.changelog, version, unreleased, err)
		}
	}
}

// checkout returns a small checkout: a root, a module in it that is released, a template, one that is not released, and an npm package.
func checkout() map[string]string {
	program := func(path string) string {
		return "package main\n\nimport " + `p "` + path + `"` + "\n\nfunc main() { println(p.Name); print(p.Name) }\n"
	}
	const replace = "\nreplace " + tactus + " => ../..\n"
	return map[string]string{
		"CHANGELOG.md": "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-01-31\n\n[Unreleased]: https://" + tactus +
			"/compare/v0.2.0...HEAD\n[0.2.0]: https://" + tactus + "/releases/tag/v0.2.0\n",
		"LICENSE":                  "as you like\n",
		"go.mod":                   "module " + tactus + "\n\ngo 1.26\n",
		"name.go":                  "package tactus\n\nconst Name = \"root\"\n",
		"examples/arena/main.go":   "package main\n\nfunc main() {}\n",
		"examples/new/main.go":     "package main\n\nfunc main() {}\n",
		"netsys/web/go.mod":        "module " + tactus + "/netsys/web\n\ngo 1.26\n\nrequire " + tactus + " v0.2.0\n" + replace,
		"netsys/web/name.go":       "package web\n\nimport \"" + tactus + "\"\n\nconst Name = \"web in the \" + tactus.Name\n",
		"examples/starter/go.mod":  "module " + tactus + "/examples/starter\n\ngo 1.26\n\nrequire " + tactus + " v0.2.0\n",
		"examples/starter/main.go": program(tactus),
		"examples/other/go.mod":    "module " + tactus + "/examples/other\n\ngo 1.26\n\nrequire " + tactus + " v0.2.0 // of here\n" + replace,
		"internal/tools/release/testdata/tactus.txt": program(tactus),
		"internal/tools/release/testdata/web.txt":    program(tactus + "/netsys/web"),
		"systems/host/js/package.json":               `{"name": "@tactusgo/client", "version": "0.2.0", "files": ["index.mjs"]}`,
		"systems/host/js/LICENSE":                    "as you like\n",
		"systems/host/js/README.md":                  "# A package\n",
		"systems/host/js/index.mjs":                  "export {};\n",
		"examples/three/package.json":                `{"name": "three", "dependencies": {"@tactusgo/client": "file:../../systems/host/js"}}`,
		"examples/three/package-lock.json":           `{"packages": {"": {"name": "three"}, "../../systems/host/js": {"name": "@tactusgo/client", "version": "0.2.0"}}}`,
		"examples/starter/package-lock.json":         `{"packages": {"node_modules/@tactusgo/client": {"version": "0.2.0"}, "node_modules/vite": {"version": "7.0.0"}}}`,
		"examples/starter/package.json":              `{"name": "starter", "dependencies": {"@tactusgo/client": "0.2.0"}}`,
		"examples/node_modules/package.json":         `{"name": "@tactusgo/client", "version": "0.0.1"}`,
	}
}

// write makes that checkout, with one change in a file.
func write(t *testing.T, file, from, to string) (root string) {
	t.Helper()
	root = t.TempDir()
	files := checkout()
	files[file] = strings.Replace(files[file], from, to, 1)
	delete(files, "")
	for name, text := range files {
		if text == "" {
			continue
		}
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestDisagreements(t *testing.T) {
	for _, c := range []struct{ name, file, from, to, want string }{
		{"all is well", "", "", "", ""},
		{"an old requirement", "netsys/web/go.mod", "v0.2.0", "v0.1.0", "netsys/web/go.mod requires " + tactus + " v0.1.0"},
		{"an old requirement of what is copied", "examples/starter/go.mod", "v0.2.0", "v0.1.0", "examples/starter/go.mod requires"},
		{"an old requirement of what is not released", "examples/other/go.mod", "v0.2.0", "v0.1.0", "examples/other/go.mod requires"},
		{"an old package", "systems/host/js/package.json", "0.2.0", "0.1.0", "systems/host/js/package.json is @tactusgo/client 0.1.0"},
		{"a dependency on an old package", "examples/starter/package.json", "0.2.0", "0.1.0", "examples/starter/package.json depends on @tactusgo/client 0.1.0"},
		{"an old package that is locked by its folder", "examples/three/package-lock.json", "0.2.0", "0.1.0", "examples/three/package-lock.json has @tactusgo/client 0.1.0"},
		{"an old package that is locked", "examples/starter/package-lock.json", "0.2.0", "0.1.0", "examples/starter/package-lock.json has @tactusgo/client 0.1.0"},
		{"a changelog that was merged", "CHANGELOG.md", "01-31\n", "01-31\n\n### Added\n\n### Changed\n\n### Added\n", "CHANGELOG.md has ### Added twice"},
		{"a changelog without a link", "CHANGELOG.md", "[0.2.0]: ", "[0.2]: ", "CHANGELOG.md does not end with [0.2.0]: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := disagreements(write(t, c.file, c.from, c.to), "0.2.0")
			if err != nil || len(got) != min(1, len(c.want)) || !strings.Contains(strings.Join(got, ""), c.want) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

// Problems that would prevent others from using a release are found before it.
func TestWhatIsNoRelease(t *testing.T) {
	if os.Getenv("TACTUS_LONG") == "" {
		t.Skip("it gets modules from a repository nine times: TACTUS_LONG=1 go test ./internal/tools/release")
	}
	large := make([]byte, maxNested+10_000)
	for i, x := 0, uint32(1); i < len(large); i++ { // which nothing compresses
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		large[i] = byte(x)
	}
	for _, c := range []struct{ name, file, from, to, want string }{
		{"all is well", "", "", "", ""},
		{"a file that no module may have", "testdata/nul", "", "x", `"nul" disallowed`},
		{"a replacement in the root", "go.mod", "go 1.26\n", "go 1.26\n\nreplace example.com/a => ./a\n", "replace directives"},
		{"no licence", "LICENSE", "as you like\n", "", "no LICENSE is downloaded"},
		{"a large file", "netsys/web/picture", "", string(large), "/netsys/web: 101"},
		{"a module that nobody tries", "internal/tools/release/testdata/web.txt", "package main", "", "expected 'package'"},
		{"what is outside of the module", "netsys/web/name.go", tactus + `"`, tactus + `/internal"`, "internal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := write(t, c.file, c.from, c.to)
			mods, err := modules(root)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			_, err = try(t.Context(), root, t.TempDir(), "0.2.0", mods, &out)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\n%s", err, &out)
			}
		})
	}
}

// A package contains its listed files and a licence.
func TestWhatIsNoPackage(t *testing.T) {
	if os.Getenv("TACTUS_LONG") == "" {
		t.Skip("it needs npm: TACTUS_LONG=1 go test ./internal/tools/release")
	}
	for _, c := range []struct{ name, file, from, to, want string }{
		{"all is well", "", "", "", ""},
		{"no licence", "systems/host/js/LICENSE", "as you like\n", "", "npm packs [README.md index.mjs package.json]"},
		{"a file that is not there", "systems/host/js/package.json", "index.mjs", "other.mjs", "not [LICENSE README.md other.mjs package.json]"},
		{"another version", "systems/host/js/package.json", "0.2.0", "0.1.0", "npm packs @tactusgo/client 0.1.0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := outsider{ctx: t.Context(), root: write(t, c.file, c.from, c.to), tmp: t.TempDir(), version: "0.2.0", env: os.Environ(), out: io.Discard}
			if err := o.packs(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Error(err)
			}
		})
	}
}
