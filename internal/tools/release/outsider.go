package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// outsider is a user with an empty module cache. A local repository with the checkout's files replaces the one on GitHub.
type outsider struct {
	ctx     context.Context
	root    string // the checkout
	tmp     string
	version string // without v
	env     []string
	out     io.Writer
}

// newOutsider makes the repository, with the tags of all modules.
func newOutsider(ctx context.Context, root, tmp, version string, mods []module, out io.Writer) (*outsider, error) {
	o := &outsider{ctx: ctx, root: root, tmp: tmp, version: version, out: out}
	o.env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	repo := filepath.Join(tmp, "repository")
	git := func(args ...string) error {
		_, err := o.run(root, "git", append([]string{"-c", "user.name=release", "-c", "user.email=release@localhost",
			"--git-dir=" + repo, "--work-tree=" + root}, args...)...)
		return err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A", "."}, {"commit", "-q", "-m", "release"}} {
		if err := git(args...); err != nil {
			return nil, err
		}
	}
	for _, m := range mods {
		if !m.released() {
			continue
		}
		if err := git("tag", m.tag(version)); err != nil {
			return nil, err
		}
	}

	// Third-party modules come from this machine's cache or from the usual proxy.
	usual, err := o.run(root, "go", "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return nil, err
	}
	where := strings.Fields(usual)
	o.env = append(o.env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url."+fileURL(repo)+".insteadOf", "GIT_CONFIG_VALUE_0=https://"+tactus,
		"GOPROXY="+fileURL(filepath.Join(where[0], "cache", "download"))+","+where[1], "GOMODCACHE="+filepath.Join(tmp, "mod"),
		"GOPRIVATE=", "GONOPROXY="+tactus, "GONOSUMDB="+tactus, "GOWORK=off", "GOBIN="+filepath.Join(tmp, "bin"),
		"GOFLAGS=-mod=mod -modcacherw -trimpath -buildvcs=false") // trimpath lets builds share the cache
	return o, nil
}

// run runs a command in a folder and returns its output.
func (o *outsider) run(dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(o.ctx, name, args...)
	cmd.Dir, cmd.Env = dir, o.env
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out, &errs)
	}
	return string(out), nil
}

// steps runs commands in a folder, one after the other. It returns the output of the last.
func (o *outsider) steps(dir string, commands ...[]string) (out string, err error) {
	for _, c := range commands {
		if out, err = o.run(dir, c[0], c[1:]...); err != nil {
			return "", err
		}
	}
	return out, nil
}

// folder makes an empty folder.
func (o *outsider) folder(name string) (string, error) {
	dir := filepath.Join(o.tmp, "folders", name)
	return dir, os.MkdirAll(dir, 0o755)
}

// imports gets a module in an empty folder, then builds and runs a program that imports it: testdata/NAME.txt, where NAME
// is the last element of the module's path. The program checks itself.
func (o *outsider) imports(m module) error {
	name := m.path[strings.LastIndexByte(m.path, '/')+1:]
	program, err := os.ReadFile(filepath.Join(o.root, "internal", "tools", "release", "testdata", name+".txt"))
	if err != nil {
		return fmt.Errorf("%s is released, and no program tries it: %w", m.path, err)
	}
	dir, err := o.folder(name)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), program, 0o644); err != nil {
		return err
	}
	says, err := o.steps(dir,
		[]string{"go", "mod", "init", "example.com/outside/" + name},
		[]string{"go", "get", m.path + "@v" + o.version},
		[]string{"go", "build", "-o", "program", "."},
		[]string{filepath.Join(dir, "program")})
	if err != nil {
		return err
	}
	got, err := o.run(dir, "go", "list", "-m", "-f", "{{if eq .Version \"v"+o.version+"\"}}{{.Path}}{{end}}", "all")
	if err != nil {
		return err
	}
	for _, path := range []string{tactus, m.path} {
		if !strings.Contains("\n"+got, "\n"+path+"\n") {
			return fmt.Errorf("with %s, go get brings another version of %s", m.path, path)
		}
	}
	fmt.Fprintf(o.out, "ok  go get %s@v%s; a program with it says: %s", m.path, o.version, says)
	return nil
}

// installs builds a command at its version outside any module and runs it. Go rejects modules with a replace there.
func (o *outsider) installs(command string, args ...string) error {
	dir, err := o.folder("nowhere")
	if err != nil {
		return err
	}
	_, err = o.steps(dir,
		[]string{"go", "install", tactus + "/" + command + "@v" + o.version},
		append([]string{filepath.Join(o.tmp, "bin", filepath.Base(command))}, args...))
	if err == nil {
		fmt.Fprintf(o.out, "ok  go install %s/%s@v%s, which runs\n", tactus, command, o.version)
	}
	return err
}

// copies builds a copy of a template with all its imports.
func (o *outsider) copies(m module) error {
	dir := filepath.Join(o.tmp, "folders", "copy")
	at, err := o.steps(o.tmp, []string{"go", "mod", "download", m.path + "@v" + o.version},
		[]string{"go", "env", "GOMODCACHE"})
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	from := filepath.Join(strings.TrimSpace(at), filepath.FromSlash(m.path)+"@v"+o.version)
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		return err
	}
	if _, err := o.steps(dir, []string{"go", "mod", "tidy"}, []string{"go", "vet", "./..."}); err != nil {
		return err
	}
	fmt.Fprintf(o.out, "ok  a copy of %s@v%s compiles\n", m.path, o.version)
	return nil
}

// downloads gets a module without importing it.
func (o *outsider) downloads(m module) error {
	_, err := o.run(o.tmp, "go", "mod", "download", m.path+"@v"+o.version)
	return err
}

// fileURL returns the URL of a folder for GOPROXY and git.
func fileURL(dir string) string {
	dir = filepath.ToSlash(dir)
	if !strings.HasPrefix(dir, "/") {
		dir = "/" + dir
	}
	return "file://" + dir
}
