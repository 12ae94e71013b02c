package systems

import (
	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// resultRing is how many inputs ahead results are kept, until the server has
// consumed these inputs. A buffer that is longer compares less often.
const resultRing = 128

// ReportStats counts what became of the results that clients report, where
// corrections are made on mismatch alone.
type ReportStats struct {
	Agreed      uint64 // results that agreed, with what the server had after the same input
	Differed    uint64 // and those that did not, those aside of who has a correction coming
	Asked       uint64 // requests for own state
	Corrections uint64 // opened
	OpenTicks   uint64 // sum over clients of ticks with an open correction
}

// judge is what the server makes of a client's results.
type judge struct {
	results [resultRing]clientResult
	own     []ownResult // the client's entities as of this tick
	had     bool        // it has had any
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

// newJudge begins with a correction: a client that joins knows nothing yet.
func newJudge() *judge { return &judge{open: true} }

// take keeps what a message says of its newest input.
func (a *judge) take(input uint32, m *wire.Report) {
	r := &a.results[input%resultRing]
	r.input, r.asks, r.echo = input, m.Asks, m.Echo
	r.result = append(r.result[:0], m.Result...)
}

// judgeReport keeps the result in the message at hand, for the buffer has lifted its
// sequence.
func (s *Server) judgeReport(p *peer) {
	if p.judge != nil {
		p.judge.take(codec.Lift(s.applying.message.Newest, p.inputs.newest), &s.applying.message.Report)
	}
}

// judge compares, at the end of a tick, what clients reported of the inputs that
// were consumed last with what became of them here. Where a client's entities took
// no step the same result is looked at again: something else may have moved them.
func (s *Server) judge() {
	if s.applying.results == nil {
		return
	}
	s.listOwn(s.world)
	for _, p := range s.sessions.peers {
		a, in := p.judge, p.inputs
		if a.open {
			s.stats.Reports.OpenTicks++
		}
		r := &a.results[(in.expected-1)%resultRing]
		if a.agreed = 0; !in.running || r.input != in.expected-1 {
			continue
		}
		a.judge(r, !r.asks && s.applying.results.agrees(s.world, a.own, r.result), &s.stats.Reports)
	}
}

// judge opens and closes corrections by a result, which agrees or does not.
func (a *judge) judge(r *clientResult, agrees bool, st *ReportStats) {
	switch {
	case r.asks:
		st.Asked++
	case agrees:
		st.Agreed++
	case !a.open || r.echo == a.number:
		st.Differed++
	}
	a.had = a.had || len(a.own) > 0
	switch {
	case !a.had: // nothing to correct
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
func (a *judge) begin(st *ReportStats) {
	a.open = true
	a.number = (a.number + 1) % wire.Corrections
	st.Corrections++
}

// listOwn brings the lists of all clients' own entities up to date.
func (s *Server) listOwn(w *ecs.World) {
	for _, p := range s.sessions.peers {
		p.judge.own = p.judge.own[:0]
	}
	var last *judge // rows of one owner mostly stand together
	var whose uint32
	for t := range w.Netcode().Tables {
		owners := ownersOf(s.shape.replicated[0], &t)
		mask := t.Mask & s.shape.predicted
		if owners == nil || mask == 0 {
			continue
		}
		for i, o := range owners {
			if o.Client == 0 {
				continue
			}
			if o.Client != whose {
				whose, last = o.Client, nil
				if p := s.sessions.byID[whose]; p != nil {
					last = p.judge
				}
			}
			if last != nil {
				last.own = append(last.own, ownResult{t.NetIDs[i], t.Entities[i], mask})
			}
		}
	}
	for _, p := range s.sessions.peers {
		sortOwn(p.judge.own)
	}
}

// ownParts is what travels in own state: all of it, or secrets where there is
// nothing to correct.
func (s *Server) ownParts(p *peer) uint64 {
	if p.judge != nil && !p.judge.open {
		return s.secrets()
	}
	return s.shape.predicted | s.private
}

// secrets are the components that only the owner may see and does not predict, so
// that no result tells of them.
func (s *Server) secrets() uint64 { return s.private &^ s.shape.predicted }

// tells reports whether own state has to travel with a send: while a correction is
// open, and until the client holds the secrets in it.
func (s *Server) tells(p *peer, of *ownFrame) bool {
	a := p.judge
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
		a.begin(&s.stats.Reports) // because what is gone can only be told with what is left
	}
	for g := range p.baselines.Own {
		if of.groups[g].Alive != 0 && !p.baselines.Own[g].HeldSince(a.since) {
			return true
		}
	}
	return false
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
				comp := s.shape.replicated[trailing(set)]
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
