package traffic

import (
	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
)

// Meter is an encoder some of whose blocks are measured: what their fields take.
//
// The range coder is up to an eighth slower while it measures, so that of deltas one
// in eight is measured, drawn without regard to what it holds, and of blocks that it
// has no part in, since only zstd is to be used, one in 32, for which it codes the
// block too. Of the others full states are all measured: they are few, and none is
// like another.
type Meter struct {
	delta.Encoder
	all   bool         // every block is measured
	last  []delta.Cost // of fields and the rest, up to the last block measured
	block []delta.Cost // of that block
	next  []delta.Cost // scratch

	sampler *delta.Encoder // measures where the encoder cannot
	body    []byte
}

// One block in so many to the power of 2 is measured.
const (
	deltaMeasure = 3
	zstdMeasure  = 5
)

// measured reports whether a block is measured, by a number that was drawn for it; always
// where known has measured nothing of its lot.
func (m *Meter) measured(known *Accounts, based bool, draw uint64) bool {
	switch {
	case m.all || known.lot(based).encoded.measured == 0:
		return true
	case m.Only == delta.ZstdOnly:
		return draw>>(64-zstdMeasure) == 0
	case based:
		return draw>>(64-deltaMeasure) == 0
	}
	return true
}

// Draw says what becomes of a block: by numbers of its own, and not by what was done before it,
// so that it is the same whoever encodes it, and when.
type Draw struct {
	Measure uint64 // any number, drawn evenly
	Try     bool   // a delta is tried with all coders
}

// Block appends a block to dst, and behind it, where it is measured, what its fields
// took: pairs of uvarints, field and parts of a byte. It returns where these begin, or
// -1. It counts in a; known are the accounts that say what was measured before.
func (m *Meter) Block(a, known *Accounts, dst []byte, model *delta.Model, parts []delta.Part, d Draw) (all []byte, coder delta.Coder, size, costs int) {
	based := parts[0].Base != nil
	l := a.lot(based)
	measured := m.measured(known, based, d.Measure)
	m.Account = measured && m.Only == delta.AnyCoder
	at := len(dst)
	all, coder = m.AppendBest(dst, model, parts, d.Try)
	size = len(all) - at
	l.encoded.all += int64(size)
	if !measured {
		return all, coder, size, -1
	}
	if !m.Account {
		m.sample(model, parts)
	}
	m.spend()
	l.encoded.measured += int64(size)
	scale := 1.0
	if coder != delta.Range {
		total := 0.0
		for i := range m.block {
			total += m.block[i].Bits
		}
		if scale = 0; total > 0 {
			scale = float64(8*size) / total
		}
	}
	costs = len(all)
	for i := range m.block {
		v := int64(m.block[i].Bits * scale * bitParts)
		if v > 0 && m.block[i].Component >= 0 {
			all = codec.AppendUvarint(codec.AppendUvarint(all, uint64(i)), uint64(v))
			l.fields[i].encoded += v
		}
	}
	return all, coder, size, costs
}

// counter is the encoder that measures.
func (m *Meter) counter() *delta.Encoder {
	if m.sampler != nil {
		return m.sampler
	}
	return &m.Encoder
}

// spend sets block to what was spent since the last call.
func (m *Meter) spend() {
	m.next = m.counter().Costs(m.next[:0])
	m.block = m.block[:0]
	for i, c := range m.next {
		if len(m.last) == len(m.next) {
			c.Bits -= m.last[i].Bits
		}
		m.block = append(m.block, c)
	}
	m.last, m.next = m.next, m.last
}

// sample measures a block that the encoder cannot measure.
func (m *Meter) sample(model *delta.Model, parts []delta.Part) {
	if m.sampler == nil {
		m.sampler = &delta.Encoder{Account: true}
	}
	m.body, _ = m.sampler.Append(m.body[:0], model, parts)
}
