package systems

import (
	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/snapshot"
)

// meter is an encoder whose blocks are accounted for.
type meter struct {
	snapshot.Encoder
	last  []snapshot.Cost // of fields and the rest, up to the last block
	block []snapshot.Cost // of the last block
	next  []snapshot.Cost // scratch

	// Where the range coder has no part in blocks, they are split by what it makes of
	// one such block now and then.
	sampler *meter
	samples [2]sample // of full states, and of deltas
	body    []byte
}

// sample is what the range coder made of a block.
type sample struct {
	costs []snapshot.Cost
	age   int // blocks since
}

// sampleEvery is how many blocks share a sample. Taking one costs about what encoding
// the block does.
const sampleEvery = 32

// begin makes the encoder ready.
func (m *meter) begin(only snapshot.Coders) {
	m.Only, m.Account = only, only == snapshot.AnyCoder
}

// measure counts a block that was just encoded in so many bytes, and appends to dst
// what its fields took: pairs of uvarints, field and parts of a byte.
func (m *meter) measure(a *accounts, dst []byte, size int, coder snapshot.Coder, model *snapshot.Model, parts []snapshot.Part) []byte {
	var costs []snapshot.Cost
	if m.Account {
		m.spend()
		costs = m.block
	} else {
		costs = m.sample(model, parts)
	}
	scale := 1.0
	if coder != snapshot.Range {
		total := 0.0
		for i := range costs {
			total += costs[i].Bits
		}
		if scale = 0; total > 0 {
			scale = float64(8*size) / total
		}
	}
	rest := int64(size) * byteParts
	for i := range costs {
		v := int64(costs[i].Bits * scale * bitParts)
		if v <= 0 || costs[i].Component < 0 {
			continue
		}
		dst = codec.AppendUvarint(codec.AppendUvarint(dst, uint64(i)), uint64(v))
		a.spent[i].encoded += v
		rest -= v
	}
	a.rest.encoded += rest
	return dst
}

// spend sets block to what was spent since the last call.
func (m *meter) spend() {
	m.next = m.Spent(m.next[:0])
	m.block = m.block[:0]
	for i, c := range m.next {
		if i < len(m.last) && len(m.last) == len(m.next) {
			c.Bits -= m.last[i].Bits
		}
		m.block = append(m.block, c)
	}
	m.last, m.next = m.next, m.last
}

// sample is what the range coder would have made of a block like this, roughly.
func (m *meter) sample(model *snapshot.Model, parts []snapshot.Part) []snapshot.Cost {
	x := &m.samples[0]
	if parts[0].Base != nil {
		x = &m.samples[1]
	}
	if x.age++; len(x.costs) == 0 || x.age >= sampleEvery {
		if m.sampler == nil {
			m.sampler = &meter{}
			m.sampler.begin(snapshot.AnyCoder)
		}
		m.body, _ = m.sampler.Append(m.body[:0], model, parts)
		m.sampler.spend()
		x.costs, x.age = append(x.costs[:0], m.sampler.block...), 0
	}
	return x.costs
}
