package timeline

// Held returns the last input of a player before tick and the tick of that input, for [Timeline.Adopt] on a peer
// that starts with tick. It returns false if there is no input that tick would repeat. Held reaches back over
// the window and Config.Fills ticks. The words are valid until the next call of Put, Overrule or Step.
func (t *Timeline) Held(player, tick uint32) (words []int32, at uint32, ok bool) {
	p := t.player(player)
	if p == nil {
		return nil, 0, false
	}
	s := p.spanBefore(int64(tick))
	if s == nil {
		return nil, 0, false
	}
	held := t.lastReal(p, s, int64(tick))
	if held < 0 {
		return nil, 0, false
	}
	return p.words(p.real, held), uint32(held), true
}
