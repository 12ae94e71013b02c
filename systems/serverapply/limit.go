package serverapply

import (
	"time"

	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// A client sends one input a tick, in the long run. Its clock may be off by a little,
// and the path may deliver many at once.
const (
	limitShare = 1.05
	limitBurst = window
)

// inputLimit counts inputs that come faster than ticks.
type inputLimit struct {
	credit float64 // inputs that may come now
	at     time.Time
	told   uint64 // too many, when the client was told last
}

// advance takes in that a client's newest input is so many further.
func (c *inputLimit) advance(now time.Time, tickRate int, inputs uint32) (tooMany uint64) {
	switch {
	case c.at.IsZero():
		c.credit = limitBurst
	case now.After(c.at):
		c.credit = min(c.credit+now.Sub(c.at).Seconds()*float64(tickRate)*limitShare, limitBurst)
	}
	c.at = now
	if c.credit -= float64(inputs); c.credit < 0 {
		tooMany = uint64(-c.credit + 0.5)
		c.credit = 0
	}
	return tooMany
}

// noteFast looks at what a packet of inputs changed: before is the newest input that was
// there or filled in for.
func (i *Intake) noteFast(c *Client, before uint32) {
	in, rate := c.in, i.config.TickRate
	if in.newest <= before || in.newest-before >= window {
		return // not a series: the buffer was set afresh
	}
	in.stats.Fast += c.limit.advance(i.config.Now(), rate, in.newest-before)
	if in.stats.Fast-c.limit.told >= uint64(rate) {
		c.limit.told = in.stats.Fast
		if c.logged.First(notice.Fast) {
			i.config.Logger.Warn("inputs come faster than ticks; more from this client are only counted", "client", c.id, "inputs", in.stats.Fast)
		}
		tick := i.config.Tick()
		c.notices.Tell(&wire.Notice{Kind: wire.NoticeFast, Tick: tick, Inputs: in.stats.Fast}, rate, tick)
	}
}
