package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// gremlins finds the sites of mutants; internal/lint pins its version. It is used only for this: it has no seed, no sample
// and no limit, reports uncovered mutants as dead, and builds every mutant separately.
const gremlins = "github.com/go-gremlins/gremlins/cmd/gremlins"

// site is a place where gremlins would change an operator.
type site struct {
	file         string // from the repository's root
	line, column int    // from 1, in bytes
	kind         string
}

// operators maps a token to the replacement by gremlins, by the kind of mutant. An unknown
// kind is an error: a new version of gremlins may have more kinds.
var operators = map[string]map[string]string{
	"ARITHMETIC_BASE":       {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*"},
	"CONDITIONALS_BOUNDARY": {">=": ">", ">": ">=", "<=": "<", "<": "<="},
	"CONDITIONALS_NEGATION": {"==": "!=", "!=": "==", ">=": "<", ">": "<=", "<=": ">", "<": ">="},
	"INCREMENT_DECREMENT":   {"++": "--", "--": "++"},
	"INVERT_ASSIGNMENTS":    {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "%=": "%="},
	"INVERT_BITWISE":        {"&": "|", "|": "&", "^": "&", "&^": "&", "<<": ">>", ">>": "<<"},
	"INVERT_BWASSIGN":       {"&=": "|=", "|=": "&=", "^=": "&=", "&^=": "&=", "<<=": ">>=", ">>=": "<<="},
	"INVERT_LOGICAL":        {"&&": "||", "||": "&&"},
	"INVERT_LOOPCTRL":       {"break": "continue", "continue": "break"},
	"INVERT_NEGATIVES":      {"-": "+"},
	"REMOVE_SELF_ASSIGNMENTS": {
		"+=": "=", "-=": "=", "*=": "=", "/=": "=", "%=": "=", "&=": "=", "|=": "=", "^=": "=", "&^=": "=", "<<=": "=", ">>=": "=",
	},
}

// kinds are the flags of gremlins that enable each kind of mutant. Some are off by default.
var kinds = []string{
	"arithmetic-base", "conditionals-boundary", "conditionals-negation", "increment-decrement", "invert-assignments",
	"invert-bitwise", "invert-bwassign", "invert-logical", "invert-loopctrl", "invert-negatives", "remove-self-assignments",
}

// listed is a package in the output of go list.
type listed struct {
	ImportPath, Dir           string
	GoFiles                   []string
	TestGoFiles, XTestGoFiles []string
	folder                    string // from the repository's root
}

// list returns the packages of the patterns, in order.
func list(ctx context.Context, root string, patterns ...string) ([]listed, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles"}, patterns...)...)
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", strings.Join(patterns, " "), err)
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(root, p.Dir)
		if err != nil {
			return nil, err
		}
		p.folder = filepath.ToSlash(rel)
		all = append(all, p)
	}
	return all, nil
}

// sites runs gremlins on packages and returns its sites. gremlins gets a copy of the files that this machine compiles, in
// folders that the go command ignores. Otherwise it would first run all tests to measure coverage.
func sites(ctx context.Context, root, dir string, packages []listed) ([]site, error) {
	build := exec.CommandContext(ctx, "go", "build", "-C", "internal/lint", "-o", filepath.Join(dir, "gremlins"), gremlins)
	build.Dir, build.Env = root, append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("gremlins: %w\n%s", err, out)
	}
	copied := filepath.Join(dir, "copy")
	var mod strings.Builder
	mod.WriteString("module copy\n\ngo 1.26\n\n")
	if err := os.MkdirAll(copied, 0o700); err != nil {
		return nil, err
	}
	ignored := make(map[string]bool)
	for _, p := range packages {
		if first, _, _ := strings.Cut(p.folder, "/"); !ignored[first] {
			ignored[first] = true
			mod.WriteString("ignore ./" + first + "\n")
		}
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			to := filepath.Join(copied, p.folder, name)
			if err := errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, text, 0o600)); err != nil {
				return nil, err
			}
		}
	}
	err := errors.Join(os.WriteFile(filepath.Join(copied, "go.mod"), []byte(mod.String()), 0o600),
		os.WriteFile(filepath.Join(copied, "copy.go"), []byte("package copy\n"), 0o600))
	if err != nil {
		return nil, err
	}
	answer := filepath.Join(dir, "gremlins.json")
	args := []string{"unleash", "--dry-run", "--output", answer}
	for _, k := range kinds {
		args = append(args, "--"+k)
	}
	run := exec.CommandContext(ctx, filepath.Join(dir, "gremlins"), append(args, ".")...)
	run.Dir = copied
	if out, err := run.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("gremlins: %w\n%s", err, out)
	}
	text, err := os.ReadFile(answer)
	if err != nil {
		return nil, err
	}
	var told struct {
		Files []struct {
			Name      string `json:"file_name"`
			Mutations []struct {
				Type         string
				Line, Column int
			}
		}
	}
	if err := json.Unmarshal(text, &told); err != nil {
		return nil, err
	}
	var found []site
	for _, f := range told.Files {
		for _, m := range f.Mutations {
			if f.Name != "copy.go" {
				found = append(found, site{path.Clean(filepath.ToSlash(f.Name)), m.Line, m.Column, m.Type})
			}
		}
	}
	return found, nil
}
