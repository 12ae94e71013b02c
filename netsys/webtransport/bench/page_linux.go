package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// pageAddr is the address of the page in the client's namespace. Browsers offer WebTransport to pages of the local machine.
const pageAddr = "127.0.0.1:8080"

//go:embed page.mjs
var script []byte

const html = `<!doctype html><meta charset="utf-8"><title>bench</title><script type="module" src="page.mjs"></script>`

// module is a folder with the files of the page, from a checkout and from Go.
const (
	moduleFile  = "arena.wasm"
	bindingFile = "arena.mjs"
	runtimeFile = "wasm_exec.js"
	packageDir  = "client"
)

// build creates a folder with the files of the page.
func (o *options) build() (clean func(), err error) {
	if _, err := browser(); err != nil {
		return nil, err
	}
	clean = func() {}
	if o.files == "" {
		if o.files, err = os.MkdirTemp("", "tactus-bench-"); err != nil {
			return nil, err
		}
		clean = func() { _ = os.RemoveAll(o.files) }
	} else if _, err := os.Stat(filepath.Join(o.files, moduleFile)); err == nil {
		return clean, nil
	}
	if err := fill(o.files); err != nil {
		clean()
		return nil, err
	}
	return clean, nil
}

// fill writes the files to a folder, the module last.
func fill(folder string) error {
	root, err := tell("list", "-m", "-f", "{{.Dir}}", "github.com/tactusgo/tactus")
	if err != nil {
		return err
	}
	goroot, err := tell("env", "GOROOT")
	if err := errors.Join(err,
		os.CopyFS(filepath.Join(folder, packageDir), os.DirFS(filepath.Join(root, "systems/host/js"))),
		copied(filepath.Join(folder, bindingFile), filepath.Join(root, "examples/arena/bindings", bindingFile)),
		copied(filepath.Join(folder, runtimeFile), filepath.Join(goroot, "lib/wasm", runtimeFile))); err != nil {
		return err
	}
	to, err := filepath.Abs(filepath.Join(folder, moduleFile))
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-C", root, "-trimpath", "-ldflags=-s -w", "-o", to, "./examples/arena/wasm")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=", "GOWORK=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the arena's module: %w\n%s", err, out)
	}
	return nil
}

// tell returns the one-line output of a go command.
func tell(args ...string) (string, error) {
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w: -clients page needs the Go compiler and a checkout of the repository", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

func copied(to, from string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o644)
}

// browser returns the path of Chromium.
func browser() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("-clients page needs Chromium: apt-get install chromium")
}

// browse plays in a browser, on a page with the files of a folder.
func (x session) browse(folder string) (r result, err error) {
	program, err := browser()
	if err != nil {
		return r, err
	}
	listener, err := net.Listen("tcp", pageAddr)
	if err != nil {
		return r, err
	}
	said := make(chan []byte, 1)
	site := &http.Server{Handler: x.site(folder, said), ReadHeaderTimeout: 10 * time.Second}
	defer site.Close()
	go func() { _ = site.Serve(listener) }() // until the listener is closed
	profile, err := os.MkdirTemp("", "tactus-bench-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(profile)
	cmd := exec.Command(program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--disable-extensions", "--user-data-dir="+profile,
		"http://"+pageAddr+"/")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return r, err
	}
	defer func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // including its child processes
		_ = cmd.Wait()
	}()
	ctx, stop := context.WithTimeout(context.Background(), x.Settle+x.Long+4*patience)
	defer stop()
	select {
	case b := <-said:
		var told struct {
			result
			Error string `json:"error"`
		}
		if err := json.Unmarshal(b, &told); err != nil {
			return r, fmt.Errorf("%q: %w", b, err)
		}
		if told.Error != "" {
			return r, errors.New(told.Error)
		}
		return told.result, nil
	case <-ctx.Done():
		return r, errors.New("the page has reported no result")
	}
}

// site serves the page and its files, and receives its result.
func (x session) site(folder string, said chan<- []byte) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(folder)))
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, html) })
	mux.HandleFunc("/page.mjs", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = w.Write(script)
	})
	mux.HandleFunc("/match.json", func(w http.ResponseWriter, _ *http.Request) {
		var hashes [][]byte // base64
		for _, h := range x.Hashes {
			hashes = append(hashes, h[:])
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"place": map[string]string{x.Transport: x.URL}, "hashes": hashes, "began": float64(x.Began.UnixMicro()) / 1e3, "tickRate": tickRate,
			"settle": x.Settle.Milliseconds(), "long": x.Long.Milliseconds(), "patience": patience.Milliseconds(), "turn": turn.Milliseconds(),
		})
	})
	mux.HandleFunc("POST /seen", func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<16))
		if err != nil {
			b, _ = json.Marshal(map[string]string{"error": err.Error()})
		}
		select {
		case said <- b:
		default: // ignore further reports
		}
	})
	return mux
}
