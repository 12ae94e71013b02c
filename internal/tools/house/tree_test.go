package house

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// root is the repository seen from this package's folder, where go test runs.
const root = "../../.."

// module is the import path of the root module.
const module = "github.com/tactusgo/tactus"

// tree lists the repository's files as slash-separated paths from its root,
// sorted: in a git checkout those that are tracked or could be, else all.
//
// The walk comes first even where git answers: it makes the go command notice
// added and removed files, so that a cached pass is never stale.
var tree = sync.OnceValues(func() ([]string, error) {
	var files []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		rel, err := filepath.Rel(root, name)
		files = append(files, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		return nil, err
	}
	git := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	git.Dir = root
	if out, err := git.Output(); err == nil && len(out) > 0 {
		listed := make(map[string]bool)
		for name := range strings.SplitSeq(string(out), "\x00") {
			listed[name] = true
		}
		files = slices.DeleteFunc(files, func(name string) bool { return !listed[name] })
	}
	slices.Sort(files)
	return files, nil
})

// files returns the names in the tree for which keep is true.
func files(t *testing.T, keep func(name string) bool) []string {
	t.Helper()
	all, err := tree()
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, name := range all {
		if keep(name) {
			kept = append(kept, name)
		}
	}
	return kept
}

// read returns the content of a file in the tree. A file that was removed since the tree was listed is empty, because somebody
// is working on it.
func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return b
}

// isText distinguishes text from binary data.
func isText(b []byte) bool { return utf8.Valid(b) && !bytes.ContainsRune(b, 0) }

// isGo says whether name is source that the go command would look at.
func isGo(name string) bool {
	if path.Ext(name) != ".go" {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "testdata" || strings.HasPrefix(part, ".") || strings.HasPrefix(part, "_") {
			return false
		}
	}
	return true
}

// inFolder says whether name is folder or lies below it.
func inFolder(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}

// nested returns the folders of the modules outside the workspace.
func nested(t *testing.T) []string {
	t.Helper()
	var folders []string
	work := string(read(t, "go.work"))
	for _, name := range files(t, func(name string) bool { return path.Base(name) == "go.mod" }) {
		if name != "go.mod" && !strings.Contains(work, "\t./"+path.Dir(name)+"\n") {
			folders = append(folders, path.Dir(name))
		}
	}
	return folders
}
