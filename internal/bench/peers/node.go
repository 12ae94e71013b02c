package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// measure runs a server with the given number of clients and seconds.
func (x nodeServer) measure(ctx context.Context, clients, npcs, seconds int) (f figures, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	config, err := json.Marshal(map[string]any{"clients": clients, "npcs": npcs, "hz": steps, "size": size, "quantized": x.quantized})
	if err != nil {
		return f, err
	}
	c := exec.CommandContext(ctx, x.node, x.script, string(config))
	c.Dir, c.Stderr = x.folder, os.Stderr
	ask, err := c.StdinPipe()
	if err != nil {
		return f, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return f, err
	}
	if err := x.start(&x.Servers, c.Start); err != nil {
		return f, err
	}
	defer func() { _ = ask.Close(); cancel(); _ = c.Wait() }()
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		return f, errors.New("the server did not start")
	}
	port, err := strconv.Atoi(strings.TrimSpace(lines.Text()))
	if err != nil {
		return f, fmt.Errorf("the server's port: %w", err)
	}
	look := func() (n counts, err error) {
		if _, err := fmt.Fprintln(ask); err != nil {
			return n, err
		}
		if !lines.Scan() {
			return n, errors.New("the server has ended")
		}
		return n, json.Unmarshal(lines.Bytes(), &n)
	}

	l, err := newLoad(ctx, fmt.Sprintf("127.0.0.1:%d", port), clients, x.script == colyseusScript)
	if err != nil {
		return f, err
	}
	defer l.close()
	time.Sleep(settle)
	before, err := look()
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
	after, err := look()
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
