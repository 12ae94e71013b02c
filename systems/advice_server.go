package systems

import (
	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
)

// resultRing is how many inputs ahead results are kept, until the server has
// consumed these inputs. A buffer that is longer compares less often.
const resultRing = 128

// AdviceStats counts what became of the results that clients report, where
// corrections are made on mismatch alone.
type AdviceStats struct {
	Agreed      uint64 // results that agreed, with what the server had after the same input
	Differed    uint64 // and those that did not, those aside of who has a correction coming
	Asked       uint64 // requests for own state
	Corrections uint64 // opened
	OpenTicks   uint64 // sum over clients of ticks with an open correction
}

// advised is what the server makes of a client's results.
type advised struct {
	results [resultRing]clientResult
	own     []ownResult // the client's entities as of this tick
	open    bool        // a correction
	number  uint8       // of the newest one
	agreed  uint32      // input after which client and server agree, 0 for none

	secret resultHash // of secrets, at the newest send
	parts  resultHash // of which entities have which of them
	since  uint32     // send from which on secret is so
}

// clientResult is what a client reported.
type clientResult struct {
	input  uint32 // after which it is
	asks   bool
	echo   uint8
	result []byte
}

// newAdvised begins with a correction: a client that joins knows nothing yet.
func newAdvised() *advised { return &advised{open: true} }

// take keeps what a message says of its newest input.
func (a *advised) take(input uint32, m *advice) {
	r := &a.results[input%resultRing]
	r.input, r.asks, r.echo = input, m.asks, m.echo
	r.result = append(r.result[:0], m.result...)
}

// advise keeps the result in the message at hand, for the buffer has lifted its
// sequence.
func (s *Server) advise(p *peer) {
	if p.advised != nil {
		p.advised.take(codec.Lift(s.message.newest, p.inputs.newest), &s.message.advice)
	}
}

// judge compares, at the end of a tick, what clients reported of the inputs that
// were consumed last with what became of them here. Where a client's entities took
// no step the same result is looked at again: something else may have moved them.
func (s *Server) judge() {
	if s.results == nil {
		return
	}
	s.listOwn(s.world)
	for _, p := range s.peers {
		a, in := p.advised, p.inputs
		if a.open {
			s.stats.Advice.OpenTicks++
		}
		r := &a.results[(in.expected-1)%resultRing]
		if a.agreed = 0; !in.running || r.input != in.expected-1 {
			continue
		}
		a.judge(r, !r.asks && s.results.agrees(s.world, a.own, r.result), &s.stats.Advice)
	}
}

// judge opens and closes corrections by a result, which agrees or does not.
func (a *advised) judge(r *clientResult, agrees bool, st *AdviceStats) {
	switch {
	case r.asks:
		st.Asked++
	case agrees:
		st.Agreed++
	case !a.open || r.echo == a.number:
		st.Differed++
	}
	switch {
	case len(a.own) == 0: // nothing to correct
		a.open = false
	case a.open && r.asks:
	case a.open && r.echo != a.number: // from before it was carried out
		return
	case a.open && agrees:
		a.open = false
	case !agrees:
		a.begin(st)
	}
	if agrees && !a.open {
		a.agreed = r.input
	}
}

// begin opens another correction.
func (a *advised) begin(st *AdviceStats) {
	a.open = true
	a.number = (a.number + 1) % corrections
	st.Corrections++
}

// listOwn brings the lists of all clients' own entities up to date.
func (s *Server) listOwn(w *ecs.World) {
	for _, p := range s.peers {
		p.advised.own = p.advised.own[:0]
	}
	var last *advised // rows of one owner mostly stand together
	var whose uint32
	for t := range w.Tables {
		owners := ownersOf(s.replicated[0], &t)
		mask := t.Mask & s.predicted
		if owners == nil || mask == 0 {
			continue
		}
		for i, o := range owners {
			if o.Client == 0 {
				continue
			}
			if o.Client != whose {
				whose, last = o.Client, nil
				if p := s.byID[whose]; p != nil {
					last = p.advised
				}
			}
			if last != nil {
				last.own = append(last.own, ownResult{t.NetIDs[i], t.Entities[i], mask})
			}
		}
	}
	for _, p := range s.peers {
		sortOwn(p.advised.own)
	}
}

// ownParts is what travels in own state: all of it, or secrets where there is
// nothing to correct.
func (s *Server) ownParts(p *peer) uint64 {
	if p.advised != nil && !p.advised.open {
		return s.secrets()
	}
	return s.predicted | s.private
}

// secrets are the components that only the owner may see and does not predict, so
// that no result tells of them.
func (s *Server) secrets() uint64 { return s.private &^ s.predicted }

// tells reports whether own state has to travel with a send: while a correction is
// open, and until the client holds the secrets in it.
func (s *Server) tells(p *peer, of *ownFrame) bool {
	a := p.advised
	if a == nil {
		return true
	}
	parts, values := s.secretHash(of)
	if values != a.secret {
		a.secret, a.since = values, of.send
	}
	if a.open {
		a.parts = parts
		return true
	}
	if parts != a.parts {
		a.begin(&s.stats.Advice) // because what is gone can only be told with what is left
	}
	for g := range p.own {
		if of.groups[g].Alive != 0 && !p.own[g].heldSince(a.since) {
			return true
		}
	}
	return false
}

// heldSince reports whether a client holds all slots of some send from since on;
// where they are kept apart, each of them.
func (h *holding) heldSince(since uint32) bool {
	if h.split == nil {
		return h.newest >= since
	}
	var held uint64
	for i, send := range h.split.sends {
		if send >= since && send != 0 {
			held |= h.split.held[i]
		}
	}
	return held == allSlots
}

// secretHash is over which entities have secrets, and over these with their values.
func (s *Server) secretHash(of *ownFrame) (parts, values resultHash) {
	for g := range of.groups {
		group := &of.groups[g]
		for m := group.Alive; m != 0; m &= m - 1 {
			k := trailing(m)
			mask := group.Masks[k] & s.secrets()
			if mask == 0 {
				continue
			}
			parts.entity(&ownResult{id: netID(group.IDs[k]), mask: mask})
			rec := group.Record(k)
			for set := group.Masks[k]; set != 0; set &= set - 1 {
				comp := s.replicated[trailing(set)]
				if comp.Words == 0 {
					continue
				}
				n := (comp.Schema.RawSize() + 3) / 4
				if mask&(set&-set) != 0 {
					for _, v := range rec[:n] {
						values.add(uint32(v))
					}
				}
				rec = rec[n:]
			}
		}
	}
	values.add(uint32(parts))
	values.add(uint32(parts >> 32))
	return parts, values
}
