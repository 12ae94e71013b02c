package serverapply

import (
	"math"

	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// slack decides how deep a client's input buffer must be (rule C3).
//
// The slack of a packet is its newest input less the next input that the server consumes: the number of ticks by
// which the packet arrived early. The smallest slack of the last ten seconds must stay at or above a reserve. The
// reserve is large enough that losses rarely empty the buffer.
//
// A packet that arrived after or together with newer ones says less, because the newer ones contain its inputs. It
// counts as lost if few other packets were as late. A client that holds back packets, or a path that stalls and
// then delivers packets at once, therefore does not deepen the buffer.
//
// All slack is stored as it would be after the client has completed the requested shift, so that the same shortage
// is not corrected twice.
type slack struct {
	newest    [slackBuckets]int32 // of packets before or with which no newer packet arrived
	overtaken [slackBuckets]int32 // of all other packets
	bursts    [slackBuckets]int8  // the most inputs that a packet added to the one before it, negative
	bucket    int64               // number of the newest bucket
	startTick int64               // tick of the first packet since the last clear
	deep      int64               // consecutive ticks with far too many waiting inputs
	least     int32               // smallest slack of these ticks
	asked     int32               // total ticks that the client was asked to run ahead
	own       int32               // under ServerRewind, ticks that the client has to run ahead to be in the window at all
	lastAsked int64               // tick of the last request
	tickRate  int64
	tip       tip
}

const (
	slackBuckets = 20
	slackWindow  = 10 // seconds
	noSlack      = math.MaxInt32
	noBurst      = math.MaxInt8
)

// clear forgets all packets when a client starts or has stalled.
func (s *slack) clear(tick int64) {
	for i := range s.newest {
		s.newest[i], s.overtaken[i], s.bursts[i] = noSlack, noSlack, noBurst
	}
	s.startTick, s.bucket, s.deep, s.least = tick, s.number(tick), 0, noSlack
}

func (s *slack) number(tick int64) int64 {
	return tick * slackBuckets / (slackWindow * s.tickRate)
}

// packet records the slack of a packet. pending is the part of the requested shift that its sender had not carried
// out, in ticks. newest reports that no newer packet arrived before or with it.
func (s *slack) packet(tick int64, ticks int, pending float64, newest bool) {
	s.roll(tick)
	b := &s.overtaken
	if newest {
		b = &s.newest
	}
	v, early := &b[s.bucket%slackBuckets], int32(math.Floor(float64(ticks)+pending+0.5))
	*v, s.least = min(*v, early), min(s.least, early)
}

// tip is the newest packet of a tick.
type tip struct {
	any     bool
	ticks   int
	pending float64
}

// arrived records the slack of a packet. done is the shift that its sender has carried out. overtaken is the number
// of inputs between its newest input and the newest one received. Which packet is the newest is known when all
// packets of the tick have arrived. A packet that is overtaken by more than a second says nothing about the current
// path.
func (s *slack) arrived(tick int64, ticks int, overtaken int64, done int16, newest bool) {
	pending := s.pending(done)
	if !newest {
		if overtaken <= s.tickRate {
			s.packet(tick, ticks, pending, false)
		}
		return
	}
	if s.tip.any {
		s.packet(tick, s.tip.ticks, s.tip.pending, false)
	}
	s.tip = tip{true, ticks, pending}
}

// finishTick is called after all packets of a tick have arrived.
func (s *slack) finishTick(tick int64) {
	if s.tip.any {
		s.packet(tick, s.tip.ticks, s.tip.pending, true)
		s.tip.any = false
	}
}

// units returns the requested shift in wire.ShiftUnit.
func (s *slack) units() int16 { return int16(s.asked * wire.ShiftUnit) }

// pending returns the part of the requested shift that a client which reports done has still to carry out, in
// ticks.
func (s *slack) pending(done int16) float64 { return float64(s.units()-done) / wire.ShiftUnit }

func (s *slack) roll(tick int64) {
	n := s.number(tick)
	for s.bucket = max(s.bucket, n-slackBuckets); s.bucket < n; {
		s.bucket++
		i := s.bucket % slackBuckets
		s.newest[i], s.overtaken[i], s.bursts[i] = noSlack, noSlack, noBurst
	}
}

// advanced records by how many inputs a packet is newer than the one before it.
func (s *slack) advanced(tick int64, inputs uint32) {
	s.roll(tick)
	b := &s.bursts[s.bucket%slackBuckets]
	*b = min(*b, -int8(min(inputs, math.MaxInt8)))
}

// burst returns how many inputs the client often sends at once, because its frames are longer than ticks. Until the packet after these
// inputs arrives, the buffer lives on them.
func (s *slack) burst() int32 {
	low, _, ok := clock.Lowest(s.bursts[:], noBurst)
	if !ok {
		return 1
	}
	return max(-int32(low), 1)
}

// lowest returns the smallest slack in the window without outliers. ok is false if the window is empty.
func (s *slack) lowest(tick int64) (int32, bool) {
	s.roll(tick)
	v := int32(noSlack)
	for _, b := range s.newest {
		v = min(v, b)
	}
	overtaken := s.overtaken
	for i := range overtaken {
		if overtaken[i] == noSlack && s.newest[i] != noSlack {
			overtaken[i] = noSlack - 1 // packets arrived in that time, and none was overtaken
		}
	}
	if low, _, ok := clock.Lowest(overtaken[:], noSlack); ok {
		v = min(v, low)
	}
	return v, v != noSlack
}

// rebase adds d to all slack, when the server or the client moves by d ticks.
func (s *slack) rebase(d int32) {
	for i := range s.newest {
		if s.newest[i] != noSlack {
			s.newest[i] += d
		}
		if s.overtaken[i] != noSlack {
			s.overtaken[i] += d
		}
	}
}

// requestShift asks the client to move its clock ahead by d more ticks.
func (s *slack) requestShift(tick int64, d int32) {
	s.asked += d
	s.lastAsked = tick
	s.rebase(d)
}

// hasSurplus reports that for half a second the number of waiting inputs exceeded the need by at least half a
// second of inputs, and that no packet arrived less early, as after a stall of the server. Otherwise the inputs wait
// because the link's jitter needs them. Slowing the client down would take a second for each tick of excess.
func (s *slack) hasSurplus(waiting int, need int32) bool {
	if s.deep++; min(int64(waiting), int64(s.least)) < int64(need)+s.tickRate/2 {
		s.deep, s.least = 0, noSlack
	}
	return s.deep > s.tickRate/2
}

// decide returns whether to hold this tick, and requests clock shifts. A large or early shortage is held at once. A
// shortage of one tick and any excess are left to the client's clock, whose changes players do not notice.
func (s *slack) decide(tick int64, need int32) (hold bool) {
	low, ok := s.lowest(tick)
	if !ok {
		return false
	}
	window := slackWindow * s.tickRate
	young := tick-s.startTick < window
	switch {
	case low < need && (young || low < need-1):
		s.rebase(1)
		return true
	case low < need:
		s.requestShift(tick, need-low)
	case low >= need+2 && !young && tick-s.lastAsked >= s.tickRate:
		s.requestShift(tick, -1)
	}
	return false
}

// typicalLow returns the smallest slack of the window, without the worst tenth.
func (s *slack) typicalLow(tick int64) (int32, bool) {
	s.roll(tick)
	var lows [slackBuckets/10 + 1]int32
	n := clock.Least(lows[:], s.newest[:], noSlack)
	if n == 0 {
		return 0, false
	}
	return lows[min(len(lows)-1, n/10)], true
}

// lead is the number of ticks by which all clients run ahead of the server.
type lead struct {
	ticks   int32
	changed int64 // tick of the last change
	limit   int32 // maximum
}

// Lead returns the number of ticks by which all clients run ahead of the server.
func (m *Rewind) Lead() int { return int(m.lead.ticks) }

// updateLead sets the common lead of all clients to the largest lead that a client needs for its inputs to usually
// arrive in time (rule B2). With individual leads, inputs that two players make at the same moment would apply in
// different ticks (rule B7). After a client has played for a while, the lead changes by one tick per second, which
// players do not notice. A client with a round trip so long that its inputs arrive too late even with the largest common lead
// leads further, by as much as brings them back into the window.
func (m *Rewind) updateLead(tick int64) {
	l, want, settled := &m.lead, int32(0), false
	for _, c := range m.clients.All() {
		in := &c.in.slack
		low, ok := in.typicalLow(tick)
		if ok {
			in.own = min(max(-low-int32(m.window), 0), wire.MaxShift)
		}
		if ok && in.own <= l.limit {
			want = max(want, -low)
			settled = settled || tick-in.startTick >= slackWindow*in.tickRate
		}
	}
	due := tick-l.changed >= int64(m.config.TickRate)
	switch want = min(want, l.limit); {
	case want > l.ticks && !settled:
		l.ticks = want
	case want > l.ticks && due:
		l.ticks, l.changed = l.ticks+1, tick
	case want <= l.ticks-2 && due:
		l.ticks, l.changed = l.ticks-1, tick
	}
	for _, c := range m.clients.All() {
		c.in.slack.asked = max(l.ticks, c.in.slack.own)
	}
}

// MaxLead returns the maximum lead in ticks: half of the ticks by which inputs may be late or early, unless
// LimitLead lowered it.
func (m *Rewind) MaxLead() int { return int(m.lead.limit) }

// LimitLead lowers the maximum lead to ticks.
func (m *Rewind) LimitLead(ticks int) { m.lead.limit = min(m.lead.limit, int32(ticks)) }
