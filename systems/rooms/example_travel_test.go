package rooms_test

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
)

// Purse is what players take along.
type Purse struct {
	Gold uint16 `net:"0..9999"`
}

// Step is the input.
type Step struct {
	DX int8 `net:"-1..1"`
}

// Receive is the command that gives a player gold.
type Receive struct {
	Gold uint16 `net:"0..9999"`
}

// Land returns the game, in town and in the wood.
func Land() *ecs.Protocol {
	p := ecs.NewProtocol("land/1")
	ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[Purse](p, ecs.OwnerOnly)
	ecs.Input[Step](p)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, components.Position{}, Purse{}, Step{})
	})
	ecs.Command(p, func(w *ecs.World, client uint32, v *Receive) {
		for _, r := range ecs.EachOf[struct{ Purse *Purse }](w, client) {
			r.Purse.Gold += v.Gold
		}
	})
	return p
}

// receive gives gold to the client of a player.
func receive(r *rooms.Room, client uint32, gold uint16) {
	r.Tell(func(s *systems.Server) { _ = systems.CommandFor(s, client, Receive{gold}) })
}

// joined gives a player what it has carried here.
func joined(r *rooms.Room, s rooms.Seat, client uint32) {
	if b := r.Carried(s); len(b) == 2 {
		receive(r, client, binary.LittleEndian.Uint16(b))
	}
}

// leave takes a player's gold and sends the player to a room of a kind.
func leave(r *rooms.Room, player uint64, client uint32, kind string) error {
	var gold uint16
	if err := r.Do(func(s *systems.Server) {
		for _, x := range ecs.EachOf[struct{ Purse *Purse }](s.World(), client) {
			gold, x.Purse.Gold = x.Purse.Gold, 0
		}
	}); err != nil {
		return err
	}
	return r.Travel(player, rooms.Destination{Kind: kind, Carried: binary.LittleEndian.AppendUint16(nil, gold)})
}

// A player finds gold in town and takes it to the wood. Here a process and a player run in one program in virtual time. With
// Server.Run and systems.Dial the code is the same, and ClientConfig needs no Reach.
func ExampleRoom_Travel() {
	now, network := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), netsys.NewNetwork()
	kinds := []rooms.Kind{
		{Name: "town", Protocol: Land, Capacity: 64, Hooks: rooms.Hooks{Joined: joined}},
		{Name: "wood", Protocol: Land, Capacity: 16, Hooks: rooms.Hooks{Joined: joined}},
	}
	kinds[0].Travelled = func(_ *rooms.Room, s rooms.Seat, why error) {
		fmt.Printf("player %d has left town, stays for: %v\n", s.Player, why)
	}
	server, err := rooms.New(rooms.Config{Kinds: kinds, Now: func() time.Time { return now }}, network.Node(netip.AddrPort{}))
	if err != nil {
		fmt.Println(err)
		return
	}
	seat, err := server.Join("town", nil, rooms.Player{ID: 7})
	if err != nil {
		fmt.Println(err)
		return
	}
	player, err := systems.NewClient(network.Node(netip.AddrPort{}), netip.AddrPort{}, Land(), systems.ClientConfig{
		Session: systems.ClientSession{
			Token: seat[0].Token,
			Reach: func(systems.Ticket) (netsys.Wire, netip.AddrPort, error) {
				return network.Node(netip.AddrPort{}), netip.AddrPort{}, nil
			},
		}, Start: now,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	until := func(f func() bool) {
		for !f() {
			now = now.Add(time.Second / 60)
			server.Advance(now)
			player.Advance(now)
		}
	}
	gold := func() (n uint16) {
		if e, ok := player.Own(player.World()); ok && ecs.Has[Purse](player.World(), e) {
			n = ecs.Get[Purse](player.World(), e).Gold
		}
		return n
	}
	until(func() bool { _, ok := player.Own(player.World()); return ok })
	town := server.Room(seat[0].Seat.Room)
	receive(town, player.ID(), 30)
	until(func() bool { return gold() == 30 })
	if err := leave(town, 7, player.ID(), "wood"); err != nil {
		fmt.Println(err)
		return
	}
	until(func() bool { return player.Stats().Travels == 1 && gold() > 0 && town.Info().Taken == 0 })
	for _, r := range server.Rooms() {
		fmt.Printf("in %s: %d\n", r.Kind(), r.Info().Taken)
	}
	fmt.Println("gold:", gold(), "travels:", player.Stats().Travels)
	// Output:
	// player 7 has left town, stays for: <nil>
	// in town: 0
	// in wood: 1
	// gold: 30 travels: 1
}
