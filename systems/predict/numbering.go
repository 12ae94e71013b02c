package predict

import (
	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// Header is what the header of a snapshot said: the last input of this client in the state
// of a send.
type Header struct {
	mirror.Sent
	Input uint32
}

// Numbering is which input goes with which tick of the server.
type Numbering struct {
	parts     *Parts
	newest    Header
	ring      [mirror.MaxStates]Header // of the snapshots that came, by send: as many as there are states
	corrected Header                   // of the latest tick, where own state comes as a correction
	follows   bool                     // the client simulates others, who follow the tick
}

// Told takes in the header of a snapshot, of which the low part of an input travels.
func (n *Numbering) Told(sent mirror.Sent, low uint16) {
	if n.parts.Corrections && sent.Tick > n.corrected.Tick {
		n.corrected = Header{sent, codec.Lift(low, max(n.corrected.Input, n.parts.Inputs.Newest))}
	}
	h := Header{sent, n.inputOf(low, sent.Tick)}
	n.ring[sent.Send%mirror.MaxStates] = h
	if sent.Send > n.newest.Send {
		n.newest = h
	}
}

// Newest is the newest header.
func (n *Numbering) Newest() Header { return n.newest }

// After is the input of this client after which the state of a send stood.
func (n *Numbering) After(send uint32) (input uint32, ok bool) {
	x := &n.ring[send%mirror.MaxStates]
	return x.Input, send != 0 && x.Send == send
}

// Heard is the newest server tick of which this client knows how its own entities stood, and
// the last input that was consumed into it.
func (n *Numbering) Heard() (tick, input uint32) {
	if n.parts.Corrections {
		return n.corrected.Tick, n.corrected.Input
	}
	own := &n.parts.Mirror.Own.Newest
	return own.Tick, own.Input
}

// TickOf is the server tick that consumes an input: the confirmed tick plus the inputs since
// (rule A8); or the one that it is stamped with. With co-simulated entities, which follow the
// tick, it is that of the newest snapshot, whatever that told of.
func (n *Numbering) TickOf(input uint32) uint32 {
	if n.parts.Stamped {
		return input
	}
	tick, consumed := n.Heard()
	if n.follows {
		tick, consumed = n.newest.Tick, n.newest.Input
	}
	if tick == 0 {
		return n.parts.Mirror.Newest.Tick
	}
	return uint32(int64(tick) + int64(input) - int64(consumed) - 1)
}

// inputOf is the input after which others stand in a snapshot of a tick: the one that its
// header says, or, where inputs are stamped, that of its last tick, which own state may not
// have reached.
func (n *Numbering) inputOf(low uint16, tick uint32) uint32 {
	if n.parts.Stamped {
		return tick - 1
	}
	_, input := n.Heard()
	return codec.Lift(low, max(input, n.parts.Inputs.Newest))
}
