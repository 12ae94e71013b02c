package event

// bucket is the account of one client and type: a token for each event that the server
// takes in. Tokens are counted in parts, as many as there are ticks in a second, so that
// a tick adds a whole number of them.
type bucket struct {
	parts   int64
	tick    uint32
	started bool
	limited bool // the last event was dropped
	logged  bool
}

// take takes one token, if there is one at a tick.
func (b *bucket) take(tick uint32, o *Options, ticksPerSecond int) bool {
	whole := int64(ticksPerSecond)
	full := int64(o.Burst) * whole
	if !b.started {
		b.started, b.parts, b.tick = true, full, tick
	}
	if tick > b.tick {
		b.parts = min(full, b.parts+int64(tick-b.tick)*int64(o.Rate))
		b.tick = tick
	}
	if b.parts < whole {
		return false
	}
	b.parts -= whole
	return true
}
