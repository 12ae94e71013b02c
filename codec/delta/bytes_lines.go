package delta

import (
	"fmt"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/internal/whole"
)

// The end of the body describes the lines of each entity with residuals, in the order of the walk, set by set. A set is a group
// of lines that bend together, see [linePlan]. For a kept entity:
//
//	+------------------------------------------------------------------------+
//	| 0: they go on, and the residuals are to where they lead                |
//	| 1: to another change per send, which the residuals give                |
//	| 2: they stop                                                           |
//	| 3: along the heading, as fast as before                                |
//	| 4…: to this one of the commonest changes of the baseline, and of those |
//	|     that 1 gave                                                        |
//	+--- unless 0 -----------------------------------------------------------+
//	| simulation step after the baseline at which they bent, less that of    |
//	| the set before, the short way round, signed; the residuals are to      |
//	| where that leads                                                       |
//	+------------------------------------------------------------------------+
//
// A new entity has a number only if its place moves along a heading: 1, 2 or 3, where 3 means the speed of the last new entity
// with the same components and the number 1. Its residuals are differences to 0.
const (
	lineGoesOn = iota
	lineOther
	lineStops
	lineHeads
	lineListed
)

// lines computes the residuals of the lines of an entity.
func (b *byteEncoder) lines(res []int32) {
	w := &b.c.w
	if w.base == nil {
		for _, f := range w.plan.fields[w.plan.lines:] {
			copy(res[f.at:f.at+f.words], w.cur[f.at:])
		}
		b.newHeading(res)
		return
	}
	l := b.c.line.planFor(w.plan)
	for i := range l.sets {
		b.lineSet(l, &l.sets[i], res)
	}
}

// newHeading computes the number for the motion of a new entity along its heading.
func (b *byteEncoder) newHeading(res []int32) {
	x, y, ok := b.headingWords()
	if !ok {
		return
	}
	w := &b.c.w
	how := lineOther
	switch vx, vy := w.cur[x], w.cur[y]; {
	case vx == 0 && vy == 0:
		how = lineStops
	case b.fresh.knows && [2]int32{vx, vy} == b.fresh.change(w):
		how = lineHeads
		res[x], res[y] = 0, 0
	default:
		b.fresh.learn(w, vx, vy)
	}
	b.bends = append(b.bends, bend{numLine, uint32(how)})
}

// headingWords returns the words of the changes of x and y for a new entity whose place can move along a heading.
func (b *byteRows) headingWords() (x, y int, ok bool) {
	w := &b.c.w
	l := b.c.line.planFor(w.plan)
	if l.along == nil {
		return 0, 0, false
	}
	if b.fresh.plan != l {
		b.fresh = arrivals{plan: l}
	}
	place := &l.sets[len(l.sets)-1]
	return place.words[0].at + 1, place.words[1].at + 1, true
}

// arrivals is the speed of the last new entity, which predicts the next one with the same components.
type arrivals struct {
	plan  *linePlan
	knows bool
	speed int32
}

// change returns the change of an entity that moves along its heading at this speed.
func (a *arrivals) change(w *walk) [2]int32 {
	x, y := Toward(a.speed, a.plan.along.Turn(w.cur[a.plan.angle]))
	return [2]int32{x, y}
}

// learn stores the speed of a change.
func (a *arrivals) learn(w *walk, x, y int32) {
	a.speed, a.knows = whole.Along(x, y, a.plan.along.Turn(w.cur[a.plan.angle]), a.speed), true
}

func (b *byteEncoder) lineSet(l *linePlan, s *lineSet, res []int32) {
	w := &b.c.w
	how := b.lineMotion(l, s, res)
	b.bends = append(b.bends, bend{numLine, uint32(how)})
	if how == lineGoesOn {
		for i := range s.words {
			f := &s.words[i]
			res[f.at] = f.minus(w.cur[f.at], f.ahead(w.base, w.age))
			res[f.at+1] = 0
		}
		return
	}
	n, all := w.lineSteps()
	at := bendStep(s.words, w.cur, w.base, all, n)
	d := at - l.step
	if 2*d > all {
		d -= all
	} else if 2*d <= -all {
		d += all
	}
	l.step = at
	b.bends = append(b.bends, bend{numBend, zigzag(int32(d))})
	for i := range s.words {
		f := &s.words[i]
		res[f.at] = f.minus(w.cur[f.at], f.bent(w, at, all, n))
	}
}

// lineMotion returns the number for the motion of a set and computes the residuals of its changes.
func (b *byteEncoder) lineMotion(l *linePlan, s *lineSet, res []int32) int {
	w := &b.c.w
	var v, was [3]int32
	for i := range s.words {
		at := s.words[i].at + 1
		v[i], was[i] = w.cur[at], w.base[at]
		res[at] = 0
	}
	switch {
	case v == was:
		return lineGoesOn
	case v == [3]int32{}:
		return lineStops
	}
	if to, ok := b.headingChange(l, s, was); ok && to == v {
		l.speed = l.headingSpeed(w, s, w.base)
		return lineHeads
	}
	l.makeList(w, s)
	for i := range s.list[:s.listed] {
		if s.list[i].v == v {
			return lineListed + i
		}
	}
	for i := range s.words {
		res[s.words[i].at+1] = v[i] - was[i]
	}
	s.add(v)
	return lineOther
}

// add adds a change to the list if there is room.
func (s *lineSet) add(v [3]int32) {
	if s.listed < lineList {
		s.list[s.listed] = lineChange{v: v}
		s.listed++
	}
}

// headingChange returns the change of a set that moves along its heading.
func (b *byteRows) headingChange(l *linePlan, s *lineSet, was [3]int32) (to [3]int32, ok bool) {
	if s.class != 1 || l.along == nil || len(s.words) < 2 {
		return was, false
	}
	w := &b.c.w
	to = was
	to[0], to[1] = Toward(l.headingSpeed(w, s, w.base), l.along.Turn(w.cur[l.angle]))
	return to, true
}

// lines computes the words of the lines of an entity.
func (b *byteDecoder) lines(res []int32) error {
	w := &b.c.w
	if w.base == nil {
		for _, f := range w.plan.fields[w.plan.lines:] {
			copy(w.cur[f.at:f.at+f.words], res[f.at:])
		}
		return b.newHeading()
	}
	l := b.c.line.planFor(w.plan)
	for i := range l.sets {
		if err := b.lineSet(l, &l.sets[i], res); err != nil {
			return err
		}
	}
	return b.num.err
}

// newHeading computes the change of a new entity that moves along its heading.
func (b *byteDecoder) newHeading() error {
	x, y, ok := b.headingWords()
	if !ok {
		return nil
	}
	w := &b.c.w
	switch how := b.num.get(numLine); {
	case how == lineStops:
	case how == lineOther:
		b.fresh.learn(w, w.cur[x], w.cur[y])
	case how == lineHeads && b.fresh.knows:
		to := b.fresh.change(w)
		w.cur[x], w.cur[y] = to[0], to[1]
	default:
		return fmt.Errorf("%w: new entity with a line that goes %d", codec.ErrMalformed, how)
	}
	return b.num.err
}

func (b *byteDecoder) lineSet(l *linePlan, s *lineSet, res []int32) error {
	w := &b.c.w
	how := b.num.get(numLine)
	var v, was [3]int32
	for i := range s.words {
		was[i] = w.base[s.words[i].at+1]
	}
	switch how {
	case lineGoesOn:
		for i := range s.words {
			f := &s.words[i]
			w.cur[f.at], w.cur[f.at+1] = f.wrap(int64(f.ahead(w.base, w.age))+int64(res[f.at])), was[i]
		}
		return nil
	case lineOther:
		l.makeList(w, s)
		for i := range s.words {
			v[i] = was[i] + res[s.words[i].at+1]
		}
		s.add(v)
	case lineStops:
	case lineHeads:
		var ok bool
		if v, ok = b.headingChange(l, s, was); !ok {
			return fmt.Errorf("%w: entity without a heading", codec.ErrMalformed)
		}
		l.speed = l.headingSpeed(w, s, w.base)
	default:
		l.makeList(w, s)
		if how-lineListed >= uint32(s.listed) {
			return fmt.Errorf("%w: change %d of %d", codec.ErrMalformed, how-lineListed, s.listed)
		}
		v = s.list[how-lineListed].v
	}
	n, all := w.lineSteps()
	at := l.step + int(b.num.signed(numBend))
	if at < 0 {
		at += all
	} else if at >= all {
		at -= all
	}
	if at < 0 || at >= max(all, 1) {
		return fmt.Errorf("%w: line bent at step %d of %d", codec.ErrMalformed, at, all)
	}
	l.step = at
	for i := range s.words {
		f := &s.words[i]
		w.cur[f.at+1] = v[i]
		w.cur[f.at] = f.wrap(int64(f.bent(w, at, all, n)) + int64(res[f.at]))
	}
	return nil
}
