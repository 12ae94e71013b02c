package web

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/andybalholm/brotli"
)

// kept is the number of builds in the cache: more than the example worlds, which may all run at once.
const kept = 16

// Build returns the folder of the client of Config.Package, with play.wasm, its compressed copies and wasm_exec.js: from the cache,
// or after building it. Other fields of c than Package, Cache and Progress have no effect. Errors are those of [Site.Prepare].
func Build(ctx context.Context, c Config) (dir string, err error) {
	s := &Site{config: Config{Package: c.Package, Cache: c.Cache, Progress: c.Progress}}
	if dir, err = s.find(ctx); err != nil {
		return "", fmt.Errorf("%w: %w", ErrClient, err)
	}
	return dir, nil
}

// find returns the folder of the client.
func (s *Site) find(ctx context.Context) (dir string, err error) {
	if s.config.alone() {
		return "", nil
	}
	if dir := s.config.Dir; dir != "" {
		_, err := os.Stat(filepath.Join(dir, "play.wasm"))
		if err == nil {
			_, err = os.Stat(filepath.Join(dir, "wasm_exec.js"))
		}
		if err != nil {
			return "", fmt.Errorf("%w; the folder needs play.wasm, from GOOS=js GOARCH=wasm go build -C %s -o play.wasm, and wasm_exec.js of the same Go version, from $(go env GOROOT)/lib/wasm",
				err, s.config.Package)
		}
		return dir, nil
	}
	source, err := sources(s.config.Package)
	if err != nil {
		return "", err
	}
	env, err := output(ctx, source, "env", "GOVERSION", "GOROOT")
	if err != nil {
		return "", fmt.Errorf("building the client needs the Go compiler: %w; without Go, set -web to the folder of a built client", err)
	}
	version, goroot, _ := strings.Cut(strings.TrimSpace(env), "\n")
	cache := s.config.Cache
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", cacheError(err)
		}
		cache = filepath.Join(user, "tactus", "web")
	}
	id, packages, err := fingerprint(ctx, source, version)
	if err != nil {
		return "", err
	}
	dir = filepath.Join(cache, id)
	if _, err := os.Stat(filepath.Join(dir, "play.wasm")); err == nil {
		now := time.Now()
		_ = os.Chtimes(dir, now, now)
		return dir, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", cacheError(err)
	}
	started := time.Now()
	s.logProgress("building the page's client for the browser; the next start will find it in %s", cache)
	s.step(0, packages)
	if err := s.build(ctx, source, goroot, cache, dir); err != nil {
		return "", err
	}
	s.logProgress("the page's client is ready after %.0f s", time.Since(started).Seconds())
	removeOldBuilds(cache)
	return dir, nil
}

// cacheError returns the error of a cache that cannot be written.
func cacheError(err error) error {
	return fmt.Errorf("the user's cache folder, which stores the built client, cannot be written: %w; on Linux set XDG_CACHE_HOME to another folder, or set -web to the folder of a built client", err)
}

func (s *Site) logProgress(format string, args ...any) {
	if s.config.Progress != nil {
		fmt.Fprintf(s.config.Progress, format+"\n", args...)
	}
}

// sources returns the folder of a package in the module around the working directory, or in an enclosing module.
func sources(pkg string) (folder string, err error) {
	if err := eachModuleRoot(func(root string) bool {
		folder = filepath.Join(root, filepath.FromSlash(pkg))
		files, _ := filepath.Glob(filepath.Join(folder, "*.go"))
		return len(files) > 0
	}); errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("the client is built from the sources in %s: run the command in a checkout with them, or set -web to the folder of a built client", pkg)
	} else if err != nil {
		return "", err
	}
	return folder, nil
}

// output runs the go command and returns its output.
func output(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	b, err := cmd.Output()
	if err != nil {
		if why := bytes.TrimSpace(errs.Bytes()); len(why) > 0 {
			err = fmt.Errorf("%w\n%s", err, why)
		}
		return "", fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return string(b), nil
}

// listed is a package of the client, as go list prints it.
type listed struct {
	ImportPath, Dir                         string
	Standard                                bool
	GoFiles, SFiles, OtherFiles, EmbedFiles []string
}

// fingerprint returns the identifier of a build, a hash of all its inputs, and the number of its packages.
func fingerprint(ctx context.Context, source, version string) (id string, packages int, err error) {
	text, err := output(ctx, source, "list", "-deps", "-json=ImportPath,Dir,Standard,GoFiles,SFiles,OtherFiles,EmbedFiles", ".")
	if err != nil {
		return "", 0, err
	}
	h := sha256.New()
	fmt.Fprintln(h, version)
	d := json.NewDecoder(strings.NewReader(text))
	for {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return "", 0, err
		}
		packages++
		if p.Standard { // the Go version identifies it
			continue
		}
		fmt.Fprintln(h, p.ImportPath)
		for _, name := range slices.Concat(p.GoFiles, p.SFiles, p.OtherFiles, p.EmbedFiles) {
			b, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return "", 0, err
			}
			fmt.Fprintln(h, name, len(b))
			_, _ = h.Write(b)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:10]), packages, nil
}

// build compiles the client to dir. dir appears when it is complete.
func (s *Site) build(ctx context.Context, source, goroot, cache, dir string) error {
	tmp, err := os.MkdirTemp(cache, "new-")
	if err != nil {
		return cacheError(err)
	}
	defer os.RemoveAll(tmp)
	if err := s.compile(ctx, source, filepath.Join(tmp, "play.wasm")); err != nil {
		return err
	}
	if err := compressFile(filepath.Join(tmp, "play.wasm")); err != nil {
		return err
	}
	glue, err := os.ReadFile(filepath.Join(goroot, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tmp, "wasm_exec.js"), glue, 0o644); err != nil {
		return err
	}
	if err := os.Rename(tmp, dir); err != nil {
		if _, there := os.Stat(filepath.Join(dir, "play.wasm")); there != nil {
			return err
		}
	}
	return nil // another process has built it in the meantime
}

func (s *Site) step(done, of int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Done, s.state.Of = done, max(of, done)
}

// compile runs the compiler, which prints each finished package.
func (s *Site) compile(ctx context.Context, source, to string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-v", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", to, ".")
	cmd.Dir, cmd.Env = source, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	pipe, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	const tail, report = 20, 5 * time.Second
	var last []string
	told := time.Now()
	lines := bufio.NewScanner(pipe)
	for done := 1; lines.Scan(); done++ {
		if last = append(last, lines.Text()); len(last) > tail {
			last = last[1:]
		}
		s.mu.Lock()
		of := s.state.Of
		s.mu.Unlock()
		s.step(done, of)
		if time.Since(told) > report {
			told = time.Now()
			s.logProgress("compiling the page's client: %d of %d packages", done, of)
		}
	}
	_, _ = io.Copy(io.Discard, pipe)
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("go build in %s: %w\n%s", source, err, strings.Join(last, "\n"))
	}
	return nil
}

// compressFile writes compressed copies next to a file. Brotli is a sixth smaller than gzip, but browsers accept it only over TLS
// and from this machine. Its quality 9 takes a second; 11 saves another tenth and takes half a minute.
func compressFile(name string) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	write := func(ext string, to func(io.Writer) io.WriteCloser) error {
		var out bytes.Buffer
		z := to(&out)
		_, err := z.Write(b)
		if err = errors.Join(err, z.Close()); err != nil {
			return err
		}
		return os.WriteFile(name+ext, out.Bytes(), 0o644)
	}
	other := make(chan error, 1)
	go func() {
		other <- write(".br", func(w io.Writer) io.WriteCloser {
			return brotli.NewWriterOptions(w, brotli.WriterOptions{Quality: 9, LGWin: 24})
		})
	}()
	err = write(".gz", func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	return errors.Join(err, <-other)
}

// removeOldBuilds removes all but the newest builds. It ignores errors.
func removeOldBuilds(cache string) {
	entries, err := os.ReadDir(cache)
	if err != nil {
		return
	}
	type build struct {
		path string
		at   time.Time
	}
	var all []build
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() {
			all = append(all, build{filepath.Join(cache, e.Name()), info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b build) int { return b.at.Compare(a.at) })
	for _, old := range all[min(kept, len(all)):] {
		_ = os.RemoveAll(old.path)
	}
}
