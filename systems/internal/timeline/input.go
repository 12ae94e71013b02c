package timeline

import (
	"fmt"
	"slices"
	"unsafe"
)

// Put adds the input of a player for a tick, in words as [schema.Table] quantizes the protocol's input. It copies
// words and clamps values outside their ranges. It panics if len(words) differs from the words of an input.
func (t *Timeline) Put(player, tick uint32, words []int32) Verdict {
	if len(words) != t.table.Words {
		panic(fmt.Sprintf("timeline: Put of %d words; the input %s has %d", len(words), t.table.Name, t.table.Words))
	}
	p := t.player(player)
	v := Absent
	if p != nil {
		v = t.putInput(p, int64(tick), words)
		p.counts[v]++
	}
	t.stats.Inputs[v]++
	return v
}

func (t *Timeline) putInput(p *player, tick int64, words []int32) Verdict {
	if v, taken := t.admits(p, tick); !taken {
		return v
	}
	t.storeInput(p, tick, words)
	u := t.firstChange(p, tick)
	if u < t.now {
		if !t.config.Follower && !p.payTokens(t.now, u) {
			p.set(tick, inputUnknown)
			return OverCap
		}
		t.markChanged(u)
	}
	p.newest = max(p.newest, tick)
	return changeVerdict(t.now, tick, u)
}

// Overrule sets a player's input for a tick as the authoritative peer decided it. nil words mean that there is no
// input and none will arrive. It replaces an earlier input. Followers call it for inputs that they receive. The
// authoritative peer calls it with nil for an input that the game refuses. The verdict is InTime, Rewrote, Agreed
// or Duplicate (nothing changed), or the reason for a refusal: TooOld, TooEarly or Absent. TooOld means that the
// tick is final with another input, so that a follower needs a new state of the world. Overrule costs no tokens. It
// panics as Put does.
func (t *Timeline) Overrule(player, tick uint32, words []int32) Verdict {
	if words != nil && len(words) != t.table.Words {
		panic(fmt.Sprintf("timeline: Overrule with %d words; the input %s has %d", len(words), t.table.Name, t.table.Words))
	}
	p, at := t.player(player), int64(tick)
	if p == nil {
		return Absent
	}
	if v, taken := t.admits(p, at); !taken && v != TooOld && v != Duplicate {
		return v
	}
	kind := inputKnown
	if words == nil {
		kind = inputAbsent
	} else {
		p.repeated = noTick
		t.clamp(p.repeat, words)
	}
	past := at < t.horizon
	switch {
	case kind == inputKnown && p.at(at) == inputKnown && slices.Equal(p.words(p.real, at), p.repeat),
		kind == inputAbsent && (p.at(at) == inputAbsent || past && p.at(at) == inputUnknown):
		return Duplicate
	case past:
		return TooOld
	}
	p.set(at, kind)
	if kind == inputKnown {
		copy(p.words(p.real, at), p.repeat)
		p.newest = max(p.newest, at)
	}
	u := t.firstChange(p, at)
	if u < t.now {
		t.markChanged(u)
	}
	return changeVerdict(t.now, at, u)
}

// Admits reports whether Put can accept an input of a player for a tick. It costs less than to decode an input.
func (t *Timeline) Admits(player, tick uint32) bool {
	p := t.player(player)
	if p == nil {
		return false
	}
	_, ok := t.admits(p, int64(tick))
	return ok
}

// admits reports whether an input for a tick can be accepted, and if not, why.
func (t *Timeline) admits(p *player, tick int64) (Verdict, bool) {
	s := p.spanAt(tick)
	switch {
	case tick > t.now+int64(t.config.Early):
		return TooEarly, false
	case s == nil || tick < s.first:
		return Absent, false
	case p.at(tick) != inputUnknown:
		return Duplicate, false
	case tick < t.oldest():
		return TooOld, false
	}
	return 0, true
}

// changeVerdict returns the verdict on an accepted input for tick. firstChanged is the first simulated tick that it
// changes, or now.
func changeVerdict(now, tick, firstChanged int64) Verdict {
	switch {
	case tick >= now:
		return InTime
	case firstChanged < now:
		return Rewrote
	}
	return Agreed
}

// payTokens pays the tokens for going back to tick, less those that were paid for the same pass. It returns false
// if they do not suffice.
func (p *player) payTokens(now, tick int64) bool {
	cost := int(min(p.oldest, now) - tick)
	if cost > p.tokens {
		return false
	}
	if cost > 0 {
		p.tokens -= cost
		p.oldest = tick
	}
	return true
}

// storeInput makes words the input of a tick.
func (t *Timeline) storeInput(p *player, tick int64, words []int32) {
	p.set(tick, inputKnown)
	t.clamp(p.words(p.real, tick), words)
}

// clamp copies words to dst and clamps them to values that an input can have.
func (t *Timeline) clamp(dst, words []int32) {
	if t.table.Words > 0 {
		at := unsafe.Pointer(unsafe.SliceData(t.scratch))
		t.table.Dequantize(at, words, t.table.Words, 1)
		t.table.Quantize(dst, t.table.Words, at, 1)
	}
}

// advanceKnown advances s.known over inputs that are decided.
func (p *player) advanceKnown(s *span) {
	for s.known+1 < s.to && p.at(s.known+1) != inputUnknown {
		s.known++
	}
}

// effectiveInput returns the input of a player for a tick as far as it is known: its own, or a repetition of the
// previous input, of tick held. It is valid until the next call.
func (t *Timeline) effectiveInput(p *player, tick, held int64) []int32 {
	switch {
	case p.at(tick) == inputKnown:
		return p.words(p.real, tick)
	case tick-held > int64(t.config.Fills):
		return t.neutral
	case !t.edges:
		return p.words(p.real, held)
	}
	if p.repeated != held {
		p.repeated = held
		at := unsafe.Pointer(unsafe.SliceData(t.scratch))
		t.table.Dequantize(at, p.words(p.real, held), t.table.Words, 1)
		t.table.ClearEdges(at)
		t.table.Quantize(p.repeat, t.table.Words, at, 1)
	}
	return p.repeat
}

// lastReal returns the tick of a player's newest input before tick that tick could repeat, or noTick.
func (t *Timeline) lastReal(p *player, s *span, tick int64) int64 {
	first := tick - int64(t.config.Fills)
	if !s.adopted {
		first = max(first, s.from)
	}
	for u := tick - 1; u >= max(first, 0); u-- {
		if p.at(u) == inputKnown {
			return u
		}
	}
	return noTick
}

// firstChange returns the first tick from tick on that was simulated with another input than the one known now, or
// the next tick if there is none. An input also affects the ticks that repeat it, up to the next input.
func (t *Timeline) firstChange(p *player, tick int64) int64 {
	if tick >= t.now {
		return t.now
	}
	s := p.spanAt(tick)
	held := t.lastReal(p, s, tick)
	for u := tick; u < min(t.now, s.to, tick+int64(t.config.Fills)+1); u++ {
		if p.at(u) == inputKnown {
			if u > tick {
				break
			}
			held = u
		}
		if !slices.Equal(t.effectiveInput(p, u, held), p.words(p.used, u)) {
			return u
		}
	}
	return t.now
}

// prepareInputs sets the inputs that Simulate reads in tick. rewound reports that the previous tick was not
// simulated just before.
func (t *Timeline) prepareInputs(tick int64, rewound bool) {
	for _, p := range t.players {
		s := p.spanAt(tick)
		if p.playing = s != nil; !p.playing {
			continue
		}
		if rewound || tick == s.from {
			p.held = t.lastReal(p, s, tick)
		}
		words := t.effectiveInput(p, tick, p.held)
		if p.at(tick) == inputKnown {
			p.held = tick
		}
		copy(p.words(p.used, tick), words)
		t.setInput(p, words)
		t.world.Netcode().SetInputSequence(p.id, uint32(tick))
	}
	t.writeInputs()
}

// PredictInputs sets the inputs that the next tick would use if it were simulated now, to draw a part of that tick.
// Call it between [ecs.Netcode.BeginPartial] and [ecs.Netcode.EndPartial], which restores the inputs. words, if not
// nil, are the input of player own if none has arrived for that tick, in the form of [Timeline.Put].
func (t *Timeline) PredictInputs(own uint32, words []int32) {
	for _, p := range t.players {
		s := p.spanAt(t.now)
		if p.playing = s != nil; !p.playing {
			continue
		}
		if p.id == own && words != nil && p.at(t.now) == inputUnknown {
			t.setInput(p, words)
			continue
		}
		t.setInput(p, t.effectiveInput(p, t.now, t.lastReal(p, s, t.now)))
	}
	t.writeInputs()
}

// setInput stores words as the input component of a player.
func (t *Timeline) setInput(p *player, words []int32) {
	if t.table.Words > 0 {
		t.table.Dequantize(p.component(), words, t.table.Words, 1)
	}
}

// writeInputs copies the players' inputs to their entities.
func (t *Timeline) writeInputs() {
	t.world.Netcode().GiveInputs(func(owner uint32) unsafe.Pointer {
		if p := t.player(owner); p != nil && p.playing {
			return p.component()
		}
		return nil
	})
}
