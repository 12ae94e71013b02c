package save_test

import (
	"flag"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

var update = flag.Bool("update", false, "write testdata/ships-1.save")

// Version 1 of a game, whose save is in testdata.
type (
	place struct {
		X int16 `net:"raw"`
		Y int16 `net:"raw"`
	}
	hull struct {
		Health int8   `net:"0..100"`
		Old    uint32 `net:"raw"`
	}
	cargo struct { // local
		N     uint8
		Slots [2]uint16
	}
	wind struct {
		Force float32 `net:"raw"`
	}
)

// Version 3: version 2 renamed hull to armour and Health to Left; both widened fields, and added and removed others.
type (
	spot3 struct {
		_ struct{} `save:"was place"`
		Y int32    `net:"raw"`
		X int32    `net:"raw"`
		Z int32    `net:"raw" save:"default -7"`
	}
	armour3 struct {
		_    struct{} `save:"was armour was hull"`
		Rest int16    `net:"0..5000" save:"was Left was Health"`
	}
	score3 struct {
		Best uint32 `net:"raw" save:"default 10"`
	}
	wind3 struct {
		_     struct{} `save:"was wind"`
		Force float64  `net:"raw"`
	}
)

// The committed save of version 1 loads in version 3.
func TestCommittedSave(t *testing.T) {
	const file = "testdata/ships-1.save"
	p := ecs.NewProtocol("ships/1")
	ecs.Replicate[place](p, 0)
	ecs.Replicate[hull](p, 0)
	ecs.Local[cargo](p, 0)
	ecs.Singleton[wind](p, 0)
	s, err := systems.NewServer(transport(), p, systems.ServerConfig{Seed: 77, FirstTick: 4000})
	if err != nil {
		t.Fatal(err)
	}
	w := s.World()
	for _, r := range ecs.Each[struct{ Wind *wind }](w) {
		r.Wind.Force = 2.5
	}
	gone := w.Spawn(place{9, 9})
	ship := w.Spawn(place{-3, 300}, hull{80, 1}, cargo{2, [2]uint16{5, 6}}, components.Owner{Client: 4})
	rock := w.Spawn(place{1, 2})
	id := w.NetID(ship)
	w.Despawn(gone)
	if *update {
		if err := saveServer(s, file); err != nil {
			t.Fatal(err)
		}
	}

	p = ecs.NewProtocol("ships/3")
	ecs.Singleton[score3](p, 0)
	ecs.Singleton[wind3](p, 0)
	ecs.Replicate[armour3](p, ecs.Predicted)
	ecs.Replicate[spot3](p, ecs.Predicted|ecs.Interpolated)
	s, err = loadServer(transport(), p, file)
	if err != nil {
		t.Fatal(err)
	}
	w = s.World()
	if s.Tick() != 4000 || w.Seed() != 77 || ecs.Single[score3](w).Best != 10 || ecs.Single[wind3](w).Force != 2.5 {
		t.Errorf("tick %d, seed %d, %+v, %+v", s.Tick(), w.Seed(), ecs.Single[score3](w), ecs.Single[wind3](w))
	}
	if got := *ecs.Get[spot3](w, ship); got.X != -3 || got.Y != 300 || got.Z != -7 || ecs.Get[armour3](w, ship).Rest != 80 || ecs.Get[components.Owner](w, ship).Client != 4 {
		t.Errorf("the ship is at %+v", got)
	}
	if got := *ecs.Get[spot3](w, rock); got.X != 1 || got.Y != 2 || ecs.Has[armour3](w, rock) || w.Alive(gone) || w.NetID(ship) != id {
		t.Errorf("the rock is at %+v", got)
	}
}
