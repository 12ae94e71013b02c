package inputgather

import (
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/inflight"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// sentKept is the number of packets that are remembered until they are acknowledged.
const sentKept = 512

// Sender sends the inputs of a log to the server: one packet per tick with the newest input and all inputs that may
// not have arrived (rule C2).
type Sender struct {
	Depth  int // inputs that wait at the server, as last reported
	Counts Counts

	log   *Log
	parts Parts
	acked uint32                // newest acknowledged input
	sent  inflight.Ring[uint32] // newest input of each packet
	bases *wire.Bases
	*room
}

// room is memory for building messages. Nothing is kept from one message to the next.
type room struct {
	message wire.Input
	coder   *wire.InputCoder
	packet  []byte
}

// Parts adds the other parts of an input packet.
type Parts struct {
	// Fill sets the fields of a message other than its inputs.
	Fill func(m *wire.Input)
	// Reported reports that Fill sets results.
	Reported bool
}

// Counts holds the counters of a sender.
type Counts struct {
	Inputs uint64 // inputs in all packets
	Bytes  uint64 // bytes of all packets
	Errors uint64 // packets that could not be sent
}

// NewSender returns a sender of the inputs of a log after input number after.
func NewSender(log *Log, after uint32, parts Parts) *Sender {
	s := &Sender{log: log, parts: parts, acked: after, sent: inflight.New[uint32](sentKept), room: &room{}}
	s.coder, s.bases = wire.NewInputCoder(log.table), wire.NewInputBases(log.table.Words)
	s.coder.Reported = parts.Reported
	s.message.Words = make([]int32, 0, wire.MaxRedundancy*log.table.Words) // so that a run of losses allocates nothing
	return s
}

// Share makes s use the memory of o, another sender of the same input type, for building messages. Use both from
// one goroutine.
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
	s.packet = s.coder.Append(s.packet[:0], m, session.Next(), s.bases)
	seq, err := session.Send(now, s.packet)
	if err != nil {
		s.Counts.Errors++
		return
	}
	*s.sent.Put(seq) = newest
	s.bases.Put(seq, m, s.coder.State)
	s.Counts.Bytes += uint64(len(s.packet))
	s.Counts.Inputs += uint64(n)
}

// Packet returns the last packet that was sent.
func (s *Sender) Packet() []byte { return s.packet }

// Acked records that a packet arrived: the server has all inputs up to its newest one.
func (s *Sender) Acked(seq uint16) {
	if newest := s.sent.Take(seq); newest != nil {
		s.acked = max(s.acked, *newest)
		s.bases.Ack(seq)
	}
}

// SkipTo records that the server needs no input up to and including input.
func (s *Sender) SkipTo(input uint32) { s.acked = input }

// Rewind records that the server may lack every input after this one, even from packets that it has acknowledged.
func (s *Sender) Rewind(input uint32) {
	s.acked = min(s.acked, input)
	s.sent.Clear()
}

// ForgetBases makes the next message independent of earlier ones.
func (s *Sender) ForgetBases() { s.bases.Clear() }
