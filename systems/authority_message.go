package systems

import (
	"fmt"
	"math"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
)

// Changes of client-owned components stand in front of the inputs of a packet:
//
//	count << 3 | 6, then bits from the lowest up: count times
//	    the entity's NetID, groups of 7 bits with one that says whether more follow |
//	    number of the component among the client-owned ones, in as many bits as tell
//	    these apart | each word of the value at its full width
//	zero bits up to the next byte, and there the inputs
//
// They carry no number: the packet's own says which value of a component is the latest.
const kindChanges = 6

const (
	// maxChanges is the most that a packet has.
	maxChanges = 1<<(8-kindBits) - 1
	// changeRoom is how many bytes of a packet changes take up before the last that
	// is begun.
	changeRoom = 256
)

// changeCoder writes and reads changes.
type changeCoder struct {
	components []*ecs.Component
	bits       uint // of a component's number
	w          codec.Writer
	r          codec.Reader
	told       []toldChange // read last
	words      []int32      // of those
}

// toldChange is a change of a message.
type toldChange struct {
	id        uint32
	component int // among the client-owned ones
	first     int // word
}

func newChangeCoder(list []*ecs.Component) changeCoder {
	return changeCoder{components: list, bits: uint(bitsFor(len(list)))}
}

// bitsFor is how many bits tell n things apart.
func bitsFor(n int) (b int) {
	for ; 1<<b < n; b++ {
	}
	return b
}

// begin begins a message behind dst; its first byte waits for end.
func (c *changeCoder) begin(dst []byte) { c.w.Reset(append(dst, kindChanges)) }

// change adds a change.
func (c *changeCoder) change(id uint32, component int, words []int32) {
	c.w.Uvarint(uint64(id))
	c.w.Bits(uint64(component), c.bits)
	t := c.components[component].Schema
	for k, v := range words {
		c.w.Bits(uint64(uint32(v)), uint(t.WordBits(k)))
	}
}

// end completes a message of n changes that begins at a place of what is returned.
func (c *changeCoder) end(at, n int) []byte {
	b := c.w.Bytes()
	b[at] |= byte(n) << kindBits
	return b
}

// read parses the changes in front of a packet and returns the rest of it. Words may lie
// outside their fields' ranges; Table.Dequantize clamps those.
func (c *changeCoder) read(b []byte) (rest []byte, err error) {
	c.told, c.words = c.told[:0], c.words[:0]
	n := int(b[0] >> kindBits)
	if n == 0 {
		return nil, fmt.Errorf("%w: no changes", ErrMessage)
	}
	c.r.Reset(b[1:])
	for range n {
		id := c.r.Uvarint()
		component := c.r.Bits(c.bits)
		if c.r.Err() == nil && (id == 0 || id > math.MaxUint32 || component >= uint64(len(c.components))) {
			return nil, fmt.Errorf("%w: change of component %d of entity %d", ErrMessage, component, id)
		}
		if c.r.Err() != nil {
			break
		}
		t := c.components[component].Schema
		c.told = append(c.told, toldChange{uint32(id), int(component), len(c.words)})
		for k := range t.Words {
			c.words = append(c.words, int32(uint32(c.r.Bits(uint(t.WordBits(k))))))
		}
	}
	c.r.Align()
	if err := c.r.Err(); err != nil {
		return nil, fmt.Errorf("%w: changes: %w", ErrMessage, err)
	}
	return b[len(b)-c.r.Remaining()/8:], nil
}

// value is the words of a change that was read last.
func (c *changeCoder) value(m *toldChange) []int32 {
	return c.words[m.first : m.first+c.components[m.component].Words]
}
