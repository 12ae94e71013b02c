package systems

import (
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// growthEvery is how often at most it is logged that a count has grown.
const growthEvery = 10 * time.Second

// growth is what was said of a count that grows while something is wrong with the server.
type growth struct {
	logged uint64
	at     time.Time
}

// news is by how much the count has grown since that was logged last, 0 while there is nothing
// to log.
func (o *growth) news(count uint64, now time.Time) (n uint64) {
	if count == o.logged || !o.at.IsZero() && now.Sub(o.at) < growthEvery {
		return 0
	}
	n = count - o.logged
	o.logged, o.at = count, now
	return n
}

// tellTokens says why players get no answer who have good tokens.
func (s *Server) tellTokens(now time.Time, d *netcode.Drops) {
	if n := s.link.usedFull.news(d[netcode.DropUsedFull], now); n > 0 {
		s.config.Logger.Warn("nobody can join: the server is full of used tokens, until some of them expire", "turned away", n, "clients", len(s.sessions.peers))
	}
	if n := s.link.longLived.news(d[netcode.DropLifetime], now); n > 0 {
		s.config.Logger.Warn("tokens not taken: they expire too far in the future, see MaxTokenLifetime", "turned away", n)
	}
}

func (s *Server) tellOverload(now time.Time) {
	if n := s.link.overload.news(s.dropped(), now); n > 0 {
		s.config.Logger.Warn("ticks dropped: they were due and the machine was too slow", "ticks", n, "clients", len(s.sessions.peers))
	}
}

func (c *Client) tellOverload(now time.Time) {
	if n := c.steps.overload.news(c.steps.loop.Dropped, now); n > 0 {
		c.config.Logger.Warn("ticks dropped: they were due and the machine was too slow", "client", c.link.id, "ticks", n)
	}
}
