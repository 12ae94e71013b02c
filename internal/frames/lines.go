package frames

import (
	"math"
	"slices"

	"github.com/tactusgo/tactus/internal/reuse"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
)

// Closed-loop capture: the replicated state of a field is not its value but a line near it. The next value is
// compared with the line, not with the previous value. While the value stays near the line, nothing changes. Errors
// do not add up, because the comparison uses the line that receivers know.
//
// A line from which the value has departed bends: it takes the change of the last simulation step as its new slope,
// from the step on that brings it nearest to the value. If no step does, it jumps. A jump in the last step before a
// send looks like a bend there; earlier behavior of the same lines decides.

// line is a field as receivers know it: place at the newest send and change per unit, in words.
type line struct{ r, v int32 }

// bend is the history of the lines of a set.
type bend struct {
	age    uint16 // numbers of sends since the last bend
	fresh  bool   // there is no line yet
	guess  bool   // the last one may have been a bend or a jump
	jumper bool   // treat doubtful cases as jumps
}

// maxChange is the maximum change per unit, so that sums of some thousands of changes cannot overflow.
const maxChange = 1 << 28

// maxGap is the maximum number of units between two frames for which lines continue.
const maxGap = 16

// restSeconds is how long a line must be at rest before it is set to the word nearest to the value.
const restSeconds = 3

// nearly is the number of tolerances by which a bend may miss without counting as a jump.
const nearly = 3

// step holds the values of one table one simulation step before a send.
type step struct {
	plan   *plan
	ids    []components.NetID
	truths []float64
}

// storeStep stores the current values, from which the slopes of lines are computed.
func (r *Ring) storeStep() {
	n := 0
	for t := range r.w.Netcode().Tables {
		r.before = reuse.Longer(r.before, n+1)
		s := &r.before[n]
		n++
		s.plan = r.planOf(t.Mask&^r.private, s.plan)
		s.ids, s.truths = s.ids[:0], s.truths[:0]
		if s.plan.lines > 0 {
			s.ids = append(s.ids, t.NetIDs...)
			s.truths = s.plan.truths(s.truths, t)
		}
	}
	r.before, r.stored = r.before[:n], r.since
}

// updateLines advances the lines of one entity by a send and writes them into its record.
func (r *Ring) updateLines(g *group, slot int, words []int32) {
	p, at := g.plans[slot], g.rows[slot]
	t := &r.tables[at.table]
	rows, span := len(t.ids), r.span
	truths := r.truths[t.truths+int(at.row):]
	lines, bends := g.lines[slot], g.bends[slot]
	for i := range p.sets {
		s, b := &p.sets[i], &bends[i]
		rest := true
		near := !b.fresh && r.continues
		for k := range s.fields {
			f := &s.fields[k]
			l := lines[f.line]
			if math.Abs(f.off(int64(l.r)+span.Straight(l.v), truths[f.line*rows])) > f.slack {
				near = false
			}
			rest = rest && l.v == 0
		}
		switch {
		case !near:
			m := &s.met
			if r.hides {
				m = s.ownCourse(lines, b.fresh)
			}
			r.bend(s, m, b, lines, truths, at, words)
		case rest && b.age >= uint16(restSeconds*r.rate):
			// A bend because of rounding: only if there is a difference.
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
				l.r = f.fold(int64(l.r) + span.Straight(l.v))
			}
			b.age = uint16(min(int(b.age)+r.span.Steps()/r.steps, math.MaxUint16))
		}
		for k := range s.fields {
			f := &s.fields[k]
			words[f.word], words[f.word+1] = lines[f.line].r, lines[f.line].v
		}
	}
}

// bend computes a new course for the lines of a set from which the values have departed.
func (r *Ring) bend(s *set, m *met, b *bend, lines []line, truths []float64, row rowRef, words []int32) {
	rows := len(r.tables[row.table].ids)
	past, known := r.past(int(row.table), int(row.row), s)
	var course [3]int32
	var exact [3]float64
	for k := range s.fields {
		f := &s.fields[k]
		if known {
			d := float64(r.unit) * f.turned(truths[f.line*rows]-past[k])
			exact[k] = min(max(d, -maxChange), maxChange)
			course[k] = int32(math.Floor(exact[k] + 0.5))
		}
	}
	if known {
		s.snap(m, &course, &exact, words)
	}

	all, at := r.span.Steps(), -1
	if known && !b.fresh {
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
				off := f.off(int64(l.r)+r.span.Bend(l.v, course[k], step), truths[f.line*rows])
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
			if least > nearly && !s.drifted(lines, truths, rows, r.span) {
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
			l.r = f.round(truths[f.line*rows]) // it keeps its slope
		default:
			*l = line{f.fold(int64(l.r) + r.span.Bend(l.v, course[k], at)), course[k]}
		}
	}
	b.fresh, b.age = false, 0
}

// drifted reports whether the lines missed by accumulated rounding, not by a jump.
func (s *set) drifted(lines []line, truths []float64, rows int, span delta.Span) bool {
	for k := range s.fields {
		f := &s.fields[k]
		l := lines[f.line]
		if math.Abs(f.off(int64(l.r)+span.Straight(l.v), truths[f.line*rows])) > f.slack+2 {
			return false
		}
	}
	return true
}

// past returns the values of the fields of a set in a row one step ago, unless they are unknown.
func (r *Ring) past(table, row int, of *set) (values [3]float64, known bool) {
	if !r.continues || r.since != r.span.Steps() || r.stored != r.since-1 {
		return values, false
	}
	id, p := r.tables[table].ids[row], r.tables[table].plan
	if table < len(r.before) {
		if s := &r.before[table]; s.plan == p && row < len(s.ids) && s.ids[row] == id {
			return s.values(row, p, of)
		}
	}
	// Something was spawned or despawned in the last step, or changed its components.
	for i := range r.before {
		s := &r.before[i]
		for k := range s.ids {
			if s.ids[k] == id {
				return s.values(k, p, of)
			}
		}
	}
	return values, false
}

// values returns the values of the fields of a set of a plan in a row, unless the row lacks some of them.
func (s *step) values(row int, p *plan, of *set) (values [3]float64, ok bool) {
	for k := range of.fields {
		line := of.fields[k].line
		if s.plan != p {
			if line = slices.Index(s.plan.cols, p.cols[line]); line < 0 {
				return values, false
			}
		}
		values[k] = s.truths[line*len(s.ids)+row]
	}
	return values, true
}
