package event

// bucket is the token bucket of one client and event type. Each accepted event takes one token. Tokens are counted in
// parts; a token has as many parts as a second has ticks, so each tick adds a whole number of parts.
type bucket struct {
	parts   int64
	tick    uint32
	started bool
	limited bool // the last event was dropped
	logged  bool
}

// takeToken takes one token at this tick. It returns false if there is none.
func (b *bucket) takeToken(tick uint32, o *Options, ticksPerSecond int) bool {
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
