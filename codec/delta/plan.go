package delta

import (
	"math"
	"math/bits"

	"github.com/tactusgo/tactus/codec/internal/whole"
)

// plan is the coding order of the fields of all entities with one component mask. Each field comes after the fields that
// its prediction needs.
type plan struct {
	mask   uint64
	words  int
	fields []field // plain fields, then motion fields, then lines
	plain  int     // number of plain fields
	lines  int     // index of the first line
	anatomy

	last  []int32 // record of the last entity without a baseline
	block uint32  // the block of that entity
}

// anatomy has the positions in a record of the words from which the motion of an entity is predicted.
type anatomy struct {
	parent int    // word of the ref to the parent, or −1
	place  [3]int // words of x, y and z, or −1
	grid   [3]float64
	rates  [3]rate // of x, y and z
	rated  bool    // at least one rate is present
	turn   int     // word of the orientation, or −1
	quat   *whole.QuatGrid
	flag   int  // word of the first bool, or −1
	quats  int  // number of rotation fields
	steers bool // place or orientation can be predicted in more than one way
}

// rate is a word that gives the speed of a coordinate: zero + slope·word, in 65,536ths of a word per send.
type rate struct {
	at          int // word, or −1
	zero, slope int64
}

// addRate registers f as the rate of a coordinate. sends is the number of sends per second.
func (p *anatomy) addRate(f *field, sends int) {
	i := f.rate - 1
	if p.place[i] < 0 || p.rates[i].at >= 0 || sends <= 0 || p.grid[i] <= 0 {
		return
	}
	words := 65536 / (p.grid[i] * float64(sends)) // for one unit per second
	zero, slope := math.Round(f.schema.Min*words), math.Round(f.schema.Step*words)
	if math.Abs(zero) < 1<<40 && slope > 0 && slope < 1<<24 {
		p.rates[i] = rate{f.at, int64(zero), int64(slope)}
		p.rated = true
	}
}

// drifts reports whether a rate of a record moves the entity.
func (p *anatomy) drifts(rec []int32) bool {
	for i := range p.rates {
		if r := &p.rates[i]; r.at >= 0 && abs(r.zero+r.slope*int64(rec[r.at])) >= r.slope {
			return true
		}
	}
	return false
}

// even reports whether rotations apply to the place: it has three coordinates on the same grid.
func (p *anatomy) even() bool {
	return p.place[0] >= 0 && p.place[1] >= 0 && p.place[2] >= 0 && p.grid[0] == p.grid[1] && p.grid[1] == p.grid[2]
}

// distance returns the distance of a record to a place as a context below 63.
func (p *anatomy) distance(rec []int32, to *[3]int64) int {
	d := int64(0)
	for i, at := range p.place {
		if at >= 0 {
			d = max(d, abs(int64(rec[at])-to[i]))
		}
	}
	return logContext(d)
}

// newPlan returns the plan of a component mask. The layout must have all its components.
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
			p.addRate(&f, m.layout.rate)
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
