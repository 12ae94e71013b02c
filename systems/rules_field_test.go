package systems_test

import (
	"os"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// The field is the world of the rule tests: players walk where their inputs say,
// drifters go to and fro by the tick.

// Walk is the input. N is the low half of its sequence, so that no two inputs
// within reach of each other are equal and a journal says which was consumed.
type Walk struct {
	DX, DY int8   `net:"-1..1"`
	Jump   bool   `net:"edge"`
	N      uint16 `net:"0..65535"`
}

// Jumps counts presses.
type Jumps struct {
	Count uint16 `net:"0..65535"`
}

// Drift makes an entity go to and fro along X.
type Drift struct {
	Number int32
}

// inputLimit is how far a player walks in a tick, in units: a power of two, so that
// sums are exact.
const inputLimit = 1.0 / 8

// tolerance is how far two places may lie apart and count as the same, per axis:
// the step of components.Position.
const tolerance = 0.01

type walker struct {
	Pos   *components.Position
	Jumps *Jumps
	Own   *components.Owner
	In    *Walk
}

type drifter struct {
	Pos *components.Position
	Do  *Drift
}

// field is the protocol of the rule tests.
func field() *ecs.Protocol {
	p := fieldBase()
	p.Simulate("walk", walk)
	p.Simulate("drift", drift)
	return p
}

func fieldBase() *ecs.Protocol {
	p := ecs.NewProtocol("field/1")
	ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[Jumps](p, ecs.Predicted)
	ecs.Input[Walk](p)
	ecs.Local[Drift](p, 0)
	return p
}

func walk(w *ecs.World) {
	j := ecs.Resource[journal](w)
	for e, d := range ecs.Each[walker](w) {
		d.Pos.X += float32(d.In.DX) * inputLimit
		d.Pos.Y += float32(d.In.DY) * inputLimit
		if d.In.Jump {
			d.Jumps.Count++
		}
		if j != nil {
			j.steps = append(j.steps, step{w.Tick(), w.NetID(e), d.Own.Client, *d.In})
		}
	}
}

// driftPeriod is the ticks of a drifter's way there and back.
const driftPeriod = 240

func drift(w *ecs.World) {
	for _, d := range ecs.Each[drifter](w) {
		if (w.Tick()+17*uint32(d.Do.Number))%driftPeriod < driftPeriod/2 {
			d.Pos.X += inputLimit
		} else {
			d.Pos.X -= inputLimit
		}
	}
}

// journal is a resource in which walk notes what it did, by peer.
type journal struct{ steps []step }

// step is one entity's step.
type step struct {
	tick  uint32
	id    components.NetID
	owner uint32
	in    Walk
}

// journalOf makes a world keep a journal from now on, and returns it.
func journalOf(w *ecs.World) *journal {
	j := ecs.Resource[journal](w)
	if j == nil {
		j = &journal{}
		ecs.SetResource(w, j)
	}
	return j
}

// of returns the steps that a journal has of one owner's entities.
func (j *journal) of(owner uint32) (steps []step) {
	for _, s := range j.steps {
		if s.owner == owner {
			steps = append(steps, s)
		}
	}
	return steps
}

// joinField spawns a client's player.
func joinField(w *ecs.World, client uint32) {
	w.Spawn(components.Owner{Client: client}, components.Position{X: 10 * float32(client)}, Jumps{}, Walk{})
}

// drifters fills a world with n drifters.
func drifters(n int) func(w *ecs.World) {
	return func(w *ecs.World) {
		for i := range n {
			w.Spawn(components.Position{X: float32(i), Y: -100}, Drift{Number: int32(i)})
		}
	}
}

// wander makes every client turn now and then, by chance. It depends on neither
// the world nor the other clients.
func wander() systemstest.Script {
	var dirs []Walk
	return systemstest.Play(func(k *systemstest.Client, in *Walk) {
		for len(dirs) <= k.N {
			dirs = append(dirs, Walk{})
		}
		d := &dirs[k.N]
		if k.Rand().IntN(20) == 0 {
			d.DX, d.DY = int8(k.Rand().IntN(3)-1), int8(k.Rand().IntN(3)-1)
		}
		*in = *d
		in.Jump = k.Rand().IntN(40) == 0
		in.N = uint16(k.Input())
	})
}

// straight makes every client walk along X for good.
func straight() systemstest.Script {
	return systemstest.Play(func(k *systemstest.Client, in *Walk) { *in = Walk{DX: 1, N: uint16(k.Input())} })
}

// steady makes every input of a client the same.
func steady(in Walk) systemstest.Script {
	return systemstest.Play(func(_ *systemstest.Client, to *Walk) { *to = in })
}

// ticks is the length of n ticks of a world at 60 a second.
func ticks(n int) time.Duration { return time.Duration(n) * time.Second / 60 }

// lag is a link of n ticks one way.
func lag(n int) netsys.Link { return netsys.Link{Latency: ticks(n)} }

// bad is the link at 500/84/5.
func bad() netsys.Link { return systemstest.RoundTrip(500*time.Millisecond, 84*time.Millisecond, 0.05) }

// onField is a configuration of the field for clients over a link.
func onField(seed uint64, clients int, link netsys.Link) systemstest.Config {
	return systemstest.Config{
		Protocol: field,
		Server:   systems.ServerConfig{Join: joinField},
		Populate: drifters(4),
		Play:     wander(),
		Clients:  clients,
		Link:     link,
		Seed:     seed,
	}
}

// pushAt moves players by d at chosen ticks, on the server alone.
func pushAt(at func(tick, owner uint32) (d components.Position, ok bool)) func(w *ecs.World) {
	type pushed struct {
		Pos *components.Position
		Own *components.Owner
	}
	return func(w *ecs.World) {
		for _, p := range ecs.Each[pushed](w) {
			if d, ok := at(w.Tick(), p.Own.Client); ok && p.Own.Client != 0 {
				p.Pos.X, p.Pos.Y = p.Pos.X+d.X, p.Pos.Y+d.Y
			}
		}
	}
}

// fieldWith is the field with one more system on the server alone.
func fieldWith(authority func(w *ecs.World)) func() *ecs.Protocol {
	return func() *ecs.Protocol {
		p := field()
		p.Authority("test", authority)
		return p
	}
}

// long reports whether the long forms of the tests were asked for, by the
// environment variable TACTUS_LONG.
func long() bool { return os.Getenv("TACTUS_LONG") != "" }

// length is how long a test plays: in short mode, usually, and in the long form.
func length(short, usual, longest time.Duration) time.Duration {
	switch {
	case long():
		return longest
	case testing.Short():
		return short
	}
	return usual
}
