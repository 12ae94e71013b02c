package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/systems/rooms/web"
)

// words are the words of a shell command, without the quotes around them.
var words = regexp.MustCompile(`'[^']*'|[^ ']+`)

// The commands in docs/rooms.md that request seats work in their order as the text says.
func TestCurl(t *testing.T) {
	text, err := os.ReadFile("../../docs/rooms.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "## Seats by HTTP")
	_, rest, _ = strings.Cut(rest, "```sh\n")
	commands, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("there are no commands under Seats by HTTP")
	}
	_, lobby := serveLobby(t)
	code, asked := "", 0
	for line := range strings.Lines(commands) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "alias ") {
			continue
		}
		line = strings.NewReplacer("http://127.0.0.1:8080", lobby, "/CODE/", "/"+code+"/").Replace(line)
		method, url, body, header := http.MethodGet, "", "", make(http.Header)
		all := words.FindAllString(line, -1)
		for i, word := range all {
			switch word = strings.Trim(word, "'"); {
			case word == "post":
				method = http.MethodPost
				header.Set("Content-Type", "application/json")
			case strings.HasPrefix(word, "http:"):
				url = word
			case i > 0 && all[i-1] == "-d":
				body = word
			case i > 0 && all[i-1] == "-H":
				name, value, _ := strings.Cut(word, ": ")
				header.Set(name, value)
			}
		}
		r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		r.Header = header
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		answer, err := io.ReadAll(got.Body)
		if _ = got.Body.Close(); err != nil || got.StatusCode >= 300 {
			t.Fatalf("%s: %s, %.200s, %v", line, got.Status, answer, err)
		}
		var a web.Admission
		if json.Unmarshal(answer, &a) == nil && a.Code != "" {
			code = a.Code
		}
		if asked++; strings.Contains(url, "/queue") != (got.StatusCode == http.StatusAccepted) {
			t.Errorf("%s: %s", line, got.Status)
		}
	}
	if asked < 8 || code == "" {
		t.Errorf("%d commands, of which none gives a seat in a room with a code", asked)
	}
}
