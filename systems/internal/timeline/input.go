package timeline

import (
	"fmt"
	"slices"
	"unsafe"
)

// Put takes in the input of a player for a tick, in words as [schema.Table]
// quantizes the protocol's input; they are copied. Words outside their ranges are
// clamped. It panics unless there are as many as an input has.
func (t *Timeline) Put(player, tick uint32, words []int32) Verdict {
	if len(words) != t.table.Words {
		panic(fmt.Sprintf("timeline: Put of %d words; the input %s has %d", len(words), t.table.Name, t.table.Words))
	}
	p := t.player(player)
	v := Absent
	if p != nil {
		v = t.put(p, int64(tick), words)
		p.counts[v]++
	}
	t.stats.Inputs[v]++
	return v
}

func (t *Timeline) put(p *player, tick int64, words []int32) Verdict {
	if v, taken := t.admits(p, tick); !taken {
		return v
	}
	t.keep(p, tick, words)
	u := t.firstChange(p, tick)
	if u < t.now {
		if !t.config.Follower && !p.pay(t.now, u) {
			p.set(tick, open)
			return OverCap
		}
		t.rewrite(u)
	}
	p.newest = max(p.newest, tick)
	return judge(t.now, tick, u)
}

// Overrule is the word of the peer that decides: this is a player's input for a tick,
// or nil: there is none and none will come. It takes the place of what was known.
// Followers call it with what they are told; the peer that decides calls it with nil
// for an input that the game refuses. The verdict is InTime, Rewrote, Agreed, Duplicate when
// this was known, or why it could not be done: TooOld, when something else is final
// here, so that a follower needs a new state of the world, TooEarly or Absent. It
// costs no tokens, and panics as Put does.
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
	kind := real
	if words == nil {
		kind = void
	} else {
		p.repeated = before
		t.clamp(p.repeat, words)
	}
	past := at < t.horizon
	switch {
	case kind == real && p.at(at) == real && slices.Equal(p.words(p.real, at), p.repeat),
		kind == void && (p.at(at) == void || past && p.at(at) == open):
		return Duplicate
	case past:
		return TooOld
	}
	p.set(at, kind)
	if kind == real {
		copy(p.words(p.real, at), p.repeat)
		p.newest = max(p.newest, at)
	}
	u := t.firstChange(p, at)
	if u < t.now {
		t.rewrite(u)
	}
	return judge(t.now, at, u)
}

// admits reports whether an input for a tick can be taken in, and why not.
func (t *Timeline) admits(p *player, tick int64) (Verdict, bool) {
	s := p.in(tick)
	switch {
	case tick > t.now+int64(t.config.Early):
		return TooEarly, false
	case s == nil || tick < s.first:
		return Absent, false
	case p.at(tick) != open:
		return Duplicate, false
	case tick < t.oldest():
		return TooOld, false
	}
	return 0, true
}

// judge is the verdict on an input for tick that changes the ticks from u on, before now.
func judge(now, tick, u int64) Verdict {
	switch {
	case tick >= now:
		return InTime
	case u < now:
		return Rewrote
	}
	return Agreed
}

// pay takes the tokens for going back to tick, unless they were paid.
func (p *player) pay(now, tick int64) bool {
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

// keep makes words the input of a tick.
func (t *Timeline) keep(p *player, tick int64, words []int32) {
	p.set(tick, real)
	t.clamp(p.words(p.real, tick), words)
}

// clamp makes of words from anywhere those that an input can have.
func (t *Timeline) clamp(dst, words []int32) {
	if t.table.Words > 0 {
		at := unsafe.Pointer(unsafe.SliceData(t.scratch))
		t.table.Dequantize(at, words, t.table.Words, 1)
		t.table.Quantize(dst, t.table.Words, at, 1)
	}
}

// advance moves on over the inputs that are decided.
func (p *player) advance(s *span) {
	for s.known+1 < s.to && p.at(s.known+1) != open {
		s.known++
	}
}

// input is what a player's input is in a tick as far as is known: its own, or a
// repeat of the last one that was there, at held. It is good until the next call.
func (t *Timeline) input(p *player, tick, held int64) []int32 {
	switch {
	case p.at(tick) == real:
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

// lastReal is the tick of a player's newest input before tick that could be
// repeated in it, or before.
func (t *Timeline) lastReal(p *player, s *span, tick int64) int64 {
	first := tick - int64(t.config.Fills)
	if !s.adopted {
		first = max(first, s.from)
	}
	for u := tick - 1; u >= max(first, 0); u-- {
		if p.at(u) == real {
			return u
		}
	}
	return before
}

// firstChange is the first tick from tick on that was simulated with another
// input than is known for it now; the next tick when there is none. An input
// bears on the ticks that it is repeated in too, up to the next that is there.
func (t *Timeline) firstChange(p *player, tick int64) int64 {
	if tick >= t.now {
		return t.now
	}
	s := p.in(tick)
	held := t.lastReal(p, s, tick)
	for u := tick; u < min(t.now, s.to, tick+int64(t.config.Fills)+1); u++ {
		if p.at(u) == real {
			if u > tick {
				break
			}
			held = u
		}
		if !slices.Equal(t.input(p, u, held), p.words(p.used, u)) {
			return u
		}
	}
	return t.now
}

// aim makes the inputs of tick what Simulate will see. rewound says that the tick
// before was not simulated just now.
func (t *Timeline) aim(tick int64, rewound bool) {
	for _, p := range t.players {
		s := p.in(tick)
		if p.playing = s != nil; !p.playing {
			continue
		}
		if rewound || tick == s.from {
			p.held = t.lastReal(p, s, tick)
		}
		words := t.input(p, tick, p.held)
		if p.at(tick) == real {
			p.held = tick
		}
		copy(p.words(p.used, tick), words)
		t.hold(p, words)
		t.world.Netcode().SetInputSequence(p.id, uint32(tick))
	}
	t.write()
}

// Foresee gives the players the inputs that the next tick would be simulated with if it were
// now, for a look at a part of it: between [ecs.Netcode.BeginPartial] and
// [ecs.Netcode.EndPartial], which takes them back. That of own is words, as [Timeline.Put]
// takes them, where none has come for that tick and words is not nil.
func (t *Timeline) Foresee(own uint32, words []int32) {
	for _, p := range t.players {
		s := p.in(t.now)
		if p.playing = s != nil; !p.playing {
			continue
		}
		if p.id == own && words != nil && p.at(t.now) == open {
			t.hold(p, words)
			continue
		}
		t.hold(p, t.input(p, t.now, t.lastReal(p, s, t.now)))
	}
	t.write()
}

// hold makes words what a player's entities are to have as their input.
func (t *Timeline) hold(p *player, words []int32) {
	if t.table.Words > 0 {
		t.table.Dequantize(p.component(), words, t.table.Words, 1)
	}
}

// write gives all entities the inputs of their owners.
func (t *Timeline) write() {
	t.world.Netcode().GiveInputs(func(owner uint32) unsafe.Pointer {
		if p := t.player(owner); p != nil && p.playing {
			return p.component()
		}
		return nil
	})
}
