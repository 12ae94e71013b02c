package delta

import (
	"math"
	"math/bits"

	"github.com/tactusgo/tactus/codec/internal/whole"
)

// plan is how the entities with one component mask are coded: their fields in
// coding order, each after those that its prediction needs.
type plan struct {
	mask   uint64
	words  int
	fields []field // all of them
	plain  int     // so many come before those of the motion
	lines  int     // so many come before those that are lines
	anatomy

	last  []int32 // the last entity without baseline
	block uint32  // in which block that was
}

// anatomy is where in a record is what an entity's motion is predicted from.
type anatomy struct {
	parent int    // word of the ref to the entity that it is attached to, or −1
	place  [3]int // words of x, y and z, or −1
	grid   [3]float64
	rates  [3]rate // of x, y and z
	rated  bool    // one of them is there
	turn   int     // word of the orientation, or −1
	quat   *whole.QuatGrid
	flag   int  // word of the first bool, or −1
	quats  int  // fields that are rotations
	steers bool // place or orientation can be predicted in more than one way
}

// rate is a word that says how fast a coordinate changes: by zero + slope·word
// words a send, in 65,536ths.
type rate struct {
	at          int // word, or −1
	zero, slope int64
}

// rate notes that f is the rate of a coordinate, with so many sends a second.
func (p *anatomy) rate(f *field, sends int) {
	i := f.rate - 1
	if p.place[i] < 0 || p.rates[i].at >= 0 || sends <= 0 || p.grid[i] <= 0 {
		return
	}
	words := 65536 / (p.grid[i] * float64(sends)) // for one unit a second
	zero, slope := math.Round(f.schema.Min*words), math.Round(f.schema.Step*words)
	if math.Abs(zero) < 1<<40 && slope > 0 && slope < 1<<24 {
		p.rates[i] = rate{f.at, int64(zero), int64(slope)}
		p.rated = true
	}
}

// drifts reports whether a rate of a record moves its place.
func (p *anatomy) drifts(rec []int32) bool {
	for i := range p.rates {
		if r := &p.rates[i]; r.at >= 0 && abs(r.zero+r.slope*int64(rec[r.at])) >= r.slope {
			return true
		}
	}
	return false
}

// even reports whether an orientation turns the place: it has three coordinates
// on the same grid.
func (p *anatomy) even() bool {
	return p.place[0] >= 0 && p.place[1] >= 0 && p.place[2] >= 0 && p.grid[0] == p.grid[1] && p.grid[1] == p.grid[2]
}

// near is how near a record is to a place, as a context below 63.
func (p *anatomy) near(rec []int32, to *[3]int64) int {
	d := int64(0)
	for i, at := range p.place {
		if at >= 0 {
			d = max(d, abs(int64(rec[at])-to[i]))
		}
	}
	return fine(d)
}

// newPlan returns the plan of a component mask, which must be known.
func newPlan(m *Model, mask uint64) *plan {
	p := &plan{mask: mask, words: m.layout.RecordWords(mask)}
	p.anatomy = anatomy{parent: -1, place: [3]int{-1, -1, -1}, turn: -1, flag: -1}
	for i := range p.rates {
		p.rates[i].at = -1
	}
	add := func(want func(f *field) bool) {
		at := 0
		for s := mask; s != 0; s &= s - 1 {
			c := bits.TrailingZeros64(s)
			for i := range m.fields[c] {
				f := m.fields[c][i]
				f.at += at
				if want(&f) {
					p.fields = append(p.fields, f)
				}
			}
			at += m.layout.words[c]
		}
	}
	add(func(f *field) bool { return f.parent })
	add(func(f *field) bool { return !f.parent && (f.kind < kindLinear || f.kind == kindLinear && f.rate > 0) })
	p.plain = len(p.fields)
	add(func(f *field) bool { return f.kind == kindLinear && f.rate == 0 })
	add(func(f *field) bool { return f.kind == kindAxis })
	add(func(f *field) bool { return f.kind == kindQuat })
	p.lines = len(p.fields)
	add(func(f *field) bool { return f.kind == kindLines })
	for i := range p.fields {
		switch f := &p.fields[i]; {
		case f.parent && p.parent < 0:
			p.parent = f.at
		case f.axis > 0 && p.place[f.axis-1] < 0:
			p.place[f.axis-1], p.grid[f.axis-1] = f.at, f.step
		case f.kind == kindQuat && p.turn < 0:
			p.turn, p.quat = f.at, &f.quat
		}
	}
	for _, f := range p.fields {
		p.steers = p.steers || f.kind == kindAxis || f.kind == kindQuat
		if f.rate > 0 && f.kind <= kindLinear && f.words == 1 {
			p.rate(&f, m.layout.rate)
		}
		if f.kind == kindQuat {
			p.quats++
		}
		if f.kind == kindBool && p.flag < 0 {
			p.flag = f.at
		}
	}
	return p
}
