package interpolate

import (
	"math/bits"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// segment holds what a view draws an entity from: the record of a state, and that of a later state to move toward,
// if there is one.
type segment struct {
	mask     uint64
	rec      []int32
	next     []int32 // nil: none
	share    float64 // fraction of the time from rec to next
	seconds  float64 // from rec to next
	before   []int32 // of the previous state, for extrapolation; nil: none
	interval float64 // seconds from the previous state
	ahead    float64 // seconds since the state, for extrapolation
	more     float64 // seconds for which it may be extrapolated beyond the bound
}

// recordReader decodes components from the records of states.
type recordReader struct {
	comps    []*ecs.Component // replicated
	jumps    *ecs.Component   // components.Teleports, if the protocol has it
	carriers []ecs.CarriedBy  // components that name carriers
	beyond   float64          // minimum of ecs.Component.Beyond, in seconds
	value    []uint64         // room for a value
	from, to []uint64
	offset   []float64
}

func newRecordReader(p *ecs.Protocol) recordReader {
	r := recordReader{comps: p.Replicated(), jumps: ecs.ComponentOf[components.Teleports](p)}
	if r.jumps != nil && r.jumps.Words == 0 {
		r.jumps = nil
	}
	for _, c := range ecs.CarriedIn(p) {
		r.carriers = append(r.carriers, c.By...)
	}
	words, offsets := 1, 0
	for _, comp := range r.comps {
		if comp.Words == 0 {
			continue
		}
		words = max(words, wordsOf(comp))
		if comp.Mode&ecs.Interpolated != 0 {
			offsets = max(offsets, comp.Schema.Offsets())
		}
	}
	r.value, r.from, r.to, r.offset = make([]uint64, words), make([]uint64, words), make([]uint64, words), make([]float64, offsets)
	return r
}

// recordAt returns the index of the first word of a component in a record with the given mask.
func (r *recordReader) recordAt(mask uint64, comp *ecs.Component) (at int) {
	for m := mask & (1<<comp.Replicated() - 1); m != 0; m &= m - 1 {
		at += r.comps[bits.TrailingZeros64(m)].Words
	}
	return at
}

// read decodes a value of a component from its words.
func read(into []uint64, comp *ecs.Component, words []int32) unsafe.Pointer {
	p := unsafe.Pointer(unsafe.SliceData(into))
	comp.Schema.Dequantize(p, words, comp.Words, 1)
	return p
}

// jumped reports whether an entity teleported or changed its carrier between two records.
func (r *recordReader) jumped(mask uint64, rec, next []int32) bool {
	for i := range r.carriers {
		if by := &r.carriers[i]; mask&(1<<by.A.Replicated()) != 0 {
			if k := r.recordAt(mask, by.A) + by.Names.Word; rec[k] != next[k] {
				return true
			}
		}
	}
	j := r.jumps
	if j == nil || mask&(1<<j.Replicated()) == 0 {
		return false
	}
	at := r.recordAt(mask, j)
	return rec[at] != next[at]
}

// curved reports whether a component of a segment is interpolated on a curve.
func curved(g *segment, comp *ecs.Component) bool {
	return comp.Speeds != nil && g.mask&(1<<comp.Speeds.Replicated()) != 0
}

// drawCurve moves a value along the curve to the segment's share.
func (r *recordReader) drawCurve(dst unsafe.Pointer, comp *ecs.Component, g *segment, at int) {
	v := comp.Speeds
	rate := r.recordAt(g.mask, v)
	comp.Schema.Hermite(dst, dst, read(r.value, comp, g.next[at:]),
		v.Schema, read(r.from, v, g.rec[rate:]), read(r.to, v, g.next[rate:]), g.seconds, g.share)
}

// extrapolate moves a value beyond the newest state.
func (r *recordReader) extrapolate(dst unsafe.Pointer, comp *ecs.Component, g *segment, at int) {
	seconds := min(g.ahead, max(comp.Beyond.Seconds(), r.beyond)+g.more)
	switch {
	case curved(g, comp):
		v := comp.Speeds
		comp.Schema.Advance(dst, v.Schema, read(r.from, v, g.rec[r.recordAt(g.mask, v):]), seconds)
	case g.before != nil:
		offset := r.offset[:comp.Schema.Offsets()]
		comp.Schema.Offset(offset, read(r.from, comp, g.before[at:]), dst)
		comp.Schema.Shift(dst, offset, seconds/g.interval)
	}
}

// drawSegment writes the components of an entity at a segment into the view.
func (r *recordReader) drawSegment(view *ecs.World, drawn ecs.Entity, g *segment) {
	at := 0
	for m := g.mask; m != 0; m &= m - 1 {
		comp := r.comps[bits.TrailingZeros64(m)]
		if comp.Words == 0 {
			continue
		}
		dst := view.Netcode().Pointer(drawn, comp)
		comp.Schema.Dequantize(dst, g.rec[at:], comp.Words, 1)
		switch {
		case comp.Mode&ecs.Interpolated == 0:
		case g.share > 0 && curved(g, comp):
			r.drawCurve(dst, comp, g, at)
		case g.share > 0:
			comp.Schema.Lerp(dst, dst, read(r.value, comp, g.next[at:]), g.share)
		case g.ahead > 0:
			r.extrapolate(dst, comp, g, at)
		}
		at += comp.Words
	}
}
