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

// where is what the command says with -json.
type where struct {
	HTTP, Rooms, UDP, WS, Kind string
	Seats                      int
}

// open runs the command with -rooms until the end of the test, and says where everything is.
func open(t *testing.T, args string) (at where) {
	t.Helper()
	out, errs := new(printed.Text), new(printed.Text)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if code := runner.Main(ctx, world(), strings.Fields("-rooms -bots 0 -json -http 127.0.0.1:0 -web "+client(t)+" "+args), out, errs); code != 0 {
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
	if at.Kind != "arena" || at.Seats != 2 || at.Rooms != at.HTTP+"/rooms" {
		t.Errorf("it says %+v", at)
	}
	if s := get(t, at.HTTP); !strings.Contains(s, "assets/arena.js") {
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

// Bots join with the first player of a room, leave one by one as others come, and leave with the last. Then the room is empty.
func TestRoomsBots(t *testing.T) {
	for _, preset := range []string{"LocalSync", "Rollback"} {
		at := open(t, "-seats 4 -bots 2 -npcs 0 -model "+preset)
		var list roomsweb.List
		taken := func(want int) {
			t.Helper()
			for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
				if err := json.Unmarshal([]byte(get(t, at.Rooms)), &list); err != nil || len(list.Rooms) != 1 {
					t.Fatalf("%v %+v", err, list)
				}
				n := list.Rooms[0].Capacity - list.Rooms[0].Free
				if n == want {
					return
				}
				if time.Now().After(end) {
					t.Fatalf("%s: %d seats are taken, want %d", preset, n, want)
				}
			}
		}
		for player := range 2 { // the bots come again
			_, a, failed := seat(t, at, player+1, "/join", `{"kind":"arena"}`)
			if a.Token == "" {
				t.Fatal(failed)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			plays(ctx, t, a, false, 3, cancel)
			taken(0)
		}
		var all []roomsweb.Admission
		for player := range 3 {
			_, a, failed := seat(t, at, player+10, "/join", `{"kind":"arena"}`)
			if a.Token == "" {
				t.Fatal(failed)
			}
			all = append(all, a)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var playing, seen sync.WaitGroup
		seen.Add(len(all))
		for _, a := range all {
			playing.Go(func() { plays(ctx, t, a, false, 3, sync.OnceFunc(seen.Done)) })
		}
		seen.Wait()
		taken(3)
		cancel()
		playing.Wait()
		taken(0)
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

// compact is JSON without space.
func compact(t *testing.T, b []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, b); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The command prints all addresses, -h explains the flags, and invalid flags are refused with the allowed values.
func TestRoomsFlags(t *testing.T) {
	refused := func(args string, want int) {
		t.Helper()
		var out, errs bytes.Buffer
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if code := runner.Main(ctx, world(), strings.Fields("-rooms "+args), &out, &errs); code != want || errs.Len() == 0 {
			t.Errorf("arena -rooms %s: got exit code %d, errors %q; want %d and a reason", args, code, &errs, want)
		}
	}
	for _, args := range []string{
		"-seats 0", "-npcs -1", "-max-rooms 0", "-bots 65", "-model Quantum", "-headless", "-record x", "surplus",
		"-embed portal.example", "-embed null",
	} {
		refused(args, runner.ExitUsage)
	}
	for _, args := range []string{"-http 0.0.0.0:0", "-http none", "-http 127.0.0.1:999999", "-http 127.0.0.1:0 -web /none", "-http 127.0.0.1:0 -web " + client(t) + " -inspect 0.0.0.0:0"} {
		refused(args, 1) // when it serves
	}
	told := new(printed.Text)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int)
	go func() {
		done <- runner.Main(ctx, world(), []string{"-rooms", "-http", "127.0.0.1:0", "-web", client(t)}, told, told)
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
