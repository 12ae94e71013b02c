package codec

import (
	"fmt"
	"math/bits"
)

// The entities of a snapshot packet, byte-aligned and in columns, so that a
// compressor behind it sees like beside like. "column" is the run-coded form of
// column.go; an entry exists for each entity that the line names, in id order.
//
//	+-------------------------------------------------------------------------+
//	| count             varint                                                |
//	| ops               runs of (length−1)<<2 | op, as varints                |
//	| ids               column: id − previous id − 1, the first against 0     |
//	| ages              column: age − 1                      same, delta      |
//	| masks 0..31       column: components present           full             |
//	| masks 32..63      column, if the layout has so many    full             |
//	| changed 0..31     column: components that changed      delta ¹          |
//	| changed 32..63    column, if the layout has so many    delta ¹          |
//	+--- for each component, for each 32 of its words ------------------------+
//	| fields            column: words that changed           delta, changed ² |
//	+--- for each of these words ---------------------------------------------+
//	| residuals         varint zigzag(cur − base), base 0    full, and delta  |
//	|                   for full, modulo 2^32                where changed    |
//	+-------------------------------------------------------------------------+
//
// ¹ Only those with two components or more: the only one has changed.
// ² Absent for a component of one word: it has changed.
//
// A set of entities has one spelling: what a decoder accepts, an encoder writes
// to the same bytes.

// Op says how an entity stands in a packet.
type Op uint8

// The ops, with their values on the wire.
const (
	OpSame  Op = iota // equals its baseline
	OpDelta           // has its baseline's components, some words differ
	OpFull            // has no baseline: component mask and all words
	OpGone            // is destroyed
)

// String returns the name of the op in lower case.
func (o Op) String() string {
	if o > OpGone {
		return fmt.Sprintf("op %d", uint8(o))
	}
	return [...]string{"same", "delta", "full", "gone"}[o]
}

// Entity is one entity of a packet: what [Encoder.Append] takes and what
// [Decoder.Decode] hands out.
type Entity struct {
	// ID is above 0 and strictly increasing within a packet.
	ID uint32
	// Op says which of the other fields mean anything.
	Op Op
	// Age, for OpSame and OpDelta, is how many snapshots before this one the
	// baseline was sent, at least 1.
	Age uint32
	// Mask has bit i for component i of the layout. For OpSame and OpDelta it is
	// the baseline's mask too.
	Mask uint64
	// Cur and Base are the records now and in the baseline, each
	// Layout.RecordWords(Mask) long. OpFull has no Base, OpGone neither. An
	// encoder does not read the Cur of OpSame; a decoder lets it be Base itself.
	Cur, Base []int32
}

// PacketOverhead bounds the bytes of a packet beyond the [Encoder.Size] of its
// entities.
const PacketOverhead = 5

// Encoder writes the entities of packets. It keeps nothing from one packet to
// the next but scratch memory: what it writes is a function of the entities
// alone. The zero value is ready. An Encoder is not for concurrent use.
type Encoder struct {
	rows []row
	live []live
	ops  []Op
	col  []uint32
}

// live is an OpDelta or OpFull entity on its way through the components.
type live struct {
	ent     int32  // index among the packet's entities
	at      int32  // where the next component begins in its record
	changed uint64 // components that have residuals
}

// row is one entity's part in one component.
type row struct {
	ent    int32
	at     int32  // where the component begins in the record
	fields uint32 // words that have residuals, of the 32 at hand
	full   bool
	any    bool // some word had a residual before these 32
}

// Size returns an upper bound of the plain bytes that an entity adds to a packet
// of any other entities. [Encoder.Append] never appends more than
// [PacketOverhead] plus the sizes of its entities, so a packet may be filled to
// its budget entity by entity. It is exact for residuals and a little
// pessimistic for the rest, because it does not know the neighbours.
func (*Encoder) Size(l *Layout, e *Entity) int {
	check(l, e)
	n := 1 + columnCost(e.ID-1)
	if e.Op == OpGone {
		return n
	}
	if e.Op == OpFull {
		n += l.maskCost(e.Mask)
		for _, v := range e.Cur {
			n += UvarintLen(uint64(zigzag32(v)))
		}
		return n
	}
	n += columnCost(e.Age - 1)
	if e.Op == OpSame {
		return n
	}
	var changed uint64
	at := 0
	for m := e.Mask; m != 0; m &= m - 1 {
		c := bits.TrailingZeros64(m)
		w := l.words[c]
		cost := 0
		for lo := 0; lo < w; lo += 32 {
			var fields uint32
			for i := lo; i < min(lo+32, w); i++ {
				if d := e.Cur[at+i] - e.Base[at+i]; d != 0 {
					fields |= 1 << (i - lo)
					cost += UvarintLen(uint64(zigzag32(d)))
				}
			}
			cost += columnCost(fields)
			if fields != 0 {
				changed |= 1 << c
			}
		}
		if changed>>c&1 != 0 {
			n += cost
		}
		at += w
	}
	return n + l.maskCost(changed)
}

// maskCost bounds the bytes of a component mask in its columns.
func (l *Layout) maskCost(mask uint64) int {
	n := columnCost(uint32(mask))
	if len(l.words) > 32 {
		n += columnCost(uint32(mask >> 32))
	}
	return n
}

// Append appends the entities to dst and returns it. An OpDelta entity of which
// no word differs is written as OpSame. It panics when an entity is not as
// [Entity] says: ids not increasing, an age of 0, records of another length than
// their mask.
func (e *Encoder) Append(dst []byte, l *Layout, ents []Entity) []byte {
	e.survey(l, ents)
	dst = AppendUvarint(dst, uint64(len(ents)))
	for i := 0; i < len(e.ops); {
		j := i + 1
		for j < len(e.ops) && e.ops[j] == e.ops[i] {
			j++
		}
		dst = AppendUvarint(dst, uint64(j-i-1)<<2|uint64(e.ops[i]))
		i = j
	}

	e.col = e.col[:0]
	last := uint32(0)
	for i := range ents {
		e.col = append(e.col, ents[i].ID-last-1)
		last = ents[i].ID
	}
	dst = appendColumn(dst, e.col)

	e.col = e.col[:0]
	for i := range ents {
		if e.ops[i] <= OpDelta {
			e.col = append(e.col, ents[i].Age-1)
		}
	}
	dst = appendColumn(dst, e.col)

	for shift := 0; shift < l.maskBits(); shift += 32 {
		e.col = e.col[:0]
		for i := range ents {
			if e.ops[i] == OpFull {
				e.col = append(e.col, uint32(ents[i].Mask>>shift))
			}
		}
		dst = appendColumn(dst, e.col)
	}
	for shift := 0; shift < l.maskBits(); shift += 32 {
		e.col = e.col[:0]
		for _, v := range e.live {
			if m := ents[v.ent].Mask; e.ops[v.ent] == OpDelta && m&(m-1) != 0 {
				e.col = append(e.col, uint32(v.changed>>shift))
			}
		}
		dst = appendColumn(dst, e.col)
	}
	for c, w := range l.words {
		dst = e.component(dst, ents, c, w)
	}
	return dst
}

// maskBits is the number of mask bits that the columns carry, in 32s.
func (l *Layout) maskBits() int { return max(len(l.words), 1) }

// survey checks the entities, settles their ops and finds the changed components.
func (e *Encoder) survey(l *Layout, ents []Entity) {
	e.ops, e.live = e.ops[:0], e.live[:0]
	last := uint32(0)
	for i := range ents {
		ent := &ents[i]
		check(l, ent)
		if ent.ID <= last {
			panic(fmt.Sprintf("codec: Encoder: entity %d after %d: ids must increase", ent.ID, last))
		}
		last = ent.ID
		op := ent.Op
		switch op {
		case OpFull:
			e.live = append(e.live, live{ent: int32(i), changed: ent.Mask})
		case OpDelta:
			changed := l.changed(ent)
			if changed == 0 {
				op = OpSame
				break
			}
			e.live = append(e.live, live{ent: int32(i), changed: changed})
		}
		e.ops = append(e.ops, op)
	}
}

// changed returns the components of which a word differs from the baseline.
func (l *Layout) changed(e *Entity) uint64 {
	var changed uint64
	at := 0
	for m := e.Mask; m != 0; m &= m - 1 {
		c := bits.TrailingZeros64(m)
		end := at + l.words[c]
		for i := at; i < end; i++ {
			if e.Cur[i] != e.Base[i] {
				changed |= 1 << c
				break
			}
		}
		at = end
	}
	return changed
}

// component appends the columns of component c, which has w words.
func (e *Encoder) component(dst []byte, ents []Entity, c, w int) []byte {
	e.rows = e.rows[:0]
	for i := range e.live {
		v := &e.live[i]
		if ents[v.ent].Mask>>c&1 == 0 {
			continue
		}
		if v.changed>>c&1 != 0 {
			e.rows = append(e.rows, row{ent: v.ent, at: v.at, full: e.ops[v.ent] == OpFull})
		}
		v.at += int32(w)
	}
	if len(e.rows) == 0 {
		return dst
	}
	for lo := 0; lo < w; lo += 32 {
		n := min(w-lo, 32)
		e.col = e.col[:0]
		for i := range e.rows {
			r := &e.rows[i]
			if r.full {
				r.fields = 1<<n - 1
				continue
			}
			at := int(r.at) + lo
			cur, base := ents[r.ent].Cur[at:at+n], ents[r.ent].Base[at:at+n]
			r.fields = 0
			for k := range cur {
				if cur[k] != base[k] {
					r.fields |= 1 << k
				}
			}
			e.col = append(e.col, r.fields)
		}
		if w > 1 {
			dst = appendColumn(dst, e.col)
		}
		for k := range n {
			for i := range e.rows {
				r := &e.rows[i]
				if r.fields>>k&1 == 0 {
					continue
				}
				at := int(r.at) + lo + k
				d := ents[r.ent].Cur[at]
				if !r.full {
					d -= ents[r.ent].Base[at]
				}
				dst = AppendUvarint(dst, uint64(zigzag32(d)))
			}
		}
	}
	return dst
}

// check panics when an entity is not fit to be written.
func check(l *Layout, e *Entity) {
	bad := ""
	switch {
	case e.ID == 0:
		bad = "id 0: ids begin at 1"
	case e.Op > OpGone:
		bad = "its op is unknown"
	case e.Op == OpGone:
	case !l.Known(e.Mask):
		bad = "its mask has components that the layout lacks"
	case e.Op != OpFull && e.Age == 0:
		bad = "age 0: a baseline is at least one snapshot old"
	case e.Op != OpSame && len(e.Cur) != l.RecordWords(e.Mask):
		bad = "Cur has not the length of its mask"
	case e.Op == OpDelta && len(e.Base) != len(e.Cur):
		bad = "Base has not the length of Cur"
	}
	if bad != "" {
		panic(fmt.Sprintf("codec: Encoder: entity %d, %v: %s", e.ID, e.Op, bad))
	}
}
