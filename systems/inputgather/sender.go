package inputgather

import (
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/inflight"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// sentKept is how many packets of inputs are remembered until they are acknowledged.
const sentKept = 512

// Sender tells the server the inputs of a log: one packet a tick with the newest, as many as
// may not have arrived (rule C2).
type Sender struct {
	Depth  int // inputs that wait at the server, as it said last
	Counts Counts

	log   *Log
	parts Parts
	acked uint32                // input
	sent  inflight.Ring[uint32] // the newest input of each packet
	bases *wire.Bases
	*room
}

// room is where messages are put together; nothing of one is left for the next.
type room struct {
	message wire.Input
	coder   *wire.InputCoder
	packet  []byte
}

// Parts are what others have to say in a packet of inputs.
type Parts struct {
	// Prefix appends what stands before the inputs of packet seq.
	Prefix func(b []byte, seq uint16) []byte
	// Fill fills in of a message all but its inputs.
	Fill func(m *wire.Input)
	// Reported says that what Fill fills in includes results.
	Reported bool
}

// Counts is what a sender counts.
type Counts struct {
	Inputs uint64 // in all packets
	Bytes  uint64 // of packets, without prefixes
	Errors uint64 // packets that could not be sent
}

// NewSender returns a sender of the inputs of a log that follow one.
func NewSender(log *Log, after uint32, parts Parts) *Sender {
	s := &Sender{log: log, parts: parts, acked: after, sent: inflight.New[uint32](sentKept), room: &room{}}
	s.coder, s.bases = wire.NewInputCoder(log.table), wire.NewInputBases(log.table.Words)
	s.coder.Reported = parts.Reported
	s.message.Words = make([]int32, 0, wire.MaxRedundancy*log.table.Words) // so that a run of losses allocates nothing
	return s
}

// Share makes s put its messages together where another sender of the same inputs does, at other times: for many senders of one
// goroutine.
func (s *Sender) Share(o *Sender) { s.room = o.room }

// Send sends the inputs of a tick, if there are any.
func (s *Sender) Send(now time.Time, session netsys.Session) {
	newest := s.log.Newest
	n := min(newest-min(newest, s.acked), uint32(s.Depth)+8, wire.MaxRedundancy)
	n = min(max(n, 1), newest-s.log.First+1)
	if newest < s.log.First || n == 0 {
		return
	}
	if s.Depth == wire.DepthUnread {
		s.bases.Clear()
	}
	m := &s.message
	m.Newest, m.Count, m.Words = uint16(newest), int(n), m.Words[:0]
	for seq := newest - n + 1; seq <= newest; seq++ {
		m.Words = append(m.Words, s.log.Words(seq)...)
	}
	s.parts.Fill(m)
	s.packet = s.parts.Prefix(s.packet[:0], session.Next())
	prefix := len(s.packet)
	s.packet = s.coder.Append(s.packet, m, session.Next(), s.bases)
	if len(s.packet) > netsys.MaxPayload {
		s.packet = s.packet[:copy(s.packet, s.packet[prefix:])] // what stood before goes with a later one
		prefix = 0
	}
	seq, err := session.Send(now, s.packet)
	if err != nil {
		s.Counts.Errors++
		return
	}
	*s.sent.Put(seq) = newest
	s.bases.Put(seq, m, s.coder.State)
	s.Counts.Bytes += uint64(len(s.packet) - prefix)
	s.Counts.Inputs += uint64(n)
}

// Packet is what was sent last.
func (s *Sender) Packet() []byte { return s.packet }

// Acked hears that a packet arrived: the server has all inputs up to its newest.
func (s *Sender) Acked(seq uint16) {
	if newest := s.sent.Take(seq); newest != nil {
		s.acked = max(s.acked, *newest)
		s.bases.Ack(seq)
	}
}

// Skip says that the server needs no input up to one.
func (s *Sender) Skip(input uint32) { s.acked = input }

// Back says that the server may lack any input after this one, even from packets that it has acknowledged.
func (s *Sender) Back(input uint32) {
	s.acked = min(s.acked, input)
	s.sent.Clear()
}

// Whole makes the next message stand on none before it.
func (s *Sender) Whole() { s.bases.Clear() }
