package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/internal/printed"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/netsys/websocket"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	roomsweb "github.com/tactusgo/tactus/systems/rooms/web"
)

// open runs the command with -rooms until the end of the test, and says where everything is.
func open(t *testing.T, args string) (at where) {
	t.Helper()
	out, errs := new(printed.Text), new(printed.Text)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if code := lobbyMain(ctx, strings.Fields("-rooms -json -http 127.0.0.1:0 -web "+client(t)+" "+args), out, errs); code != 0 {
			t.Errorf("exit code %d: %s", code, errs)
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	if err := json.Unmarshal([]byte(out.Find(t, `(?s)^(\{.*\})\n$`)), &at); err != nil {
		t.Fatal(err)
	}
	return at
}

// seat asks for a seat.
func seat(t *testing.T, at where, player int, path, body string) (status int, a roomsweb.Admission, failed roomsweb.Failure) {
	t.Helper()
	q, err := http.NewRequest(http.MethodPost, at.Rooms+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Player", fmt.Sprint(player))
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err == nil {
		if r.StatusCode < 300 {
			err = json.Unmarshal(b, &a)
		} else {
			err = json.Unmarshal(b, &failed)
		}
	}
	if err != nil {
		t.Fatalf("%s %s: %v", r.Status, b, err)
	}
	return r.StatusCode, a, failed
}

// meet has players on seats of one room, over UDP and by WebSocket in turn, play until each sees all.
func meet(t *testing.T, seats ...roomsweb.Admission) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var all, seen sync.WaitGroup
	seen.Add(len(seats))
	for i, a := range seats {
		all.Go(func() { plays(ctx, t, a, i%2 == 1, len(seats), sync.OnceFunc(seen.Done)) })
	}
	go func() {
		seen.Wait()
		cancel()
	}()
	all.Wait()
}

// plays plays with a seat until ctx ends, and calls met when it sees the number of players.
func plays(ctx context.Context, t *testing.T, a roomsweb.Admission, socket bool, players int, met func()) {
	defer met() // nobody waits for who has failed
	b, err := base64.StdEncoding.DecodeString(a.Token)
	if err != nil {
		t.Error(err)
		return
	}
	token, err := netcode.ParseToken(b)
	if err != nil {
		t.Error(err)
		return
	}
	config := systems.ClientConfig{Session: systems.ClientSession{Token: token}}
	game.NewMessages().Play(&config, nil)
	var c *systems.Client
	if socket {
		wire, e := websocket.Dial(ctx, a.Endpoints.WS)
		if err = e; err == nil {
			c, err = systems.NewClient(wire, wire.RemoteAddr(), game.CombatProtocol(), config)
		}
	} else {
		c, err = systems.Dial(ctx, a.Endpoints.UDP, game.CombatProtocol(), config)
	}
	if err != nil {
		t.Error(err)
		return
	}
	there := false
	if err := c.Run(ctx, func(c *systems.Client) {
		n := 0
		for range ecs.All[struct{ Who game.Player }](c.View()) {
			n++
		}
		if n == players {
			there = true
			met()
		}
	}); !there {
		t.Errorf("player %s meets nobody: %v", a.Player, err)
	}
}

// Two players, one over UDP and one over WebSocket, meet in a room that one of them creates and the other finds by its code.
func TestRooms(t *testing.T) {
	at := open(t, "-seats 2 -npcs 5")
	if at.Kind != kindName || at.Seats != 2 || at.Rooms != at.HTTP+"/rooms" {
		t.Errorf("it says %+v", at)
	}
	if s := get(t, at.HTTP); !strings.Contains(s, "assets/lobby.js") {
		t.Errorf("the page is %s", s)
	}
	if s := get(t, at.Rooms+"/openapi.json"); strings.TrimSpace(s) != compact(t, roomsweb.OpenAPI()) {
		t.Errorf("the interface is described by %.200s", s)
	}
	status, a, failed := seat(t, at, 1, "/create", `{"kind":"arena","options":{"name":"ours"}}`)
	if status != http.StatusCreated || a.Endpoints.UDP != at.UDP || a.Endpoints.WS != at.WS {
		t.Fatalf("%d %+v %v", status, a, failed)
	}
	if s := get(t, at.Rooms+"?is[name]=ours&free=1"); !strings.Contains(s, a.Room.String()) {
		t.Errorf("the list is %s", s)
	}
	_, b, failed := seat(t, at, 2, "/"+a.Code+"/join", `{}`)
	if b.Room != a.Room {
		t.Fatalf("%+v %v", b, failed)
	}
	if status, _, failed := seat(t, at, 3, "/"+a.Code+"/join", `{}`); status != http.StatusConflict || failed.Code != "full" {
		t.Errorf("a third of two: %d %v", status, failed)
	}
	meet(t, a, b)
	if status, c, failed := seat(t, at, 4, "/queue", `{"kind":"arena"}`); status != http.StatusOK {
		t.Errorf("quick match: %d %+v %v", status, c, failed)
	}
	if status, _, failed := seat(t, at, 5, "/create", `{"kind":"arena","options":{"name":"a\u0007b"}}`); status != http.StatusForbidden || !strings.Contains(failed.Message, "unprintable") {
		t.Errorf("a name that cannot be read: %d %v", status, failed)
	}
}

// Bots join with the first player of a room and leave with the last. Then the room is empty.
func TestRoomsBots(t *testing.T) {
	for _, preset := range []string{"LocalSync", "Rollback"} {
		at := open(t, "-seats 1 -bots 2 -npcs 0 -model "+preset)
		taken := func() (n int) {
			var list roomsweb.List
			if err := json.Unmarshal([]byte(get(t, at.Rooms)), &list); err != nil || len(list.Rooms) != 1 {
				t.Fatalf("%v %+v", err, list)
			}
			return list.Rooms[0].Capacity - list.Rooms[0].Free
		}
		for player := range 2 { // the bots come again
			_, a, failed := seat(t, at, player+1, "/join", `{"kind":"arena"}`)
			if a.Token == "" {
				t.Fatal(failed)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			plays(ctx, t, a, false, 3, cancel)
			for end := time.Now().Add(30 * time.Second); taken() != 0; time.Sleep(20 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("%s: %d are still there", preset, taken())
				}
			}
		}
	}
}

// Rooms have the model that -model names, where inputs travel too.
func TestRoomsPreset(t *testing.T) {
	for _, preset := range []string{"ServerRewind", "Rollback", "Lockstep"} {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			at := open(t, "-npcs 5 -model "+preset)
			var seats []roomsweb.Admission
			for player := range 2 {
				status, a, failed := seat(t, at, player+1, "/join", `{"kind":"arena"}`)
				if status != http.StatusOK {
					t.Fatal(failed)
				}
				seats = append(seats, a)
			}
			meet(t, seats...)
		})
	}
}

// A request with an operator's token sends a message to the players of a room, and ends the room. Requests without one are
// refused.
func TestRoomsOperator(t *testing.T) {
	const token = "0123456789abcdef"
	t.Setenv(operatorsVariable, "ada="+token)
	at := open(t, "-seats 2 -npcs 0 -inspect 127.0.0.1:0")
	_, a, failed := seat(t, at, 1, "/create", `{"kind":"arena"}`)
	if a.Token == "" {
		t.Fatal(failed)
	}
	act := func(what, body, token string) (status int, answer string) {
		q, err := http.NewRequest(http.MethodPost, at.Operator+"/room/"+a.Room.String()+"/"+what, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("Authorization", "Bearer "+token)
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		return r.StatusCode, string(b)
	}
	b, err := base64.StdEncoding.DecodeString(a.Token)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := netcode.ParseToken(b)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	heard := make(chan string, 16)
	config := systems.ClientConfig{Session: systems.ClientSession{Token: parsed}}
	game.NewMessages().Play(&config, func(s *game.Said) { heard <- s.Name.String() + ": " + s.Text.String() })
	c, err := systems.Dial(ctx, a.Endpoints.UDP, game.CombatProtocol(), config)
	if err != nil {
		t.Fatal(err)
	}
	ready, played := make(chan struct{}), make(chan error, 1)
	in := sync.OnceFunc(func() { close(ready) })
	go func() { played <- c.Run(ctx, func(*systems.Client) { in() }) }()
	select {
	case <-ready:
	case <-ctx.Done():
		t.Fatal("the player is not in")
	}
	if status, answer := act("broadcast", `{"text":"hello"}`, "another-token-0123"); status != http.StatusUnauthorized && status != http.StatusForbidden {
		t.Errorf("with another token: %d %s", status, answer)
	}
	if status, answer := act("broadcast", `{"text":"`+strings.Repeat("x", 81)+`"}`, token); status < 400 || !strings.Contains(answer, "80 bytes") {
		t.Errorf("a line that is too long: %d %s", status, answer)
	}
	if status, answer := act("broadcast", `{"text":"hello"}`, token); status != http.StatusOK {
		t.Errorf("%d %s", status, answer)
	}
	select {
	case line := <-heard:
		if line != "operator: hello" {
			t.Errorf("heard %q", line)
		}
	case <-ctx.Done():
		t.Error("nobody heard it")
	}
	if status, answer := act("end", `{"reason":"enough"}`, token); status != http.StatusOK {
		t.Errorf("%d %s", status, answer)
	}
	if err := <-played; err == nil || ctx.Err() != nil {
		t.Errorf("the room goes on: %v", err)
	}
}

// compact is JSON without space.
func compact(t *testing.T, b []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, b); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Pages of other sites, and names that any site could make lead here, get nothing.
func TestRoomsAreGuarded(t *testing.T) {
	at := open(t, "")
	for header, value := range map[string]string{"Origin": "http://evil.example", "Host": "evil.example"} {
		q, err := http.NewRequest(http.MethodPost, at.Rooms+"/join", strings.NewReader(`{"kind":"arena"}`))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", "application/json")
		if header == "Host" {
			q.Host = value
		} else {
			q.Header.Set(header, value)
		}
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		var refused struct{ Code string }
		err = json.NewDecoder(r.Body).Decode(&refused)
		if _ = r.Body.Close(); r.StatusCode != http.StatusForbidden || err != nil || refused.Code != "forbidden" {
			t.Errorf("%s %s: %s, %+v, %v", header, value, r.Status, refused, err)
		}
	}
}

// The command prints all addresses, -h explains the flags, and invalid flags are refused with the allowed values.
func TestRoomsFlags(t *testing.T) {
	for args, want := range map[string]bool{"-rooms": true, "--rooms": true, "-http none -rooms=true": true, "-rooms=false": false, "-npcs 3": false, "rooms": false} {
		if got := wantsRooms(strings.Fields(args)); got != want {
			t.Errorf("%s: rooms %v", args, got)
		}
	}
	for args, want := range map[string]string{
		"-http 0.0.0.0:80":             "addresses of this machine",
		"-http 192.0.2.1:80":           "addresses of this machine",
		"-http none":                   "an address and a port",
		"-seats 0":                     "1 to 256",
		"-npcs -1":                     "0 to 10000",
		"-max-rooms 0":                 "1 to 10000",
		"-bots 65":                     "0 to 64",
		"-model Quantum":               "LocalSync, Buffered",
		"-headless":                    "-rooms -h",
		"surplus":                      "only flags",
		"-http 127.0.0.1:999999":       "-http takes another address",
		"-http 127.0.0.1:0 -web /none": "-web: ",
		"-http 127.0.0.1:0 -web CLIENT -inspect 0.0.0.0:0": "-inspect: ",
	} {
		var out, errs bytes.Buffer
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		code := lobbyMain(ctx, strings.Fields("-rooms "+strings.ReplaceAll(args, "CLIENT", client(t))), &out, &errs)
		fails := strings.Contains(args, "127.0.0.1:") // when it serves
		if want := map[bool]int{true: 1, false: runner.ExitUsage}[fails]; code != want {
			t.Errorf("arena -rooms %s: exit code %d, want %d", args, code, want)
		}
		if !strings.Contains(errs.String(), want) {
			t.Errorf("arena -rooms %s: %q; want %q", args, &errs, want)
		}
	}
	var out, errs bytes.Buffer
	if code := lobbyMain(t.Context(), []string{"-rooms", "-h"}, &out, &errs); code != 0 || !strings.Contains(errs.String(), "-seats") {
		t.Errorf("exit code %d, %s", code, &errs)
	}
	if code, _, errs := run(t, "-h"); code != 0 || !strings.Contains(errs, "arena -rooms -h") {
		t.Errorf("exit code %d, %s", code, errs)
	}
	told := new(printed.Text)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int)
	go func() {
		done <- lobbyMain(ctx, []string{"-rooms", "-http", "127.0.0.1:0", "-web", client(t)}, told, told)
	}()
	url := told.Find(t, `lobby in a browser: +(http://127\.0\.0\.1:\d+)\n`)
	if at := told.Find(t, `rooms by HTTP: +(http://\S+/rooms),`); at != url+"/rooms" {
		t.Errorf("rooms at %s", at)
	}
	x := where{Rooms: url + "/rooms"}
	_, a, _ := seat(t, x, 1, "/join", `{"kind":"arena"}`)
	if id := told.Find(t, `room (\w+) created`); id != a.Room.String() {
		t.Errorf("room %s of %+v", id, a)
	}
	cancel()
	if code := <-done; code != 0 {
		t.Errorf("exit code %d: %s", code, told)
	}
}
