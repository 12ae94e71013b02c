package systems

import (
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

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

// growthEvery is how often at most it is logged that a count has grown.
const growthEvery = 10 * time.Second

// growth is what was said of a count that grows while something is wrong with the server.
type growth struct {
	said uint64
	at   time.Time
}

// news is by how much the count has grown since that was logged last, 0 while there is nothing
// to log.
func (o *growth) news(count uint64, now time.Time) (n uint64) {
	if count == o.said || !o.at.IsZero() && now.Sub(o.at) < growthEvery {
		return 0
	}
	n = count - o.said
	o.said, o.at = count, now
	return n
}

// tellTokens says why players get no answer who have good tokens.
func (s *Server) tellTokens(now time.Time, d *netcode.Drops) {
	if n := s.usedFull.news(d[netcode.DropUsedFull], now); n > 0 {
		s.config.Logger.Warn("nobody can join: the server is full of used tokens, until some of them expire", "turned away", n, "clients", len(s.peers))
	}
	if n := s.longLived.news(d[netcode.DropLifetime], now); n > 0 {
		s.config.Logger.Warn("tokens not taken: they expire too far in the future, see MaxTokenLifetime", "turned away", n)
	}
}

func (s *Server) tellOverload(now time.Time) {
	if n := s.overload.news(s.dropped(), now); n > 0 {
		s.config.Logger.Warn("ticks dropped: they were due and the machine was too slow", "ticks", n, "clients", len(s.peers))
	}
}

func (c *Client) tellOverload(now time.Time) {
	if n := c.overload.news(c.loop.Dropped, now); n > 0 {
		c.config.Logger.Warn("ticks dropped: they were due and the machine was too slow", "client", c.id, "ticks", n)
	}
}
