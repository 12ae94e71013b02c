package systemstest

import "time"

// forever is later than any time.
var forever = epoch.Add(1 << 62)

// event runs the next due event, unless it is at end or later. At the same time, the server runs before clients,
// clients run by number, and ticks before frames.
func (c *Crowd) event(end time.Time) bool {
	at, who, frame := later(c.clock.when(c.Server.Next()), c.resume), (*Client)(nil), false
	for _, k := range c.Clients {
		if !k.running() {
			continue
		}
		if t := later(k.next(), k.resume); t.Before(at) {
			at, who, frame = t, k, false
		}
		if t := later(k.frameAt, k.resume); c.config.FrameRate > 0 && t.Before(at) {
			at, who, frame = t, k, true
		}
	}
	if !at.Before(end) {
		return false
	}
	c.now = later(at, c.now)
	switch {
	case who == nil:
		c.serve()
	case frame:
		who.draw()
	default:
		who.tick()
	}
	return true
}

// serve runs what is due on the server.
func (c *Crowd) serve() {
	for _, k := range c.Clients {
		k.link.Flush(c.now)
	}
	if c.Server.Advance(c.clock.reads(c.now)) == 0 {
		return
	}
	for s := range c.Server.Clients {
		if k := c.byAddress[s.Address]; k != nil {
			k.observe(s)
		}
	}
	for _, f := range c.serverTick {
		f()
	}
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
