package delta

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec/internal/whole"
	"github.com/tactusgo/tactus/codec/schema"
)

// linesState is the state of the coding of lines within a block.
type linesState struct {
	plans map[*plan]*linePlan
	last  *linePlan
	block uint32
	kinds int // number of component masks so far
	news  int // bits: whether the last three entities had news, the newest lowest
	run   int // entities since the last one with changes outside of lines
}

// linePlan describes the coding of the lines of entities with one component mask. The fields from block on are valid within
// one block.
type linePlan struct {
	plan   *plan
	words  []lineWord
	others []int         // words of all other fields
	sets   []lineSet     // first the heading that the place moves along, last the place
	along  *schema.Field // the heading that the place moves along, or nil
	angle  int           // its word
	even   bool          // x and y are on the same grid

	block uint32
	ctx   int
	step  int   // step of the last coded bend
	speed int32 // speed of the last entity that moves along its heading, −1 if unknown
	pace  int32 // typical speed of the other entities, −1 if unknown
}

// lineSet is a group of lines that bend together.
type lineSet struct {
	words []lineWord
	class int

	block  uint32 // the block of the list
	listed int
	list   [lineList]lineChange
	grain  int // number of trailing zero bits of all jumps so far, −1 before the first
}

// lineChange is a change per send and its number of occurrences.
type lineChange struct {
	v [3]int32
	n int32
}

// reset prepares for a block.
func (s *linesState) reset() {
	s.block++
	s.kinds, s.news, s.run = 0, 0, lineRun-1
	s.last = nil
	if len(s.plans) > 256 {
		clear(s.plans)
	}
}

// planFor returns the linePlan of a plan.
func (s *linesState) planFor(p *plan) *linePlan {
	if s.last != nil && s.last.plan == p {
		return s.last
	}
	l := s.plans[p]
	if l == nil {
		l = newLinePlan(p)
		if s.plans == nil {
			s.plans = map[*plan]*linePlan{}
		}
		s.plans[p] = l
	}
	if l.block != s.block {
		l.block = s.block
		l.ctx = ctxLines + min(s.kinds, lineKinds-1)*lnEntity
		s.kinds++
		l.step, l.speed, l.pace = 0, -1, -1
		for i := range l.sets {
			l.sets[i].grain = -1
		}
	}
	s.last = l
	return l
}

func newLinePlan(p *plan) *linePlan {
	l := &linePlan{plan: p}
	place := lineSet{class: 1}
	var axes [3]*field
	for i := range p.fields {
		f := &p.fields[i]
		if f.schema != nil && f.schema.Along && l.along == nil {
			l.along, l.angle = f.schema, f.at
		}
		if f.kind != kindLines {
			for j := range f.words {
				l.others = append(l.others, f.at+j)
			}
			continue
		}
		w := lineWord{f.at, f.count, f}
		l.words = append(l.words, w)
		switch {
		case f.axis > 0 && axes[f.axis-1] == nil:
			axes[f.axis-1] = f
		case f.schema.Along:
			l.sets = append([]lineSet{{words: []lineWord{w}}}, l.sets...)
		case f.count > 0:
			l.sets = append(l.sets, lineSet{words: []lineWord{w}})
		default:
			l.sets = append(l.sets, lineSet{words: []lineWord{w}, class: 2})
		}
	}
	for _, f := range axes {
		if f != nil {
			place.words = append(place.words, lineWord{f.at, f.count, f})
		}
	}
	if len(place.words) > 0 {
		l.sets = append(l.sets, place)
	}
	l.even = axes[0] != nil && axes[1] != nil && axes[0].step == axes[1].step
	if !l.even {
		l.along = nil
	}
	return l
}

// compareLines reports whether a line deviates from its continuation, and whether a line was moving.
func (l *linePlan) compareLines(words []lineWord, cur, base []int32, span Span) (news, moving bool) {
	for i := range words {
		f := &words[i]
		v := base[f.at+1]
		if v == 0 {
			news = news || cur[f.at] != base[f.at] || cur[f.at+1] != 0
			continue
		}
		moving = true
		news = news || cur[f.at+1] != v || cur[f.at] != f.ahead(base, span)
	}
	return news, moving
}

// extendLines sets lines to their continuation.
func (l *linePlan) extendLines(words []lineWord, cur, base []int32, span Span) {
	for i := range words {
		f := &words[i]
		v := base[f.at+1]
		cur[f.at+1] = v
		if v == 0 {
			cur[f.at] = base[f.at]
		} else {
			cur[f.at] = f.ahead(base, span)
		}
	}
}

// headingSpeed returns the length of the change of an entity that moves along its heading: its previous length, or that of
// another entity.
func (l *linePlan) headingSpeed(w *walk, s *lineSet, base []int32) int32 {
	vx, vy := s.words[0].at+1, s.words[1].at+1
	if x, y := base[vx], base[vy]; x != 0 || y != 0 {
		return whole.Along(x, y, l.along.Turn(base[l.angle]), l.speed)
	}
	if l.speed >= 0 {
		return l.speed
	}
	l.speed = 0
	for i := range w.parts {
		p := &w.parts[i]
		for m := p.kept; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			if p.base.Masks[k] != l.plan.mask {
				continue
			}
			b := p.base.Record(k)
			if x, y := b[vx], b[vy]; x != 0 || y != 0 {
				l.speed = whole.Along(x, y, l.along.Turn(b[l.angle]), 0)
				return l.speed
			}
		}
	}
	return 0
}

// makeList finds the most frequent changes of the first entities in the baseline, once per block. Of changes with the same
// table entry, it counts only the first.
func (l *linePlan) makeList(w *walk, s *lineSet) {
	if s.block == l.block {
		return
	}
	s.block, s.listed = l.block, 0
	const (
		size = 6   // bits
		most = 128 // number of entities to count
	)
	var table [1 << size]lineChange
	left := most
	for i := range w.parts {
		p := &w.parts[i]
		for m := p.kept; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			if p.base.Masks[k] != l.plan.mask || left == 0 {
				continue
			}
			left--
			b := p.base.Record(k)
			var v [3]int32
			h := uint32(0)
			for i := range s.words {
				v[i] = b[s.words[i].at+1]
				h = (h + uint32(v[i])) * 0x9e3779b1 // 2^32 divided by the golden ratio
			}
			e := &table[h>>(32-size)]
			if e.n == 0 {
				e.v = v
			}
			if e.v == v && v != [3]int32{} {
				e.n++
			}
		}
	}
	for i := range table {
		e := table[i]
		if e.n == 0 {
			continue
		}
		k := s.listed
		for k > 0 && s.list[k-1].n < e.n {
			if k < lineList {
				s.list[k] = s.list[k-1]
			}
			k--
		}
		if k < lineList {
			s.list[k] = e
			s.listed = min(s.listed+1, lineList)
		}
	}
}

// typicalPace returns the typical length of the change of moving entities: the mean over the entities in the baseline that
// are as fast as the first moving one.
func (l *linePlan) typicalPace(w *walk, s *lineSet) int32 {
	if l.pace >= 0 {
		return l.pace
	}
	l.pace = 0
	x, y := s.words[0].at+1, s.words[1].at+1
	sum, n := int64(0), int64(0)
	for i := range w.parts {
		p := &w.parts[i]
		for m := p.kept; m != 0 && n < 64; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			if p.base.Masks[k] != l.plan.mask {
				continue
			}
			b := p.base.Record(k)
			v := whole.Length(b[x], b[y])
			if v <= 0 || v > 1<<24 || n > 0 && abs(int64(v)-int64(l.pace)) > samePace {
				continue
			}
			if n == 0 {
				l.pace = v
			}
			sum += int64(b[x])*int64(b[x]) + int64(b[y])*int64(b[y])
			n++
		}
	}
	if n > 0 {
		l.pace = int32((whole.Root(4*sum/n) + 1) / 2)
	}
	return l.pace
}

// add adds a change to the list if there is room.
func (s *lineSet) add(v [3]int32) {
	if s.listed < lineList {
		s.list[s.listed] = lineChange{v: v}
		s.listed++
	}
}
