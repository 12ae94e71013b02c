//go:build !js

package main

import (
	"bufio"
	"bytes"
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
	block = regexp.MustCompile("(?ms)^## [^\n]*?: `([^`]+)`$|^```(sh|go|html)\n(.*?)^```$")
	// address is where the page is, as the server prints it.
	address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
)

// The guide, followed to the letter in an empty folder: a module, the game, a try without a screen, a page, and a
// browser that plays.
func TestGuide(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a client for browsers: without -short it runs")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	run := func(command string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), "bash", "-ec", command)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		return cmd
	}
	for _, name := range []string{"first-game.md", "browser.md"} {
		page, err := os.ReadFile(filepath.Join(root, "docs/guide", name))
		if err != nil {
			t.Fatal(err)
		}
		file := ""
		for _, m := range block.FindAllStringSubmatch(string(page), -1) {
			switch {
			case m[1] != "":
				file = m[1]
			case m[2] != "sh":
				if err := os.WriteFile(filepath.Join(folder, file), []byte(m[3]), 0o600); err != nil {
					t.Fatal(err)
				}
			default:
				for line := range strings.Lines(m[3]) {
					line = strings.TrimSpace(line)
					switch {
					case line == "go run .":
						play(t, run("go build -o game . && exec ./game"))
						continue
					case strings.HasPrefix(line, "go get "): // the checkout stands in for what the registry has
						line = "go mod edit -require=github.com/tactusgo/tactus@v0.0.0 -replace=github.com/tactusgo/tactus=" + root
					}
					out, err := run(line).CombinedOutput()
					if err != nil {
						t.Fatalf("%s: %s: %v\n%s", name, line, err, out)
					}
					if strings.Contains(line, "-headless") && !(bytes.Contains(out, []byte("converged true")) && bytes.Contains(out, []byte("corrections 0,"))) {
						t.Errorf("%s: %s:\n%s", name, line, out)
					}
				}
			}
		}
	}
}

// play opens the page that a server prints, and looks whether there is somebody to see on it.
func play(t *testing.T, server *exec.Cmd) {
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Process.Kill(); _ = server.Wait() }()
	lines, url := bufio.NewScanner(out), ""
	for url == "" && lines.Scan() {
		url = address.FindString(lines.Text())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	if url == "" {
		t.Fatal("the server has not printed where its page is")
	}
	state := ""
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
			"--window-size=800,560", "--virtual-time-budget=20000", "--screenshot="+picture, url).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		if blue, red = players(t, picture); blue+red >= 300 {
			return
		}
	}
	t.Errorf("there is nobody to see in %s: %d blue points, %d red ones\n%s", picture, blue, red, said)
}

// get is what a server answers, or why it does not.
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
