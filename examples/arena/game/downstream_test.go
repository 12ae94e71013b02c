package game

import (
	"log/slog"
	"math"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/frames"
)

// arena is a world of bots without a network, which is captured 20 times a second.
type arena struct {
	w      *ecs.World
	bots   []*Bot
	layout *delta.Layout
	ring   *frames.Ring
	tick   uint32
}

const stepsPerSend = 3

func newArena(p *ecs.Protocol, players, npcs int) *arena {
	a := &arena{w: ecs.NewWorld(p, ecs.Config{Seed: 5})}
	Populate(a.w, players, npcs)
	for n := range players {
		side(Size).join(a.w, uint32(n+1))
		a.bots = append(a.bots, NewBot(5, n, players))
		for range n * 7 % 30 { // clients do not begin in step
			a.bots[n].Next(a.w.TickRate())
		}
	}
	var tables []*schema.Table
	for _, c := range p.Replicated() {
		t := c.Schema
		if c.Words == 0 {
			t = nil
		}
		tables = append(tables, t)
	}
	a.layout = delta.NewLayout(tables, stepsPerSend, a.w.TickRate()/stepsPerSend)
	a.ring = frames.New(frames.Config{World: a.w, Layout: a.layout, Steps: stepsPerSend, Logger: slog.New(slog.DiscardHandler)})
	return a
}

// send plays until the next send.
func (a *arena) send() *frames.Frame {
	for {
		a.w.Netcode().SetTick(a.tick)
		inputs := make([]Input, len(a.bots))
		for n, b := range a.bots {
			inputs[n] = b.Next(a.w.TickRate())
		}
		for _, r := range ecs.Each[struct {
			Owner *components.Owner
			In    *Input
		}](a.w) {
			*r.In = inputs[r.Owner.Client-1]
		}
		a.w.Netcode().SimulateStage().Run(a.w)
		a.w.Protocol().AuthorityStage().Run(a.w)
		a.ring.Step()
		if a.tick++; a.tick%stepsPerSend == 0 {
			return a.ring.Take(a.tick/stepsPerSend, a.tick)
		}
	}
}

// off returns how far the places of a frame are from where everybody is.
func (a *arena) off(f *frames.Frame) (worst float64) {
	c := ecs.ComponentOf[components.Position](a.w.Protocol())
	for e, r := range ecs.All[struct{ Pos components.Position }](a.w) {
		group, slot, ok := a.ring.Slot(a.w.NetID(e))
		if !ok {
			return math.Inf(1)
		}
		g := &f.Groups[group]
		var p components.Position
		c.Schema.Dequantize(unsafe.Pointer(&p), g.Record(slot)[a.layout.Offset(g.Masks[slot], c.Replicated()):], 0, 1)
		worst = max(worst, math.Abs(float64(p.X-r.Pos.X)), math.Abs(float64(p.Y-r.Pos.Y)))
	}
	return worst
}

// The average length of a block of all players and NPCs, for a client whose baseline is a given number of sends old.
func TestDownstreamBytes(t *testing.T) {
	for _, c := range []struct {
		protocol      func() *ecs.Protocol
		players, npcs int
		age           uint32
		most          float64
	}{
		{Protocol, 100, 200, 2, 85},
		{Protocol, 100, 200, 3, 118},
		{Protocol, 100, 1000, 3, 315},
		{Variant{NoHint: true}.Protocol, 100, 200, 3, 155},
		{Variant{NoHint: true}.Protocol, 100, 1000, 3, 475},
	} {
		a := newArena(c.protocol(), c.players, c.npcs)
		for range 200 {
			a.send()
		}
		m := delta.NewModel(a.layout, nil)
		var enc delta.Encoder
		const sends = 100
		bytes, worst := 0, 0.0
		for range sends {
			f := a.send()
			base := a.ring.At(f.Send - c.age)
			parts := make([]delta.Part, len(f.Groups))
			for g := range parts {
				parts[g] = delta.Part{Cur: &f.Groups[g], Base: &base.Groups[g], Slots: math.MaxUint64}
			}
			body, _ := enc.Append(nil, m, parts)
			bytes += len(body)
			worst = max(worst, a.off(f))
		}
		mean := float64(bytes) / sends
		t.Logf("%d/%d, baseline %d sends old: %.1f bytes, %.4f units off", c.players, c.npcs, c.age, mean, worst)
		if mean > c.most || worst > 1.0/16 {
			t.Errorf("%d/%d, baseline %d sends old: %.1f bytes, at most %.0f; %v units off", c.players, c.npcs, c.age, mean, c.most, worst)
		}
	}
}
