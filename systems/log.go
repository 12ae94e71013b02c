package systems

import "time"

// What a client can bring about as often as it likes is logged once of each client, and
// counted. A session costs its owner a token and a handshake, so that lines do, too.
type said uint8

const (
	saidFlooded said = 1 << iota
	saidBudget
	saidInput
	saidChange
	saidFast
	saidDiverged
	saidUnstable
)

// first reports whether something is logged of a client for the first time.
func (p *peer) first(what said) bool {
	is := p.said&what == 0
	p.said |= what
	return is
}

// flooded counts a message that is not read.
func (s *Server) flooded(p *peer) {
	p.flooded++
	if p.first(saidFlooded) {
		s.config.Logger.Warn("message not read: there are too many; more from this client are only counted", "client", p.id)
	}
}

// overloadEvery is how often at most it is logged that a machine is too slow.
const overloadEvery = 10 * time.Second

// overload is what was said of ticks that were due and did not run.
type overload struct {
	dropped uint64
	at      time.Time
}

// news is how many ticks were dropped since that was logged last, 0 while there is nothing
// to log.
func (o *overload) news(dropped uint64, now time.Time) (n uint64) {
	if dropped == o.dropped || !o.at.IsZero() && now.Sub(o.at) < overloadEvery {
		return 0
	}
	n = dropped - o.dropped
	o.dropped, o.at = dropped, now
	return n
}

func (s *Server) tellOverload(now time.Time) {
	if n := s.overload.news(s.loop.Dropped*uint64(s.config.WakeEvery), now); n > 0 {
		s.config.Logger.Warn("ticks dropped: they were due and the machine was too slow", "ticks", n, "clients", len(s.peers))
	}
}

func (c *Client) tellOverload(now time.Time) {
	if n := c.overload.news(c.loop.Dropped, now); n > 0 {
		c.config.Logger.Warn("ticks dropped: they were due and the machine was too slow", "client", c.id, "ticks", n)
	}
}
