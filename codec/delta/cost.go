package delta

import "math/bits"

// Cost is what some of the values of a layout cost so far.
type Cost struct {
	// Component and Field are indices into the layout's components and the
	// component's fields. They are −1, −1 for what belongs to no field: which
	// entities there are and which have news.
	Component, Field int
	// Bits is the length, with fractions.
	Bits float64
}

// spending counts, in 256ths of a bit.
type costs struct {
	fields   [][]uint64 // by component and field
	rest     uint64
	entities map[uint32]uint64 // by ID, or nil
	from     uint64            // position at which the next value begins
}

// costScale is how many parts of a bit are counted.
const costScale = 256

// Costs appends to dst what each field has cost since the Encoder began to
// Account, the fields in order, and the rest last. It allocates nothing if dst is
// large enough.
func (e *Encoder) Costs(dst []Cost) []Cost { return e.spent.appendTo(dst) }

// Costs appends to dst what each field has cost in the blocks that were decoded since
// the Decoder began to Account, the fields in order, and the rest last. In blocks of
// [Range] it is what the coder took, as [Encoder.Costs] has it; in others what
// stands for the values, and of what zstd made smaller their share. It allocates nothing
// if dst is large enough.
func (d *Decoder) Costs(dst []Cost) []Cost { return d.spent.appendTo(dst) }

func (s *costs) appendTo(dst []Cost) []Cost {
	for c, fs := range s.fields {
		for f, n := range fs {
			dst = append(dst, Cost{Component: c, Field: f, Bits: float64(n) / costScale})
		}
	}
	return append(dst, Cost{Component: -1, Field: -1, Bits: float64(s.rest) / costScale})
}

// AccountEntities makes an Encoder that does Account count the cost of each
// entity too, from now on, or no longer.
func (e *Encoder) AccountEntities(on bool) {
	e.spent.entities = nil
	if on {
		e.spent.entities = map[uint32]uint64{}
	}
}

// CostOf returns what an entity has cost in bits, by its ID.
func (e *Encoder) CostOf(id uint32) float64 { return float64(e.spent.entities[id]) / costScale }

// begin gets ready for a model.
func (s *costs) begin(m *Model) {
	for len(s.fields) < len(m.fields) {
		s.fields = append(s.fields, nil)
	}
	for c := range m.fields {
		for len(s.fields[c]) < len(m.fields[c]) {
			s.fields[c] = append(s.fields[c], 0)
		}
	}
	s.from = 0
}

// position is how many 256ths of a bit were written, or read, or lie in the interval.
func (r *rangeCoder) position() uint64 {
	// The logarithm of width: whole bits, and 1/256ths in a straight line through
	// each octave, which is off by less than a tenth of a bit and makes up for it.
	n := bits.LeadingZeros64(r.width)
	part := r.width << n << 1 >> 56
	coded := len(r.buf) - r.at
	if r.reading {
		coded = r.at - flushBytes
	}
	return uint64(8*coded+n+1)*costScale - part
}

// position is how many 256ths of a bit of a body were read, as though each byte that
// zstd made smaller took the same.
func (b *byteDecoder) position() uint64 {
	return uint64(b.num.at)*costScale + uint64(b.classes-len(b.num.class))*b.weight
}

// word counts what a word of the entities' components took.
func (s *costs) word(m *Model, component, word int, n uint64) {
	for i := range m.fields[component] {
		if f := &m.fields[component][i]; word >= f.at && word < f.at+f.words {
			s.fields[component][i] += n
		}
	}
}

// cost counts what was coded since the last call for a field, nil for the rest.
func (c *blockCoder) cost(f *field) {
	if c.spent == nil {
		return
	}
	now := c.position()
	n := now - c.spent.from
	c.spent.from = now
	if f == nil {
		c.spent.rest += n
	} else {
		c.spent.fields[f.comp][f.index] += n
	}
	if c.spent.entities != nil && f != nil {
		c.spent.entities[c.w.part.cur.IDs[c.w.slot]] += n
	}
}
