package ecs

import "github.com/tactusgo/tactus/components"

// partial is what a look at a part of a step gives back at its end.
type partial struct {
	on    bool
	saved *History // nil until there was one
	tick  uint32
	input uint32
	owner uint32
	own   uint32 // what the owner's newest input was
	known bool   // it had one
	step  float32
	next  components.NetID
}

// BeginPartial is for the netcode, before it runs Simulate for a part of the coming
// tick, only to draw what comes of it. share is that part, above 0 to 1, tick
// the tick, and input the sequence of the owner's input that it will consume. Until
// [Netcode.EndPartial], which brings back what was, [World.Step] is the share of a step;
// no structure changes, what systems ask for is void; nothing is rounded, counted as
// simulated again, traced or rolled back by force. It panics within another one, within
// Simulate, and for another share.
func (n *Netcode) BeginPartial(tick, owner, input uint32, share float64) {
	w := (*World)(n)
	if w.partial.on || w.clock.simulating > 0 || !(share > 0 && share <= 1) {
		panic("ecs: BeginPartial needs a share above 0 to 1, outside Simulate and of another partial tick")
	}
	p := &w.partial
	if p.saved == nil {
		p.saved = &History{newRing(w, 1, false, func(c *Component) bool {
			return c != w.setup.protocol.selfC && c != w.setup.protocol.netIDC
		})}
	}
	p.saved.Capture(0)
	p.on, p.tick, p.input, p.owner, p.step = true, w.clock.tick, w.inputs.newest, owner, w.setup.step
	p.own, p.known, p.next = 0, false, w.handles.nextNet
	if seq := w.inputs.byOwner.find(owner); seq != nil {
		p.own, p.known = *seq, true
	}
	w.clock.tick = tick
	w.Netcode().SetInputSequence(owner, input)
	w.setup.step = float32(float64(w.setup.step) * share)
}

// EndPartial ends what [Netcode.BeginPartial] began. It does nothing outside.
func (n *Netcode) EndPartial() {
	w := (*World)(n)
	p := &w.partial
	if !p.on {
		return
	}
	p.saved.Restore(0)
	w.clock.tick, w.setup.step = p.tick, p.step
	if p.known {
		w.Netcode().SetInputSequence(p.owner, p.own)
	} else {
		w.inputs.byOwner.drop(p.owner)
	}
	w.inputs.newest, w.handles.nextNet, p.on = p.input, p.next, false
}

// Partial reports whether what Simulate does is only looked at, for a frame between two
// ticks, and taken back: [World.Step] is a part of a step. Rules need not ask. It is for
// what they leave outside the world, such as a count of what happened.
func (w *World) Partial() bool { return w.partial.on }
