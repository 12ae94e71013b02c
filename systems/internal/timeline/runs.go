package timeline

import "slices"

// Run is a stretch of ticks with one and the same input of a player.
type Run struct {
	Tick  uint32  // the first
	Count int     // how many
	Words []int32 // nil: for these ticks there is no input and none will be taken
}

// AppendRuns appends to dst what is known of a player's inputs from a tick on, in
// order: runs of inputs that are there, and of those that will not be; what may
// still come is left out. It is what to tell other peers, who [Timeline.Put] the
// former and [Timeline.Overrule] with the latter. It reaches back over the window
// and Config.Fills ticks. Words are good until the next call of Put, Overrule or
// Step.
func (t *Timeline) AppendRuns(dst []Run, player, from uint32) []Run {
	p := t.player(player)
	if p == nil {
		return dst
	}
	floor := max(int64(from), t.now-int64(t.config.Window)-int64(t.config.Fills))
	for i := range p.spans {
		s := &p.spans[i]
		first := len(dst)
		for tick := max(floor, s.first); tick < min(s.to, max(p.newest+1, t.oldest())); tick++ {
			kind := p.at(tick)
			if kind == open && (tick >= t.oldest() || t.config.Follower) {
				continue
			}
			var words []int32
			if kind == real {
				words = p.words(p.real, tick)
			}
			if n := len(dst); n > first {
				last := &dst[n-1]
				if int64(last.Tick)+int64(last.Count) == tick && (last.Words == nil) == (kind != real) && slices.Equal(last.Words, words) {
					last.Count++
					continue
				}
			}
			dst = append(dst, Run{uint32(tick), 1, words})
		}
	}
	return dst
}

// Held is the last input of a player that is there before tick, and its tick, for
// [Timeline.Adopt] at a peer that begins with that tick; false when there is none
// that would be repeated. It reaches back as AppendRuns does, and the words are
// good as long.
func (t *Timeline) Held(player, tick uint32) (words []int32, at uint32, ok bool) {
	p := t.player(player)
	if p == nil {
		return nil, 0, false
	}
	s := p.in(int64(tick) - 1)
	if s == nil {
		return nil, 0, false
	}
	held := t.lastReal(p, s, int64(tick))
	if held < 0 {
		return nil, 0, false
	}
	return p.words(p.real, held), uint32(held), true
}
