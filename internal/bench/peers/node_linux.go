package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/tactusgo/tactus/internal/bench/apart"
)

// nodeServer is a server in Node.
type nodeServer struct {
	places
	node, folder, script string
	quantized            bool // fields of Colyseus
}

// counts are the server's own figures.
type counts struct {
	Ticks, Sends, Inputs uint64
	CPU                  uint64 `json:"cpu_us"`
	RSS                  uint64 `json:"rss"`
}

// command returns the command that runs a script in Node with a configuration of the arena, to which extra adds fields.
func (x nodeServer) command(ctx context.Context, script string, clients, npcs int, extra map[string]any) (*exec.Cmd, error) {
	config := map[string]any{"clients": clients, "npcs": npcs, "hz": steps, "size": size, "quantized": x.quantized}
	maps.Copy(config, extra)
	text, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, x.node, script, string(text))
	c.Dir, c.Stderr = x.folder, os.Stderr
	return c, nil
}

// running is a started server in Node.
type running struct {
	addr  string
	ask   io.WriteCloser
	lines *bufio.Scanner
	stop  func()
}

// serve starts a server. The caller must stop it.
func (x nodeServer) serve(ctx context.Context, clients, npcs int) (r running, err error) {
	c, err := x.command(ctx, x.script, clients, npcs, nil)
	if err != nil {
		return r, err
	}
	if r.ask, err = c.StdinPipe(); err != nil {
		return r, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return r, err
	}
	if err := x.start(&x.Servers, c.Start); err != nil {
		return r, err
	}
	r.stop = func() { _ = c.Process.Kill(); _ = c.Wait() }
	r.lines = bufio.NewScanner(out)
	if !r.lines.Scan() {
		r.stop()
		return r, errors.New("the server did not start")
	}
	port, err := strconv.Atoi(strings.TrimSpace(r.lines.Text()))
	if err != nil {
		r.stop()
		return r, fmt.Errorf("the server's port: %w", err)
	}
	r.addr = fmt.Sprintf("127.0.0.1:%d", port)
	return r, nil
}

// counts asks the server for its figures.
func (r running) counts() (n counts, err error) {
	if _, err := fmt.Fprintln(r.ask); err != nil {
		return n, err
	}
	if !r.lines.Scan() {
		return n, errors.New("the server has ended")
	}
	return n, json.Unmarshal(r.lines.Bytes(), &n)
}

// measure runs a server with the given number of clients and seconds.
func (x nodeServer) measure(ctx context.Context, clients, npcs, seconds int) (f figures, err error) {
	r, err := x.serve(ctx, clients, npcs)
	if err != nil {
		return f, err
	}
	defer r.stop()
	l, err := newLoad(ctx, r.addr, clients, x.script == colyseusScript)
	if err != nil {
		return f, err
	}
	defer l.close()
	time.Sleep(settle)
	before, err := r.counts()
	if err != nil {
		return f, err
	}
	began, updates, bytes := time.Now(), l.updates.Load(), l.bytes.Load()
	load, err := apart.CPU()
	if err != nil {
		return f, err
	}
	time.Sleep(time.Duration(seconds) * time.Second)
	passed := time.Since(began).Seconds()
	updates, bytes = l.updates.Load()-updates, l.bytes.Load()-bytes
	used, err := apart.CPU()
	if err != nil {
		return f, err
	}
	after, err := r.counts()
	if err != nil {
		return f, err
	}
	if after.Inputs == before.Inputs {
		return f, errors.New("the server consumed no inputs")
	}
	f = figures{
		CPU:     float64(after.CPU-before.CPU) / 1e6 / passed,
		Ticks:   100 * float64(after.Ticks-before.Ticks) / (passed * steps),
		Updates: float64(updates) / float64(clients) / passed,
		RSS:     float64(after.RSS) / (1 << 20),
		Load:    (used - load).Seconds() / passed,
	}
	if updates > 0 {
		f.Bytes = float64(bytes) / float64(updates)
		f.CPUPerUpdate = f.CPU * 1e6 * passed / float64(updates)
	}
	return f, nil
}
