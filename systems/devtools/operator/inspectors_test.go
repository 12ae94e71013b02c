package operator

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
)

// Each room is shown as package inspect shows a server: its own clients and entities, and those of no other room.
func TestLookIntoRooms(t *testing.T) {
	v := virtualSite(t, Config{}, rooms.Config{Kinds: []rooms.Kind{fields("field", 2, nil)}})
	var seats []rooms.Admission
	for id := range uint64(3) {
		a, _ := v.enter("field", id+1)
		seats = append(seats, a)
	}
	first, second := v.server.Rooms()[0], v.server.Rooms()[1]
	if seats[0].Seat.Room != first.ID() || seats[2].Seat.Room != second.ID() {
		t.Fatalf("%v", seats)
	}
	v.run(time.Second)
	type status struct {
		Protocol          string
		Clients, Entities int
		Tick              uint32
		Wakeups           struct{ Count uint64 }
	}
	for _, c := range []struct {
		room  *rooms.Room
		dots  int
		first string
	}{{first, 2, seats[0].Seat.Room.String()}, {second, 1, seats[2].Seat.Room.String()}} {
		v.while(func() {
			var s status
			v.get(path(c.room, "api/status"), &s)
			if s.Protocol != "field/1" || s.Clients != c.dots || s.Entities != c.dots || s.Tick < 20 {
				t.Errorf("%+v, want %d clients", s, c.dots)
			}
			var e struct{ Entities []struct{ Owner uint32 } }
			v.get(path(c.room, "api/entities"), &e)
			if len(e.Entities) != c.dots {
				t.Errorf("%d entities", len(e.Entities))
			}
			owner := e.Entities[0].Owner
			for _, to := range []string{"api/clients", "api/traffic?archetypes=1", "api/entity?id=1", "api/blame",
				fmt.Sprintf("api/knows?client=%d&entity=1", owner)} {
				var any map[string]any
				v.get(path(c.room, to), &any)
				if len(any) < 2 {
					t.Errorf("%s: %v", to, any)
				}
			}
			if a := v.do(http.MethodGet, path(c.room, "api/nothing"), ""); a.status != http.StatusNotFound {
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
	v.run(time.Second)
	v.while(func() {
		var s status
		if v.get(path(first, "api/status"), &s); s.Wakeups.Count < 20 {
			t.Errorf("%d wake-ups were timed", s.Wakeups.Count)
		}
	})
	first.End(nil)
	v.run(time.Second)
	v.while(func() {
		if a := v.do(http.MethodGet, path(first, "api/status"), ""); a.status != http.StatusNotFound || !strings.Contains(a.body, "ended") {
			t.Errorf("a room that has ended: %d %s", a.status, a.body)
		}
	})
}

// A room has an inspector while somebody looks at it, and afterwards is as before. The number of inspected rooms is bounded.
func TestLooksEnd(t *testing.T) {
	x := realSite(t, Config{}, rooms.Config{Kinds: []rooms.Kind{fields("field", 2, nil)}})
	x.page.inspectors.keep = 50 * time.Millisecond
	held := func() int {
		x.page.inspectors.mu.Lock()
		defer x.page.inspectors.mu.Unlock()
		return len(x.page.inspectors.all)
	}
	r, err := x.server.Create("field", rooms.Creation{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		inspector, done, err := x.page.inspectors.inspector(r)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(120 * time.Millisecond)
		if held() != 1 {
			t.Error("it is gone, while somebody looks")
		}
		if again, also, err := x.page.inspectors.inspector(r); err != nil || again != inspector {
			t.Errorf("another one, while somebody looks: %v", err)
		} else {
			also()
		}
		done()
		x.until("nobody looks", func() bool { return held() == 0 })
	}
	var all []func()
	for range maxInspectors {
		other, err := x.server.Create("field", rooms.Creation{})
		if err != nil {
			t.Fatal(err)
		}
		_, done, err := x.page.inspectors.inspector(other)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, done)
	}
	if a := x.do(http.MethodGet, path(r, "api/status"), ""); a.status != http.StatusServiceUnavailable || !strings.Contains(a.body, errInspectors.Error()) {
		t.Errorf("one room more: %d %s", a.status, a.body)
	}
	for _, done := range all {
		done()
	}
	x.until("nobody looks", func() bool { return held() == 0 })
	if a := x.do(http.MethodGet, path(r, "api/status"), ""); a.status != http.StatusOK {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// A room whose tick does not end delays nobody. The list and its own page show it as stuck, requests that need the room are
// refused with this reason, its seats can be cancelled, and other rooms can be inspected as usual.
func TestStuckRoom(t *testing.T) {
	var held atomic.Bool
	free := make(chan struct{})
	stuck := fields("stuck", 2, func(*ecs.World) {
		if held.Load() {
			<-free
		}
	})
	c := acting()
	told := 0
	c.Broadcast = func(r *rooms.Room, _ string) error { told++; return r.Do(func(*systems.Server) {}) }
	x := realSite(t, c, rooms.Config{Kinds: []rooms.Kind{stuck, fields("field", 2, nil)}, Stuck: 100 * time.Millisecond})
	defer close(free)
	r, err := x.server.Create("stuck", rooms.Creation{})
	if err != nil {
		t.Fatal(err)
	}
	well, err := x.server.Create("field", rooms.Creation{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Reserve(rooms.Player{ID: 5}); err != nil {
		t.Fatal(err)
	}
	var s map[string]any
	x.get(path(r, "api/status"), &s) // it has an inspector when it gets stuck
	held.Store(true)
	var list listAnswer
	x.until("it is stuck", func() bool {
		list = listAnswer{}
		x.get("/api/rooms", &list)
		return list.Stuck == 1
	})
	if list.Rooms[0].ID != r.ID() || list.Rooms[0].Stuck == 0 || list.Count() != 2 {
		t.Errorf("%+v", list.Rooms)
	}
	var one roomAnswer
	x.until("the log tells of it, with the stack", func() bool {
		one = roomAnswer{}
		x.get(path(r, "api/room"), &one)
		return len(one.Log) > 0 && one.Log[0].What == "stuck"
	})
	if one.Room.Stuck == 0 || len(one.Seats) != 1 || one.Seats[0].Player != 5 {
		t.Errorf("%+v", one)
	}
	if one.Log[0].System != "trouble" || !strings.Contains(one.Log[0].Stack, "TestStuckRoom") {
		t.Errorf("%+v", one.Log)
	}
	if a := x.do(http.MethodGet, path(r, "api/status"), ""); a.status != http.StatusServiceUnavailable || !strings.Contains(a.body, "current tick of the room") {
		t.Errorf("%d %s", a.status, a.body)
	}
	x.get(path(well, "api/status"), &s)
	if x.refused(path(r, "broadcast"), `{"text":"hello"}`, "busy"); told != 0 {
		t.Error("the game was asked to tell a room that is stuck")
	}
	x.act(path(r, "kick"), `{"player":"5"}`)
	x.act(path(r, "lock"), `{}`)
	if said := x.act(path(r, "end"), `{}`); !strings.Contains(said.Note, "stuck") {
		t.Errorf("%+v", said)
	}
	if i := r.Info(); i.Taken+i.Promised != 0 || i.State != rooms.Ended {
		t.Errorf("%+v", i)
	}
}

// A room that gets stuck while an inspector is attached answers with rooms.ErrStuck.
func TestStuckMeanwhile(t *testing.T) {
	free := make(chan struct{})
	entered := make(chan struct{})
	x := realSite(t, Config{}, rooms.Config{Kinds: []rooms.Kind{fields("field", 2, nil)}, Stuck: time.Second})
	r, err := x.server.Create("field", rooms.Creation{})
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = r.Do(func(*systems.Server) { close(entered); <-free }) }() // is no turn, so it is not told of as stuck
	<-entered
	if a := x.do(http.MethodGet, path(r, "api/status"), ""); a.status != http.StatusServiceUnavailable || !strings.Contains(a.body, rooms.ErrStuck.Error()) {
		t.Errorf("%d %s", a.status, a.body)
	}
	close(free)
	var s map[string]any
	x.get(path(r, "api/status"), &s)
}

// The list has the requested rooms, sorted and limited.
func TestList(t *testing.T) {
	v := virtualSite(t, Config{}, rooms.Config{Kinds: []rooms.Kind{fields("field", 4, nil), fields("arena", 2, nil)}, Process: "here"})
	var made []*rooms.Room
	for n, kind := range []string{"field", "arena", "field", "arena", "field"} {
		r, err := v.server.Create(kind, rooms.Creation{Options: rooms.Options{"n": n}})
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, r)
	}
	made[2].Lock()
	if _, err := made[4].Reserve(rooms.Player{ID: 1}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		query string
		found int
		want  []int
	}{
		{"", 5, []int{0, 1, 2, 3, 4}},
		{"?sort=age&limit=2", 5, []int{0, 1}},
		{"?kind=arena", 2, []int{1, 3}},
		{"?sort=kind", 5, []int{1, 3, 0, 2, 4}},
		{"?state=locked", 1, []int{2}},
		{"?sort=state", 5, []int{0, 1, 3, 4, 2}},
		{"?find=" + made[3].Code(), 1, []int{3}},
		{"?find=" + strings.ToUpper(made[3].ID().String()), 1, []int{3}},
		{"?find=nothing", 0, nil},
	} {
		var a listAnswer
		v.get("/api/rooms"+c.query, &a)
		var got []int
		for _, i := range a.Rooms {
			got = append(got, int(i.Options["n"].(float64)))
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) || a.Found != c.found || a.Count() != 5 || a.Process != "here" || len(a.Kinds) != 2 {
			t.Errorf("%s: %v of %d found, %d in all; want %v of %d", c.query, got, a.Found, a.Count(), c.want, c.found)
		}
	}
	var one roomAnswer
	if v.get(path(made[4], "api/room"), &one); len(one.Seats) != 1 || one.Room.Promised != 1 || one.Room.Budget != 50*time.Millisecond {
		t.Errorf("%+v", one)
	}
	for _, bad := range []string{"?sort=color", "?limit=0", "?limit=501", "?limit=x", "?kind=a&kind=b", "?after=1", "?x=y", "?find=" + strings.Repeat("x", mostQuery), "?%zz"} {
		if a := v.do(http.MethodGet, "/api/rooms"+bad, ""); a.status != http.StatusBadRequest {
			t.Errorf("%.40s: %d %.100s", bad, a.status, a.body)
		}
	}
	for _, bad := range []string{"?room=x", "?after=-1", "?kind=a", "?limit=1000"} {
		if a := v.do(http.MethodGet, "/api/log"+bad, ""); a.status != http.StatusBadRequest {
			t.Errorf("%.40s: %d %.100s", bad, a.status, a.body)
		}
	}
}

// Count returns how many rooms there are in all.
func (a listAnswer) Count() int { return a.processStatus.Rooms }

// The page's files have the right content types, and contain no links to other sites.
func TestFiles(t *testing.T) {
	v := virtualSite(t, Config{}, rooms.Config{Kinds: []rooms.Kind{fields("field", 4, nil)}})
	r, err := v.server.Create("field", rooms.Creation{})
	if err != nil {
		t.Fatal(err)
	}
	for to, kind := range map[string]string{"/": "text/html", "/rooms.css": "text/css", "/act.js": "text/javascript", "/icon.svg": "image/svg", path(r, ""): "text/html"} {
		a := v.do(http.MethodGet, to, "")
		if a.status != http.StatusOK || !strings.HasPrefix(a.header.Get("Content-Type"), kind) || strings.Contains(a.body, "https://") {
			t.Errorf("%s: %d %s", to, a.status, a.header.Get("Content-Type"))
		}
	}
}

// Without a token, Allows refuses addresses that other machines can reach.
func TestAllows(t *testing.T) {
	for _, c := range []struct {
		config Config
		ok     bool
	}{{acting(), false}, {Config{Token: eyeToken}, true}} {
		p, _ := still(t, c.config)
		if err := p.Allows(addr("0.0.0.0:80")); (err == nil) != c.ok {
			t.Errorf("%v: %v", c.config, err)
		}
	}
}

type addr string

func (addr) Network() string  { return "tcp" }
func (a addr) String() string { return string(a) }
