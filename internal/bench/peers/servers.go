package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// open prepares all servers and returns them with their versions.
func open(ctx context.Context, progress io.Writer) (servers []server, versions map[string]string, err error) {
	_, here, _, _ := runtime.Caller(0)
	folder := filepath.Dir(here)
	root := filepath.Join(folder, "../../..")
	places, err := newPlaces()
	if err != nil {
		return nil, nil, err
	}
	node, err := installed(ctx, filepath.Join(folder, "colyseus"), progress)
	if err != nil {
		return nil, nil, err
	}
	bench := filepath.Join(os.TempDir(), "tactus-bench-arena")
	build := exec.CommandContext(ctx, "go", "build", "-o", bench, "./internal/bench/arena")
	build.Dir, build.Env, build.Stderr = root, append(os.Environ(), "GOWORK="), progress
	if err := build.Run(); err != nil {
		return nil, nil, fmt.Errorf("building Tactus: %w", err)
	}
	versions = make(map[string]string)
	for _, transport := range []string{"batch", "udp", "ws"} {
		name := "Tactus " + transport
		servers = append(servers, server{name, tactus{places, bench, transport}.measure})
		versions[name] = output(ctx, root, "git", "describe", "--always", "--dirty")
	}
	for _, fields := range []string{"quantized", "float32"} {
		name := "Colyseus " + fields
		servers = append(servers, server{name, colyseus{places, node, filepath.Join(folder, "colyseus"), fields == "quantized"}.measure})
		versions[name] = colyseusVersion(filepath.Join(folder, "colyseus")) + ", Node " + output(ctx, folder, node, "--version")
	}
	return servers, versions, nil
}

// installed finds Node and installs Colyseus once.
func installed(ctx context.Context, folder string, progress io.Writer) (node string, err error) {
	node, err = exec.LookPath("node")
	if err != nil {
		return "", errors.New("Node is not there: install nodejs and npm, of version 20 or newer")
	}
	if _, err := os.Stat(filepath.Join(folder, "node_modules/@colyseus/core")); err == nil {
		return node, nil
	}
	fmt.Fprintln(progress, "installing Colyseus")
	install := exec.CommandContext(ctx, "npm", "install", "--no-save", "--no-audit", "--no-fund")
	install.Dir, install.Stdout, install.Stderr = folder, progress, progress
	if err := install.Run(); err != nil {
		return "", fmt.Errorf("npm install in %s: %w", folder, err)
	}
	return node, nil
}

func colyseusVersion(folder string) string {
	var p struct{ Version string }
	b, err := os.ReadFile(filepath.Join(folder, "node_modules/@colyseus/core/package.json"))
	if err != nil || json.Unmarshal(b, &p) != nil {
		return "unknown"
	}
	return p.Version
}

// output returns the output of a command, or "unknown" if it fails.
func output(ctx context.Context, folder, name string, args ...string) string {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = folder
	b, err := c.Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(b))
}

// tactus is the arena's benchmark, which runs the server as a separate process.
type tactus struct {
	places
	bench, transport string
}

func (x tactus) measure(ctx context.Context, clients, npcs, seconds int) (figures, error) {
	c := exec.CommandContext(ctx, x.bench, "-transport", x.transport, "-clients", fmt.Sprint(clients), "-npcs", fmt.Sprint(npcs),
		"-seconds", fmt.Sprint(seconds), "-json")
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	if err := x.start(&x.All, c.Start); err != nil { // it separates its server and clients itself
		return figures{}, err
	}
	if err := c.Wait(); err != nil {
		return figures{}, fmt.Errorf("%w: %s", err, errs.String())
	}
	var last []byte
	for lines := bufio.NewScanner(strings.NewReader(out.String())); lines.Scan(); {
		last = append(last[:0], lines.Bytes()...)
	}
	var r struct {
		figures
		MB float64 `json:"rss_mb"`
	}
	if err := json.Unmarshal(last, &r); err != nil {
		return figures{}, err
	}
	r.RSS = r.MB * 1e6 / (1 << 20)
	return r.figures, nil
}
