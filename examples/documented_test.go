package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// generous is a deadline that no machine needs.
const generous = 2 * time.Minute

var (
	// command is a command in a document that starts a program: in a line of its own, or between backquotes.
	command = regexp.MustCompile("(?m)(?:^ *|`)go run (\\./(?:examples|codec/train)[^`\\n#|]*)")
	address = regexp.MustCompile(`http://[^\s"]+`)
)

// quiet are the addresses of programs that print none, as the documents say.
var quiet = map[string]string{"./examples/rooms": "http://127.0.0.1:8080/rooms"}

// elsewhere are programs that other tests start.
var elsewhere = map[string]string{
	"./examples/new":     "internal/tools/newgame creates games and plays them",
	"./examples/swarm":   "it needs a server; examples/swarm tests it with one",
	"./examples/compare": "its tables take minutes; examples/compare tests it",
	"./examples/tokens":  "it needs a key; examples/tokens tests it",
}

// ends reports whether a command ends by itself.
func ends(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return a == "-headless" || a == "-rerun" || a == "-in" })
}

// prints reports whether a command has no address and prints what happens.
func prints(program string, args []string) bool {
	return program == "./examples/dots" || slices.Contains(args, "none")
}

// Every program that a document starts does so as the document says: it runs to its end without an error, or answers at its address
// and ends at an interrupt. Without TACTUS_LONG, each program starts once with its page and once without.
func TestDocumentedPrograms(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds and starts every program")
	}
	root, err := checkout()
	if err != nil {
		t.Fatal(err)
	}
	commands := documented(t, root)
	if len(commands) < 20 {
		t.Fatalf("the documents have the commands %q", commands)
	}
	bin, files := t.TempDir(), t.TempDir()
	started := make(map[string]bool)
	for _, line := range commands {
		t.Run(strings.ReplaceAll(line, "/", "_"), func(t *testing.T) {
			args := strings.Fields(strings.ReplaceAll(line, "/tmp/", files+"/"))
			program, args := args[0], args[1:]
			if why := elsewhere[program]; why != "" {
				t.Skip(why)
			}
			kind := fmt.Sprint(program, ends(args))
			if (started[kind] || slices.Contains(args, "-in")) && os.Getenv("TACTUS_LONG") == "" {
				t.Skip("the program has started with other flags, or needs the file of one that has: set TACTUS_LONG=1")
			}
			started[kind] = true
			ctx, cancel := context.WithTimeout(t.Context(), generous)
			defer cancel()
			binary := filepath.Join(bin, filepath.Base(program))
			build := exec.CommandContext(ctx, "go", "build", "-o", binary, program)
			build.Dir = root
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if slices.Contains(args, "-duration") {
				args = append(args, "-duration", "2s") // the last one counts
			}
			began, out := time.Now(), &output{}
			run := exec.CommandContext(ctx, binary, args...)
			run.Dir, run.Stdout, run.Stderr = root, out, out
			if url := quiet[program]; url != "" {
				free(t, url)
			}
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- run.Wait() }()
			if ends(args) {
				if err := <-ended; err != nil || out.String() == "" {
					t.Fatalf("ended with %v\n%s", err, out)
				}
				t.Logf("ended after %v", time.Since(began).Round(time.Millisecond))
				return
			}
			answer, err := firstAnswer(ctx, quiet[program], prints(program, args), out, ended)
			if err != nil && strings.Contains(out.String(), "address already in use") {
				t.Skipf("another program has its port: %s", out)
			}
			if err != nil {
				_ = run.Process.Kill()
				t.Fatalf("%v\n%s", err, out)
			}
			t.Logf("answered after %v: %.60q", time.Since(began).Round(time.Millisecond), answer)
			if err := run.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if <-ended; strings.Contains(out.String(), "panic: ") { // it may have had to give up what it began
				t.Errorf("at an interrupt:\n%s", out)
			}
		})
	}
}

// documented returns the commands of all documents, each once, in their order.
func documented(t *testing.T, root string) (all []string) {
	t.Helper()
	pages := []string{filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md"), filepath.Join(root, "examples", "README.md")}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, d fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range command.FindAllSubmatch(text, -1) {
			line := strings.TrimRight(strings.TrimSpace(string(found[1])), ".:,")
			if line, _, _ = strings.Cut(line, " &"); !slices.Contains(all, line) {
				all = append(all, line)
			}
		}
	}
	return all
}

// free skips the test if something else serves the address.
func free(t *testing.T, url string) {
	t.Helper()
	host, _, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	if l, err := net.Listen("tcp", host); err != nil {
		t.Skipf("the documented address is in use: %v", err)
	} else {
		_ = l.Close()
	}
}

// firstAnswer returns the first answer of a program at its address: url, or the first one that it prints. The answer of a program that
// only prints is its output.
func firstAnswer(ctx context.Context, url string, prints bool, out *output, ended chan error) (string, error) {
	for {
		select {
		case err := <-ended:
			ended <- err
			return "", fmt.Errorf("ended before it answered: %v", err)
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
		if prints && strings.Count(out.String(), "\n") > 2 {
			return out.String(), nil
		}
		at := url
		if at == "" {
			at = address.FindString(out.String())
		}
		if at == "" {
			continue
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, http.NoBody)
		if err != nil {
			return "", err
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			continue // it does not listen yet
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode == http.StatusTooManyRequests {
			time.Sleep(time.Second)
			continue
		}
		if err != nil || answer.StatusCode != http.StatusOK {
			return "", fmt.Errorf("%s: %s %v", at, answer.Status, err)
		}
		if url != "" && !bytes.Contains(body, []byte(`"code"`)) {
			continue // nobody has joined yet
		}
		return string(body), nil
	}
}

// output collects what a program prints.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
