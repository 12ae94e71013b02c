package main

import (
	"maps"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/rooms"
)

// The limits of a process. The manifests contain the same values.
const (
	maxRooms = 64
	capacity = 2
	// longest is the longest drain: players who cannot travel play on for this time.
	longest = 50 * time.Minute
)

// Move is the input of a client in each tick.
type Move struct {
	DX, DY int8 `net:"-1..1"`
}

// dot is a row: the components that a system uses.
type dot struct {
	Pos *components.Position
	In  *Move
}

// Dots returns the game of one room. Server and clients share it.
func Dots() *ecs.Protocol {
	p := ecs.NewProtocol("dots/1")
	ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[Move](p)
	p.Simulate("move", func(w *ecs.World) {
		for _, d := range ecs.Each[dot](w) {
			d.Pos.X, d.Pos.Y = d.Pos.X+float32(d.In.DX), d.Pos.Y+float32(d.In.DY)
		}
	})
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, components.Position{}, Move{})
	})
	return p
}

// kind returns the kind of rooms of the game. When a room drains, its players travel together to a room of another process
// and keep their positions. Players of a private room stay.
func kind() rooms.Kind {
	k := rooms.Kind{Name: "dots", Protocol: Dots, Capacity: capacity, Carries: []rooms.Carry{rooms.Carries[components.Position]()}}
	move := func(r *rooms.Room, player uint64) {
		i := r.Info()
		if i.State != rooms.Draining || i.Private {
			return
		}
		o := maps.Clone(i.Options)
		if o == nil {
			o = make(rooms.Options)
		}
		o["from"] = r.ID().String()                                       // all players from this room meet in one room
		_ = r.Travel(player, rooms.Destination{Kind: k.Name, Options: o}) // an error means that the room has ended
	}
	k.Draining = func(r *rooms.Room) {
		for _, s := range r.Seats() {
			if s.Client != 0 {
				move(r, s.Player)
			}
		}
	}
	k.Joined = func(r *rooms.Room, s rooms.Seat, _ uint32) { move(r, s.Player) }
	k.Travelled = func(r *rooms.Room, s rooms.Seat, why error) {
		if why != nil {
			time.AfterFunc(time.Second, func() { move(r, s.Player) })
		}
	}
	return k
}
