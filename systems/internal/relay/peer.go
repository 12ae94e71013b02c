package relay

import (
	"slices"

	"github.com/tactusgo/tactus/systems/internal/inflight"
)

// records is how many messages to a client are remembered until it acknowledges one.
const records = 256

// peer is a client as the server knows it.
type peer struct {
	player uint32
	play   bool   // it wants to
	value  string // what it asks to be
	joined bool
	ready  bool
	heard  bool
	newest uint16 // number of the newest message from it

	pace   pace
	state  sentState
	known  known
	checks peerChecks
}

// pace is how long others wait for the inputs of a client.
type pace struct {
	lead    int  // see Server.Expect
	stalled bool // they are not waited for
	waited  int  // Steps that lockstep has waited for them
	need    int  // delay that they need under lockstep
}

// sentState is the state of the world that a client is sent.
type sentState struct {
	number  uint8 // of the last one
	current uint8 // the one that it was sent; 0: it needs one
	follows bool  // it has said that it goes on from there
	failed  bool  // it is too large to be sent
	bytes   []byte
	next    uint32 // tick before which no other one is made
	part    int    // of bytes, the next to be sent
	parts   int
}

// known is what a client has been told, and what of that it is known to have.
type known struct {
	lanes   []telling // by slot
	repeats int       // messages that bring each input
	events  int       // how many events it knows, of all there were
	late    uint32    // and how many ticks that were not made
	turn    int       // the slot to be told first
	sent    inflight.Ring[record]
}

// record is what a message told.
type record struct {
	events int
	late   uint32
	ends   []uint32
}

// begin makes p another client, in memory that it has.
func (p *peer) begin(player uint32, play bool, lead int) {
	sent := p.known.sent
	if sent == nil {
		sent = inflight.New[record](records)
	}
	sent.Clear()
	*p = peer{
		player: player, play: play, pace: pace{lead: lead}, state: sentState{bytes: p.state.bytes[:0]},
		known: known{lanes: p.known.lanes[:0], repeats: usual, sent: sent},
	}
}

// lose makes p need a state.
func (p *peer) lose() {
	p.state.current, p.state.follows, p.checks.differs, p.known.late = 0, false, 0, 0
	p.known.sent.Clear()
}

// grow makes room for so many slots.
func (k *known) grow(slots int) {
	for len(k.lanes) < slots {
		k.lanes = append(k.lanes, telling{})
	}
}

// note remembers what the message seq told.
func (k *known) note(seq uint16, events int, late uint32, ends []uint32) {
	r := k.sent.Put(seq)
	r.events, r.late = events, late
	r.ends = append(slices.Grow(r.ends[:0], len(ends)), ends...)
}

// acknowledge notes that the client has what the message seq told.
func (k *known) acknowledge(seq uint16) {
	r := k.sent.Take(seq)
	if r == nil {
		return
	}
	k.events, k.late = max(k.events, r.events), max(k.late, r.late)
	for slot, end := range r.ends {
		k.lanes[slot].acked = max(k.lanes[slot].acked, end)
	}
}

// control takes in what a message says beside inputs.
func (p *peer) control(s *Server, m *up) {
	p.ready = m.ready
	if m.needs && p.joined {
		p.pace.need = int(m.need)
	}
	switch {
	case p.state.current == 0:
		return
	case m.state == p.state.current:
		if !p.state.follows {
			p.state.follows, p.state.bytes = true, nil
			p.pace.stalled = p.joined // nobody waits until it is back
		}
	case m.state == 0 && p.state.follows:
		p.lose()
		return
	default:
		return // it has not heard of the state that is under way
	}
	if m.heard {
		p.known.acknowledge(m.ack)
	}
	if m.check {
		s.check(p, m.checkTick, m.checkSum)
	}
}
