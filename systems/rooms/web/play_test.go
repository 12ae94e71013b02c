package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/roomstest"
)

// Two players get seats by HTTP, meet in the room over UDP; a third finds it full, and gets another one.
func TestTwoMeet(t *testing.T) {
	x := newSite(t, many(), rooms.Kind{Capacity: 2})
	a := x.seat(1, "/rooms/join", `{"kind":"field"}`)
	b := x.seat(2, "/rooms/join", `{"kind":"field"}`)
	if a.Room != b.Room || a.Seat == b.Seat {
		t.Fatalf("%+v\n%+v", a, b)
	}
	x.refused(3, "/rooms/"+a.Code+"/join", `{}`, "full")
	if c := x.seat(3, "/rooms/join", `{"kind":"field"}`); c.Room == a.Room {
		t.Error("a third of two")
	}
	x.play(a, 1)
	x.play(b, 2)
}

// A player whose client is gone gets its seat again, by room and by code, and plays there; a stranger does not.
func TestReconnect(t *testing.T) {
	x := newSite(t, many(), rooms.Kind{Capacity: 2})
	a := x.seat(1, "/rooms/create", `{"kind":"field","options":{"map":"dust"},"private":true}`)
	x.play(a, 1)
	b := x.seat(1, "/rooms/"+a.Room.String()+"/reconnect", `{}`)
	if b.Room != a.Room || b.Seat != a.Seat || b.Token == a.Token {
		t.Errorf("%+v\n%+v", a, b)
	}
	x.play(b, 1)
	if c := x.seat(1, "/rooms/"+strings.ToUpper(a.Code)+"/reconnect", `{}`); c.Seat != a.Seat {
		t.Errorf("%+v", c)
	}
	x.refused(2, "/rooms/"+a.Code+"/reconnect", `{}`, "no_seat")
}

// A player who asks again gets the seat that it has: the answer may have been lost, or the player plays and its page has forgotten.
func TestAskingAgain(t *testing.T) {
	x := newSite(t, many(), rooms.Kind{Capacity: 3})
	a := x.seat(1, "/rooms/join", `{"kind":"field"}`)
	fuller := x.seat(2, "/rooms/create", `{"kind":"field"}`)
	x.seat(3, "/rooms/"+fuller.Code+"/join", `{}`)
	asks := map[string]string{"/rooms/join": `{"kind":"field"}`, "/rooms/" + a.Code + "/join": `{}`}
	again := func(ways map[string]string) {
		t.Helper()
		for path, body := range ways {
			if b := x.seat(1, path, body); b.Room != a.Room || b.Seat != a.Seat || b.Token == a.Token {
				t.Errorf("%s: room %v, seat %d", path, b.Room, b.Seat)
			}
		}
	}
	queue := map[string]string{"/rooms/queue": `{"kind":"field","party":"us","party_size":2,"wait":1}`}
	again(asks)
	again(queue)
	x.play(x.seat(1, "/rooms/join", `{"kind":"field"}`), 1)
	again(asks)
	if i := x.server.Room(a.Room).Info(); i.Free() != 2 {
		t.Errorf("%d seats are free", i.Free())
	}
	if got := x.ask(1, "POST", "/rooms/queue", queue["/rooms/queue"]); got.status != http.StatusAccepted {
		t.Errorf("a player who plays may look for another match: %d %s", got.status, got.body)
	}
}

// Each refusal of a room has its code and message.
func TestRefusals(t *testing.T) {
	x := newSite(t, many(), rooms.Kind{Capacity: 2})
	a := x.seat(1, "/rooms/create", `{"kind":"field"}`)
	path := "/rooms/" + a.Code + "/join"
	r := x.server.Room(a.Room)
	r.Lock()
	x.refused(2, path, `{}`, "locked")
	r.Unlock()
	r.Ban(2)
	x.refused(2, path, `{}`, "banned")
	x.refused(3, "/rooms/join", `{"kind":"chess"}`, "no_kind")
	x.refused(3, "/rooms/create", `{"kind":"field","options":{"a":{"b":1}}}`, "bad_options")
	x.refused(3, "/rooms/abcdef/join", `{}`, "no_room")
	x.refused(3, "/rooms/queue", `{"kind":"field","party":"us"}`, "bad_party")
	x.refused(3, "/rooms/queue", `{"kind":"field","party":"us","party_size":3}`, "bad_party")
	for _, wait := range []string{"26", "-1", "9223372037", "18446744073", "9223372036854775807", "18446744073709551616"} {
		x.refused(3, "/rooms/queue", `{"kind":"field","wait":`+wait+`}`, "bad_body")
	}
	r.Drain()
	x.refused(3, path, `{}`, "draining")
	x.server.Drain()
	x.refused(3, "/rooms/join", `{"kind":"field"}`, "draining")
	x.refused(3, "/rooms/queue", `{"kind":"field"}`, "draining")
	for range 32 {
		_, _ = x.server.Create("field", rooms.Creation{})
	}
	if a := x.ask(0, "GET", "/rooms/nothing", ""); a.code() != "no_path" {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := x.ask(0, "GET", "/rooms/join", ""); a.code() != "method" || a.header.Get("Allow") != "POST" {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// A client of another version of the game is told so, and gets no seat that it cannot use.
func TestOutdated(t *testing.T) {
	x := newSite(t, many(), rooms.Kind{Capacity: 2})
	schema := rooms.SchemaOf(roomstest.Field())
	a := x.seat(1, "/rooms/join", `{"kind":"field","schema":"`+schema+`"}`)
	for path, body := range map[string]string{
		"join": `{"kind":"field","schema":"7"}`, "create": `{"kind":"field","schema":"7"}`, "queue": `{"kind":"field","schema":"7"}`,
		a.Code + "/join": `{"schema":"7"}`, a.Code + "/reconnect": `{"schema":"7"}`,
	} {
		x.refused(2, "/rooms/"+path, body, "outdated")
	}
	x.seat(2, "/rooms/"+a.Code+"/join", `{"schema":"`+schema+`"}`)
	x.seat(2, "/rooms/"+a.Code+"/reconnect", `{"schema":"`+schema+`"}`)
	var l List
	if got := x.ask(0, "GET", "/rooms", ""); json.Unmarshal(got.body, &l) != nil || len(l.Rooms) != 1 || l.Rooms[0].Schema != schema {
		t.Errorf("%s", got.body)
	}
}

// A server with the maximum number of rooms refuses another one.
func TestNoPlaceForRooms(t *testing.T) {
	x := newSite(t, many(), rooms.Kind{Capacity: 1})
	for i := range uint64(32) {
		x.seat(i+1, "/rooms/join", `{"kind":"field"}`)
	}
	x.refused(40, "/rooms/join", `{"kind":"field"}`, "busy")
}

// queued asks in the queue, in the background.
func (x *site) queued(ctx context.Context, player uint64, body string) <-chan answer {
	c := make(chan answer, 1)
	go func() {
		a, err := x.do(ctx, player, http.MethodPost, "/rooms/queue", body)
		if err != nil && ctx.Err() == nil {
			x.t.Error(err)
		}
		c <- a
	}()
	return c
}

// len waits until the queue has n players.
func (x *site) len(n int) {
	x.t.Helper()
	for end := time.Now().Add(generous); x.h.Queued() != n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			x.t.Fatalf("%d wait, not %d", x.h.Queued(), n)
		}
	}
}

// The members of a party get their seats together in one room. A player whose request is cancelled leaves the queue. A player
// who waits too long must ask again.
func TestQueue(t *testing.T) {
	x := newSite(t, many(), rooms.Kind{Capacity: 4})
	ctx, gone := context.WithCancel(t.Context())
	lost := x.queued(ctx, 9, `{"kind":"field"}`)
	x.len(1)
	gone()
	<-lost
	x.len(0)
	if a := x.ask(8, "POST", "/rooms/queue", `{"kind":"field","wait":1}`); a.status != http.StatusAccepted || string(a.body) != "{\"queued\":1}\n" {
		t.Errorf("%d %s", a.status, a.body)
	}
	x.len(1)
	var all []<-chan answer
	for _, player := range []uint64{1, 2, 3, 4, 5, 6} { // three and three: four seats hold one party, and player 8
		party := fmt.Sprintf(`{"kind":"field","party":"party %d","party_size":3}`, player%2)
		all = append(all, x.queued(t.Context(), player, party))
	}
	alone := x.queued(t.Context(), 8, `{"kind":"field"}`)
	other := x.queued(t.Context(), 7, `{"kind":"field"}`)
	in := make(map[string]rooms.ID)
	of := make(map[rooms.ID]int)
	for i, c := range append(all, alone, other) {
		a := <-c
		var s Admission
		if err := json.Unmarshal(a.body, &s); err != nil || a.status != http.StatusOK {
			t.Fatalf("player %d: %d %s", i+1, a.status, a.body)
		}
		of[s.Room]++
		if i >= 6 {
			continue
		}
		name := fmt.Sprint((i + 1) % 2)
		if r, ok := in[name]; ok && r != s.Room {
			t.Errorf("party %s is in two rooms", name)
		}
		in[name] = s.Room
	}
	if len(of) != 2 || of[in["0"]] != 4 || of[in["1"]] != 4 {
		t.Errorf("rooms of %v", of)
	}
	x.len(0)
}

// The list shows rooms that are not private, filtered by their options, page by page.
func TestList(t *testing.T) {
	x := newSite(t, many(), rooms.Kind{Capacity: 4, Options: rooms.Options{"region": "eu"}})
	for i := range uint64(5) {
		x.seat(i+1, "/rooms/create", fmt.Sprintf(`{"kind":"field","options":{"level":%d,"map":"m%d","hard":%v}}`, i, i%2, i == 3))
	}
	x.seat(9, "/rooms/create", `{"kind":"field","private":true,"options":{"level":2}}`)
	list := func(query string) (levels string, l List) {
		a := x.ask(0, "GET", "/rooms"+query, "")
		if err := json.Unmarshal(a.body, &l); err != nil || a.status != 200 {
			t.Fatalf("%s: %d %s", query, a.status, a.body)
		}
		seen := [5]bool{}
		for _, r := range l.Rooms {
			seen[int(r.Options["level"].(float64))] = true
			if r.Free != 3 || r.Capacity != 4 || r.Kind != "field" || r.State != rooms.Open || r.Options["region"] != "eu" {
				t.Errorf("%+v", r)
			}
		}
		for i, ok := range seen {
			if ok {
				levels += fmt.Sprint(i)
			}
		}
		return levels, l
	}
	for query, want := range map[string]string{
		"": "01234", "?kind=field": "01234", "?kind=chess": "", "?is[map]=m0": "024", "?is[hard]=true": "3", "?is[level]=2.0": "2", "?is[region]=eu": "01234",
		"?min[level]=3": "34", "?max[level]=1": "01", "?min[level]=1&max[level]=3&is[map]=m1": "13", "?free=4": "", "?free=3": "01234",
		"?is[nothing]=1": "", "?min[map]=1": "", "?is%5Bmap%5D=m1": "13",
	} {
		if got, _ := list(query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	var pages strings.Builder
	for query := "?limit=2"; ; {
		levels, l := list(query)
		pages.WriteString(levels)
		if l.Next == "" {
			break
		}
		query = "?limit=2&after=" + l.Next
	}
	if len(pages.String()) != 5 {
		t.Errorf("pages of %s", pages.String())
	}
	for _, query := range []string{"?limit=0", "?limit=101", "?free=x", "?after=1", "?nothing=1", "?is=1", "?is[]=1", "?min[level]=x", "?min[level]=NaN", "?kind=a&kind=b", "?%zz", "?free=" + strings.Repeat("1", 3000)} {
		if a := x.ask(0, "GET", "/rooms"+query, ""); a.code() != "bad_query" {
			t.Errorf("%.40s: %d %s", query, a.status, a.body)
		}
	}
}

// Authenticate, Check and Properties decide the player, the allowed requests and the properties. The seat contains the player
// and its data.
func TestTheGameDecides(t *testing.T) {
	c := many()
	c.Authenticate = func(r *http.Request) (rooms.Player, error) {
		switch r.Header.Get("Authorization") {
		case "Bearer ada":
		case "Bearer early":
			return rooms.Player{}, &rooms.Unavailable{Again: 3 * time.Second, Err: errors.New("the login service does not answer")}
		default:
			return rooms.Player{}, errors.New("Log in first.")
		}
		return rooms.Player{ID: 77, Party: 5, Data: []byte("Ada")}, nil
	}
	c.Check = func(a Action, who rooms.Player, kind string, o rooms.Options) error {
		if o["name"] == "rude" {
			return fmt.Errorf("%s of %d: not under that name", a, who.ID)
		}
		return nil
	}
	c.Properties = func(who rooms.Player, said rooms.Options) (rooms.Options, error) {
		return nil, errors.New("no rating yet")
	}
	seats := make(chan rooms.Seat, 1)
	x := newSite(t, c, rooms.Kind{Capacity: 2, Hooks: rooms.Hooks{Joined: func(_ *rooms.Room, s rooms.Seat, _ uint32) { seats <- s }}})
	ada := func(r *http.Request) { r.Header.Set("Authorization", "Bearer ada") }
	if a := x.ask(3, "POST", "/rooms/join", `{"kind":"field"}`); a.code() != "unauthenticated" || !strings.Contains(string(a.body), "Log in first.") {
		t.Errorf("%d %s", a.status, a.body)
	}
	early := func(r *http.Request) { r.Header.Set("Authorization", "Bearer early") }
	if a := x.ask(3, "POST", "/rooms/join", `{"kind":"field"}`, early); a.code() != "unavailable" || a.header.Get("Retry-After") != "3" {
		t.Errorf("the login service does not answer: %d %v %s", a.status, a.header, a.body)
	}
	for _, path := range []string{"join", "create", "queue"} {
		if a := x.ask(0, "POST", "/rooms/"+path, `{"kind":"field","options":{"name":"rude"}}`, ada); a.code() != "forbidden" || !strings.Contains(string(a.body), path+" of 77") {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	if a := x.ask(0, "POST", "/rooms/queue", `{"kind":"field"}`, ada); a.code() != "forbidden" || !strings.Contains(string(a.body), "no rating yet") {
		t.Errorf("%d %s", a.status, a.body)
	}
	a := x.ask(0, "POST", "/rooms/join", `{"kind":"field"}`, ada)
	var s Admission
	if err := json.Unmarshal(a.body, &s); err != nil || s.Player != "77" {
		t.Fatalf("%d %s", a.status, a.body)
	}
	x.play(s, 1)
	if got := <-seats; got.Player != 77 || got.Party != 5 || string(got.Data) != "Ada" {
		t.Errorf("%+v", got)
	}
}

// A spectator can watch and is counted in the list. Other spectators get the reason why they cannot watch.
func TestSpectators(t *testing.T) {
	x := newSite(t, many(), rooms.Kind{Capacity: 2, Server: systems.ServerConfig{Players: systems.Players{Spectators: 1}}})
	a := x.seat(1, "/rooms/join", `{"kind":"field"}`)
	x.play(a, 1)
	path := "/rooms/" + a.Code + "/spectate"
	s := x.seat(2, path, `{}`)
	if !s.Spectator || a.Spectator {
		t.Errorf("%+v, and the player %+v", s, a)
	}
	x.play(s, 1)
	x.refused(1, path, `{}`, "seated")
	x.refused(3, path, `{}`, "spectators")
	x.refused(3, "/rooms/99/spectate", `{}`, "no_room")
	var list List
	if err := json.Unmarshal(x.ask(0, http.MethodGet, "/rooms", "").body, &list); err != nil || len(list.Rooms) != 1 || list.Rooms[0].Spectators != 1 || list.Rooms[0].MaxSpectators != 1 || list.Rooms[0].Free != 1 {
		t.Errorf("%v: %+v", err, list)
	}
	none := newSite(t, many(), rooms.Kind{Capacity: 2})
	b := none.seat(1, "/rooms/join", `{"kind":"field"}`)
	none.refused(2, "/rooms/"+b.Code+"/spectate", `{}`, "no_spectators")
}

// The game decides by Check who may watch a room.
func TestCheckOfSpectators(t *testing.T) {
	config := many()
	config.Check = func(a Action, who rooms.Player, kind string, o rooms.Options) error {
		if a == Spectate && (kind != "field" || o["map"] != "dust" || who.ID != 2) {
			return errors.New("you may not watch this room")
		}
		return nil
	}
	x := newSite(t, config, rooms.Kind{Capacity: 2, Server: systems.ServerConfig{Players: systems.Players{Spectators: 2}}})
	path := "/rooms/" + x.seat(1, "/rooms/join", `{"kind":"field","options":{"map":"dust"}}`).Code + "/spectate"
	x.refused(3, path, `{}`, "forbidden")
	if s := x.seat(2, path, `{}`); !s.Spectator {
		t.Errorf("%+v", s)
	}
}
