package relay

import (
	"slices"

	"github.com/tactusgo/tactus/systems/internal/inflight"
)

// records is the number of messages to a client that are remembered until the client acknowledges one of them.
const records = 256

// peer is the server's record of a client.
type peer struct {
	player  uint32
	play    bool   // it wants to join the game
	record  bool   // see Server.Record
	value   string // encoded join request
	joined  bool
	ready   bool
	heard   bool
	newest  uint16 // sequence number of the newest message from the client
	read    int    // inputs that were read since the last due tick
	counted Inputs // counters of earlier sessions

	pace   pace
	state  sentState
	known  known
	checks peerChecks
}

// pace holds how long lockstep waits for the inputs of a client.
type pace struct {
	lead    int  // see Server.SetLead, in ticks
	stalled bool // lockstep no longer waits for its inputs
	waited  int  // consecutive calls of Ready that waited for its inputs
	need    int  // input delay that it needs under lockstep, in ticks
}

// sentState is the state of the world that is being sent to a client.
type sentState struct {
	number    uint8 // number of the newest state
	current   uint8 // number of the state that the client was sent; 0: it needs a state
	confirmed bool  // the client has confirmed that it uses the current state
	failed    bool  // the state is too large to be sent
	bytes     []byte
	next      uint32 // the next state is prepared no earlier than in this tick
	part      int    // index of the next part of bytes to send
	parts     int
}

// known holds what was sent to a client and what it acknowledged.
type known struct {
	lanes     []laneSender // by slot
	repeats   int          // messages that repeat each input
	events    int          // number of acknowledged events, counted from the start
	waited    uint32       // acknowledged value of Server.waited
	firstSlot int          // the slot that is written first in the next message
	sent      inflight.Ring[record]
}

// record holds what a message contained.
type record struct {
	events int
	waited uint32
	ends   []uint32
}

// reset assigns p to another client and keeps its memory.
func (p *peer) reset(player uint32, play bool) {
	sent := p.known.sent
	if sent == nil {
		sent = inflight.New[record](records)
	}
	sent.Clear()
	*p = peer{
		player: player, play: play, pace: pace{lead: defaultLead}, state: sentState{bytes: p.state.bytes[:0]},
		known: known{lanes: p.known.lanes[:0], repeats: defaultRepeats, sent: sent},
	}
}

// dropState marks the client as needing a new state of the world.
func (p *peer) dropState() {
	p.state.current, p.state.confirmed, p.checks.differs, p.known.waited = 0, false, 0, 0
	p.known.sent.Clear()
}

// grow makes room for slots.
func (k *known) grow(slots int) {
	for len(k.lanes) < slots {
		k.lanes = append(k.lanes, laneSender{})
	}
}

// recordMessage remembers what message seq contained.
func (k *known) recordMessage(seq uint16, events int, waited uint32, ends []uint32) {
	r := k.sent.Put(seq)
	r.events, r.waited = events, waited
	r.ends = append(slices.Grow(r.ends[:0], len(ends)), ends...)
}

// acknowledge records that the client has received message seq.
func (k *known) acknowledge(seq uint16) {
	r := k.sent.Take(seq)
	if r == nil {
		return
	}
	k.events, k.waited = max(k.events, r.events), max(k.waited, r.waited)
	for slot, end := range r.ends {
		k.lanes[slot].acked = max(k.lanes[slot].acked, end)
	}
}

// applyHeader processes the fields of a message besides inputs.
func (p *peer) applyHeader(s *Server, m *up) {
	p.ready = m.ready
	if m.needs && p.joined {
		p.pace.need = int(m.need)
	}
	switch {
	case p.state.current == 0:
		return
	case m.state == p.state.current:
		if !p.state.confirmed {
			p.state.confirmed, p.state.bytes = true, nil
			p.pace.stalled = p.joined // lockstep does not wait until the client has caught up
		}
	case m.state == 0 && p.state.confirmed:
		p.dropState()
		return
	default:
		return // it has not received the current state yet
	}
	if m.heard {
		p.known.acknowledge(m.ack)
	}
	if m.check {
		s.compareHash(p, m.checkTick, m.checkSum)
	}
}
