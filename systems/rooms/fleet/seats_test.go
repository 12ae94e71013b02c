package fleet_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
	"github.com/tactusgo/tactus/systems/rooms/match"
	"github.com/tactusgo/tactus/systems/rooms/roomstest"
	"github.com/tactusgo/tactus/systems/rooms/web"
)

// three returns a fleet of three processes with rooms of four, and a door without.
func three(t *testing.T) (f *testbed, door *fleet.Fleet) {
	f = newTestbed(t, 1)
	for _, name := range []string{"a", "b", "c"} {
		f.add(name, fields(4))
	}
	door = f.door()
	f.run(2 * time.Second)
	return f, door
}

// Any process answers a join for the whole fleet: players who ask different processes meet, and get in with their tokens.
func TestAnyProcessAnswers(t *testing.T) {
	f, _ := three(t)
	var all []rooms.Admission
	for i, m := range f.members {
		all = append(all, f.seat(wish(m.fleet, rooms.Player{ID: uint64(i) + 1, Data: []byte("Ada")}))...)
		f.run(time.Second)
	}
	for i, a := range all {
		if a.Seat.Room != all[0].Seat.Room || a.Process != all[0].Process || a.Seat.Player != uint64(i)+1 || string(a.Seat.Data) != "Ada" {
			t.Errorf("%+v of %s", a.Seat, a.Process)
		}
		if a.Endpoints != all[0].Endpoints || a.Endpoints.UDP != a.Addresses[0].String() || a.Code != all[0].Code || a.Kind != "field" || !a.Expires.Equal(a.Expires.Truncate(time.Second)) {
			t.Errorf("%s %s, %+v, until %v", a.Kind, a.Code, a.Endpoints, a.Expires)
		}
		f.play(a)
	}
	f.run(2 * time.Second)
	for _, m := range f.members {
		if list := m.fleet.List(); len(list) != 1 || list[0].Free != 0 {
			t.Errorf("%s: %+v", m.name, list)
		}
		if k := m.fleet.Kinds(); len(k) != 1 || k[0].Capacity != 4 || !m.fleet.Local() || m.fleet.Ready() != nil {
			t.Errorf("%s: %+v", m.name, k)
		}
	}
}

// A party gets its seats in one room of another process, all or none; with the fullest that has place for all of it.
func TestPartiesElsewhere(t *testing.T) {
	f, door := three(t)
	first := f.seat(wish(door, party(1, 3)...))
	f.run(time.Second)
	second := f.seat(wish(door, party(10, 2)...))
	f.run(time.Second)
	one := f.seat(wish(door, rooms.Player{ID: 20}))
	for i, a := range append(first, second...) {
		want := first[0].Seat.Room
		if i >= 3 {
			want = second[0].Seat.Room
		}
		if a.Seat.Room != want || a.Seat.Party == 0 {
			t.Errorf("%+v", a.Seat)
		}
	}
	if first[0].Seat.Room == second[0].Seat.Room || one[0].Seat.Room != first[0].Seat.Room {
		t.Errorf("rooms %v, %v, %v", first[0].Seat.Room, second[0].Seat.Room, one[0].Seat.Room)
	}
	if first[0].Process == second[0].Process {
		t.Error("a new room is not with who has the fewest players")
	}
	if _, err := f.end(f.start(wish(door, party(30, 5)...))); !errors.Is(err, rooms.ErrFull) {
		t.Errorf("five in a room of four: %v", err)
	}
}

// A room that was created from another process is found by its code and id from any process. Its seats can be renewed from any
// process, carried data arrives, and refusals return their reason.
func TestRoomsElsewhere(t *testing.T) {
	f, door := three(t)
	a := f.seat(func(ctx context.Context) ([]rooms.Admission, error) {
		return door.Create(ctx, "field", rooms.Creation{Private: true, Options: rooms.Options{"map": "dust", "level": 3}}, rooms.Player{ID: 1, Carried: []byte("a sword")})
	})[0]
	if e, ok := door.Find(a.Code); !ok || e.ID != a.Seat.Room || e.Schema != rooms.SchemaOf(roomstest.Field()) || !e.Private {
		t.Errorf("who made it does not find it: %+v, %v", e, ok)
	}
	if got := f.room(a).Carried(a.Seat); string(got) != "a sword" {
		t.Errorf("carried %q", got)
	}
	f.run(time.Second)
	for i, m := range f.members {
		for _, name := range []string{a.Code, strings.ToUpper(a.Code), a.Seat.Room.String()} {
			e, ok := m.fleet.Find(name)
			if !ok || e.ID != a.Seat.Room || e.Options["map"] != "dust" || e.Options["level"] != 3.0 {
				t.Fatalf("%s does not find %s: %+v, %v", m.name, name, e, ok)
			}
		}
		if i > 2 {
			break
		}
		if x := f.seat(wish(m.fleet, rooms.Player{ID: uint64(i) + 40}))[0]; x.Seat.Room == a.Seat.Room {
			t.Error("a private room was joined by anybody")
		}
		x := f.seat(func(ctx context.Context) ([]rooms.Admission, error) {
			return m.fleet.Reserve(ctx, a.Seat.Room, rooms.Player{ID: uint64(i) + 10})
		})[0]
		if x.Seat.Room != a.Seat.Room || x.Process != a.Process {
			t.Errorf("%s: %+v of %s", m.name, x.Seat, x.Process)
		}
		again := f.seat(func(ctx context.Context) ([]rooms.Admission, error) {
			y, err := m.fleet.Reconnect(ctx, a.Seat.Room, rooms.Player{ID: 1})
			return []rooms.Admission{y}, err
		})[0]
		if again.Seat.Number != a.Seat.Number || again.Seat.Epoch <= a.Seat.Epoch {
			t.Errorf("%s: %+v after %+v", m.name, again.Seat, a.Seat)
		}
		a = again
	}
	f.play(a)
	for what, x := range map[string]struct {
		ask  func(ctx context.Context) ([]rooms.Admission, error)
		want error
	}{
		"full": {func(ctx context.Context) ([]rooms.Admission, error) {
			return door.Reserve(ctx, a.Seat.Room, rooms.Player{ID: 50})
		}, rooms.ErrFull},
		"seated": {func(ctx context.Context) ([]rooms.Admission, error) {
			return door.Reserve(ctx, a.Seat.Room, rooms.Player{ID: 1})
		}, rooms.ErrSeated},
		"no room": {func(ctx context.Context) ([]rooms.Admission, error) {
			return door.Reserve(ctx, 99, rooms.Player{ID: 1})
		}, rooms.ErrRoom},
		"no kind": {func(ctx context.Context) ([]rooms.Admission, error) {
			return door.Join(ctx, rooms.Wish{Kind: "chess", Players: party(1, 1)})
		}, rooms.ErrKind},
		"nobody": {wish(door), rooms.ErrPlayer},
		"luggage": {func(ctx context.Context) ([]rooms.Admission, error) {
			return door.Reserve(ctx, a.Seat.Room, rooms.Player{ID: 51, Carried: make([]byte, 60<<10)})
		}, rooms.ErrPlayer},
		"no seat": {func(ctx context.Context) ([]rooms.Admission, error) {
			x, err := door.Reconnect(ctx, a.Seat.Room, rooms.Player{ID: 52})
			return []rooms.Admission{x}, err
		}, rooms.ErrNoSeat},
		"bad map": {func(ctx context.Context) ([]rooms.Admission, error) {
			return door.Create(ctx, "field", rooms.Creation{Options: rooms.Options{"a": []int{}}}, rooms.Player{ID: 1})
		}, rooms.ErrOptions},
	} {
		if got, err := f.end(f.start(x.ask)); !errors.Is(err, x.want) {
			t.Errorf("%s: %+v, %v, want %v", what, got, err, x.want)
		}
	}
}

// Any process gives a token to watch a room, or returns the reason why not.
func TestSpectateElsewhere(t *testing.T) {
	f := newTestbed(t, 1)
	c := fields(4)
	c.Kinds[0].Server.Players.Spectators = 1
	f.add("a", c)
	door := f.door()
	f.run(2 * time.Second)
	a := f.seat(wish(door, rooms.Player{ID: 1}))[0]
	f.play(a)
	spectate := func(player uint64) func(ctx context.Context) ([]rooms.Admission, error) {
		return func(ctx context.Context) ([]rooms.Admission, error) {
			x, err := door.Spectate(ctx, a.Seat.Room, rooms.Player{ID: player})
			return []rooms.Admission{x}, err
		}
	}
	x := f.seat(spectate(2))[0]
	if !x.Spectator || a.Spectator || x.Seat.Room != a.Seat.Room || x.Token == nil {
		t.Errorf("%+v", x)
	}
	for player, want := range map[uint64]error{1: rooms.ErrSeated, 3: rooms.ErrSpectators} {
		if _, err := f.end(f.start(spectate(player))); !errors.Is(err, want) {
			t.Errorf("player %d: %v", player, err)
		}
	}
	f.run(2 * time.Second)
	if list := door.List(); len(list) != 1 || list[0].Spectators != 1 || list[0].MaxSpectators != 1 || list[0].Free != 3 {
		t.Errorf("%+v", list)
	}
	f.run(20 * time.Second)
	if list := door.List(); len(list) != 1 || list[0].Spectators != 0 {
		t.Errorf("%+v", list)
	}
}

// again returns the time after which an error says to try again.
func again(t *testing.T, err error) time.Duration {
	t.Helper()
	u, ok := errors.AsType[*rooms.Unavailable](err)
	if !ok || !errors.Is(err, rooms.ErrUnavailable) || u.Again <= 0 {
		t.Fatalf("%v says not when to try again", err)
	}
	return u.Again
}

// If a process does not answer, the player gets a seat in another process.
func TestProcessStops(t *testing.T) {
	f, door := three(t)
	a := f.seat(wish(door, rooms.Player{ID: 1}))[0]
	var stopped *member
	for _, m := range f.members {
		if m.name == a.Process {
			stopped = m
		}
	}
	stopped.stopped = true
	b := f.seat(wish(door, rooms.Player{ID: 2}))[0]
	if b.Process == a.Process {
		t.Error("who does not answer is asked again")
	}
	stopped.stopped = false
	f.run(time.Second)
	if i := f.room(a).Info(); i.Promised != 1 {
		t.Errorf("%d seats are promised there, to one player", i.Promised)
	}
	if c := f.seat(wish(door, rooms.Player{ID: 3}))[0]; c.Seat.Room == 0 {
		t.Error("no room")
	}
}

// A process is killed. Its players ask for their rooms all at once, and go on asking until another process may claim the rooms: the
// log says once that the process does not answer.
func TestSilenceIsLoggedOnce(t *testing.T) {
	f := newTestbed(t, 1)
	one := f.add("one", fields(16))
	var log strings.Builder
	f.log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelInfo}))
	two := f.add("two", fields(16))
	f.run(time.Second)
	all := f.seat(wish(one.fleet, party(1, 10)...))
	f.run(time.Second)
	one.stopped = true
	for range 300 {
		for _, a := range all {
			if _, err := two.fleet.Reconnect(t.Context(), a.Seat.Room, rooms.Player{ID: a.Seat.Player}); !errors.Is(err, rooms.ErrUnavailable) {
				t.Fatal(err)
			}
		}
		f.run(step)
	}
	if n := strings.Count(log.String(), "does not answer"); n != 1 {
		t.Errorf("logged %d times", n)
	}
}

// A seat whose answer is lost becomes free when its promise expires.
func TestAnswerIsLost(t *testing.T) {
	f := newTestbed(t, 1)
	a := f.add("a", fields(1))
	a.stopped = false
	door := f.door()
	f.run(2 * time.Second)
	f.lost = true
	_, err := f.end(f.start(wish(door, rooms.Player{ID: 1})))
	again(t, err)
	f.lost = false
	r := a.server.Rooms()
	if len(r) != 1 || r[0].Info().Free() != 0 {
		t.Fatal("it was not asked")
	}
	f.run(16 * time.Second)
	if r[0].Info().Free() != 1 {
		t.Error("its seat is not free again")
	}
	if x := f.seat(wish(door, rooms.Player{ID: 2}))[0]; x.Process != "a" {
		t.Errorf("%+v of %s", x.Seat, x.Process)
	}
}

// The answer of another process is lost. The player asks again, by HTTP at any process, and gets the seat that it has there, although
// another room is fuller by then.
func TestAskingAgain(t *testing.T) {
	f := newTestbed(t, 1)
	one, two := f.add("one", fields(4)), f.add("two", fields(4))
	handlers := make(map[string]*web.Handler)
	for _, m := range f.members {
		h, err := web.New(web.Config{Now: f.time}, m.fleet)
		if err != nil {
			t.Fatal(err)
		}
		handlers[m.name] = h
	}
	f.run(2 * time.Second)
	ask := func(m *member, player uint64, path, body string) (status int, a web.Admission) {
		t.Helper()
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		r.RemoteAddr, r.Host = "127.0.0.1:1", "localhost"
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Player", strconv.FormatUint(player, 10))
		w := httptest.NewRecorder()
		handlers[m.name].ServeHTTP(w, r)
		if w.Code == http.StatusOK {
			if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
				t.Fatal(err)
			}
		}
		f.run(step)
		return w.Code, a
	}
	if _, err := one.server.Create("field", rooms.Creation{Options: rooms.Options{"map": "dust"}}); err != nil {
		t.Fatal(err)
	}
	f.run(time.Second)
	const body = `{"kind":"field","options":{"map":"dust"}}`
	f.lost = true
	if status, _ := ask(two, 1, "/rooms/join", body); status != http.StatusServiceUnavailable {
		t.Fatal(status)
	}
	f.lost = false
	// Meanwhile a room of the other process is fuller.
	f.seat(func(ctx context.Context) ([]rooms.Admission, error) {
		return rooms.Here(two.server).Create(ctx, "field", rooms.Creation{Options: rooms.Options{"map": "dust"}}, party(10, 3)...)
	})
	f.run(time.Second)
	var first web.Admission
	for i, m := range []*member{two, one, two, one} {
		path, body := "/rooms/join", body
		if i >= 2 {
			path, body = "/rooms/queue", `{"kind":"field","options":{"map":"dust"},"party":"us","party_size":2}`
		}
		status, a := ask(m, 1, path, body)
		if first.Room == 0 {
			first = a
		}
		if r := one.server.Room(a.Room); status != http.StatusOK || r == nil || a.Room != first.Room || a.Seat != first.Seat || r.Info().Promised != 1 {
			t.Fatalf("%s at %s: %d, room %v, seat %d; room %v, seat %d before", path, m.name, status, a.Room, a.Seat, first.Room, first.Seat)
		}
	}
	f.play(f.seat(wish(two.fleet, rooms.Player{ID: 1}))[0])
	if status, a := ask(two, 1, "/rooms/join", body); status != http.StatusOK || a.Room != first.Room {
		t.Errorf("while it plays: %d, room %v", status, a.Room)
	}
	if status, a := ask(two, 1, "/rooms/"+first.Code+"/join", `{}`); status != http.StatusOK || a.Room != first.Room {
		t.Errorf("while it plays: %d, room %v", status, a.Room)
	}
}

// While the directory takes no writes, players get seats in all processes, because requests do not depend on it.
func TestDirectoryGone(t *testing.T) {
	f, door := three(t)
	here := f.members[0]
	elsewhere := f.seat(func(ctx context.Context) ([]rooms.Admission, error) {
		return f.members[1].fleet.Create(ctx, "field", rooms.Creation{}, rooms.Player{ID: 1})
	})[0]
	if elsewhere.Process == "a" {
		t.Fatal("not elsewhere")
	}
	f.run(time.Second)
	f.store.refuse(true)
	a := f.seat(wish(here.fleet, rooms.Player{ID: 2}))[0]
	if a.Seat.Room != elsewhere.Seat.Room {
		t.Errorf("%+v of %s, want the fullest room, of %s", a.Seat, a.Process, elsewhere.Process)
	}
	f.play(a)
	f.seat(wish(door, rooms.Player{ID: 3}))
	if x := f.seat(func(ctx context.Context) ([]rooms.Admission, error) {
		return here.fleet.Reserve(ctx, elsewhere.Seat.Room, rooms.Player{ID: 4})
	})[0]; x.Process != elsewhere.Process {
		t.Errorf("%+v of %s", x.Seat, x.Process)
	}
	if x := f.seat(func(ctx context.Context) ([]rooms.Admission, error) {
		y, err := here.fleet.Reconnect(ctx, a.Seat.Room, rooms.Player{ID: 2})
		return []rooms.Admission{y}, err
	})[0]; x.Seat.Room != a.Seat.Room {
		t.Errorf("%+v", x.Seat)
	}
	f.store.refuse(false)
	f.run(2 * time.Second)
	f.seat(wish(door, rooms.Player{ID: 5}))
}

// Clients of two versions get seats in processes with their version. A client without a schema gets the newest version, and a
// client with an unknown one is refused.
func TestVersions(t *testing.T) {
	f := newTestbed(t, 1)
	f.add("old", fields(4))
	later := fields(4)
	later.Kinds[0].Protocol = hats
	f.add("new", later)
	door := f.door()
	f.run(2 * time.Second)
	of := [][2]string{{"", "new"}, {rooms.SchemaOf(roomstest.Field()), "old"}, {rooms.SchemaOf(hats()), "new"}}
	for i, p := range []func() *ecs.Protocol{roomstest.Field, hats} { // the fullest room is of the old schema
		f.seat(func(ctx context.Context) ([]rooms.Admission, error) {
			return f.members[i].fleet.Join(ctx, rooms.Wish{Kind: "field", Schema: rooms.SchemaOf(p()), Players: party(200, 2-i)})
		})
	}
	f.run(time.Second)
	asked := f.store.asked
	id := uint64(0)
	for range 2 {
		for _, x := range of {
			schema, want := x[0], x[1]
			id++
			join := func(ctx context.Context) ([]rooms.Admission, error) {
				return door.Join(ctx, rooms.Wish{Kind: "field", Schema: schema, Players: party(id, 1)})
			}
			if a := f.seat(join)[0]; a.Process != want {
				t.Errorf("%q is sent to %s", schema, a.Process)
			}
			id++
			create := func(ctx context.Context) ([]rooms.Admission, error) {
				return door.Create(ctx, "field", rooms.Creation{Schema: schema}, rooms.Player{ID: id})
			}
			if a := f.seat(create)[0]; a.Process != want {
				t.Errorf("a room for %q is made by %s", schema, a.Process)
			}
			f.run(time.Second)
		}
	}
	_, err := f.end(f.start(func(ctx context.Context) ([]rooms.Admission, error) {
		return door.Join(ctx, rooms.Wish{Kind: "field", Schema: "7", Players: party(90, 1)})
	}))
	if !errors.Is(err, rooms.ErrSchema) {
		t.Errorf("a schema that nobody speaks: %v", err)
	}
	if k := door.Kinds(); len(k) != 2 || k[0].Schema != rooms.SchemaOf(hats()) {
		t.Errorf("%+v", k)
	}
	f.members[1].server.Drain()
	f.run(2 * time.Second)
	for i, m := range f.members[:2] {
		if draining := m.fleet.Draining(); draining != (i == 1) || m.fleet.Ready() != nil {
			t.Errorf("process %d drains: %v, ready: %v", i, draining, m.fleet.Ready())
		}
	}
	create := func(ctx context.Context) ([]rooms.Admission, error) {
		return door.Create(ctx, "field", rooms.Creation{}, rooms.Player{ID: 100})
	}
	if a := f.seat(create)[0]; a.Process != "old" {
		t.Errorf("who drains gets a player: %+v", a.Seat)
	}
	if asked = f.store.asked - asked; asked != 13 {
		t.Errorf("13 who got a seat each have asked %d times: somebody asks who must refuse", asked)
	}
}

// A queue seats a party in another process.
func TestQueueElsewhere(t *testing.T) {
	f, door := three(t)
	q := match.New(match.Config{Match: match.Rules{Least: 3, Patience: -1}.Match}, match.Over(door))
	var waits []*match.Wait
	for _, p := range party(1, 3) {
		w, err := q.Enter(f.now, match.Wish{Kind: "field", Player: p, Size: 3})
		if err != nil {
			t.Fatal(err)
		}
		waits = append(waits, w)
	}
	if _, err := f.end(f.start(func(ctx context.Context) ([]rooms.Admission, error) { return nil, q.Run(ctx, f.now) })); err != nil {
		t.Fatal(err)
	}
	var room rooms.ID
	for _, w := range waits {
		select {
		case a := <-w.Answer():
			if a.Err != nil || room != 0 && a.Admission.Seat.Room != room {
				t.Errorf("%+v", a)
			}
			room = a.Admission.Seat.Room
			f.play(a.Admission)
		default:
			t.Fatal("somebody has no seat")
		}
	}
	f.run(time.Second)
	w, err := q.Enter(f.now, match.Wish{Kind: "field", Player: rooms.Player{ID: 9}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.end(f.start(func(ctx context.Context) ([]rooms.Admission, error) { return nil, q.Run(ctx, f.now) })); err != nil {
		t.Fatal(err)
	}
	if a := <-w.Answer(); a.Err != nil || a.Admission.Seat.Room != room {
		t.Errorf("the open room is not filled: %+v", a)
	}
	// Many groups are given seats at once: nobody waits until all others have been answered.
	many := match.New(match.Config{Match: match.Rules{Patience: -1}.Match, AtOnce: 16}, match.Over(door))
	for i := range uint64(50) {
		for _, p := range party(1000+10*i, 4) {
			if _, err := many.Enter(f.now, match.Wish{Kind: "field", Player: p, Size: 4}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := f.end(f.start(func(ctx context.Context) ([]rooms.Admission, error) { return nil, many.Run(ctx, f.now) })); err != nil || many.Len() > 0 {
		t.Errorf("%d wait, %v", many.Len(), err)
	}
}

// Players who join at the same time fill rooms together, before the directory shows the new rooms.
func TestJoinsGoTogether(t *testing.T) {
	f := newTestbed(t, 1)
	f.add("a", fields(4))
	door := f.door()
	f.run(2 * time.Second)
	var all []*call
	const joins = 200
	for i := range uint64(joins) {
		all = append(all, f.start(wish(door, rooms.Player{ID: i + 1})))
	}
	taken := make(map[rooms.ID]int)
	for _, c := range all {
		a, err := f.end(c)
		if err != nil {
			t.Fatal(err)
		}
		taken[a[0].Seat.Room]++
	}
	if len(taken) != joins/4 {
		t.Errorf("%d players in %d rooms of 4", joins, len(taken))
	}
	f.add("b", fields(4))
	f.add("c", fields(4))
	f.run(2 * time.Second)
	all = all[:0]
	for i := range uint64(4) {
		all = append(all, f.start(wish(door, rooms.Player{ID: i + 1000})))
	}
	var room rooms.ID
	for _, c := range all {
		a, err := f.end(c)
		if err != nil || room != 0 && a[0].Seat.Room != room {
			t.Fatalf("who comes together is apart: %v", err)
		}
		room = a[0].Seat.Room
	}
	if a := f.seat(wish(door, rooms.Player{ID: 1010}))[0]; a.Seat.Room == room || a.Process == "a" {
		t.Errorf("a fifth is in %+v of %s", a.Seat, a.Process)
	}
}

// A room whose process is dead is created again by another one when a player asks for it by its code.
func TestRoomIsMadeAnew(t *testing.T) {
	f, door := three(t)
	a := f.seat(func(ctx context.Context) ([]rooms.Admission, error) {
		return door.Create(ctx, "field", rooms.Creation{Private: true, Options: rooms.Options{"map": "dust"}}, rooms.Player{ID: 1})
	})[0]
	f.run(time.Second)
	for _, m := range f.members {
		m.stopped = m.name == a.Process
	}
	f.run(10500 * time.Millisecond)
	e, ok := door.Find(a.Code)
	if !ok {
		t.Fatal("it is not found")
	}
	var others []*call // each would make it anew itself
	for i, m := range f.members[:3] {
		if !m.stopped {
			others = append(others, f.start(func(ctx context.Context) ([]rooms.Admission, error) {
				return m.fleet.Reserve(ctx, e.ID, rooms.Player{ID: uint64(i) + 10})
			}))
		}
	}
	b := f.seat(func(ctx context.Context) ([]rooms.Admission, error) {
		return door.Reserve(ctx, e.ID, rooms.Player{ID: 1})
	})[0]
	for _, c := range others {
		if x, err := f.end(c); err != nil || x[0].Seat.Room != b.Seat.Room || x[0].Process != b.Process {
			t.Errorf("who comes at the same time: %v", err)
		}
	}
	if b.Process == a.Process || b.Seat.Room != a.Seat.Room || b.Code != a.Code || b.Seat.Epoch <= a.Seat.Epoch {
		t.Fatalf("%+v of %s after %+v of %s", b.Seat, b.Process, a.Seat, a.Process)
	}
	f.run(time.Second)
	if e, ok := door.Find(a.Code); !ok || e.Process != b.Process || !e.Private || e.Options["map"] != "dust" {
		t.Errorf("%+v, %v", e, ok)
	}
	c := f.seat(func(ctx context.Context) ([]rooms.Admission, error) {
		return door.Reserve(ctx, e.ID, rooms.Player{ID: 2})
	})[0]
	if c.Process != b.Process {
		t.Errorf("%+v of %s", c.Seat, c.Process)
	}
	f.play(c)
}

// A process that restarts under its name is another process: callers that wait for an answer of the first are told to try
// again, and the new one creates the rooms again and answers requests. This holds whether the room is requested from another
// process or from the new one.
func TestProcessStartsAnew(t *testing.T) {
	for name, itself := range map[string]bool{"by another": false, "by itself": true} {
		t.Run(name, func(t *testing.T) { startAnew(t, itself) })
	}
}

func startAnew(t *testing.T, itself bool) {
	f := newTestbed(t, 1)
	first := f.add("a", fields(2))
	door := f.door()
	f.run(2 * time.Second)
	a := f.seat(func(ctx context.Context) ([]rooms.Admission, error) {
		return door.Create(ctx, "field", rooms.Creation{}, rooms.Player{ID: 1})
	})[0]
	f.run(time.Second)
	first.stopped, first.name = true, "was a"
	second := f.add("a", fields(2))
	asked := door
	if itself {
		asked = second.fleet
		f.run(time.Second)
		if _, ok := asked.Find(a.Code); !ok {
			t.Error("the room of before is not found")
		}
	}
	for range 40 { // until it has claimed the name
		_, err := f.end(f.start(func(ctx context.Context) ([]rooms.Admission, error) {
			return asked.Reserve(ctx, a.Seat.Room, rooms.Player{ID: 2})
		}))
		if err == nil {
			break
		}
		again(t, err)
		f.run(time.Second)
	}
	b := f.seat(func(ctx context.Context) ([]rooms.Admission, error) {
		return asked.Reserve(ctx, a.Seat.Room, rooms.Player{ID: 3})
	})[0]
	if b.Code != a.Code || b.Process != "a" || b.Seat.Epoch <= a.Seat.Epoch {
		t.Errorf("%+v of %s after %+v", b.Seat, b.Process, a.Seat)
	}
	f.play(b)
}

// A second process with the name of a live one is not ready and gives no seats in rooms that other processes would not find.
// Players who ask it get a seat in another process. It logs the reason repeatedly, and takes over when the first has gone.
func TestNamesake(t *testing.T) {
	f := newTestbed(t, 1)
	first := f.add("a", fields(2))
	f.add("b", fields(2))
	f.run(time.Second)
	var log bytes.Buffer
	c := fields(2)
	c.Logger = slog.New(slog.NewTextHandler(&log, nil))
	second := f.add("a", c)
	again(t, second.fleet.Ready())
	again(t, rooms.Here(second.server).Ready())
	for i := range uint64(5) {
		f.run(10 * time.Second)
		again(t, second.fleet.Ready())
		again(t, rooms.Here(second.server).Ready())
		if a := f.seat(wish(second.fleet, rooms.Player{ID: i + 1}))[0]; a.Process != "b" {
			t.Errorf("player %d has a seat in %v of %s", i+1, a.Seat.Room, a.Process)
		}
		if _, err := second.server.Join("field", nil, rooms.Player{ID: i + 1}); again(t, err) <= 0 || again(t, err) > fleet.ProcessLease || len(second.server.Rooms()) > 0 {
			t.Errorf("%d rooms, %v", len(second.server.Rooms()), err)
		}
		if m := second.server.Membership(); m.Member || !m.Named || m.Errors == 0 {
			t.Errorf("%+v", m)
		}
	}
	if n := strings.Count(log.String(), "level=WARN"); n < 4 || n > 10 {
		t.Errorf("%d warnings in 50 s:\n%s", n, &log)
	}
	if m := first.server.Membership(); !m.Member || m.Named || m.Fenced {
		t.Errorf("the first is %+v", m)
	}
	first.stopped, first.name = true, "was a"
	f.run(11 * time.Second)
	if err := second.fleet.Ready(); err != nil || !second.server.Membership().Member {
		t.Errorf("the first has gone: %v", err)
	}
	if a := f.seat(func(ctx context.Context) ([]rooms.Admission, error) {
		return f.members[1].fleet.Create(ctx, "field", rooms.Creation{}, rooms.Player{ID: 9})
	})[0]; a.Process != "a" {
		t.Errorf("%+v of %s", a.Seat, a.Process)
	}
}

// No player is sent to a process with another key or protocol id, whose tokens are not valid here: neither to a new room nor
// to an existing one. A process that is skipped is logged once. A later process with the same name and the right key counts.
func TestAnotherKey(t *testing.T) {
	right := newTestbed(t, 1).key
	for name, wrong := range map[string]struct {
		key      netcode.Key
		protocol uint64
	}{
		"key": {netcode.GenerateKey(nil), 0}, "protocol": {right, 7},
	} {
		t.Run(name, func(t *testing.T) {
			f := newTestbed(t, 1)
			f.add("a", fields(2))
			var log bytes.Buffer
			f.log = slog.New(slog.NewTextHandler(&log, nil))
			door := f.door()
			f.log = nil
			f.key, f.protocol = wrong.key, wrong.protocol
			other := f.add("other", fields(2))
			f.key, f.protocol = right, 0
			f.run(2 * time.Second)
			there := f.seat(wish(other.fleet, rooms.Player{ID: 100}))[0] // so it has the fullest room
			f.run(2 * time.Second)
			if there.Process != "other" {
				t.Errorf("its own player is sent to %s", there.Process)
			}
			for i := range uint64(4) {
				if a := f.seat(wish(door, rooms.Player{ID: i + 1}))[0]; a.Process != "a" {
					t.Errorf("player %d is sent to %v of %s", i+1, a.Seat.Room, a.Process)
				}
			}
			_, err := f.end(f.start(func(ctx context.Context) ([]rooms.Admission, error) {
				return door.Reserve(ctx, there.Seat.Room, rooms.Player{ID: 5})
			}))
			again(t, err)
			f.run(2 * time.Second)
			if list := door.List(); len(list) != 2 || list[0].Process != "a" || list[1].Process != "a" {
				t.Errorf("%+v", list)
			}
			if n := strings.Count(log.String(), "process=other"); n != 1 {
				t.Errorf("it is logged %d times:\n%s", n, &log)
			}
			other.stopped, other.name = true, "was other"
			f.add("other", fields(2))
			f.run(12 * time.Second)
			if a := f.seat(wish(door, party(10, 2)...))[0]; a.Process != "other" {
				t.Errorf("a new process of the name gets no players: %+v of %s", a.Seat, a.Process)
			}
		})
	}
}

// Invalid configurations are refused with the remedy.
func TestConfig(t *testing.T) {
	key := netcode.GenerateKey(nil)
	keyless, err := rooms.New(fields(1), netsys.NewNetwork().Node(netip.AddrPort{}))
	if err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]fleet.Config{
		"Key is missing":       {Directory: fleet.NewMemory(nil)},
		"development key":      {Directory: fleet.NewMemory(nil), Key: netsys.DevelopmentKey()},
		"Directory is missing": {Key: key},
		"RequestTimeout 11s":   {Directory: fleet.NewMemory(nil), Key: key, RequestTimeout: 11 * time.Second},
		"of Here is not set":   {Directory: fleet.NewMemory(nil), Here: keyless},
	} {
		if _, err := fleet.New(c); !errors.Is(err, fleet.ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	l, err := fleet.New(fleet.Config{Directory: fleet.NewMemory(nil), Key: key})
	if err != nil {
		t.Fatal(err)
	}
	again(t, l.Ready())
	if _, err := l.Join(context.Background(), rooms.Wish{Kind: "field", Players: party(1, 1)}); again(t, err) <= 0 {
		t.Error(err)
	}
}
