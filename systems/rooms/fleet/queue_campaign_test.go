package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
	"github.com/tactusgo/tactus/systems/rooms/fleet/internal/faulty"
	"github.com/tactusgo/tactus/systems/rooms/match"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// town is the seats of a fleet whose processes all have the same rooms.
type town struct {
	rooms.Seats
	t        *testing.T
	now      time.Time
	capacity int
	rooms    []*townRoom
	unseen   func() bool // a room that has just been made is not found yet
}

// townRoom is a room of a town.
type townRoom struct {
	id      rooms.ID
	free    int
	options rooms.Options
	who     []rooms.Player
}

func (x *town) Fingerprint() string { return "town" }

// seat gives players seats in a room, 0 for a new one.
func (x *town) seat(id rooms.ID, w rooms.Wish) (all []rooms.Admission, err error) {
	if id == 0 {
		id = rooms.ID(len(x.rooms) + 1)
		x.rooms = append(x.rooms, &townRoom{id: id, free: x.capacity, options: w.Options})
	}
	r := x.rooms[id-1]
	if r.free -= len(w.Players); r.free < 0 {
		x.t.Fatalf("room %v of %d seats has no place for %v", id, x.capacity, w.Players)
	}
	r.who = append(r.who, w.Players...)
	for _, p := range w.Players {
		all = append(all, rooms.Admission{Kind: w.Kind, Seat: rooms.Seat{Room: id, Player: p.ID, Party: p.Party}})
	}
	return all, nil
}

func (x *town) Ready() error { return nil }

func (x *town) Kinds() []rooms.KindEntry {
	return []rooms.KindEntry{{Kind: "field", Capacity: x.capacity}}
}

func (x *town) List() (all []rooms.RoomEntry) {
	for _, r := range x.rooms {
		all = append(all, rooms.RoomEntry{ID: r.id, Kind: "field", RoomState: rooms.RoomState{State: rooms.Open, Free: r.free, Options: r.options}})
	}
	return all
}

func (x *town) Reserve(_ context.Context, room rooms.ID, who ...rooms.Player) ([]rooms.Admission, error) {
	return x.seat(room, rooms.Wish{Kind: "field", Players: who})
}

func (x *town) Create(_ context.Context, kind string, c rooms.Creation, who ...rooms.Player) ([]rooms.Admission, error) {
	return x.seat(0, rooms.Wish{Kind: kind, Options: c.Options, Players: who})
}

func (x *town) Reconnect(_ context.Context, room rooms.ID, who rooms.Player) (rooms.Admission, error) {
	if x.unseen() {
		return rooms.Admission{}, rooms.ErrRoom
	}
	for _, r := range x.rooms {
		if r.id == room && slices.ContainsFunc(r.who, func(p rooms.Player) bool { return p.ID == who.ID }) {
			return rooms.Admission{Kind: "field", Seat: rooms.Seat{Room: room, Player: who.ID, Party: who.Party}}, nil
		}
	}
	return rooms.Admission{}, rooms.ErrNoSeat
}

// resident is a player of a fleet: where it waits, and whether it was told to retry.
type resident struct {
	wish   match.Wish
	at     string
	wait   *match.Wait
	paused time.Time
	room   rooms.ID // in the end
}

// stoppedView is the directory of a process that does not answer while it is stopped.
type stoppedView struct {
	*faulty.View
	stops func() bool
}

func (v stoppedView) Handle(address string, answer func(ctx context.Context, request []byte) []byte) (stop func(), err error) {
	return v.View.Handle(address, func(ctx context.Context, request []byte) []byte {
		if v.stops() {
			return nil
		}
		return answer(ctx, request)
	})
}

// Processes that share a queue are killed, started, paused and disconnected. Their writes are refused, delayed, or done
// without an answer. Players ask again at any process. The members of a party never get seats in different rooms. When
// everything works again, every player with possible opponents gets a seat.
func TestSharedCampaign(t *testing.T) {
	systemstest.Seeds(t, 10, sharedCampaign)
}

func sharedCampaign(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 23))
	x := &town{t: t, now: birth, capacity: 4, unseen: func() bool { return rng.IntN(4) != 0 }}
	now := func() time.Time { return x.now }
	directory := faulty.New(fleet.NewMemory(now), now, seed, faulty.Odds{Refused: 0.05, Lost: 0.05, Late: 0.05, By: time.Second})
	queues := make(map[string]*fleet.SharedQueue)
	stopped := make(map[string]time.Time)
	names := []string{"a", "b", "c"}
	views := make(map[string]*faulty.View)
	start := func(name string) {
		if killed := views[name]; killed != nil {
			killed.Cut(true)
		}
		views[name] = directory.View()
		stops := stoppedView{views[name], func() bool { return x.now.Before(stopped[name]) }}
		queues[name] = fleet.NewSharedQueue(match.Config{Match: match.Rules{Least: 2, Patience: -1}.Match}, x, stops, now)
		delete(stopped, name)
	}
	for _, name := range names {
		start(name)
	}
	all := make(map[uint64]*resident)
	ask := func(p *resident) {
		at := names[rng.IntN(len(names))]
		w, err := queues[at].Enter(x.now, p.wish)
		if err != nil {
			t.Fatal(err)
		}
		if p.wait != nil && at != p.at {
			queues[p.at].Leave(p.wait) // its request of before is closed
		}
		p.at, p.wait, p.paused = at, w, time.Time{}
	}
	parties := make(map[uint64]rooms.ID)
	look := func() {
		for _, id := range slices.Sorted(maps.Keys(all)) {
			p := all[id]
			if p.wait == nil {
				continue
			}
			switch a := answerOf(p.wait); {
			case a == nil:
			case errors.Is(a.Err, match.ErrSuperseded): // by a request of before that was written late
				ask(p)
			case a.Err != nil:
				t.Fatalf("player %d: %v", id, a.Err)
			default:
				p.wait, p.room = nil, a.Admission.Seat.Room
				if party := p.wish.Player.Party; party != 0 && parties[party] != 0 && parties[party] != p.room {
					t.Fatalf("player %d of party %d is sent to %v, another one to %v", id, party, p.room, parties[party])
				} else if party != 0 {
					parties[party] = p.room
				}
			}
		}
	}
	run := func() {
		x.now = x.now.Add(200 * time.Millisecond)
		for _, name := range names {
			if x.now.Before(stopped[name]) {
				continue
			}
			if err := queues[name].Run(t.Context(), x.now); err != nil {
				t.Fatal(err)
			}
		}
		look()
	}
	next := uint64(0)
	for range 400 { // 80 seconds
		switch rng.IntN(20) {
		case 0, 1:
			size := 1 + rng.IntN(3)
			party := uint64(0)
			if size > 1 {
				party = next + 1
			}
			for range size {
				next++
				all[next] = &resident{wish: match.Wish{Kind: "field", Player: rooms.Player{ID: next, Party: party}, Size: size}}
				ask(all[next])
			}
		case 2: // a process is killed, and its players ask another one
			if name := names[rng.IntN(len(names))]; rng.IntN(8) == 0 {
				start(name)
				for _, id := range slices.Sorted(maps.Keys(all)) {
					if p := all[id]; p.at == name && p.room == 0 {
						ask(p)
					}
				}
			}
		case 3:
			if rng.IntN(8) == 0 {
				stopped[names[rng.IntN(len(names))]] = x.now.Add(time.Duration(rng.IntN(15)) * time.Second)
			}
		case 4:
			directory.Down(rng.IntN(8) == 0)
			views[names[rng.IntN(len(names))]].Cut(rng.IntN(4) == 0)
		case 5, 6, 7: // somebody is told to ask again, or asks elsewhere
			if next > 0 {
				p := all[1+rng.Uint64N(next)]
				if p.wait != nil && rng.IntN(2) == 0 && queues[p.at].Pause(x.now, p.wait) {
					p.wait, p.paused = nil, x.now
				} else if p.wait != nil {
					ask(p)
				}
			}
		}
		for _, id := range slices.Sorted(maps.Keys(all)) {
			if p := all[id]; !p.paused.IsZero() && x.now.Sub(p.paused) > time.Second {
				ask(p)
			}
		}
		run()
	}
	directory.Down(false)
	directory.Set(faulty.Odds{})
	clear(stopped)
	for _, v := range views {
		v.Cut(false)
	}
	for range 200 { // longer than all leases
		run()
		for _, id := range slices.Sorted(maps.Keys(all)) {
			if p := all[id]; !p.paused.IsZero() {
				ask(p)
			}
		}
	}
	var left []string
	alone := 0
	for _, id := range slices.Sorted(maps.Keys(all)) {
		switch p := all[id]; {
		case p.room != 0 || parties[p.wish.Player.Party] != 0: // who asked again too late waits for a party that plays
		case p.wish.Size == 1:
			alone++
		default:
			left = append(left, fmt.Sprintf("%d of party %d", id, p.wish.Player.Party))
		}
	}
	if len(left) > 0 || alone > 1 {
		t.Errorf("of %d players %d wait alone, and %v", next, alone, left)
	}
}

// answerOf returns the answer to a request, nil if there is none yet.
func answerOf(w *match.Wait) *match.Answer {
	select {
	case a := <-w.Answer():
		return &a
	default:
		return nil
	}
}
