package wire

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
const KindChanges = 6

const (
	// MaxChanges is the most that a packet has.
	MaxChanges = 1<<(8-KindBits) - 1
	// ChangeRoom is how many bytes of a packet changes take up before the last that
	// is begun.
	ChangeRoom = 256
)

// ChangeCoder writes and reads changes.
type ChangeCoder struct {
	Components []*ecs.Component
	bits       uint // of a component's number
	W          codec.Writer
	r          codec.Reader
	Told       []ToldChange // read last
	Words      []int32      // of those
}

// ToldChange is a change of a message.
type ToldChange struct {
	ID        uint32
	Component int // among the client-owned ones
	first     int // word
}

// NewChangeCoder makes a coder of changes of these components.
func NewChangeCoder(list []*ecs.Component) ChangeCoder {
	return ChangeCoder{Components: list, bits: uint(bitsFor(len(list)))}
}

// bitsFor is how many bits tell n things apart.
func bitsFor(n int) (b int) {
	for ; 1<<b < n; b++ {
	}
	return b
}

// Begin begins a message behind dst; its first byte waits for end.
func (c *ChangeCoder) Begin(dst []byte) { c.W.Reset(append(dst, KindChanges)) }

// Change adds a change.
func (c *ChangeCoder) Change(id uint32, component int, words []int32) {
	c.W.Uvarint(uint64(id))
	c.W.Bits(uint64(component), c.bits)
	t := c.Components[component].Schema
	for k, v := range words {
		c.W.Bits(uint64(uint32(v)), uint(t.WordBits(k)))
	}
}

// End completes a message of n changes that begins at a place of what is returned.
func (c *ChangeCoder) End(at, n int) []byte {
	b := c.W.Bytes()
	b[at] |= byte(n) << KindBits
	return b
}

// Read parses the changes in front of a packet and returns the rest of it. Words may lie
// outside their fields' ranges; Table.Dequantize clamps those.
func (c *ChangeCoder) Read(b []byte) (rest []byte, err error) {
	c.Told, c.Words = c.Told[:0], c.Words[:0]
	n := int(b[0] >> KindBits)
	if n == 0 {
		return nil, fmt.Errorf("%w: no changes", ErrMessage)
	}
	c.r.Reset(b[1:])
	for range n {
		id := c.r.Uvarint()
		component := c.r.Bits(c.bits)
		if c.r.Err() == nil && (id == 0 || id > math.MaxUint32 || component >= uint64(len(c.Components))) {
			return nil, fmt.Errorf("%w: change of component %d of entity %d", ErrMessage, component, id)
		}
		if c.r.Err() != nil {
			break
		}
		t := c.Components[component].Schema
		c.Told = append(c.Told, ToldChange{uint32(id), int(component), len(c.Words)})
		for k := range t.Words {
			c.Words = append(c.Words, int32(uint32(c.r.Bits(uint(t.WordBits(k))))))
		}
	}
	c.r.Align()
	if err := c.r.Err(); err != nil {
		return nil, fmt.Errorf("%w: changes: %w", ErrMessage, err)
	}
	return b[len(b)-c.r.Remaining()/8:], nil
}

// Value is the words of a change that was read last.
func (c *ChangeCoder) Value(m *ToldChange) []int32 {
	return c.Words[m.first : m.first+c.Components[m.Component].Words]
}
