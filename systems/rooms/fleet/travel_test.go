package fleet_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
	"github.com/tactusgo/tactus/systems/rooms/roomstest"
)

// purse is the component that a player carries.
type purse struct {
	Gold uint32 `net:"0..1000"`
}

func walks() *ecs.Protocol {
	p := ecs.NewProtocol("lobby-travel/1")
	ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[purse](p, ecs.OwnerOnly)
	ecs.Input[roomstest.Push](p)
	p.Simulate("walk", func(*ecs.World) {})
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, components.Position{}, roomstest.Push{})
	})
	return p
}

// In real time and on sockets, a player travels to a kind of room that only another process creates, requested through the
// lobby, and back, with its carried components. In the end no other seat is taken.
func TestTravelByLobby(t *testing.T) {
	key, directory := netcode.GenerateKey(nil), fleet.NewMemory(nil)
	ctx, stop := context.WithCancel(t.Context())
	ended, running := make(chan error, 8), 0
	run := func(f func(ctx context.Context) error) {
		running++
		go func() { ended <- f(ctx) }()
	}
	defer func() {
		stop()
		for range running {
			if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
	}()
	servers := make(map[string]*rooms.Server)
	for _, name := range []string{"town", "wood"} {
		wire, err := netsys.ListenUDP("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		kind := rooms.Kind{Name: name, Protocol: walks, Capacity: 4, Linger: -1, Carries: []rooms.Carry{rooms.Carries[purse]()}}
		s, err := rooms.New(rooms.Config{Kinds: []rooms.Kind{kind}, Key: key, Process: name}, wire)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fleet.New(fleet.Config{Directory: directory, Here: s}); err != nil {
			t.Fatal(err)
		}
		servers[name] = s
		run(s.Run)
	}
	town, err := servers["town"].Create("town", rooms.Creation{})
	if err != nil {
		t.Fatal(err)
	}
	seats, err := town.Reserve(rooms.Player{ID: 7})
	if err != nil {
		t.Fatal(err)
	}
	wire, err := netsys.DialUDP(ctx, seats[0].Addresses[0].String())
	if err != nil {
		t.Fatal(err)
	}
	client, err := systems.NewClient(wire, wire.RemoteAddr(), walks(), systems.ClientConfig{Session: systems.ClientSession{Token: seats[0].Token}})
	if err != nil {
		t.Fatal(err)
	}
	type news struct {
		travels uint64
		gold    uint32
		here    bool
	}
	heard := make(chan news, 4096)
	run(func(ctx context.Context) error {
		return client.Run(ctx, func(c *systems.Client) {
			n := news{travels: c.Stats().Travels}
			if e, ok := c.Own(c.World()); ok {
				n.here = true
				if p := ecs.Get[purse](c.World(), e); p != nil {
					n.gold = p.Gold
				}
			}
			select {
			case heard <- n:
			default:
			}
		})
	})
	var last news
	until := func(what string, holds func(n news) bool) {
		t.Helper()
		for deadline := time.After(time.Minute); ; {
			select {
			case n := <-heard:
				last = n
				if holds(n) {
					return
				}
			case <-deadline:
				t.Fatalf("never happened: %s; it heard %+v; the client: %v", what, last, client.Err())
			}
		}
	}
	until("the player is in town", func(n news) bool { return n.here })
	if err := town.Do(func(s *systems.Server) {
		var player ecs.Entity
		for e := range ecs.Each[struct{ Owner *components.Owner }](s.World()) {
			player = e
		}
		ecs.Add(s.World(), player, purse{Gold: 12})
	}); err != nil {
		t.Fatal(err)
	}
	until("it has its purse", func(n news) bool { return n.gold == 12 })
	var wood *rooms.Room
	for limit := time.Now().Add(time.Minute); wood == nil; {
		// A lobby that has just begun does not know of everybody yet.
		if err := town.Travel(7, rooms.Destination{Kind: "wood"}); err != nil {
			t.Fatal(err)
		}
		for time.Now().Before(limit) && town.Info().Taken > 0 && len(servers["wood"].Rooms()) == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		if all := servers["wood"].Rooms(); len(all) > 0 {
			wood = all[0]
		} else if time.Now().After(limit) {
			t.Fatal("nobody made a wood")
		}
	}
	until("the player is in the wood, with its purse", func(n news) bool { return n.travels == 1 && n.gold == 12 })
	if err := wood.Travel(7, rooms.Destination{Room: town.ID()}); err != nil {
		t.Fatal(err)
	}
	until("the player is in town, with its purse", func(n news) bool { return n.travels == 2 && n.gold == 12 })
	for limit := time.Now().Add(time.Minute); wood.Info().Free() != 4 && time.Now().Before(limit); {
		time.Sleep(10 * time.Millisecond)
	}
	if a, b := town.Info(), wood.Info(); a.Taken != 1 || a.Free() != 3 || b.Free() != 4 {
		t.Errorf("town %+v, wood %+v", a.SeatCounts, b.SeatCounts)
	}
}
