package web

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
)

// Bots fill all seats of a room but one. People who ask for seats there at the same time all get one, because bots leave, also those
// that have not connected yet. The room then is full.
func TestBotsLeaveForPeople(t *testing.T) {
	for name, client := range map[string]func(*runner.Options, *systems.ClientConfig){
		"playing": nil,
		"joining": func(_ *runner.Options, c *systems.ClientConfig) { c.Login = 0.5 }, // which no client can encode
	} {
		t.Run(name, func(t *testing.T) {
			world := plaza()
			world.Client = client
			testBotsLeaveForPeople(t, world)
		})
	}
}

func testBotsLeaveForPeople(t *testing.T, world runner.Game) {
	world.Rooms = &runner.Rooms{Seats: 6, Bots: 6}
	Beside(&world, eventloop.ListenBoth, Config{Dist: &Dist{Files: fstest.MapFS{"index.html": {Data: []byte("lobby")}}}})
	out := start(t, world, "-rooms -http 127.0.0.1:0 -insecure-anyone-can-join")
	site := out.Find(t, `rooms by HTTP: +(\S+),`)
	// ask asks for a seat, and returns the answer and its status.
	ask := func(player, path, body string) (a struct{ Token, Code string }, status int) {
		r, err := http.NewRequestWithContext(t.Context(), "POST", site+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Player", player)
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Error(err)
			return a, 0
		}
		defer answer.Body.Close()
		if err := json.NewDecoder(answer.Body).Decode(&a); err != nil {
			t.Error(err)
		}
		return a, answer.StatusCode
	}
	first, _ := ask("1", "/create", `{"kind":"plaza"}`)
	b, err := base64.StdEncoding.DecodeString(first.Token)
	if err != nil {
		t.Fatal(err)
	}
	config := systems.ClientConfig{Gather: plaza().Bot(nil, 0).Gather()}
	if config.Session.Token, err = netcode.ParseToken(b); err != nil {
		t.Fatal(err)
	}
	c, err := systems.Dial(t.Context(), "", plaza().Protocol(nil), config)
	if err != nil {
		t.Fatal(err)
	}
	var playing sync.WaitGroup
	playing.Go(func() { _ = c.Run(t.Context(), nil) })
	t.Cleanup(playing.Wait)
	for end := time.Now().Add(time.Minute); !strings.Contains(fetch(t, site), `"free":1`); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(fetch(t, site))
		}
	}
	var asking sync.WaitGroup
	for _, player := range []string{"2", "3", "4", "5", "6"} {
		asking.Go(func() {
			if _, status := ask(player, "/"+first.Code+"/join", "{}"); status != http.StatusOK {
				t.Errorf("player %s is refused with status %d", player, status)
			}
		})
	}
	asking.Wait()
	if _, status := ask("7", "/"+first.Code+"/join", "{}"); status != http.StatusConflict {
		t.Errorf("in a room full of people there is a seat: status %d", status)
	}
}
