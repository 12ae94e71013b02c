package capture

import (
	"math"

	"github.com/tactusgo/tactus/internal/reuse"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
)

// Closed-loop capture: what is replicated of a field is not its value but a line
// near it, and the next value is compared with the line, not with the value before.
// While it is near enough, nothing is news. The error never adds up, because the
// line that receivers know is the one that is compared.
//
// A line that has strayed bends: it takes the change of the last simulation step
// as its own, from the step on that brings it closest to the value. If there is no
// such step, it jumps. A jump in the last step before a send looks like a bend
// there; which of the two it was is told by what the same lines did before.

// line is a field as receivers know it: place and change per send, in words.
type line struct{ r, v int32 }

// bend is the past of the lines of a set.
type bend struct {
	age    uint16 // sends since the last one
	fresh  bool   // there is no line yet
	guess  bool   // it could have been a bend or a jump
	jumper bool   // jumps when in doubt
}

// maxChange bounds the change per send, so that sums of some thousands of them
// stay far from overflow.
const maxChange = 1 << 28

// maxGap is how many sends may be between two frames for lines to go on.
const maxGap = 16

// settle is for how many seconds a line must be at rest to be put on the word
// closest to the value.
const settle = 3

// nearly is by how many tolerances a bend may miss and still be none of a jump.
const nearly = 3

// step is the values of one table one simulation step before a send.
type step struct {
	plan   *plan
	ids    []components.NetID
	truths []float64
}

// remember keeps the values as they stand, to draw lines through.
func (r *Ring) remember() {
	n := 0
	for t := range r.w.Netcode().Tables {
		for l := range r.concealed.layers(t.Mask) {
			r.before = reuse.Longer(r.before, n+1)
			s := &r.before[n]
			n++
			s.plan = r.planOf(l.mask, s.plan)
			s.ids, s.truths = s.ids[:0], s.truths[:0]
			if s.plan.lines > 0 {
				s.ids = append(s.ids, t.NetIDs...)
				s.truths = s.plan.truths(s.truths, t)
			}
		}
	}
	r.before = r.before[:n]
}

// start makes the lines of a slot new.
func (p *plan) start(g *group, slot int) {
	for i := range p.sets {
		g.bends[slot*len(p.sets)+i] = bend{fresh: true}
	}
}

// draw moves the lines of one entity on by a send and writes them into its record.
func (r *Ring) draw(g *group, slot int, words []int32) {
	p, at := g.plan, g.rows[slot]
	t := &r.tables[at.table]
	rows, gap := len(t.ids), int64(r.gap)
	truths := r.truths[t.truths+int(at.row):]
	lines := g.lines[slot*p.lines:][:p.lines]
	bends := g.bends[slot*len(p.sets):][:len(p.sets)]
	for i := range p.sets {
		s, b := &p.sets[i], &bends[i]
		rest := true
		near := !b.fresh && gap <= maxGap
		for k := range s.fields {
			f := &s.fields[k]
			l := lines[f.line]
			if math.Abs(f.off(int64(l.r)+int64(l.v)*gap, truths[f.line*rows])) > f.slack {
				near = false
			}
			rest = rest && l.v == 0
		}
		switch {
		case !near:
			r.bend(s, g.met(i), b, lines, truths, at, words)
		case rest && b.age >= uint16(settle*r.rate):
			// A bend of nothing but rounding: only when there is some.
			for k := range s.fields {
				f := &s.fields[k]
				l := &lines[f.line]
				if q := f.round(truths[f.line*rows]); q != l.r {
					l.r, b.age = q, 0
				}
			}
		default:
			for k := range s.fields {
				f := &s.fields[k]
				l := &lines[f.line]
				l.r = f.fold(int64(l.r) + int64(l.v)*gap)
			}
			if b.age < math.MaxUint16 {
				b.age++
			}
		}
		for k := range s.fields {
			f := &s.fields[k]
			words[f.word], words[f.word+1] = lines[f.line].r, lines[f.line].v
		}
	}
}

// bend gives the lines of a set that has strayed a new course.
func (r *Ring) bend(s *set, m *met, b *bend, lines []line, truths []float64, row rowRef, words []int32) {
	rows := len(r.tables[row.table].ids)
	past, stride := r.past(int(row.table), int(row.row))
	var course [3]int32
	var exact [3]float64
	for k := range s.fields {
		f := &s.fields[k]
		if past != nil {
			d := float64(r.steps) * f.turned(truths[f.line*rows]-past[f.line*stride])
			exact[k] = min(max(d, -maxChange), maxChange)
			course[k] = int32(math.Floor(exact[k] + 0.5))
		}
	}
	if past != nil {
		s.snap(m, &course, &exact, words)
	}

	n, all := r.steps, r.steps*r.gap
	at := -1
	if past != nil && !b.fresh {
		wrong := b.guess && b.age == 0
		if wrong {
			b.jumper = !b.jumper
		}
		least := math.Inf(1)
		for step := range all {
			worst := 0.0
			for k := range s.fields {
				f := &s.fields[k]
				l := lines[f.line]
				off := f.off(int64(l.r)+delta.Bend(l.v, course[k], step, all, n), truths[f.line*rows])
				worst = max(worst, math.Abs(off)/f.slack)
			}
			if worst < least {
				at, least = step, worst
			}
		}
		b.guess = at == all-1 && least <= 1
		switch {
		case least > 1:
			at = -1
			if least > nearly && !s.drifted(lines, truths, rows, int64(r.gap)) {
				b.jumper = true
			}
		case !b.guess && !wrong:
			b.jumper = false
		}
	}
	for k := range s.fields {
		f := &s.fields[k]
		l := &lines[f.line]
		switch {
		case b.fresh || at < 0:
			*l = line{f.round(truths[f.line*rows]), course[k]}
		case b.guess && b.jumper:
			l.r = f.round(truths[f.line*rows]) // and goes on as it did
		default:
			*l = line{f.fold(int64(l.r) + delta.Bend(l.v, course[k], at, all, n)), course[k]}
		}
	}
	b.fresh, b.age = false, 0
}

// drifted reports whether the lines have strayed by what rounding adds up to, and
// not by a jump.
func (s *set) drifted(lines []line, truths []float64, rows int, gap int64) bool {
	for k := range s.fields {
		f := &s.fields[k]
		l := lines[f.line]
		if math.Abs(f.off(int64(l.r)+int64(l.v)*gap, truths[f.line*rows])) > f.slack+2 {
			return false
		}
	}
	return true
}

// past returns the values of a row one step ago, and how far apart they lie; nil
// when they are not known.
func (r *Ring) past(table, row int) (truths []float64, stride int) {
	if r.since != r.steps*r.gap || r.gap > maxGap {
		return nil, 0
	}
	id, kind := r.tables[table].ids[row], r.tables[table].plan
	if table < len(r.before) {
		if s := &r.before[table]; s.plan == kind && row < len(s.ids) && s.ids[row] == id {
			return s.truths[row:], len(s.ids)
		}
	}
	// Something was spawned or despawned in the last step.
	for i := range r.before {
		s := &r.before[i]
		if s.plan != kind {
			continue
		}
		for k := range s.ids {
			if s.ids[k] == id {
				return s.truths[k:], len(s.ids)
			}
		}
	}
	return nil, 0
}
