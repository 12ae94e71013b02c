package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// The scripts of the servers in Node.
const (
	colyseusScript  = "colyseus.mjs"
	broadcastScript = "broadcast.mjs"
)

// open prepares all servers.
func open(ctx context.Context, progress io.Writer) (servers []server, err error) {
	folder, err := os.Getwd() // go -C makes it this package's, and so does go test
	if err != nil {
		return nil, err
	}
	root := filepath.Join(folder, "../../..")
	places, err := newPlaces()
	if err != nil {
		return nil, err
	}
	scripts := filepath.Join(folder, "node")
	node, err := installed(ctx, scripts, progress)
	if err != nil {
		return nil, err
	}
	bench := filepath.Join(os.TempDir(), "tactus-bench-arena")
	match := filepath.Join(os.TempDir(), "tactus-arena")
	for _, program := range [][2]string{{bench, "./internal/bench/arena"}, {match, "./examples/arena"}} {
		build := exec.CommandContext(ctx, "go", "build", "-o", program[0], program[1])
		build.Dir, build.Env, build.Stderr = root, append(os.Environ(), "GOWORK="), progress
		if err := build.Run(); err != nil {
			return nil, fmt.Errorf("building Tactus: %w", err)
		}
	}
	version := output(ctx, root, "git", "describe", "--always", "--dirty") + ", " + runtime.Version()
	for _, transport := range []string{"udp", "ws"} {
		x := tactus{places, bench, match, transport}
		servers = append(servers, server{
			name: "Tactus " + transport, version: version, sends: "delta per client", encrypts: true,
			measure: x.measure, screens: x.screens,
		})
	}
	in := ", Node " + output(ctx, scripts, node, "--version")
	for _, fields := range []string{"quantized", "float32"} {
		x := nodeServer{places, node, scripts, colyseusScript, fields == "quantized"}
		s := server{
			name: "Colyseus " + fields, version: packageVersion(scripts, "@colyseus/core") + in, sends: "delta for all",
			measure: x.measure,
		}
		if x.quantized {
			s.screens = x.screens // the delay does not depend on the fields
		}
		servers = append(servers, s)
	}
	x := nodeServer{places, node, scripts, broadcastScript, true}
	return append(servers, server{
		name: "ws broadcast", version: packageVersion(scripts, "ws") + in, sends: "whole state",
		measure: x.measure, screens: x.screens,
	}), nil
}

// installed installs Node and its packages if they are not those of package-lock.json, and returns the path of Node.
func installed(ctx context.Context, folder string, progress io.Writer) (node string, err error) {
	node = filepath.Join(folder, "node_modules/node/bin/node")
	lock, err := os.Stat(filepath.Join(folder, "package-lock.json"))
	if err != nil {
		return "", err
	}
	if done, err := os.Stat(filepath.Join(folder, "node_modules/.package-lock.json")); err == nil && done.ModTime().After(lock.ModTime()) {
		return node, nil
	}
	fmt.Fprintln(progress, "installing Node and its packages")
	install := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund")
	install.Dir, install.Stdout, install.Stderr = folder, progress, progress
	if err := install.Run(); err != nil {
		return "", fmt.Errorf("npm ci in %s: %w; it needs any version of Node with npm", folder, err)
	}
	return node, nil
}

// packageVersion returns the version of an installed package, or "unknown".
func packageVersion(folder, name string) string {
	var p struct{ Version string }
	b, err := os.ReadFile(filepath.Join(folder, "node_modules", name, "package.json"))
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

// tactus has two programs of the arena: the benchmark, which runs the server as a separate process, and the match with bots.
type tactus struct {
	places
	bench, match, transport string
}

// run runs a program with -json and decodes the last line of its output.
func (x tactus) run(ctx context.Context, report any, program string, args ...string) error {
	c := exec.CommandContext(ctx, program, append(args, "-transport", x.transport, "-json")...)
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	if err := x.start(&x.All, c.Start); err != nil { // the benchmark separates its server and clients itself
		return err
	}
	if err := c.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, errs.String())
	}
	var last []byte
	for lines := bufio.NewScanner(strings.NewReader(out.String())); lines.Scan(); {
		last = append(last[:0], lines.Bytes()...)
	}
	return json.Unmarshal(last, report)
}

func (x tactus) measure(ctx context.Context, clients, npcs, seconds int) (figures, error) {
	var r struct {
		figures
		MB float64 `json:"rss_mb"`
	}
	err := x.run(ctx, &r, x.bench, "-clients", fmt.Sprint(clients), "-npcs", fmt.Sprint(npcs), "-seconds", fmt.Sprint(seconds))
	if err != nil {
		return figures{}, err
	}
	r.RSS = r.MB * 1e6 / (1 << 20)
	return r.figures, nil
}
