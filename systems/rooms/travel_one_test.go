package rooms

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
)

// pair is a process with a town and a wood, and a player with a purse in the town.
func pair(t *testing.T, change func(town, wood *Kind)) (w *world, x *wanderer, town, wood *Room) {
	t.Helper()
	kinds := []Kind{zones("town", 2), zones("wood", 1)}
	if change != nil {
		change(&kinds[0], &kinds[1])
	}
	w = newWorld(t, 1, 1, kinds...)
	var err error
	if town, err = w.servers[0].Create("town", Creation{}); err == nil {
		wood, err = w.servers[0].Create("wood", Creation{})
	}
	if err != nil {
		t.Fatal(err)
	}
	a, err := town.Reserve(Player{ID: 7, Party: 3, Data: []byte("seven")})
	if err != nil {
		t.Fatal(err)
	}
	x = w.play(7, a[0], netsys.Link{Latency: 50 * time.Millisecond})
	w.until("plays", func() bool {
		_, ok := town.entity(7)
		return ok
	})
	w.mint(x)
	return w, x, town, wood
}

// has reports whether a player has its purse in a room.
func (w *world) has(r *Room, player uint64) bool {
	e, ok := r.entity(player)
	return ok && ecs.Get[purse](r.game.World(), e) != nil && ecs.Get[secret](r.game.World(), e) != nil
}

// travel sends a player off, and waits until that is decided.
func (w *world) travel(x *wanderer, from *Room, to Destination) {
	w.t.Helper()
	x.going = true
	if err := from.Travel(x.id, to); err != nil {
		w.t.Fatal(err)
	}
	w.until("decided", func() bool { return !x.going })
}

// A player who travels to a kind goes to another room of it, not to the one where it is.
func TestTravelWithinAKind(t *testing.T) {
	w, x, town, _ := pair(t, nil)
	w.travel(x, town, Destination{Kind: "town"})
	w.run(time.Second)
	if town.Info().Taken != 0 || x.room == town || !w.has(x.room, 7) || x.Err() != nil {
		t.Errorf("%d are left in the town: %v", town.Info().Taken, x.Err())
	}
}

// A player travels with its carried components: its entity has them from its first snapshot on, and its client, seat, name and
// party are the same. The previous seat is free, and the hooks are called.
func TestTravelCarries(t *testing.T) {
	var heard []string
	w, x, town, wood := pair(t, func(town, wood *Kind) {
		town.Left = func(*Room, Seat) { heard = append(heard, "left") }
	})
	first := true
	was := x.World()
	joined := wood.kind.Joined
	wood.kind.Joined = func(r *Room, s Seat, client uint32) {
		heard = append(heard, "joined "+string(s.Data))
		if s.Party != 3 {
			t.Errorf("the party is %d", s.Party)
		}
		joined(r, s, client)
	}
	x.going = true
	if err := town.Travel(7, Destination{Room: wood.ID()}); err != nil {
		t.Fatal(err)
	}
	if err := town.Travel(9, Destination{Room: wood.ID()}); !errors.Is(err, ErrNoSeat) {
		t.Error(err)
	}
	w.until("arrived", func() bool {
		if e, ok := x.Own(x.World()); ok && x.World() != was && first {
			first = false
			if ecs.Get[purse](x.World(), e) == nil {
				t.Error("its first snapshot is without what it carries")
			}
		}
		return !x.going && !first
	})
	w.run(time.Second)
	if i, j := town.Info(), wood.Info(); i.Free() != 2 || j.Taken != 1 || !w.has(wood, 7) || x.Stats().Travels != 1 || x.Err() != nil {
		t.Errorf("%+v, %+v, %v", i.SeatCounts, j.SeatCounts, x.Err())
	}
	if got := strings.Join(heard, ", "); !strings.Contains(got, "joined seven") || !strings.Contains(got, "left") || len(heard) != 2 {
		t.Errorf("heard %q", got)
	}
	w.travel(x, wood, Destination{Kind: "town"}) // the one that is there
	w.run(time.Second)
	if !w.has(town, 7) || len(w.rooms()) != 2 {
		t.Error("it did not come back")
	}
}

// A player who cannot travel stays with all its components and gets the reason.
func TestTravelStays(t *testing.T) {
	for name, c := range map[string]struct {
		change func(w *world, x *wanderer, wood *Room) // before it goes
		during func(w *world, x *wanderer, wood *Room) // once it is on its way
		to     func(wood *Room) Destination
		why    error
	}{
		"full": {change: func(w *world, _ *wanderer, wood *Room) {
			if _, err := wood.Reserve(Player{ID: 8}); err != nil {
				t.Fatal(err)
			}
		}, why: ErrFull},
		"locked":       {change: func(_ *world, _ *wanderer, wood *Room) { wood.Lock() }, why: ErrLocked},
		"no such room": {to: func(*Room) Destination { return Destination{Room: 99} }, why: ErrRoom},
		"no such kind": {to: func(*Room) Destination { return Destination{Kind: "moon"} }, why: ErrKind},
		"the room ends": {during: func(w *world, _ *wanderer, wood *Room) {
			wood.End(nil)
		}, why: ErrTravelReturned},
		"kicked there": {during: func(w *world, _ *wanderer, wood *Room) {
			if err := wood.Kick(7); err != nil {
				t.Fatal(err)
			}
		}, why: ErrTravelReturned},
		"nothing gets through": {during: func(w *world, x *wanderer, _ *Room) {
			if err := x.wire.SetLinks(netsys.Link{}, netsys.Link{Loss: 1}); err != nil {
				t.Fatal(err)
			}
			x.silent = w.now.Add(8 * time.Second)
		}, why: ErrTravelReturned},
	} {
		t.Run(name, func(t *testing.T) {
			w, x, town, wood := pair(t, nil)
			var why error
			town.kind.Travelled = func(_ *Room, s Seat, err error) { x.going, why = false, err }
			if c.change != nil {
				c.change(w, x, wood)
			}
			to := Destination{Room: wood.ID()}
			if c.to != nil {
				to = c.to(wood)
			}
			x.going = true
			if err := town.Travel(7, to); err != nil {
				t.Fatal(err)
			}
			if c.during != nil {
				w.until("reserved", func() bool { return wood.Info().Promised == 1 })
				c.during(w, x, wood)
			}
			for x.going {
				w.step()
				if !x.silent.IsZero() && !w.now.Before(x.silent) {
					if err := x.wire.SetLinks(x.link, x.link); err != nil {
						t.Fatal(err)
					}
					x.silent = time.Time{}
				}
			}
			w.run(time.Second)
			if !errors.Is(why, c.why) || !w.has(town, 7) || x.Err() != nil || town.Info().Taken != 1 {
				t.Errorf("stayed for %v, want %v; %v, %+v", why, c.why, x.Err(), town.Info().SeatCounts)
			}
			if r := w.servers[0].Room(x.room.ID()); r != town {
				t.Error("it plays elsewhere")
			}
		})
	}
}

// A player whose process dies during a travel keeps its seat and its carried components: in the previous room, or in the
// destination once it was admitted there.
func TestTravelOfTheDead(t *testing.T) {
	w, _, town, wood := pair(t, nil)
	if err := town.Travel(7, Destination{Room: wood.ID()}); err != nil {
		t.Fatal(err)
	}
	w.until("reserved", func() bool { return wood.Info().Promised == 1 })
	w.order = nil // without a word
	w.until("given back", func() bool { return w.has(town, 7) })
	a, err := town.Reconnect(Player{ID: 7})
	if err != nil {
		t.Fatal(err)
	}
	x := w.play(7, a, netsys.Link{})
	x.room = town
	w.until("back", func() bool { _, ok := x.Own(x.World()); return ok })
	if !w.has(town, 7) || town.Info().Free() != 1 {
		t.Errorf("%+v", town.Info().SeatCounts)
	}
	x.gold = 0
	w.travel(x, town, Destination{Room: wood.ID()})
	w.order = nil
	w.until("missed", func() bool { return wood.Info().Waiting == 1 })
	if a, err = wood.Reconnect(Player{ID: 7}); err != nil {
		t.Fatal(err)
	}
	gold := x.gold
	x = w.play(7, a, netsys.Link{})
	x.gold = gold
	w.until("back", func() bool { _, ok := x.Own(x.World()); return ok })
	w.run(time.Second)
	if !w.has(wood, 7) {
		t.Error("it has lost its purse")
	}
}

// A client that stays with both rooms gains nothing: the one of before ends its session.
func TestTravelWithTwoClients(t *testing.T) {
	w, _, town, wood := pair(t, nil)
	var ticket systems.Ticket
	a, err := town.Reconnect(Player{ID: 7})
	if err != nil {
		t.Fatal(err)
	}
	w.order = nil
	other, err := systems.NewClient(w.net.Node(netip.AddrPort{}), netip.AddrPort{}, zone(), systems.ClientConfig{
		Session: systems.ClientSession{Token: a.Token, OnTravel: func(_ *systems.Client, t systems.Ticket) { ticket = t }}, Start: w.now,
	})
	if err != nil {
		t.Fatal(err)
	}
	old := &wanderer{Client: other, id: 7, room: town}
	w.players[7] = old
	w.order = append(w.order, old)
	w.until("back", func() bool { _, ok := other.Own(other.World()); return ok })
	if err := town.Travel(7, Destination{Room: wood.ID()}); err != nil {
		t.Fatal(err)
	}
	if err := town.Travel(7, Destination{Room: wood.ID()}); err != nil {
		t.Fatal(err)
	}
	w.until("handed on", func() bool { return ticket.Token != nil })
	x := w.play(7, Admission{Token: ticket.Token}, netsys.Link{})
	w.until("ended", func() bool { return other.Err() != nil })
	if why(&player{Client: other}) != ReasonTravelled || Explain(ReasonTravelled) == "" || x.Err() != nil || !w.has(wood, 7) || town.Info().Free() != 2 {
		t.Errorf("%v; %v, %+v", other.Err(), x.Err(), town.Info().SeatCounts)
	}
	if w.stays["other"] != 1 {
		t.Errorf("the second time it was told %v", w.stays)
	}
}

// Kinds whose players cannot carry their components are refused, and so is a player whose components the destination cannot
// hold.
func TestCarriesRefuses(t *testing.T) {
	type bag struct {
		N int `net:"0..9"`
	}
	type other struct{ purse }
	node := func() netsys.Wire { return netsys.NewNetwork().Node(netip.AddrPort{}) }
	for name, c := range map[string]struct {
		change func(town, wood *Kind)
		says   string
	}{
		"no such component": {func(town, _ *Kind) { town.Carries = append(town.Carries, Carries[components.Health]()) }, "no Health"},
		"the input":         {func(town, _ *Kind) { town.Carries = append(town.Carries, Carries[push]()) }, "the room's own"},
		"the owner":         {func(town, _ *Kind) { town.Carries = append(town.Carries, Carries[components.Owner]()) }, "the room's own"},
		"no size": {func(town, _ *Kind) {
			town.Protocol = func() *ecs.Protocol { p := zone(); ecs.Local[bag](p, 0); return p }
			town.Carries = append(town.Carries, Carries[bag]())
		}, "int32 or int64"},
		"two of a name": {func(_, wood *Kind) {
			type purse struct{ Gold uint16 }
			wood.Protocol = func() *ecs.Protocol { p := field(); ecs.Local[purse](p, 0); return p }
			wood.Carries = []Carry{Carries[purse]()}
		}, "make them one type"},
		"rewinding": {func(town, _ *Kind) { town.Server.Model = policy.ServerRewind{} }, "Carries under"},
		"lockstep":  {func(town, _ *Kind) { town.Server.Model = policy.Lockstep{} }, "Carries under"},
	} {
		kinds := []Kind{zones("town", 1), zones("wood", 1)}
		c.change(&kinds[0], &kinds[1])
		if _, err := New(Config{Kinds: kinds}, node()); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_ = other{}
	w, x, town, wood := pair(t, func(_, wood *Kind) { wood.Carries = wood.Carries[:1] })
	var why error
	town.kind.Travelled = func(_ *Room, _ Seat, err error) { x.going, why = false, err }
	w.travel(x, town, Destination{Room: wood.ID()})
	if !errors.Is(why, ErrCarries) || !w.has(town, 7) {
		t.Error(why)
	}
	if err := town.Travel(7, Destination{Kind: "wood", Options: Options{"": 1}}); !errors.Is(err, ErrOptions) {
		t.Error(err)
	}
	if err := town.Travel(7, Destination{Data: make([]byte, MaxData+1)}); !errors.Is(err, ErrPlayer) {
		t.Error(err)
	}
	if _, err := wood.Reserve(Player{ID: 9, Carried: []byte("TG\x01")}); !errors.Is(err, ErrPlayer) {
		t.Error(err)
	}
}

// A system that calls Travel finds the carried components until the end of the tick. From the next tick on they are gone until
// the travel is decided: rows skip the entity, and ecs.Get returns nil.
func TestTravelFrame(t *testing.T) {
	var has []bool // by tick, from the one of Room.Travel on: before and after the rest of the systems
	var sent *Room
	look := func(w *ecs.World) {
		if sent != nil {
			e, _ := sent.entity(7)
			has = append(has, ecs.Get[purse](w, e) != nil)
		}
	}
	var w *world
	w, x, town, wood := pair(t, func(town, wood *Kind) {
		town.Set = func(r *Room, c *systems.ServerConfig) error {
			c.Schedule = func(s *ecs.Schedule) error {
				return errors.Join(
					s.InsertAfter("ServerApply", ecs.System{Name: "portal", Run: func(world *ecs.World) {
						if w != nil && w.players[7].going && sent == nil {
							sent = r
							if err := r.Travel(7, Destination{Kind: "wood"}); err != nil {
								t.Error(err)
							}
						}
						look(world)
					}}),
					s.InsertBefore("Snapshot", ecs.System{Name: "late", Run: look}),
				)
			}
			return nil
		}
	})
	x.going = true
	w.until("decided", func() bool { return !x.going })
	w.run(time.Second)
	if len(has) < 6 || !has[0] || !has[1] || has[2] || has[3] || has[4] || !w.has(wood, 7) || town.Info().Free() != 2 {
		t.Errorf("the player has its purse, by look: %v", has)
	}
}
