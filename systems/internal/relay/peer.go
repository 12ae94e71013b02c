package relay

import (
	"slices"

	"github.com/tactusgo/tactus/systems/internal/inflight"
)

// records is how many messages to a client are remembered until it acknowledges one.
const records = 256

// peer is a client as the server knows it.
type peer struct {
	player  uint32
	play    bool // it wants to
	lead    int  // see Server.Expect
	joined  bool
	ready   bool
	stalled bool // its inputs are not waited for
	waited  int  // Steps that lockstep has waited for it
	need    int  // delay that its inputs need under lockstep

	number  uint8 // of the last state
	state   uint8 // the state that it was sent; 0: it needs one
	follows bool  // it has said that it goes on from there
	failed  bool  // the state is too large to be sent
	out     []byte
	next    uint32 // tick before which no other one is made
	part    int    // of out, the next to be sent
	parts   int

	heard  bool
	newest uint16 // number of the newest message from it

	told    []telling // by slot
	repeats int       // messages that bring each input
	events  int       // how many events it knows, of all there were
	late    uint32    // and how many ticks that were not made
	turn    int       // the slot to be told first
	sent    inflight.Ring[record]

	checked uint32 // tick of the last hash that it was told
	ask     bool   // its hash was not ours
	differs int    // hashes in a row that were not
	mended  uint32 // tick of the last state for that reason
	rest    uint32 // ticks from there to the next
	found   Divergence
	quiet   uint32 // tick before which it cannot report another
}

// record is what a message told.
type record struct {
	events int
	late   uint32
	ends   []uint32
}

// begin makes p another client, in memory that it has.
func (p *peer) begin(player uint32, play bool) {
	sent := p.sent
	if sent == nil {
		sent = inflight.New[record](records)
	}
	sent.Clear()
	*p = peer{player: player, play: play, repeats: usual, sent: sent, told: p.told[:0], out: p.out[:0]}
}

// lose makes p need a state.
func (p *peer) lose() {
	p.state, p.follows, p.differs, p.late = 0, false, 0, 0
	p.sent.Clear()
}

// grow makes room for so many slots.
func (p *peer) grow(slots int) {
	for len(p.told) < slots {
		p.told = append(p.told, telling{})
	}
}

// control takes in what a message says beside inputs.
func (p *peer) control(s *Server, m *up) {
	p.ready = m.ready
	if m.needs && p.joined {
		p.need = int(m.need)
	}
	switch {
	case p.state == 0:
		return
	case m.state == p.state:
		if !p.follows {
			p.follows, p.out = true, nil
			p.stalled = p.joined // nobody waits until it is back
		}
	case m.state == 0 && p.follows:
		p.lose()
		return
	default:
		return // it has not heard of the state that is under way
	}
	if m.heard {
		if r := p.sent.Take(m.ack); r != nil {
			p.events, p.late = max(p.events, r.events), max(p.late, r.late)
			for slot, end := range r.ends {
				p.told[slot].acked = max(p.told[slot].acked, end)
			}
		}
	}
	if m.check {
		s.check(p, m.checkTick, m.checkSum)
	}
}

// note remembers what the message seq told.
func (p *peer) note(seq uint16, events int, late uint32, ends []uint32) {
	r := p.sent.Put(seq)
	r.events, r.late = events, late
	r.ends = append(slices.Grow(r.ends[:0], len(ends)), ends...)
}
