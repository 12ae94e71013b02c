package wire

import (
	"fmt"
	"math"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
)

// Changes of client-owned components precede the inputs of a packet:
//
//	count << 3 | 6, then bits from the lowest up: count times
//	    the entity's NetID, groups of 7 bits, each with a bit that says whether more follow |
//	    index of the component among the client-owned ones, in the bits that the
//	    largest index needs | each word of the value at its full width
//	zero bits up to the next byte, then the inputs
//
// Changes have no number: the packet's number decides which value of a component is the latest.
const KindChanges = 6

const (
	// MaxChanges is the maximum number of changes in a packet.
	MaxChanges = 1<<(8-KindBits) - 1
	// ChangeRoom is the number of bytes after which no further change is added to a packet.
	ChangeRoom = 256
)

// ChangeCoder encodes and decodes changes.
type ChangeCoder struct {
	Components []*ecs.Component
	bits       uint // of a component's index
	W          codec.Writer
	r          codec.Reader
	Received   []ReceivedChange // changes that were read last
	Words      []int32          // words of the changes in Received
}

// ReceivedChange is a change in a message.
type ReceivedChange struct {
	ID        uint32
	Component int // index among the client-owned components
	first     int // index of its first word
}

// NewChangeCoder returns a coder for changes of these components.
func NewChangeCoder(list []*ecs.Component) ChangeCoder {
	return ChangeCoder{Components: list, bits: uint(bitsFor(len(list)))}
}

// bitsFor returns the number of bits that an index below n needs.
func bitsFor(n int) (b int) {
	for ; 1<<b < n; b++ {
	}
	return b
}

// Start starts a message after dst. End completes its first byte.
func (c *ChangeCoder) Start(dst []byte) { c.W.Reset(append(dst, KindChanges)) }

// Change adds a change.
func (c *ChangeCoder) Change(id uint32, component int, words []int32) {
	c.W.Uvarint(uint64(id))
	c.W.Bits(uint64(component), c.bits)
	t := c.Components[component].Schema
	for k, v := range words {
		c.W.Bits(uint64(uint32(v)), uint(t.WordBits(k)))
	}
}

// End completes a message of n changes that starts at index at, and returns the buffer.
func (c *ChangeCoder) End(at, n int) []byte {
	b := c.W.Bytes()
	b[at] |= byte(n) << KindBits
	return b
}

// Read decodes the changes at the start of a packet and returns the rest of it. Words may be outside their fields'
// ranges; Table.Dequantize clamps them.
func (c *ChangeCoder) Read(b []byte) (rest []byte, err error) {
	c.Received, c.Words = c.Received[:0], c.Words[:0]
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
		c.Received = append(c.Received, ReceivedChange{uint32(id), int(component), len(c.Words)})
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

// Value returns the words of a change that was read last.
func (c *ChangeCoder) Value(m *ReceivedChange) []int32 {
	return c.Words[m.first : m.first+c.Components[m.Component].Words]
}
