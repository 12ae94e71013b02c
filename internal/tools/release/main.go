package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: release\n\ntries the checkout as a release of the newest version in CHANGELOG.md, and prints the commands that make it one")
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run tries the checkout around the working folder.
func run(ctx context.Context, out io.Writer) (err error) {
	mod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return err
	}
	root := filepath.Dir(strings.TrimSpace(string(mod)))
	changelog, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	version, unreleased, err := newest(changelog)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	mods, err := modules(root)
	if err != nil {
		return err
	}
	o, err := try(ctx, root, tmp, version, mods, out)
	if err == nil {
		err = o.packs()
	}
	if err != nil {
		return err
	}
	return commands(ctx, root, version, unreleased, mods, out)
}

// try does all that an outsider does with the modules of a release.
func try(ctx context.Context, root, tmp, version string, mods []module, out io.Writer) (*outsider, error) {
	differ, err := disagreements(root, version)
	if err != nil {
		return nil, err
	}
	if len(differ) > 0 {
		return nil, fmt.Errorf("the newest section of CHANGELOG.md is %s, but\n%s", version, strings.Join(differ, "\n"))
	}
	o, err := newOutsider(ctx, root, tmp, version, mods, out)
	if err != nil {
		return nil, err
	}
	for _, m := range mods {
		switch {
		case m.template():
			err = o.copies(m)
		case m.imported():
			err = o.imports(m)
		case m.released():
			err = o.downloads(m)
		default:
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := o.weighs(m); err != nil {
			return nil, err
		}
	}
	if err := o.installs("examples/arena", "-headless", "-virtual", "-duration", "1s"); err != nil {
		return nil, err
	}
	return o, o.installs("examples/new", filepath.Join(tmp, "mygame"), "example.com/mygame")
}

// commands returns the commands that release the checkout, or an error that says why it cannot be released.
func commands(ctx context.Context, root, version, unreleased string, mods []module, out io.Writer) error {
	git := func(args ...string) string {
		b, err := exec.CommandContext(ctx, "git", append([]string{"-C", root}, args...)...).Output()
		if err != nil {
			return "unknown: " + err.Error()
		}
		return strings.TrimSpace(string(b))
	}
	var tags []string
	for _, m := range mods {
		if m.released() {
			tags = append(tags, m.tag(version))
		}
	}
	var not []string
	if unreleased != "" {
		not = append(not, "CHANGELOG.md has lines under [Unreleased]")
	}
	if changed := git("status", "--porcelain"); changed != "" {
		not = append(not, "git status says: "+changed)
	}
	if made := git(append([]string{"tag", "--list"}, tags...)...); made != "" {
		not = append(not, "there are tags already: "+strings.Join(strings.Fields(made), " "))
	}
	if len(not) > 0 {
		fmt.Fprintf(out, "\nwhat is here holds as v%s, and is no release:\n  %s\n", version, strings.Join(not, "\n  "))
		return nil
	}
	fmt.Fprintf(out, "\nto release, after .ci/run and .ci/run nightly:\n\n")
	for _, tag := range tags {
		fmt.Fprintf(out, "git tag -a -m 'Tactus %s' %s %s\n", version, tag, git("rev-parse", "HEAD"))
	}
	fmt.Fprintf(out, "git push --atomic origin %s\nnpm publish --access public ./%s\n", strings.Join(tags, " "), clientDir)
	return nil
}
