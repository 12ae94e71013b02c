package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/examples/stage"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
)

// front is the page with all worlds.
type front struct {
	mux    http.ServeMux
	ctx    context.Context
	root   string // of the checkout
	worlds map[string]*world
	ending sync.WaitGroup
}

// world is the program of a world.
type world struct {
	pages.World

	mu    sync.Mutex
	state state
}

// state is how far a program is, for the page.
type state struct {
	State   string `json:"state"` // "", building, running, failed
	URL     string `json:"url,omitempty"`
	Inspect string `json:"inspect,omitempty"`
	Error   string `json:"error,omitempty"`
}

// newFront returns the page with worlds, whose programs run until ctx ends.
func newFront(ctx context.Context, root string, worlds []pages.World) *front {
	f := &front{ctx: ctx, root: root, worlds: map[string]*world{}}
	for _, w := range worlds {
		f.worlds[w.Name] = &world{World: w}
	}
	f.mux.Handle("/", &web.Dist{Files: stage.Pages(), Index: "front.html"})
	f.mux.HandleFunc("GET /worlds.json", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, worlds) })
	f.mux.HandleFunc("GET /worlds/{name}", f.look)
	f.mux.HandleFunc("POST /worlds/{name}", f.open)
	return f
}

// ServeHTTP implements [http.Handler]. Any web site could use a host name of its own to reach this server, so only local
// names and addresses are answered.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if at, err := netip.ParseAddrPort(r.Host); (err != nil || !at.IsValid()) && !strings.HasPrefix(r.Host, "localhost:") {
		http.Error(w, "open the page at an address of this machine, such as http://127.0.0.1 or http://localhost", http.StatusForbidden)
		return
	}
	f.mux.ServeHTTP(w, r)
}

// open starts the program of a world, unless it is building or running.
func (f *front) open(w http.ResponseWriter, r *http.Request) {
	x := f.worlds[r.PathValue("name")]
	if x == nil || r.Header.Get("Sec-Fetch-Site") != "same-origin" { // another site must not start programs
		http.NotFound(w, r)
		return
	}
	if x.claim() {
		f.ending.Go(func() {
			if err := f.run(x); err != nil && f.ctx.Err() == nil {
				x.set(state{State: "failed", Error: err.Error()})
			}
		})
	}
	f.look(w, r)
}

// claim reports whether the caller has to start the program: nobody has yet, or it has failed.
func (x *world) claim() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.state.State != "" && x.state.State != "failed" {
		return false
	}
	x.state = state{State: "building"}
	return true
}

// look reports the state of a program.
func (f *front) look(w http.ResponseWriter, r *http.Request) {
	x := f.worlds[r.PathValue("name")]
	if x == nil {
		http.NotFound(w, r)
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	writeJSON(w, x.state)
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(v)
}

func (x *world) set(s state) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state = s
}

var (
	pageLine    = regexp.MustCompile(`play in a browser: +(http://\S+)`)
	inspectLine = regexp.MustCompile(`inspector: +(http://\S+)`)
)

// run builds the program of a world and runs it.
func (f *front) run(x *world) error {
	folder, err := os.MkdirTemp("", "world-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, x.Name)
	build := exec.CommandContext(f.ctx, "go", "build", "-o", program, ".")
	build.Dir = filepath.Join(f.root, x.Folder())
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build in %s: %w\n%s", build.Dir, err, out)
	}
	c := exec.CommandContext(f.ctx, program, "-http", "127.0.0.1:0", "-inspect", "127.0.0.1:0")
	c.Dir = f.root
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	c.Stderr = c.Stdout
	if err := c.Start(); err != nil {
		return err
	}
	now := state{State: "building"}
	var last []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		last = append(last[max(0, len(last)-9):], lines.Text())
		if m := inspectLine.FindStringSubmatch(lines.Text()); m != nil && now.Inspect == "" {
			now.Inspect = m[1]
			x.set(now)
		}
		if m := pageLine.FindStringSubmatch(lines.Text()); m != nil && now.URL == "" {
			now.State, now.URL = "running", m[1]
			x.set(now)
		}
	}
	return fmt.Errorf("the program has ended: %w\n%s", errors.Join(c.Wait(), errors.New("start it from a terminal to see why")), strings.Join(last, "\n"))
}

// close waits for the programs.
func (f *front) close() { f.ending.Wait() }

// checkout returns the folder of the checkout around the working directory.
func checkout() (string, error) {
	at, err := os.Getwd()
	for ; err == nil; at = filepath.Dir(at) {
		if _, missing := os.Stat(filepath.Join(at, "examples", "arena", "main.go")); missing == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			err = errors.New("the worlds are built from their sources: run the command in a checkout of Tactus")
		}
	}
	return "", err
}
