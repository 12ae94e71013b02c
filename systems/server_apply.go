package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
)

// emptyTable stands for the input of a protocol that has none: its clients
// number their ticks all the same, because own state is matched by input.
var emptyTable = &schema.Table{Name: "none"}

// inputTable is the table of a protocol's input.
func inputTable(p *ecs.Protocol) *schema.Table {
	if in := p.Input(); in != nil {
		return in.Schema
	}
	return emptyTable
}

// lossEvery is how many ticks pass between two looks at a link's loss rate.
const lossEvery = 32

// apply is the system ServerApply: for each client it decides which input this
// tick consumes, then it gives all entities the inputs of their owners. The server
// never goes back: a late input changes no completed tick.
func (s *Server) apply(w *ecs.World) {
	for _, p := range s.sessions.peers {
		if s.link.tick%lossEvery == 0 {
			p.loss.Measured(s.link.now, p.session.Stats().LossIn)
		}
		p.inputs.settle(int64(s.link.tick))
		if s.applying.arrival {
			s.applyArrived(w, p)
			continue
		}
		step, words := p.inputs.buffered(int64(s.link.tick), p.loss.Share)
		if !step {
			w.Netcode().SkipOwner(p.id)
			continue
		}
		s.stage(w, p, words)
	}
	w.Netcode().GiveInputs(s.inputOf)
}

// applyArrived steps everything that arrived: all but the last input run
// Simulate for this client's entities alone, the last one joins the tick.
func (s *Server) applyArrived(w *ecs.World, p *peer) {
	p.apply.arrival.begin()
	steps := 0
	for {
		words, ok := p.apply.arrival.step(p.inputs, steps)
		if !ok {
			break
		}
		if steps > 0 {
			w.Netcode().GiveInput(p.id, p.newestInput())
			w.Netcode().SimulateOnly(p.id)
		}
		s.stage(w, p, words)
		steps++
		if words == nil {
			break
		}
	}
	if steps == 0 {
		if p.inputs.any {
			p.inputs.stats.Holds++
		}
		w.Netcode().SkipOwner(p.id)
	}
}

// stage makes an input, or the filler for a missing one, what the client holds in
// the coming Simulate.
func (s *Server) stage(w *ecs.World, p *peer, words []int32) {
	t := p.inputs.table
	held := p.newestInput()
	if words != nil && s.refuseInput(p.id, p.inputs.expected-1, s.link.tick, words) {
		words = nil
	}
	if words == nil {
		if late := p.inputs.superseded(); len(late) > 0 && held != nil {
			t.Dequantize(held, late, t.Words, 1)
		}
	}
	switch {
	case held == nil:
	case words != nil:
		t.Dequantize(held, words, t.Words, 1)
	case p.inputs.neutral() || s.applying.neutral:
		clear(p.apply.lastInput)
		t.Snap(held)
	default:
		t.ClearEdges(held)
	}
	w.Netcode().SetInputSequence(p.id, p.inputs.expected-1)
}

// inputOf is the input that a client holds, nil for who has no client.
func (s *Server) inputOf(client uint32) unsafe.Pointer {
	if p := s.sessions.byID[client]; p != nil {
		return p.newestInput()
	}
	return nil
}
