package newgame

import (
	"archive/zip"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// version is the one that templates ask for.
const version = "v0.1.0"

// release writes the module in a folder to a folder that serves as GOPROXY, as that version. Modules inside it are
// none of its own; tests, documents and what is built are left out, as nobody imports them.
func release(t *testing.T, proxy, module, dir string, skip func(name string) bool) {
	t.Helper()
	at := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(at, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	write("list", []byte(version+"\n"))
	write(version+".info", []byte(`{"Version":"`+version+`","Time":"2026-01-01T00:00:00Z"}`))
	write(version+".mod", mod)

	file, err := os.Create(filepath.Join(at, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	out := zip.NewWriter(file)
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			_, inside := os.Stat(filepath.Join(name, "go.mod"))
			if rel != "." && (inside == nil || d.Name() == ".git" || d.Name() == "testdata" || skip(rel)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || skip(rel) {
			return nil
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		w, err := out.CreateHeader(&zip.FileHeader{Name: path.Join(module+"@"+version, rel), Method: zip.Store})
		if err != nil {
			return err
		}
		_, err = w.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// unneeded are the files of the root module that no other module imports.
func unneeded(name string) bool {
	return strings.HasSuffix(name, "_test.go") || name == "docs" || name == ".ci" || built(name)
}

// built is what a page is made of, by Go and npm.
func built(name string) bool {
	switch base := path.Base(name); base {
	case "wasm_exec.js", "node_modules", "dist", "gen":
		return true
	default:
		return path.Ext(base) == ".wasm"
	}
}
