package serverapply

import (
	"math"

	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// slack decides how deep a client's input buffer must be (rule C3).
//
// The slack of a packet is its newest input less the input that the server
// consumes next: how many ticks before its time it came. The least slack of the
// last ten seconds must stay at or above a reserve, so large that losses hardly
// ever empty the buffer.
//
// A packet that newer ones overtook, or came together with, says less: its inputs
// are in those as well, so that it counts as lost where few others were as late. What
// somebody held back, or what a path that stood still lets go at once, makes no buffer
// deeper.
//
// All slack kept here is what it would be once the shift that was asked of the
// client is complete, so that one lack is never answered twice.
type slack struct {
	least     [slackBuckets]int32 // of packets that nothing newer came before or with
	late      [slackBuckets]int32 // of the others
	bucket    int64               // number of the newest bucket
	began     int64               // tick of the first packet since the last clear
	deep      int64               // ticks in a row in which far too much waited
	asked     int32               // ticks the client was asked to run ahead, in all
	lastAsked int64               // tick of the last request
	tickRate  int64
	tip       tip
}

const (
	slackBuckets = 20
	slackWindow  = 10 // seconds
	noSlack      = math.MaxInt32
)

// clear forgets all packets, for a client that starts or has stalled.
func (s *slack) clear(tick int64) {
	for i := range s.least {
		s.least[i], s.late[i] = noSlack, noSlack
	}
	s.began, s.bucket, s.deep = tick, s.number(tick), 0
}

func (s *slack) number(tick int64) int64 {
	return tick * slackBuckets / (slackWindow * s.tickRate)
}

// packet notes the slack of a packet whose sender had yet to carry out some
// ticks of the shift asked of it; newest says that nothing newer came before or with
// it.
func (s *slack) packet(tick int64, ticks int, pending float64, newest bool) {
	s.roll(tick)
	b := &s.late
	if newest {
		b = &s.least
	}
	v := &b[s.bucket%slackBuckets]
	*v = min(*v, int32(math.Floor(float64(ticks)+pending+0.5)))
}

// tip is the newest packet of a tick.
type tip struct {
	any     bool
	ticks   int
	pending float64
}

// arrived notes the slack of a packet that reports done of the shift asked for, and whose
// inputs end so many before the newest. Which packet is the newest is known when all of the
// tick are in. What newer ones overtook by more than a second says nothing of the path any
// more.
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

// settle is called once all packets of a tick are in.
func (s *slack) settle(tick int64) {
	if s.tip.any {
		s.packet(tick, s.tip.ticks, s.tip.pending, true)
		s.tip.any = false
	}
}

// units is the shift asked for as it travels.
func (s *slack) units() int16 { return int16(s.asked * wire.ShiftUnit) }

// pending is what a client that reports done has still to carry out, in ticks.
func (s *slack) pending(done int16) float64 { return float64(s.units()-done) / wire.ShiftUnit }

func (s *slack) roll(tick int64) {
	n := s.number(tick)
	for s.bucket = max(s.bucket, n-slackBuckets); s.bucket < n; {
		s.bucket++
		s.least[s.bucket%slackBuckets], s.late[s.bucket%slackBuckets] = noSlack, noSlack
	}
}

// lowest is the least slack in the window, without outliers; ok is false when it is
// empty.
func (s *slack) lowest(tick int64) (int32, bool) {
	s.roll(tick)
	v := int32(noSlack)
	for _, b := range s.least {
		v = min(v, b)
	}
	if low, _, ok := clock.Lowest(s.late[:], noSlack); ok {
		v = min(v, low)
	}
	return v, v != noSlack
}

// rebase adds d to all slack, when the server or the client moves by d ticks.
func (s *slack) rebase(d int32) {
	for i := range s.least {
		if s.least[i] != noSlack {
			s.least[i] += d
		}
		if s.late[i] != noSlack {
			s.late[i] += d
		}
	}
}

// ask asks the client to move its clock ahead by d ticks more.
func (s *slack) ask(tick int64, d int32) {
	s.asked += d
	s.lastAsked = tick
	s.rebase(d)
}

// surplus reports that for half a second as many inputs waited as come in half a
// second, and what is needed: what a server finds that stood still. Steering would
// take as many seconds to remove that as there are ticks of it.
func (s *slack) surplus(waiting int, need int32) bool {
	if s.deep++; int64(waiting) < int64(need)+s.tickRate/2 {
		s.deep = 0
	}
	return s.deep > s.tickRate/2
}

// decide returns whether to hold this tick, and asks for clock shifts. Large or
// early lacks are held at once; small ones, and all excess, are left to the
// client's clock, which nobody sees.
func (s *slack) decide(tick int64, need int32) (hold bool) {
	low, ok := s.lowest(tick)
	if !ok {
		return false
	}
	window := slackWindow * s.tickRate
	young := tick-s.began < window
	switch {
	case low < need && (young || low < need-1):
		s.rebase(1)
		return true
	case low < need:
		s.ask(tick, need-low)
	case low >= need+2 && !young && tick-s.lastAsked >= s.tickRate:
		s.ask(tick, -1)
	}
	return false
}

// usual is the least slack of the window as a rule: the worst tenth of it is left out.
func (s *slack) usual(tick int64) (int32, bool) {
	s.roll(tick)
	var lows [slackBuckets/10 + 1]int32
	n := clock.Least(lows[:], s.least[:], noSlack)
	if n == 0 {
		return 0, false
	}
	return lows[min(len(lows)-1, n/10)], true
}

// lead is by how many ticks all clients are to be ahead of the server.
type lead struct {
	ticks   int32
	changed int64 // tick
	most    int32 // that it may be
}

// Lead is by how many ticks all clients are to be ahead of the server.
func (m *Rewind) Lead() int { return int(m.lead.ticks) }

// guide settles by how many ticks all clients lead: as many as the one that is furthest
// away needs for its inputs to be in time as a rule (rule B2). With leads of their own,
// what two players do at the same moment would not be for the same tick (rule B7). Once
// somebody has played for a while, it changes by a tick a second, which nobody sees.
func (m *Rewind) guide(tick int64) {
	l, want, settled := &m.lead, int32(0), false
	for _, c := range m.clients.All() {
		in := &c.in.slack
		if low, ok := in.usual(tick); ok && -low <= l.most+int32(m.window) { // else nothing helps it
			want = max(want, -low)
			settled = settled || tick-in.began >= slackWindow*in.tickRate
		}
	}
	due := tick-l.changed >= int64(m.config.TickRate)
	switch want = min(want, l.most); {
	case want > l.ticks && !settled:
		l.ticks = want
	case want > l.ticks && due:
		l.ticks, l.changed = l.ticks+1, tick
	case want <= l.ticks-2 && due:
		l.ticks, l.changed = l.ticks-1, tick
	}
	for _, c := range m.clients.All() {
		c.in.slack.asked = l.ticks
	}
}

// MostLead is by how many ticks clients lead at most: half of how late or early inputs may be.
func (m *Rewind) MostLead() int { return int(m.lead.most) }

// BoundLead makes that less.
func (m *Rewind) BoundLead(ticks int) { m.lead.most = min(m.lead.most, int32(ticks)) }
