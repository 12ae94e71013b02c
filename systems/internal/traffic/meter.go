package traffic

import (
	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
)

// Meter is an encoder that measures some of its blocks: it counts the cost of each field.
//
// Measuring slows the range coder by up to an eighth. A Meter therefore measures one delta in eight, whatever the delta
// contains. It measures all full states, because there are few of them and they differ from each other. With ZstdOnly,
// measuring means encoding the block a second time with the range coder. The Meter then measures one block in 32.
type Meter struct {
	delta.Encoder
	all   bool         // every block is measured
	last  []delta.Cost // total costs up to the last measured block
	block []delta.Cost // costs of that block
	next  []delta.Cost // scratch

	sampler *delta.Encoder // measures blocks with ZstdOnly
	body    []byte
}

// The Meter measures one delta in 2^deltaMeasure, and with ZstdOnly one block in 2^zstdMeasure.
const (
	deltaMeasure = 3
	zstdMeasure  = 5
)

// measured reports whether to measure a block. draw is an evenly distributed number. The result is always true if known
// contains no measured block of the same kind.
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

// Block appends the body of a block to dst. size is the size of the body. If Block measures the block, it appends the costs
// of the fields after the body: pairs of uvarints, the index of a field and its cost in units of 1/256 bit. costs is the index
// of the first pair, or -1. Block counts the block in a. known holds the counts of earlier sends. draw is evenly distributed and
// decides whether the block is measured. It must not depend on earlier blocks, so that every worker encodes the block in the same
// way.
func (m *Meter) Block(a, known *Accounts, dst []byte, model *delta.Model, parts []delta.Part, draw uint64) (all []byte, coder delta.Coder, size, costs int) {
	based := parts[0].Base != nil
	l := a.lot(based)
	measured := m.measured(known, based, draw)
	m.Account = measured && m.Only == delta.AnyCoder
	at := len(dst)
	all, coder = m.Append(dst, model, parts)
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

// counter returns the encoder that measures.
func (m *Meter) counter() *delta.Encoder {
	if m.sampler != nil {
		return m.sampler
	}
	return &m.Encoder
}

// spend sets m.block to the costs since the previous call.
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

// sample encodes a block with the sampler to measure it.
func (m *Meter) sample(model *delta.Model, parts []delta.Part) {
	if m.sampler == nil {
		m.sampler = &delta.Encoder{Account: true}
	}
	m.body, _ = m.sampler.Append(m.body[:0], model, parts)
}
