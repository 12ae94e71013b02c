package swarm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
	roomsweb "github.com/tactusgo/tactus/systems/rooms/web"
)

// lodged returns a process with three rooms of four seats at most, and says where its interface is.
func lodged(t *testing.T, c roomsweb.Config) (url string) {
	t.Helper()
	on, err := eventloop.ListenBoth("127.0.0.1:0", "127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	server, err := rooms.New(rooms.Config{Kinds: []rooms.Kind{{Name: "plaza", Protocol: plaza, Capacity: 4, Server: systems.ServerConfig{Overload: systems.Overload{Off: true}}}}, MaxRooms: 3,
		Endpoints: rooms.Endpoints{UDP: on.LocalAddr().String(), WS: "ws://" + on.WebSocketAddr().String()}}, on)
	if err != nil {
		t.Fatal(err)
	}
	handler, err := roomsweb.New(c, rooms.Here(server))
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(handler)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx) }()
	t.Cleanup(func() {
		site.Close()
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return site.URL
}

// inRooms returns a swarm of thin clients in rooms.
func inRooms(url string, count, seats int) Config {
	return Config{
		Protocol: plaza, Input: walk(), Thin: count * seats, Ramp: 1000, Warmup: -1, Duration: 500 * time.Millisecond,
		Rooms: &RoomsConfig{URL: url, Kind: "plaza", Rooms: count, Seats: seats},
	}
}

// Players fill rooms, over UDP and over WebSocket. The rooms differ, and no player receives entities of another room.
func TestFillRooms(t *testing.T) {
	for _, transport := range []string{UDP, WebSocket} {
		c := inRooms(lodged(t, roomsweb.Config{PerAddress: 1 << 20}), 3, 4)
		c.Transport, c.Rooms.Options = transport, map[string]any{"map": "dust"}
		r, err := Run(t.Context(), c)
		if err != nil || r.Clients != 12 || r.Connected != 12 || r.Refused != 0 || r.Decoded == 0 || r.Compared == 0 || r.Different != 0 {
			t.Fatalf("%s: %v %+v", transport, err, r)
		}
		x := r.Rooms
		if x.Wanted != 3 || x.Made != 3 || x.Filled != 3 || x.Joins != 12 || x.Refusals != 0 || len(x.Rooms) != 3 {
			t.Errorf("%s: %+v", transport, x)
		}
		seen := map[string]bool{}
		for _, room := range x.Rooms {
			if seen[room.ID] || room.ID == "" || room.Code == "" || room.Joins != 4 || !room.Full {
				t.Errorf("%s: %+v", transport, room)
			}
			seen[room.ID] = true
		}
	}
}

// A player who asks for a seat in a full room is refused, and so are all players of a room beyond the limit of the server. The
// report says in which rooms and why. Rooms are requested concurrently, so the one beyond the limit need not be the last: here
// the server creates the fourth room before the third is requested.
func TestRoomsRefuse(t *testing.T) {
	c := inRooms(lodged(t, roomsweb.Config{PerAddress: 1 << 20}), 4, 6)
	fourth := make(chan struct{})
	c.Rooms.Who = func(n int, q *http.Request) {
		switch n {
		case 2 * 6: // requests the third room
			select {
			case <-fourth:
			case <-q.Context().Done():
			}
		case 3*6 + 1: // joins the fourth room
			close(fourth)
		}
		q.Header.Set("Player", strconv.Itoa(n+1))
	}
	r, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	x := r.Rooms
	if r.Connected != 12 || r.Refused != 12 || x.Made != 3 || x.Filled != 3 || x.Joins != 12 || x.Refusals != 12 {
		t.Errorf("%+v %+v", r.Attendance, x)
	}
	if x.Reasons["full"] != 6 || x.Reasons["busy"] != 1 || x.Reasons["no_room"] != 5 || r.Reasons["no seat: full"] != 6 {
		t.Errorf("%v %v", x.Reasons, r.Reasons)
	}
	for i, room := range x.Rooms {
		if room.ID == "" && (room.Full || room.Refusals != 6) || i == 3 && room.ID == "" {
			t.Errorf("room %d: %+v", i, room)
		}
	}
	var out bytes.Buffer
	if err := r.Print(&out); err != nil || !strings.Contains(out.String(), x.Rooms[0].ID) {
		t.Errorf("got %v and a report without room %s:\n%s", err, x.Rooms[0].ID, &out)
	}
}

// A swarm whose request is answered with Retry-After repeats it later.
func TestRoomsLater(t *testing.T) {
	limited := 0
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if limited++; limited == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		} else {
			w.WriteHeader(http.StatusForbidden)
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"code": "banned", "message": q.Header.Get("Player")})
	}))
	defer site.Close()
	_, err := New(t.Context(), inRooms(site.URL, 1, 1))
	if no, ok := errors.AsType[*NoSeat](err); !ok || no.Code != "banned" || no.Message != "1" || limited != 2 {
		t.Errorf("%v after %d requests", err, limited)
	}
}

// An answer that is not of the rooms interface, or has no usable seat, is an error at once.
func TestWrongRooms(t *testing.T) {
	for want, answer := range map[string]string{
		"not of rooms":   "<html>",
		"no_endpoint":    `{"token":"","endpoints":{"udp":""},"room":"a"}`,
		"illegal base64": `{"token":"?","endpoints":{"udp":"127.0.0.1:1"},"room":"a"}`,
		"bytes instead":  `{"token":"AAAA","endpoints":{"udp":"127.0.0.1:1"},"room":"a"}`,
	} {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(answer)) }))
		if _, err := New(t.Context(), inRooms(site.URL, 1, 1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", answer, err, want)
		}
		site.Close()
	}
	if n := inRooms("http://127.0.0.1:1", 1, 1).filled().Clients; n != 1 {
		t.Errorf("got %d clients, want 1", n)
	}
	for name, change := range map[string]func(*Config){
		"an open address": func(c *Config) { c.Rooms.URL = "http://play.example" },
		"no kind":         func(c *Config) { c.Rooms.Kind = "" },
		"many rooms":      func(c *Config) { c.Rooms.Rooms = 10_001 },
		"negative seats":  func(c *Config) { c.Rooms.Seats = -1 },
		"an address too":  func(c *Config) { c.Addr = "127.0.0.1:7777" },
		"clients too":     func(c *Config) { c.Clients = 3 },
		"a wire too":      func(c *Config) { c.Wire = func(int) (netsys.Wire, error) { return nil, nil } },
	} {
		config := inRooms("http://127.0.0.1:1", 1, 1)
		change(&config)
		if err := config.Validate(); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: got %v, want ErrConfig", name, err)
		}
	}
}

// Flags fill rooms, for games that have such.
func TestRoomsFlags(t *testing.T) {
	game := Game{Name: "crowd", Kind: "plaza", Configure: func(c *Config) { c.Protocol, c.Input = plaza, walk() }}
	url := lodged(t, roomsweb.Config{PerAddress: 1 << 20})
	var out, errs bytes.Buffer
	code := Main(t.Context(), game, strings.Fields("-rooms 2 -seats 4 -json -warmup -1ns -duration 300ms -http "+url), &out, &errs)
	var r Report
	if err := json.Unmarshal(out.Bytes(), &r); code != 0 || err != nil || r.Connected != 8 || r.Rooms == nil || r.Rooms.Filled != 2 {
		t.Errorf("exit code %d, %v: %s\n%s", code, err, &out, &errs)
	}
	for _, args := range []string{
		"-rooms 2 -clients 3", "-rooms 2 -connect 127.0.0.1:7", "-rooms 2 -key 12", "-seats 3", "-rooms -1", "-rooms 2 -http http://a.example",
	} {
		errs.Reset()
		if code := Main(t.Context(), game, strings.Fields(args), &out, &errs); code != ExitUsage || errs.Len() == 0 {
			t.Errorf("%s: got exit code %d, errors %q; want %d and a reason", args, code, &errs, ExitUsage)
		}
	}
}
