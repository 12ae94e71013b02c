package serverapply

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
	for _, c := range m.clients {
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
	for _, c := range m.clients {
		c.in.slack.asked = l.ticks
	}
}

// MostLead is by how many ticks clients lead at most: half of how late or early inputs may be.
func (m *Rewind) MostLead() int { return int(m.lead.most) }

// BoundLead makes that less.
func (m *Rewind) BoundLead(ticks int) { m.lead.most = min(m.lead.most, int32(ticks)) }
