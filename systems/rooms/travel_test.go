package rooms

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// trip is a process with a town and a wood, and a player in the town.
type trip struct {
	*house
	town, wood *Room
	who        *player
	ended      int // travels
	why        error
	heard      []string
}

func newTrip(t *testing.T) *trip {
	t.Helper()
	x := &trip{}
	var kinds []Kind
	for _, name := range []string{"town", "wood"} {
		k := fields(2)
		k.Name, k.Linger = name, -1
		k.Joined = func(r *Room, s Seat, _ uint32) {
			x.heard = append(x.heard, fmt.Sprintf("%s: %s of party %d has %q", name, s.Data, s.Party, r.Carried(s)))
		}
		k.Left = func(*Room, Seat) { x.heard = append(x.heard, "left "+name) }
		k.Travelled = func(_ *Room, s Seat, why error) {
			x.ended, x.why = x.ended+1, why
			x.heard = append(x.heard, fmt.Sprintf("travelled from %s: %v", name, why))
		}
		kinds = append(kinds, k)
	}
	x.house = newHouse(t, Config{Kinds: kinds, Promise: 6 * time.Second})
	var err error
	if x.town, err = x.server.Create("town", Creation{}); err == nil {
		x.wood, err = x.server.Create("wood", Creation{})
	}
	if err != nil {
		t.Fatal(err)
	}
	a, err := x.town.Reserve(Player{ID: 7, Party: 3, Data: []byte("seven")})
	if err != nil {
		t.Fatal(err)
	}
	x.who = x.play(a[0])
	x.until("in the game", x.who.playing)
	return x
}

// travel sends the player off and waits until that is decided.
func (x *trip) travel(from *Room, to Destination) {
	x.t.Helper()
	before := x.ended
	if err := from.Travel(7, to); err != nil {
		x.t.Fatal(err)
	}
	x.until("decided", func() bool { return x.ended > before })
	x.run(time.Second)
}

// A player travels with what the game gives it: name, party and bytes arrive, its seat is free, and the hooks are called.
func TestTravel(t *testing.T) {
	x := newTrip(t)
	x.travel(x.town, Destination{Room: x.wood.ID(), Carried: []byte("gold")})
	want := []string{`town: seven of party 3 has ""`, "travelled from town: <nil>", "left town", `wood: seven of party 3 has "gold"`}
	if !slices.Equal(x.heard, want) || x.why != nil {
		t.Errorf("got %q, want %q", x.heard, want)
	}
	if a, b := x.town.Info(), x.wood.Info(); a.Free() != 2 || b.Taken != 1 || x.who.Stats().Travels != 1 || x.who.Err() != nil {
		t.Errorf("town %+v, wood %+v: %v", a.SeatCounts, b.SeatCounts, x.who.Err())
	}
	x.travel(x.wood, Destination{Kind: "town", Data: []byte("eight")})
	if got := x.heard[len(x.heard)-1]; got != `town: eight of party 3 has ""` || len(x.server.Rooms()) != 2 {
		t.Errorf("back: %q, %d rooms", got, len(x.server.Rooms()))
	}
	x.travel(x.town, Destination{Kind: "town"}) // goes to another one
	if x.town.Info().Free() != 2 || len(x.server.Rooms()) != 3 || x.who.Stats().Travels != 3 {
		t.Errorf("within a kind: %+v, %d rooms", x.town.Info().SeatCounts, len(x.server.Rooms()))
	}
}

// A player who cannot travel plays on where it is, and the game gets the reason.
func TestTravelStays(t *testing.T) {
	for name, c := range map[string]struct {
		before, during func(x *trip) // during: once it has a seat there
		to             func(x *trip) Destination
		want           error
	}{
		"full":          {before: func(x *trip) { x.wood.Reserve(Player{ID: 8}); x.wood.Reserve(Player{ID: 9}) }, want: ErrFull},
		"locked":        {before: func(x *trip) { x.wood.Lock() }, want: ErrLocked},
		"no such room":  {to: func(*trip) Destination { return Destination{Room: 99} }, want: ErrRoom},
		"no such kind":  {to: func(*trip) Destination { return Destination{Kind: "moon"} }, want: ErrKind},
		"the room ends": {during: func(x *trip) { x.wood.End(nil) }, want: ErrTravelExpired},
		"kicked there":  {during: func(x *trip) { x.wood.Kick(7) }, want: ErrTravelExpired},
		"not reachable": {before: func(x *trip) { x.who.lost = true }, want: ErrTravelExpired},
		"a second time": {before: func(x *trip) { x.who.lost = true; x.town.Travel(7, Destination{Room: x.wood.ID()}) }, want: ErrTravels},
	} {
		t.Run(name, func(t *testing.T) {
			x := newTrip(t)
			to := Destination{Room: x.wood.ID(), Carried: []byte("gold")}
			if c.to != nil {
				to = c.to(x)
			}
			if c.before != nil {
				c.before(x)
			}
			if err := x.town.Travel(7, to); err != nil {
				t.Fatal(err)
			}
			if c.during != nil {
				x.until("has a seat", func() bool { return x.wood.Info().Promised == 1 })
				c.during(x)
			}
			x.until("decided", func() bool { return x.ended > 0 })
			x.run(time.Second)
			if !errors.Is(x.why, c.want) {
				t.Errorf("stayed for %v, want %v; heard %q", x.why, c.want, x.heard)
			}
			if x.who.Err() != nil || x.town.Info().Taken != 1 || !x.who.playing() {
				t.Errorf("%v, town %+v", x.who.Err(), x.town.Info().SeatCounts)
			}
			if all := x.server.roomsOf(7); c.want == ErrTravelExpired && (len(all) == 0 || all[len(all)-1] != x.town.ID()) {
				t.Errorf("it has seats in %v, the newest last", all)
			}
		})
	}
}

// A player whose process dies on the way can return to the seat that it left, and later travel again.
func TestTravelOfTheDead(t *testing.T) {
	x := newTrip(t)
	x.who.lost = true
	if err := x.town.Travel(7, Destination{Room: x.wood.ID()}); err != nil {
		t.Fatal(err)
	}
	x.until("has a seat", func() bool { return x.wood.Info().Promised == 1 })
	x.players = nil // without a word
	x.until("missed", func() bool { return x.town.Info().Waiting == 1 })
	a, err := x.town.Reconnect(Player{ID: 7})
	if err != nil {
		t.Fatal(err)
	}
	x.who = x.play(a)
	x.until("decided", func() bool { return x.ended == 1 })
	if !x.who.playing() || !errors.Is(x.why, ErrTravelExpired) {
		t.Errorf("%v, stays for %v", x.who.Err(), x.why)
	}
	x.travel(x.town, Destination{Room: x.wood.ID()})
	if x.why != nil || x.wood.Info().Taken != 1 {
		t.Errorf("%v, %+v", x.why, x.wood.Info().SeatCounts)
	}
}

func TestTravelRefuses(t *testing.T) {
	x := newTrip(t)
	for _, c := range []struct {
		player uint64
		to     Destination
		want   error
	}{
		{9, Destination{Kind: "wood"}, ErrNoSeat},
		{7, Destination{Kind: "wood", Options: Options{"": 1}}, ErrOptions},
		{7, Destination{Kind: "wood", Data: make([]byte, MaxData+1)}, ErrPlayer},
		{7, Destination{Kind: "wood", Carried: make([]byte, MaxCarried+1)}, ErrPlayer},
	} {
		if err := x.town.Travel(c.player, c.to); !errors.Is(err, c.want) {
			t.Errorf("got %v, want %v", err, c.want)
		}
	}
	if strings.Join(x.heard, "") != `town: seven of party 3 has ""` {
		t.Errorf("heard %q", x.heard)
	}
}

// In a fleet, the room of another process gives the seat.
func TestTravelInAFleet(t *testing.T) {
	x := newTrip(t)
	f := &distantSeats{stubFleet: stubFleet{Seats: Here(x.server)}, far: ErrDraining}
	x.server.Connect(f)
	x.travel(x.town, Destination{Room: 99, Carried: []byte("gold")})
	if !errors.Is(x.why, ErrDraining) || f.asked.ID != 7 || string(f.asked.Carried) != "gold" || string(f.asked.Data) != "seven" {
		t.Errorf("%v, asked for %+v", x.why, f.asked)
	}
}

// distantSeats is a fleet whose other processes refuse.
type distantSeats struct {
	stubFleet
	far   error
	asked Player
}

func (f *distantSeats) Reserve(_ context.Context, _ ID, who ...Player) ([]Admission, error) {
	f.asked = who[0]
	return nil, f.far
}
