package timeline

// Decided is the tick up to which all inputs of a player are known, or will not come any
// more: those that it has sent ahead count, too. It is false for one who does not play
// and while nothing is decided, as before the first Step.
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

// Missing is how many inputs of a player were not there when their tick became final.
func (t *Timeline) Missing(player uint32) uint64 {
	if p := t.player(player); p != nil {
		return p.missing
	}
	return 0
}
