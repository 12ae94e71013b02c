package ecs

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/tactusgo/tactus/codec"
)

// A state is all of a world in bytes, exact to the bit, for a peer that begins to
// simulate in the middle of a match. Fixed numbers are little-endian, the others
// uvarints:
//
//	layout u64 | tick u32 | input u32 | next NetID
//	handles n | n generations | free handles n | n handles, the next one last
//	input sequences n | n times: owner, sequence
//	spawns n | n times: owner, input, count
//	held n | n owners
//	tables n | each: components n, n indices ascending | rows n | n handles |
//	    n NetIDs, where the table has them | for each component with a size and
//	    each row the values that it holds, each in the size of its type
//
// layout is a hash of the components of the protocol and of their fields.

// AppendState appends the whole world as captured under tick to dst: entities with handles and NetIDs, all values of all
// components, including local ones, and all other captured state. It does not include resources. It returns an error that
// wraps [ErrNoHistory] if the tick is not in the ring. It panics for a world with Config.Client, which is incomplete. It
// allocates.
func (h *WorldHistory) AppendState(dst []byte, tick uint32) ([]byte, error) {
	w := h.w
	if w.setup.config.Client {
		panic("ecs: AppendState of a client's world; take that of a peer that simulates everything")
	}
	p, err := h.At(tick)
	if err != nil {
		return dst, err
	}
	dst = binary.LittleEndian.AppendUint64(dst, w.setup.protocol.layout())
	return h.appendWorld(dst, p), nil
}

// appendWorld appends a captured state without the layout.
func (h *WorldHistory) appendWorld(dst []byte, p Past) []byte {
	s, le := p.s, binary.LittleEndian
	dst = le.AppendUint32(dst, s.tick)
	dst = le.AppendUint32(dst, s.inputs.newest)
	dst = codec.AppendUvarint(dst, uint64(s.handles.nextNet))
	dst = appendNumbers(dst, s.handles.gens)
	dst = appendNumbers(dst, s.handles.free)
	sequences := s.inputs.byOwner.sorted()
	dst = codec.AppendUvarint(dst, uint64(len(sequences)))
	for _, at := range sequences {
		dst = codec.AppendUvarint(dst, uint64(at.key))
		dst = codec.AppendUvarint(dst, uint64(at.value))
	}
	spawned := s.inputs.spawned.sorted()
	dst = codec.AppendUvarint(dst, uint64(len(spawned)))
	for _, at := range spawned {
		dst = codec.AppendUvarint(dst, uint64(at.key))
		dst = codec.AppendUvarint(dst, uint64(at.value.input))
		dst = codec.AppendUvarint(dst, uint64(at.value.nth))
	}
	dst = appendNumbers(dst, s.skipped)
	n := 0
	for i := range p.c.tables {
		if p.c.tables[i].n > 0 {
			n++
		}
	}
	dst = codec.AppendUvarint(dst, uint64(n))
	for i := range p.c.tables {
		if tc := &p.c.tables[i]; tc.n > 0 {
			dst = h.appendTable(dst, tc)
		}
	}
	return dst
}

func (h *WorldHistory) appendTable(dst []byte, tc *tableCapture) []byte {
	dst = codec.AppendUvarint(dst, uint64(len(tc.t.comps)))
	for _, c := range tc.t.comps {
		dst = codec.AppendUvarint(dst, uint64(c.index))
	}
	dst = codec.AppendUvarint(dst, uint64(tc.n))
	for _, e := range tc.entities[:tc.n] {
		dst = codec.AppendUvarint(dst, uint64(e.id))
	}
	if tc.t.mask.has(h.w.setup.protocol.core.netID.index) {
		for _, id := range tc.names[:tc.n] {
			dst = codec.AppendUvarint(dst, uint64(id))
		}
	}
	for _, c := range tc.t.comps {
		if h.at[c.index] < 0 {
			continue
		}
		for i := range tc.n {
			dst = c.values.append(dst, h.value(tc, i, c))
		}
	}
	return dst
}

func appendNumbers(dst []byte, list []uint32) []byte {
	dst = codec.AppendUvarint(dst, uint64(len(list)))
	for _, n := range list {
		dst = codec.AppendUvarint(dst, uint64(n))
	}
	return dst
}

// layout returns a hash of the columns of the protocol's worlds.
func (p *Protocol) layout() uint64 {
	h := fnv.New64a()
	for _, c := range p.all {
		fmt.Fprintln(h, c.Name, c.size)
		c.values.describe(h)
	}
	return h.Sum64()
}
