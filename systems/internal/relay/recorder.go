package relay

import "slices"

// Recorder writes what a peer knows as a spectator receives it. A client that plays this can begin with any segment.
type Recorder struct {
	client *Client // nil: the server records
	source *source
	peer   *peer
	seq    uint16
	buffer []byte
	sums   sumsWriter
}

// Recording receives the messages of a [Recorder]. begins is set for messages that only a client needs that begins with this segment.
// The messages are valid until the method returns.
type Recording interface {
	// Begin starts a segment.
	Begin()
	// Reliable takes a message for [Client.Deliver].
	Reliable(message []byte, begins bool)
	// Datagram takes a message for [Client.Receive].
	Datagram(message []byte, begins bool)
}

// Record adds a client like that of Add without play, whose messages a recorder writes.
func (s *Server) Record(player uint32) (*Recorder, error) {
	if err := s.add(player, false, ""); err != nil {
		return nil, err
	}
	p := s.peer(player)
	p.record = true
	s.timeline.KeepSums()
	return &Recorder{source: &s.source, peer: p}, nil
}

// Record makes the client's recorder write what this client knows, with at most part bytes per reliable message. Call it
// before a state arrives, and [Recorder.Write] after each message that the client has received.
func (c *Client) Record(part int) *Recorder {
	r := &Recorder{client: c, peer: &peer{}, source: &source{
		timeline: c.timeline, coder: c.coder, wait: c.config.Timeline.Wait, window: uint32(c.config.Timeline.Window), tickRate: c.world.TickRate(), part: part - partHead,
	}}
	r.peer.reset(0, false)
	r.peer.record = true
	c.timeline.KeepSums()
	c.recorder = r
	return r
}

// follow copies what the client knows.
func (r *Recorder) follow() {
	c, s := r.client, r.source
	s.lanes, s.stored, s.delay, s.waited, s.at = c.slots.lanes, c.slots.keep, c.inputs.delay, c.server.waited, c.server.tick
	s.least = c.slots.gone
	if r.peer.state.confirmed {
		written := r.peer.known.events - s.removedEvents
		s.events = slices.Delete(s.events, 0, written)
		s.removedEvents += written
	}
	r.grow()
}

// grow makes room for the lanes of the client.
func (r *Recorder) grow() {
	n := len(r.client.slots.lanes)
	r.peer.known.grow(n)
	r.source.sentEnds = slices.Grow(r.source.sentEnds[:0], n)[:n]
}

// event notes an event that the client has received.
func (r *Recorder) event(e event) {
	if r == nil {
		return
	}
	r.source.events = append(r.source.events, e)
	if !e.leave && !e.command {
		r.grow()
		r.peer.known.lanes[e.slot].reset(r.client.slots.lanes[e.slot].start)
	}
}

// restart starts over with the state of the world that the client has received.
func (r *Recorder) restart() {
	if r == nil {
		return
	}
	r.peer.dropState()
	r.peer.state.next = 0
	r.source.events, r.source.removedEvents = r.source.events[:0], r.client.server.events
}

// Write writes what is new. On a server, call it once per tick. If due is set, or the peer has another world than before, a segment starts
// with the state of the world and the inputs since. An error ends the recording; it wraps [ErrTooLarge].
func (r *Recorder) Write(due bool, to Recording) error {
	p := r.peer
	if r.client != nil {
		if !r.client.Following() {
			return nil
		}
		r.follow()
	}
	plays := p.state.confirmed // a client that plays the segment before
	if plays {
		r.sums.write(r.source.timeline, to)
		r.writeInputs(to, false)
		if !due || !r.source.upToDate(p) {
			return nil
		}
		p.state.number, p.state.current, p.state.next = p.state.number-1, 0, 0 // the next state gets the same number
	}
	if !r.source.prepareState(p) {
		if plays {
			p.state.number++
			p.state.current = p.state.number
		}
		return p.state.error()
	}
	if !plays {
		r.sums.skip(r.source.timeline)
	}
	to.Begin()
	for ; p.state.part < p.state.parts; p.state.part++ {
		r.buffer = p.state.appendPart(r.buffer[:0], r.source.part)
		to.Reliable(r.buffer, plays)
	}
	p.state.confirmed = true
	r.writeInputs(to, plays)
	return nil
}

// maxRecorded is the maximum number of datagrams that are recorded at once.
const maxRecorded = 64

// writeInputs writes datagrams until everything is written.
func (r *Recorder) writeInputs(to Recording, begins bool) {
	for range maxRecorded {
		r.buffer = r.source.append(r.buffer[:0], r.peer, r.seq, MaxMessage)
		to.Datagram(r.buffer, begins)
		r.peer.known.acknowledge(r.seq)
		if r.seq++; r.source.upToDate(r.peer) {
			return
		}
	}
}
