package lagcomp

// Clamp says why a view shows another moment than the client claimed.
type Clamp uint8

const (
	// Believed is a claim within all bounds.
	Believed Clamp = iota
	// Ahead is a claim of a state newer than what the client has.
	Ahead
	// Old is a claim of a state older than Config.MaxRewind.
	Old
	// Backwards is a claim of an earlier moment than in an earlier tick.
	Backwards
	// Unclaimed is no claim at all: the view is the server's present.
	Unclaimed
)

// String names the reason.
func (c Clamp) String() string {
	return [...]string{"believed", "ahead", "old", "backwards", "unclaimed"}[min(c, Unclaimed)]
}

// Stats counts views by what became of their claims.
type Stats struct {
	// Views is how many there were.
	Views uint64
	// Ahead, Old, Backwards and Unclaimed count those that show another moment; see
	// [Clamp].
	Ahead, Old, Backwards, Unclaimed uint64
	// Unsent counts claims of a moment within all bounds, but drawn between states
	// that were not sent, or lie beyond the bounds or too far apart.
	Unsent uint64
	// Oldest is the age of the oldest state that was claimed to be drawn from, in
	// ticks. What it is when players are honest says what MaxRewind has to be.
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

// Stats counts the views of all clients so far.
func (c *Compensator) Stats() Stats {
	sum := c.stats
	for _, p := range c.players {
		sum.add(p.stats)
	}
	return sum
}

// StatsOf counts the views of a client since it came or was forgotten.
func (c *Compensator) StatsOf(client uint32) Stats {
	if p := c.players[client]; p != nil {
		return p.stats
	}
	return Stats{}
}

// span is where a view lies: at a moment between two recorded ticks.
type span struct {
	at       moment
	from, to uint32 // to is 0 where there is no later one
}

// limits are the ticks between which a view must lie.
type limits struct{ oldest, newest uint32 }

// grant decides what a claim gets.
func (c *Compensator) grant(p *player, claim Claim, now uint32) (span, Clamp) {
	l := limits{oldest: now - min(c.rewind, now), newest: min(c.sent, now)}
	if p.acked != 0 {
		l.newest = min(l.newest, p.acked)
	}
	l.newest = max(l.newest, l.oldest)
	switch {
	case now > p.at:
		p.floor, p.at = p.head, now
	case now < p.at: // the world went back: what was claimed then is to come again
		p.floor, p.head, p.at = 0, 0, now
	}
	at, why := claim.moment(now), Believed
	if from, _, known := claim.states(now); known && from < now {
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
		s = c.neighbours(at, l)
	}
	p.head = max(p.head, s.at)
	return s, why
}

// claimed is between the states that a client says, where it may be.
func (c *Compensator) claimed(claim Claim, now uint32, at moment, l limits) (span, bool) {
	from, to, known := claim.states(now)
	last := max(to, at.tick())
	if !known || from < l.oldest || last > l.newest || last-from >= (MaxLost+2)*c.every {
		return span{}, false
	}
	return span{at, from, to}, c.send(from) && (to == 0 || c.send(to))
}

// neighbours is between the sends on either side; at the bound, where the older one is
// beyond it, on from the state at the bound.
func (c *Compensator) neighbours(at moment, l limits) span {
	s := span{at: at}
	s.from = c.search(at.tick(), l.oldest, c.send)
	if s.from == 0 {
		s.from = c.search(at.tick(), l.oldest, c.recorded)
	}
	for tick := at.tick() + 1; tick <= l.newest && s.to == 0; tick++ {
		if c.send(tick) {
			s.to = tick
		}
	}
	if s.from == 0 { // recording began later
		s.from = s.to
		if s.to == 0 {
			s.from = c.newest
		}
		s.at, s.to = momentOf(s.from), 0
	}
	return s
}

// search is the latest tick that fits, from tick back to oldest, or 0.
func (c *Compensator) search(tick, oldest uint32, fits func(uint32) bool) uint32 {
	for ; tick >= oldest && tick != 0; tick-- {
		if fits(tick) {
			return tick
		}
	}
	return 0
}
