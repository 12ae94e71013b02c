package timeline

// Decided returns the tick up to which all inputs of a player are known or will not arrive. Inputs for future ticks
// count. It returns false for a player who is not in the game, and while no input is decided, as before the first
// tick.
func (t *Timeline) Decided(player uint32) (tick uint32, ok bool) {
	p := t.player(player)
	if p == nil || len(p.spans) == 0 {
		return 0, false
	}
	known := p.spans[len(p.spans)-1].known
	if known < 0 {
		return 0, false
	}
	return uint32(known), true
}

// Arrived reports whether a player has an input for a tick, the next one or a later one.
func (t *Timeline) Arrived(player, tick uint32) bool {
	p := t.player(player)
	return p != nil && p.at(int64(tick)) == inputKnown
}

// Missing returns how many inputs of a player were missing when their tick became final.
func (t *Timeline) Missing(player uint32) uint64 {
	if p := t.player(player); p != nil {
		return p.missing
	}
	return 0
}
