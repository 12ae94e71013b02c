package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const tactus = "github.com/tactusgo/tactus"

// client is the npm package, and its folder.
const (
	client    = "@tactusgo/client"
	clientDir = "systems/host/js"
)

// section matches the heading of a release in the changelog.
var section = regexp.MustCompile(`(?m)^## \[([0-9]+\.[0-9]+\.[0-9]+)\] - [0-9]{4}-[0-9]{2}-[0-9]{2}$`)

// module is a module of this repository. The root module has dir ".".
type module struct {
	path, dir string
	requires  map[string]string // required modules of this repository, with their versions
	replaced  bool              // a replace directive refers to this checkout
}

// folders are the folders with modules that only this repository uses, except for library, which games import.
var folders = []string{"examples/", "internal/"}

const library = "examples/embed/c"

// released reports whether the module gets a tag: games import it or copy it.
func (m module) released() bool {
	return m.template() || m.dir == library ||
		!slices.ContainsFunc(folders, func(folder string) bool { return strings.HasPrefix(m.dir, folder) })
}

// imported reports whether games import packages of the module. The other released modules contain commands and templates.
func (m module) imported() bool {
	return m.released() && !m.template() && m.dir != "examples"
}

// template reports whether the module is a template to copy. It requires released versions, without replace.
func (m module) template() bool {
	return strings.HasPrefix(m.dir, "examples/") && len(m.requires) > 0 && !m.replaced
}

// tag returns the git tag of a version of the module.
func (m module) tag(version string) string {
	if m.dir == "." {
		return "v" + version
	}
	return m.dir + "/v" + version
}

// modules lists the modules of the checkout, the root first.
func modules(root string) (all []module, err error) {
	err = eachFile(root, "go.mod", func(name string, b []byte) error {
		m := module{dir: filepath.ToSlash(filepath.Dir(name)), requires: map[string]string{}}
		for line := range strings.Lines(string(b)) {
			line, _, _ = strings.Cut(line, "//")
			switch words := strings.Fields(line); {
			case len(words) == 2 && words[0] == "module":
				m.path = words[1]
			case slices.Contains(words, "=>"):
				m.replaced = m.replaced || slices.Contains(words, tactus)
			default:
				if i := slices.IndexFunc(words, ours); i >= 0 && i+1 < len(words) {
					m.requires[words[i]] = words[i+1]
				}
			}
		}
		all = append(all, m)
		return nil
	})
	slices.SortFunc(all, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return all, err
}

// ours reports whether a module belongs to this repository.
func ours(path string) bool { return path == tactus || strings.HasPrefix(path, tactus+"/") }

// eachFile calls f for all files of the checkout with the name base, except in hidden folders, node_modules and testdata.
func eachFile(root, base string, f func(name string, b []byte) error) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); n == "node_modules" || n == "testdata" || n != "." && name != root && strings.HasPrefix(n, ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if d.Name() != base {
			return nil
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		return f(rel, b)
	})
}

// newest returns the first version in the changelog, without v, and the text above it for the next version.
func newest(changelog []byte) (version, unreleased string, err error) {
	_, after, ok := strings.Cut(string(changelog), "\n## [Unreleased]\n")
	if !ok {
		return "", "", errors.New("CHANGELOG.md has no section [Unreleased]")
	}
	at := section.FindStringSubmatchIndex(after)
	if at == nil {
		return "", "", errors.New("CHANGELOG.md has no section of a release, such as ## [0.1.0] - 2026-01-31")
	}
	return after[at[2]:at[3]], strings.TrimSpace(after[:at[0]]), nil
}

// twice returns the headings that occur twice in a section of the changelog, for example after a merge.
func twice(changelog string) (all []string) {
	seen := map[string]bool{}
	for line := range strings.Lines(changelog) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "## "):
			clear(seen)
		case strings.HasPrefix(line, "### "):
			if seen[line] {
				all = append(all, line)
			}
			seen[line] = true
		}
	}
	return all
}

// disagreements lists where the checkout names another version.
func disagreements(root, version string) (all []string, err error) {
	mods, err := modules(root)
	if err != nil {
		return nil, err
	}
	released := map[string]bool{}
	for _, m := range mods {
		released[m.path] = m.released()
	}
	for _, m := range mods {
		for path, v := range m.requires {
			if released[path] && v != "v"+version {
				all = append(all, fmt.Sprintf("%s/go.mod requires %s %s", m.dir, path, v))
			}
		}
	}
	err = eachFile(root, "package.json", func(name string, b []byte) error {
		var p struct {
			Name, Version                 string
			Dependencies, DevDependencies map[string]string
		}
		if err := json.Unmarshal(b, &p); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if p.Name == client && p.Version != version {
			all = append(all, fmt.Sprintf("%s is %s %s", name, client, p.Version))
		}
		for _, deps := range []map[string]string{p.Dependencies, p.DevDependencies} {
			if v, ok := deps[client]; ok && v != version && !strings.HasPrefix(v, "file:") {
				all = append(all, fmt.Sprintf("%s depends on %s %s", name, client, v))
			}
		}
		return nil
	})
	err = errors.Join(err, eachFile(root, "package-lock.json", func(name string, b []byte) error {
		var l struct {
			Packages map[string]struct{ Name, Version string }
		}
		if err := json.Unmarshal(b, &l); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for path, p := range l.Packages {
			if v := p.Version; v != "" && v != version && (p.Name == client || strings.HasSuffix(path, "/"+client)) {
				all = append(all, fmt.Sprintf("%s has %s %s", name, client, v))
			}
		}
		return nil
	}))
	b, readErr := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	for _, part := range twice(string(b)) {
		all = append(all, "CHANGELOG.md has "+part+" twice for one version")
	}
	for _, link := range []string{
		"[Unreleased]: https://" + tactus + "/compare/v" + version + "...HEAD",
		"[" + version + "]: https://" + tactus + "/releases/tag/v" + version,
	} {
		if !strings.Contains(string(b), "\n"+link+"\n") {
			all = append(all, "CHANGELOG.md does not end with "+link)
		}
	}
	slices.Sort(all)
	return all, errors.Join(err, readErr)
}
