package codec

import (
	"fmt"
	"slices"
)

// DefaultMaxEntities is the limit of a [Decoder] that states none.
const DefaultMaxEntities = 4096

// Decoder reads packets of entities. It keeps nothing from one packet to the
// next but scratch memory. The zero value is ready. A Decoder is not for
// concurrent use, and not to be used from the functions given to Decode.
type Decoder struct {
	// MaxEntities is the number of entities above which a packet is refused.
	// Runs make hundreds of unchanged entities a few bytes, so the length of a
	// packet is no bound. Zero and below mean [DefaultMaxEntities]. Scratch
	// memory stays below MaxEntities records.
	MaxEntities int

	r     ByteReader
	ents  []Entity
	live  []live
	rows  []row
	col   []uint32
	words []int32
}

// Decode reads a packet of entities of layout l that fills src.
//
// It calls base for each OpSame and OpDelta entity, in id order, for its mask and
// record in the snapshot that was sent age snapshots before this one; a nil base
// holds none. The record must stay as it is until Decode returns. When everything has been read and
// checked it calls visit for each entity in id order; the Entity and its slices
// are to be read only, and only during the call.
//
// Errors, all before the first visit: [ErrShort] and [ErrMalformed] for bytes that
// an [Encoder] with this layout does not write, [ErrTooLarge] above MaxEntities,
// [ErrBaseline] when base does not hold a record, or holds one that its mask does
// not fit. An error of visit ends the visits and is returned as it is.
func (d *Decoder) Decode(
	src []byte, l *Layout,
	base func(id, age uint32) (mask uint64, rec []int32, ok bool),
	visit func(e *Entity) error,
) error {
	err := d.parse(src, l, base)
	for i := 0; err == nil && i < len(d.ents); i++ {
		err = visit(&d.ents[i])
	}
	// The scratch must not keep the caller's memory alive.
	clear(d.ents)
	d.r.Reset(nil)
	return err
}

// parse fills d.ents.
func (d *Decoder) parse(src []byte, l *Layout, base func(id, age uint32) (uint64, []int32, bool)) error {
	d.r.Reset(src)
	d.ents, d.live = d.ents[:0], d.live[:0]
	if err := d.ops(); err != nil {
		return err
	}
	if err := d.ids(); err != nil {
		return err
	}
	if err := d.baselines(l, base); err != nil {
		return err
	}
	if err := d.masks(l); err != nil {
		return err
	}
	if err := d.changes(l); err != nil {
		return err
	}
	if err := d.records(l); err != nil {
		return err
	}
	for c, w := range l.words {
		if err := d.component(c, w); err != nil {
			return fmt.Errorf("%w: residuals of component %d", err, c)
		}
	}
	if n := d.r.Len(); n != 0 {
		return fmt.Errorf("%w: %d bytes after the last entity", ErrMalformed, n)
	}
	return nil
}

// ops reads the count and the ops, which give d.ents its length.
func (d *Decoder) ops() error {
	limit := d.MaxEntities
	if limit <= 0 {
		limit = DefaultMaxEntities
	}
	count := d.r.Uvarint()
	if d.r.err != nil {
		return fmt.Errorf("%w: entity count", d.r.err)
	}
	if count > uint64(limit) {
		return fmt.Errorf("%w: packet of %d entities, at most %d", ErrTooLarge, count, limit)
	}
	n := int(count)
	last := Op(255)
	for len(d.ents) < n {
		t := d.r.Uvarint()
		op, run := Op(t&3), t>>2
		switch {
		case d.r.err != nil:
			return fmt.Errorf("%w: entity ops", d.r.err)
		case op == last || run >= uint64(n-len(d.ents)):
			return fmt.Errorf("%w: run of entity ops", ErrMalformed)
		}
		for range run + 1 {
			d.ents = append(d.ents, Entity{Op: op})
		}
		last = op
	}
	return nil
}

// ids reads the ids.
func (d *Decoder) ids() error {
	d.col = resize(d.col, len(d.ents))
	d.r.column(d.col)
	if d.r.err != nil {
		return fmt.Errorf("%w: entity ids", d.r.err)
	}
	id := uint64(0)
	for i, gap := range d.col {
		id += uint64(gap) + 1
		if id > 1<<32-1 {
			return fmt.Errorf("%w: entity id beyond 32 bits", ErrMalformed)
		}
		d.ents[i].ID = uint32(id)
	}
	return nil
}

// baselines reads the ages and looks the baselines up.
func (d *Decoder) baselines(l *Layout, base func(id, age uint32) (uint64, []int32, bool)) error {
	n := 0
	for i := range d.ents {
		if d.ents[i].Op <= OpDelta {
			n++
		}
	}
	d.col = resize(d.col, n)
	d.r.column(d.col)
	if d.r.err != nil {
		return fmt.Errorf("%w: baseline ages", d.r.err)
	}
	n = 0
	for i := range d.ents {
		e := &d.ents[i]
		if e.Op > OpDelta {
			continue
		}
		if d.col[n] == 1<<32-1 {
			return fmt.Errorf("%w: baseline age beyond 32 bits", ErrMalformed)
		}
		e.Age = d.col[n] + 1
		n++
		if base == nil {
			return fmt.Errorf("%w: entity %d, and there are none", ErrBaseline, e.ID)
		}
		mask, rec, ok := base(e.ID, e.Age)
		if !ok {
			return fmt.Errorf("%w: entity %d, %d snapshots ago", ErrBaseline, e.ID, e.Age)
		}
		if !l.Known(mask) || len(rec) != l.RecordWords(mask) {
			return fmt.Errorf("%w: entity %d: the record of %d words does not fit mask %#x", ErrBaseline, e.ID, len(rec), mask)
		}
		e.Mask, e.Base, e.Cur = mask, rec, rec
	}
	return nil
}

// masks reads the component masks of the full entities.
func (d *Decoder) masks(l *Layout) error {
	n := 0
	for i := range d.ents {
		if d.ents[i].Op == OpFull {
			n++
		}
	}
	d.col = resize(d.col, n)
	for shift := 0; shift < l.maskBits(); shift += 32 {
		d.r.column(d.col)
		n = 0
		for i := range d.ents {
			if e := &d.ents[i]; e.Op == OpFull {
				e.Mask |= uint64(d.col[n]) << shift
				n++
			}
		}
	}
	if d.r.err != nil {
		return fmt.Errorf("%w: component masks", d.r.err)
	}
	for i := range d.ents {
		if e := &d.ents[i]; e.Op == OpFull && !l.Known(e.Mask) {
			return fmt.Errorf("%w: entity %d: mask %#x has unknown components", ErrMalformed, e.ID, e.Mask)
		}
	}
	return nil
}

// changes collects the live entities and reads which components changed.
func (d *Decoder) changes(l *Layout) error {
	n := 0
	for i := range d.ents {
		e := &d.ents[i]
		if e.Op != OpDelta && e.Op != OpFull {
			continue
		}
		v := live{ent: int32(i)}
		if e.Op == OpFull || !several(e.Mask) {
			v.changed = e.Mask
		} else {
			n++
		}
		d.live = append(d.live, v)
	}
	d.col = resize(d.col, n)
	for shift := 0; shift < l.maskBits(); shift += 32 {
		d.r.column(d.col)
		n = 0
		for i := range d.live {
			v := &d.live[i]
			if e := &d.ents[v.ent]; e.Op == OpDelta && several(e.Mask) {
				v.changed |= uint64(d.col[n]) << shift
				n++
			}
		}
	}
	if d.r.err != nil {
		return fmt.Errorf("%w: changed components", d.r.err)
	}
	for _, v := range d.live {
		e := &d.ents[v.ent]
		if e.Op == OpDelta && (v.changed == 0 || v.changed&^e.Mask != 0) {
			return fmt.Errorf("%w: entity %d: changed components %#x of %#x", ErrMalformed, e.ID, v.changed, e.Mask)
		}
	}
	return nil
}

// several reports whether mask has two components or more.
func several(mask uint64) bool { return mask&(mask-1) != 0 }

// records gives each live entity a record of its own, equal to its baseline. A
// word of a full entity takes a byte at least, and the baselines are the
// receiver's own, so src and the limit bound the memory.
func (d *Decoder) records(l *Layout) error {
	full, total := 0, 0
	for _, v := range d.live {
		e := &d.ents[v.ent]
		n := l.RecordWords(e.Mask)
		total += n
		if e.Op == OpFull {
			full += n
		}
	}
	if full > d.r.Len() {
		return fmt.Errorf("%w: %d bytes for the %d words of full entities", ErrShort, d.r.Len(), full)
	}
	d.words = resize(d.words, total)
	at := 0
	for _, v := range d.live {
		e := &d.ents[v.ent]
		end := at + l.RecordWords(e.Mask)
		e.Cur = d.words[at:end:end]
		if e.Op == OpFull {
			clear(e.Cur)
		} else {
			copy(e.Cur, e.Base)
		}
		at = end
	}
	return nil
}

// component reads the columns of component c, which has w words, and returns a
// bare sentinel.
func (d *Decoder) component(c, w int) error {
	d.rows = d.rows[:0]
	deltas := 0
	for i := range d.live {
		v := &d.live[i]
		e := &d.ents[v.ent]
		if e.Mask>>c&1 == 0 {
			continue
		}
		if v.changed>>c&1 != 0 {
			full := e.Op == OpFull
			d.rows = append(d.rows, row{ent: v.ent, at: v.at, full: full, any: full})
			if !full {
				deltas++
			}
		}
		v.at += int32(w)
	}
	if len(d.rows) == 0 {
		return nil
	}
	for lo := 0; lo < w; lo += 32 {
		n := min(w-lo, 32)
		if err := d.fields(deltas, w, n); err != nil {
			return err
		}
		for k := range n {
			for i := range d.rows {
				r := &d.rows[i]
				if r.fields>>k&1 == 0 {
					continue
				}
				u := d.r.Uvarint()
				if u > 1<<32-1 || u == 0 && !r.full {
					d.r.fail(ErrMalformed)
				}
				if d.r.err != nil {
					return d.r.err
				}
				d.ents[r.ent].Cur[int(r.at)+lo+k] += unzigzag32(uint32(u))
			}
		}
	}
	for i := range d.rows {
		if !d.rows[i].any {
			return ErrMalformed
		}
	}
	return nil
}

// fields reads which of the next n of a component's w words have residuals.
func (d *Decoder) fields(deltas, w, n int) error {
	all := uint32(1<<n - 1)
	d.col = resize(d.col, deltas)
	if w > 1 {
		d.r.column(d.col)
	} else {
		for i := range d.col {
			d.col[i] = all
		}
	}
	if d.r.err != nil {
		return d.r.err
	}
	k := 0
	for i := range d.rows {
		r := &d.rows[i]
		if r.full {
			r.fields = all
			continue
		}
		r.fields = d.col[k]
		k++
		if r.fields&^all != 0 {
			return ErrMalformed
		}
		r.any = r.any || r.fields != 0
	}
	return nil
}

// resize returns s with length n and any contents.
func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
