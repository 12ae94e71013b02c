//go:build !js

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var (
	// block is a fenced block with its language, or a heading that names the file which the next block is.
	block = regexp.MustCompile("(?ms)^##+ [^\n]*?: `([^`]+)`$|^```(sh|go|html|ts)\n(.*?)^```$")
	// address is where the page is, as the server prints it.
	address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
)

// reader follows pages of the guide to the letter, in a folder that is empty at first.
type reader struct {
	*testing.T
	root, folder string
}

func newReader(t *testing.T) *reader {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds a client for browsers: without -short it runs")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	return &reader{t, root, t.TempDir()}
}

// command returns a line of a shell.
func (r *reader) command(line string) *exec.Cmd {
	cmd := exec.CommandContext(r.Context(), "bash", "-ec", line)
	cmd.Dir = r.folder
	cmd.Env = append(os.Environ(), "GOWORK=")
	return cmd
}

// follow does what a page says between two headings, of which the arguments are the beginnings; "" is either end of the page. It
// writes the files and calls run with each line of the shell.
func (r *reader) follow(name, begin, end string, run func(line string) (out []byte)) {
	r.Helper()
	page, err := os.ReadFile(filepath.Join(r.root, "docs/guide", name))
	if err != nil {
		r.Fatal(err)
	}
	text, file := string(page), ""
	if begin != "" {
		_, after, found := strings.Cut(text, "\n"+begin)
		if !found {
			r.Fatalf("%s has no heading %q", name, begin)
		}
		text = begin + after
	}
	if end != "" {
		before, _, found := strings.Cut(text, "\n"+end)
		if !found {
			r.Fatalf("%s has no heading %q", name, end)
		}
		text = before + "\n"
	}
	for _, m := range block.FindAllStringSubmatch(text, -1) {
		switch {
		case m[1] != "":
			file = m[1]
		case m[2] != "sh":
			if err := os.WriteFile(filepath.Join(r.folder, file), []byte(m[3]), 0o600); err != nil {
				r.Fatal(err)
			}
		default:
			for line := range strings.Lines(m[3]) {
				run(strings.TrimSpace(line))
			}
		}
	}
}

// must runs a line: in the checkout if it creates the folder, else in the folder.
func (r *reader) must(line string) []byte {
	r.Helper()
	cmd := r.command(line)
	if strings.HasPrefix(line, "go run ./examples/new ") {
		cmd = r.command(strings.Replace(line, " ../first ", " "+r.folder+" ", 1))
		cmd.Dir = r.root
	} else if line == "cd ../first" {
		return nil
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("%s: %v\n%s", line, err, out)
	}
	return out
}

// The guide, followed to the letter in an empty folder: a module, the game, a try without a screen, a page, and a
// browser that plays.
func TestGuide(t *testing.T) {
	r := newReader(t)
	run := func(line string) []byte {
		if line == "go run ." || strings.HasPrefix(line, "go run . -http ") {
			line = strings.Replace(strings.TrimPrefix(line, "go run ."), ":8080", ":0", 1)
			play(t, r.command("go build -o server . && exec ./server"+line))
			return nil
		}
		out := r.must(line)
		if strings.Contains(line, "-headless") && !(bytes.Contains(out, []byte("converged true")) && bytes.Contains(out, []byte("corrections 0,"))) {
			t.Errorf("%s:\n%s", line, out)
		}
		return out
	}
	r.follow("first-game.md", "", "", run)
	r.follow("browser.md", "", "", run)
}

// The section about three.js, followed to the letter: the same game, its client as a module, bindings, a page that npm builds, and
// a browser that meets the bots.
func TestThreeGuide(t *testing.T) {
	if os.Getenv("TACTUS_LONG") == "" {
		t.Skip("npm builds the page for half a minute: set TACTUS_LONG=1")
	}
	r := newReader(t)
	for _, program := range []string{"npm", "npx"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("there is no npm: apt-get install npm, and Node from 20.19 on")
		}
	}
	r.follow("engines.md", "## three.js", "## C and Godot", func(line string) []byte {
		switch {
		case line == "cd ../first":
			r.follow("first-game.md", "## 2. ", "## 3. ", r.must)
			return nil
		case line == "go run .":
			meet(t, r.command("go build -o server . && exec ./server"))
			return nil
		case strings.HasPrefix(line, "npm install "):
			line = "npm install --no-audit --no-fund --prefer-offline " + r.pinned(strings.Fields(line)[2:])
		}
		return r.must(line)
	})
}

// pinned returns packages with the versions that examples/stage has.
func (r *reader) pinned(packages []string) string {
	r.Helper()
	text, err := os.ReadFile(filepath.Join(r.root, "examples/stage/package.json"))
	if err != nil {
		r.Fatal(err)
	}
	var has struct{ Dependencies, DevDependencies map[string]string }
	if err := json.Unmarshal(text, &has); err != nil {
		r.Fatal(err)
	}
	for i, name := range packages {
		if version := has.Dependencies[name] + has.DevDependencies[name]; version != "" {
			packages[i] += "@" + version
		}
	}
	return strings.Join(packages, " ")
}

// meet opens the page in three.js that a server prints, and looks whether it meets the bots.
func meet(t *testing.T, server *exec.Cmd) {
	url := serve(t, server)
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no Chromium: apt-get install chromium")
	}
	out, err := exec.CommandContext(t.Context(), "node", "--no-warnings", "--experimental-websocket", "testdata/look.mjs", chromium, t.TempDir(), url,
		"^4 players, round trip [0-9]+ ms, 0 corrections$").CombinedOutput()
	if err != nil || !bytes.HasPrefix(out, []byte("4 players")) {
		t.Errorf("the page says %s (%v), want that it meets three bots and is not corrected", out, err)
	}
}

// serve starts a server until the end of the test, and returns where its page is.
func serve(t *testing.T, server *exec.Cmd) (url string) {
	t.Helper()
	var errs bytes.Buffer
	server.Stderr = &errs
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	lines := bufio.NewScanner(out)
	for url == "" && lines.Scan() {
		url = address.FindString(lines.Text())
	}
	if url == "" {
		t.Fatalf("the server has not printed where its page is: %v, %s", server.Wait(), &errs)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return url
}

// play opens the page that a server prints, and looks whether there is somebody to see on it.
func play(t *testing.T, server *exec.Cmd) {
	url, state := serve(t, server), ""
	for range 1200 { // of 100 ms
		if state = get(url + "/build.json"); strings.Contains(state, `"ready"`) || strings.Contains(state, `"failed"`) {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if !strings.Contains(state, `"ready"`) {
		t.Fatalf("the client was not built: %s", state)
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no Chromium: apt-get install chromium")
	}
	picture := filepath.Join(t.ArtifactDir(), "first.png")
	blue, red := 0, 0
	var said []byte
	for range 8 { // a busy machine may let the page's time run out before it has joined
		said, err = exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(),
			"--window-size=800,560", "--virtual-time-budget=20000", "--screenshot="+picture, url+"/?play").CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		if blue, red = players(t, picture); blue+red >= 300 {
			return
		}
	}
	t.Errorf("there is nobody to see in %s: %d blue points, %d red ones\n%s", picture, blue, red, said)
}

// get returns what a server answers, or why it does not.
func get(url string) string {
	r, err := http.Get(url)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = r.Body.Close() }()
	b, err := io.ReadAll(r.Body)
	return fmt.Sprint(string(b), err)
}

// players counts the points that are drawn as players.
func players(t *testing.T, name string) (blue, red int) {
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	picture, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			switch r, g, b, _ := picture.At(x, y).RGBA(); [3]uint32{r >> 8, g >> 8, b >> 8} {
			case [3]uint32{0x4a, 0x90, 0xd9}:
				blue++
			case [3]uint32{0xd9, 0x4a, 0x4a}:
				red++
			}
		}
	}
	return blue, red
}
