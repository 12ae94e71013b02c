package systems

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/outcome"
)

// The skirmish is the world of these matches: guns on one line fire shells along it, one or
// two a shot, which live for a moment or for longer than a round trip. A shell that meets
// another's gun stuns it, as its player cannot foresee where others are not simulated.

// order is the input.
type order struct {
	DX   int8 `net:"-1..1"`
	Fire bool `net:"edge"`
}

// spot is where something stands, exactly.
type spot struct {
	X int16 `net:"raw"`
}

// cannon counts its shots. Trace sums up what has become of them all, so that a state which
// agrees says that this agrees.
type cannon struct {
	Shots   uint16 `net:"raw"`
	Stunned uint8  `net:"raw"`
	Trace   uint32 `net:"raw"`
}

// shell has so many ticks left; it is the Nth of a shot.
type shell struct {
	Left uint8  `net:"raw"`
	Nth  uint8  `net:"raw"`
	Shot uint16 `net:"raw"`
}

// deed is what happens once: an outcome, and the news of it.
type deed struct {
	Owner uint32 `net:"raw"`
	Shot  uint16 `net:"raw"`
	Nth   uint8  `net:"raw"`
	What  uint8  `net:"raw"`
}

// What happens.
const (
	fired = iota
	burst
	met
)

// trace is what a deed adds to that of its gun, in any order, so that no two sums are equal
// by chance.
func (d deed) trace() uint32 {
	x := (uint32(d.Shot)<<8 | uint32(d.Nth)<<4 | uint32(d.What)) * 0x9e3779b1
	x = (x ^ x>>15) * 0x85ebca6b
	return x ^ x>>13
}

// ping is what a client's simulation tells the server, remark what nobody simulates.
type (
	ping struct {
		Owner uint32 `net:"raw"`
		Shot  uint16 `net:"raw"`
	}
	remark struct {
		N uint32 `net:"raw"`
	}
)

func skirmishEvents() *event.Registry {
	r := event.NewRegistry(channel.Config{})
	event.Register[deed](r, event.Options{Final: true})
	event.Register[ping](r, event.Options{From: event.FromClients, Rate: 1000, Burst: 10000})
	event.Register[remark](r, event.Options{From: event.FromServer | event.FromClients, Rate: 1000, Burst: 10000})
	return r
}

type (
	cannonRow struct {
		Owner  *components.Owner
		At     *spot
		Cannon *cannon
		In     *order
	}
	shellRow struct {
		Owner *components.Owner
		At    *spot
		Shell *shell
	}
	shellValues struct {
		Owner components.Owner
		At    spot
		Shell shell
	}
	targetRow struct {
		Owner  components.Owner
		At     spot
		Cannon cannon
	}
)

// happen tells of a deed in all ways.
func happen(w *ecs.World, about ecs.Entity, d deed) {
	outcome.Raise(w, about, d)
	event.Raise(w, event.ToAll(), d)
}

// skirmish is the world with whims; skirmishBase is without.
func skirmish() *ecs.Protocol {
	p := skirmishBase()
	p.Authority("whim", whims)
	return p
}

func skirmishBase() *ecs.Protocol {
	p := ecs.NewProtocol("skirmish/1")
	ecs.Replicate[spot](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[cannon](p, ecs.Predicted)
	ecs.Replicate[shell](p, ecs.Predicted)
	ecs.Input[order](p)
	p.Simulate("fly", flyShells)
	p.Simulate("fire", fireCannons)
	return p
}

// flyShells moves shells until they meet a gun or burst.
func flyShells(w *ecs.World) {
	var targets []targetRow
	for _, g := range ecs.All[targetRow](w) {
		targets = append(targets, g)
	}
	var deeds []deed
	stunned := map[uint32]bool{}
	for e, s := range ecs.EachInOrder[shellRow](w) {
		s.At.X += 1 - 2*int16(s.Shell.Shot%2)
		s.Shell.Left--
		d := deed{Owner: s.Owner.Client, Shot: s.Shell.Shot, Nth: s.Shell.Nth, What: burst}
		for _, g := range targets {
			if g.Owner != *s.Owner && g.At == *s.At {
				d.What, stunned[g.Owner.Client] = met, true
			}
		}
		if d.What == met || s.Shell.Left == 0 {
			happen(w, e, d)
			deeds = append(deeds, d)
			w.Despawn(e)
		}
	}
	for _, g := range ecs.Each[cannonRow](w) {
		for _, d := range deeds {
			if d.Owner == g.Owner.Client {
				g.Cannon.Trace += d.trace()
			}
		}
		if stunned[g.Owner.Client] {
			g.Cannon.Stunned = 12
		}
	}
}

func fireCannons(w *ecs.World) {
	for e, g := range ecs.EachInOrder[cannonRow](w) {
		g.At.X = min(max(g.At.X+int16(g.In.DX), -40), 40)
		if g.Cannon.Stunned > 0 {
			g.Cannon.Stunned--
			continue
		}
		if !g.In.Fire {
			continue
		}
		g.Cannon.Shots++
		d := deed{Owner: g.Owner.Client, Shot: g.Cannon.Shots, What: fired}
		g.Cannon.Trace += d.trace()
		happen(w, e, d)
		event.Raise(w, event.ToServer(), ping{d.Owner, d.Shot})
		for nth := range 1 + uint8(d.Shot%3/2) {
			ecs.Spawn(w, shellValues{*g.Owner, *g.At, shell{Left: 6 + 50*uint8(d.Shot/2%2) + 9*nth, Nth: nth, Shot: d.Shot}})
		}
	}
}

// whims are what nobody foresees who does not simulate everything: guns jam, and shells get
// more time, or less.
func whims(w *ecs.World) {
	for e, r := range ecs.Each[struct{ Cannon *cannon }](w) {
		if draw := w.Rand(e); draw.IntN(150) == 0 {
			r.Cannon.Stunned = 20
		}
	}
	for e, r := range ecs.Each[struct{ Shell *shell }](w) {
		switch draw := w.Rand(e); draw.IntN(200) {
		case 0:
			r.Shell.Left += 20
		case 1:
			r.Shell.Left = 1
		}
	}
}
