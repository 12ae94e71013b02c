package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// patience is how long a test waits for what must come.
const patience = time.Minute

// TestMain is a process with rooms, too, where the test starts one.
func TestMain(m *testing.M) {
	if os.Getenv(nameVariable) != "" {
		if err := beProcess(); err != nil {
			log.Fatal(err)
		}
		return
	}
	os.Exit(m.Run())
}

var seated = regexp.MustCompile(`^player (\d+) has a seat in room (\w+) of process-(\d+)$`)

// Four players play in two of three processes. One of these is killed: its players are told, and play on in another one,
// while the others notice nothing. When the launcher ends, nothing is left.
func TestFleet(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	in, keys := io.Pipe()
	out, print := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, options{processes: 3, players: 4, http: "127.0.0.1:0"}, in, print)
		_ = print.Close()
		ended <- err
	}()
	lines := make(chan string)
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			lines <- s.Text()
		}
		close(lines)
	}()
	late := time.After(patience)
	var said []string
	next := func(what string) string {
		t.Helper()
		select {
		case line, ok := <-lines:
			if !ok {
				t.Fatalf("%s: it has ended with %v, after\n%s", what, <-ended, strings.Join(said, "\n"))
			}
			said = append(said, line)
			return line
		case <-late:
			t.Fatalf("%s: not within %v, but\n%s", what, patience, strings.Join(said, "\n"))
		}
		panic("unreachable")
	}
	at, address := make(map[string]string), "" // process by player
	for len(at) < 4 {
		line := next("four players have a seat")
		if m := seated.FindStringSubmatch(line); m != nil {
			at[m[1]] = m[3]
		}
		if _, after, ok := strings.Cut(line, "answers at "); ok {
			address, _, _ = strings.Cut(after, ". ")
		}
	}
	got, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	if got.Body.Close(); got.StatusCode != http.StatusOK {
		t.Errorf("GET %s: %s", address, got.Status)
	}
	victim := at["1"]
	if _, err := fmt.Fprintln(keys, "kill", victim); err != nil {
		t.Fatal(err)
	}
	told, away := make(map[string]bool), make(map[string]bool)
	for player, process := range at {
		away[player] = process == victim
	}
	if len(away) != 4 || away["1"] == away["2"] && away["1"] == away["3"] && away["1"] == away["4"] {
		t.Fatalf("all play in one process: %v", at)
	}
	left := func() (n int) {
		for _, is := range away {
			if is {
				n++
			}
		}
		return n
	}
	for left() > 0 {
		line := next("the players of process-" + victim + " play again")
		var player string
		if n, _ := fmt.Sscanf(line, "player %s has lost process-"+victim, &player); n == 1 {
			told[player] = true
		}
		if m := seated.FindStringSubmatch(line); m != nil {
			if !told[m[1]] || m[3] == victim {
				t.Errorf("nobody has told: %s", line)
			}
			away[m[1]] = false
		}
	}
	for player, process := range at {
		if told[player] != (process == victim) {
			t.Errorf("player %s of process-%s: told of the end of process-%s: %v", player, process, victim, told[player])
		}
	}
	go func() {
		for range lines { // what is still to be said
		}
	}()
	stop()
	select {
	case err := <-ended: // it waits for its processes
		if err != nil {
			t.Error(err)
		}
	case <-late:
		t.Fatal("it does not end")
	}
}
