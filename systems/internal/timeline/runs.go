package timeline

import "slices"

// Run is a stretch of ticks with the same input of a player.
type Run struct {
	Tick  uint32  // the first tick
	Count int     // number of ticks
	Words []int32 // nil: there is no input for these ticks and none will be accepted
}

// AppendRuns appends to dst the known inputs of a player from a tick on, in order: runs of inputs, and runs of
// ticks without an input. It leaves out ticks whose input may still arrive. Other peers pass the inputs to
// [Timeline.Put] and the ticks without an input to [Timeline.Overrule]. AppendRuns reaches back over the window and
// Config.Fills ticks. Words are valid until the next call of Put, Overrule or Step.
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
			if kind == inputUnknown && (tick >= t.oldest() || t.config.Follower) {
				continue
			}
			var words []int32
			if kind == inputKnown {
				words = p.words(p.real, tick)
			}
			if n := len(dst); n > first {
				last := &dst[n-1]
				if int64(last.Tick)+int64(last.Count) == tick && (last.Words == nil) == (kind != inputKnown) && slices.Equal(last.Words, words) {
					last.Count++
					continue
				}
			}
			dst = append(dst, Run{uint32(tick), 1, words})
		}
	}
	return dst
}

// Held returns the last input of a player before tick and the tick of that input, for [Timeline.Adopt] on a peer
// that starts with tick. It returns false if there is no input that tick would repeat. Held reaches back as far as
// AppendRuns, and the words are valid as long.
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
