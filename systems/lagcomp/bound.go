package lagcomp

// Clamp says why a view shows another moment than the client claimed.
type Clamp uint8

const (
	// Believed means that the claim is within all limits.
	Believed Clamp = iota
	// Ahead means that the claim is newer than the states that the client has.
	Ahead
	// Old means that the claim is older than Config.MaxRewind.
	Old
	// Backwards means that the claim is earlier than a claim of an earlier tick.
	Backwards
	// Unclaimed means that there is no claim. The view is the server's present.
	Unclaimed
)

// String returns the name of the reason.
func (c Clamp) String() string {
	return [...]string{"believed", "ahead", "old", "backwards", "unclaimed"}[min(c, Unclaimed)]
}

// Stats counts views by the outcome of their claims.
type Stats struct {
	// Views is the number of views.
	Views uint64
	// Ahead, Old, Backwards and Unclaimed count the views that show another moment, see [Clamp].
	Ahead, Old, Backwards, Unclaimed uint64
	// Unsent counts claims of an allowed moment whose two states cannot have been sent, are outside the limits, or are too
	// far apart.
	Unsent uint64
	// Oldest is the age of the oldest claimed state, in ticks. With honest players it shows how large MaxRewind must
	// be.
	Oldest uint32
}

func (s *Stats) add(o Stats) {
	s.Views += o.Views
	s.Ahead += o.Ahead
	s.Old += o.Old
	s.Backwards += o.Backwards
	s.Unclaimed += o.Unclaimed
	s.Unsent += o.Unsent
	s.Oldest = max(s.Oldest, o.Oldest)
}

func (s *Stats) count(why Clamp) {
	switch why {
	case Ahead:
		s.Ahead++
	case Old:
		s.Old++
	case Backwards:
		s.Backwards++
	case Unclaimed:
		s.Unclaimed++
	}
}

// Stats returns the counters of all clients since New.
func (c *Compensator) Stats() Stats {
	sum := c.stats
	for _, p := range c.players {
		sum.add(p.stats)
	}
	return sum
}

// StatsOf returns the counters of a client since its first claim, or its first claim after Forget.
func (c *Compensator) StatsOf(client uint32) Stats {
	if p := c.players[client]; p != nil {
		return p.stats
	}
	return Stats{}
}

// span is the position of a view: a moment between two recorded ticks.
type span struct {
	at       moment
	from, to uint32 // to is 0 if there is no later state
}

// limits are the oldest and newest tick that a view may show.
type limits struct{ oldest, newest uint32 }

// grant returns the span for a claim, and the reason if it differs from the claim.
func (c *Compensator) grant(p *player, claim Claim, now uint32) (span, Clamp) {
	l := limits{oldest: now - min(c.rewind, now), newest: min(c.newest, now)}
	if p.acked != 0 {
		l.newest = min(l.newest, p.acked)
	}
	l.newest = max(l.newest, l.oldest)
	switch {
	case now > p.at:
		p.floor, p.at = p.head, now
	case now < p.at: // the world was rewound, so earlier claims will come again
		p.floor, p.head, p.at = 0, 0, now
	}
	at, why := claim.moment(now), Believed
	if from, _, known := c.states(claim, now); known && from < now {
		p.stats.Oldest = max(p.stats.Oldest, now-from)
	}
	switch {
	case at < momentOf(l.oldest):
		at, why = momentOf(l.oldest), Old
	case at > momentOf(l.newest):
		at, why = momentOf(l.newest), Ahead
	}
	if at < p.floor {
		if at = p.floor; why == Believed {
			why = Backwards
		}
	}
	s, ok := span{}, false
	if why == Believed {
		if s, ok = c.claimed(claim, now, at, l); !ok && claim.Back != unknownBack {
			p.stats.Unsent++
		}
	}
	if !ok {
		s = c.neighbours(at, uint32(max(claim.Every, 1)), l)
	}
	p.head = max(p.head, s.at)
	return s, why
}

// states returns the ticks of the two claimed states. to is 0 if the claim has no later state. known is false if the
// states are not stored.
func (c *Compensator) states(claim Claim, now uint32) (from, to uint32, known bool) {
	if from, to, known = claim.states(now); !known || !c.recorded(from) || to != 0 && !c.recorded(to) {
		return 0, 0, false
	}
	return from, to, true
}

// claimed returns the span between the two claimed states, if the limits allow it. It does not matter whether these states were sent
// to this client, because with every rate of snapshots some client can be sent them.
func (c *Compensator) claimed(claim Claim, now uint32, at moment, l limits) (span, bool) {
	from, to, known := c.states(claim, now)
	last := max(to, at.tick())
	if !known || from < l.oldest || last > l.newest || last-from >= (MaxLost+2)*c.every {
		return span{}, false
	}
	return span{at, from, to}, momentOf(from) <= at && (to == 0 || momentOf(to) > at)
}

// neighbours returns the span between the snapshots before and after a moment, given the number of ticks from one to the next. If
// the earlier snapshot is beyond the limit, the span starts at the state at the limit.
func (c *Compensator) neighbours(at moment, every uint32, l limits) span {
	s := span{at: at}
	if s.from = c.search(at.tick(), l.oldest, every); s.from == 0 {
		s.from = c.search(at.tick(), l.oldest, 1)
	}
	for tick := at.tick() + 1; tick <= l.newest && s.to == 0; tick++ {
		if tick%every == 0 && c.recorded(tick) {
			s.to = tick
		}
	}
	if s.from == 0 { // recording started later
		s.from = s.to
		if s.to == 0 {
			s.from = c.newest
		}
		s.at, s.to = momentOf(s.from), 0
	}
	return s
}

// search returns the latest recorded multiple of every from tick back to oldest, or 0.
func (c *Compensator) search(tick, oldest, every uint32) uint32 {
	for ; tick >= oldest && tick != 0; tick-- {
		if tick%every == 0 && c.recorded(tick) {
			return tick
		}
	}
	return 0
}
