package wire

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
)

// Messages are the payload of a session's packets; the low three bits of the
// first byte say which: input (see input.go) or snapshot.
//
//	snapshot  kind 3 bits, agreed 1 bit, flags: control, join, late, correction |
//	          send u16 | input u16 | [control] | [join] | [late u8] |
//	          [correction u8] | blocks
//	control   epoch u8 | depth u8 | shift i16 | floor u8
//	join      sends back uvarint | groups uvarint | where back > 0: late u8
//	block     flags u8 | [first uvarint] | [groups uvarint] | [age uvarint] |
//	          [slots u64] | [length uvarint] | body
//
// The tick of a send is its number times the steps between two sends, and as many
// more as "late" says: a server that had to catch up passes its time. Input is the
// last input of this client that was consumed into the state. Control comes with
// what has changed, and every few sends. With "join", the blocks of the world are
// those of an earlier send (0 back: of this one), whose groups are counted: when
// the client has all of them it is loaded. Agreed and correction are there only
// where corrections are made on mismatch: the client's result after input is what the
// server has, and the number of the correction that is open (see [Report]).
//
// A block is the state of consecutive groups, all slots or some: of the world, or
// with the own bit of the client's own entities at full precision. Its age tells
// the baseline, in sends before the block's own; 0 is none. With the second bit
// the send before the baseline serves as well. Coder 3 is a body that begins with [Ways].
//
// A client that cannot decode a snapshot, because it no longer has a baseline
// that it acknowledged, begins a new epoch; the server answers with full states
// until some of that epoch are acknowledged.
//
// Numbers are little-endian. Sequences and sends travel as their low 16 bits.
const (
	KindInput    = 1
	KindSnapshot = 2
)

// Flags of a snapshot's first byte.
const (
	flagAgreed = 1 << (3 + iota)
	flagControl
	flagJoin
	flagLate
	flagCorrection
)

// Flags of a block, above the two bits of its coder.
const (
	blockSecond  = 1 << (2 + iota) // predecessor of the baseline too
	blockOwn                       // the client's own entities
	blockFirst                     // from group 0 on; of own blocks: group 0 alone
	blockSome                      // not all slots
	blockSameAge                   // as the block before in this message; at first 0
	blockLast                      // last of the message: its body goes to the end
)

// ErrMessage is wrapped by errors about a message that a peer should not have
// sent.
var ErrMessage = errors.New("systems: bad message")

// MaxGroups and MaxOwnGroups bound what a client keeps: 262,144 entities, 1,024 of
// them its own.
const (
	MaxGroups    = 1 << 12
	MaxOwnGroups = 1 << 4
)

// DepthUnread stands for the depth of a buffer whose client must write whole messages.
const DepthUnread = 255

// SnapshotHeader precedes the blocks of a snapshot.
type SnapshotHeader struct {
	Send    uint16 // number of the send, counting up
	Input   uint16 // last input of this client consumed into that state
	Control bool   // the next four are there
	Epoch   uint8  // newest that the server has heard of from this client
	Depth   uint8  // inputs that wait in the server's buffer
	Shift   int16  // clock shift asked of this client in all, in 1/[ShiftUnit] ticks
	Floor   uint8  // sends before this one; no packet from now on uses an older baseline
	Join    bool   // the next two are there
	Back    uint32 // sends before this one: the state with which the client joins
	Groups  uint32 // of that state
	Joined  uint8  // ticks of that state beyond those that its number tells
	Late    uint8  // ticks of the state beyond those that the send's number tells
	Agreed  bool   // the client's result after input is right
	Open    bool   // a correction is, the next is there
	Number  uint8  // of the correction
}

// MaxJoinHeader is what joining adds to a header at most.
const MaxJoinHeader = 5 + 2 + 1

// MaxHeader is the longest header.
const MaxHeader = 5 + 5 + MaxJoinHeader + 1 + 1

// Sizes are the lengths of the first header and of those of later datagrams,
// without what joining adds.
func (h *SnapshotHeader) Sizes() (first, later int) {
	later = 5
	if h.Late > 0 {
		later++
	}
	if h.Open {
		later++
	}
	first = later
	if h.Control {
		first += 5
	}
	return first, later
}

// AppendSnapshotHeader writes the message up to its blocks.
func AppendSnapshotHeader(dst []byte, h *SnapshotHeader) []byte {
	at := len(dst)
	dst = append(dst, KindSnapshot, byte(h.Send), byte(h.Send>>8), byte(h.Input), byte(h.Input>>8))
	if h.Control {
		dst[at] |= flagControl
		dst = append(dst, h.Epoch, h.Depth, byte(h.Shift), byte(h.Shift>>8), h.Floor)
	}
	if h.Join {
		dst[at] |= flagJoin
		dst = codec.AppendUvarint(dst, uint64(h.Back))
		dst = codec.AppendUvarint(dst, uint64(h.Groups))
		if h.Back > 0 {
			dst = append(dst, h.Joined)
		}
	}
	if h.Late > 0 {
		dst[at] |= flagLate
		dst = append(dst, h.Late)
	}
	if h.Agreed {
		dst[at] |= flagAgreed
	}
	if h.Open {
		dst[at] |= flagCorrection
		dst = append(dst, h.Number)
	}
	return dst
}

// ReadSnapshotHeader parses a message up to its blocks.
func ReadSnapshotHeader(r *codec.ByteReader) (h SnapshotHeader, err error) {
	flags := r.Byte()
	if r.Err() != nil || flags&KindMask != KindSnapshot {
		return h, fmt.Errorf("%w: not a snapshot", ErrMessage)
	}
	h.Send, h.Input = r.Uint16(), r.Uint16()
	if flags&flagControl != 0 {
		h.Control = true
		h.Epoch, h.Depth = r.Byte(), r.Byte()
		h.Shift, h.Floor = int16(r.Uint16()), r.Byte()
	}
	var back, groups uint64
	if flags&flagJoin != 0 {
		h.Join = true
		back, groups = r.Uvarint(), r.Uvarint()
		h.Back, h.Groups = uint32(back), uint32(groups)
		if back > 0 {
			h.Joined = r.Byte()
		}
	}
	if flags&flagLate != 0 {
		h.Late = r.Byte()
	}
	h.Agreed = flags&flagAgreed != 0
	if flags&flagCorrection != 0 {
		h.Open, h.Number = true, r.Byte()
	}
	switch {
	case r.Err() != nil:
		return h, fmt.Errorf("%w: snapshot header: %w", ErrMessage, r.Err())
	case h.Number >= Corrections || h.Agreed && h.Open:
		return h, fmt.Errorf("%w: correction %d, agreed %v", ErrMessage, h.Number, h.Agreed)
	case back >= 1<<31 || groups > MaxGroups:
		return h, fmt.Errorf("%w: joined %d sends back with %d groups", ErrMessage, back, groups)
	}
	return h, nil
}

// AllSlots is a group whole.
const AllSlots = ^uint64(0)

// BlockHead says what a block holds.
type BlockHead struct {
	Own   bool
	First uint32 // group
	Count uint32 // of groups, at least 1
	Slots uint64 // of all of them when not allSlots
	Age   uint32 // of the baseline in sends; 0: none
	Two   bool   // the send before the baseline serves too
	Coder delta.Coder
	Ways  Ways // as they were read
}

// MaxBlockHead is the longest head of a block.
const MaxBlockHead = 1 + 2 + 2 + 2 + 8 + 2

// Append writes the head of a block behind which size bytes of body follow; lastAge
// is the age of the block before, 0 in front of the first.
func (h *BlockHead) Append(dst []byte, lastAge uint32, size int, last bool) []byte {
	flags := byte(h.Coder)
	at := len(dst)
	dst = append(dst, 0)
	if h.Two {
		flags |= blockSecond
	}
	if h.Own {
		flags |= blockOwn
	}
	switch {
	case h.First == 0 && h.Own && h.Count == 1:
		flags |= blockFirst
	case h.First == 0 && !h.Own:
		flags |= blockFirst
		dst = codec.AppendUvarint(dst, uint64(h.Count))
	default:
		dst = codec.AppendUvarint(dst, uint64(h.First))
		dst = codec.AppendUvarint(dst, uint64(h.Count))
	}
	if h.Age == lastAge {
		flags |= blockSameAge
	} else {
		dst = codec.AppendUvarint(dst, uint64(h.Age))
	}
	if h.Slots != AllSlots {
		flags |= blockSome
		for i := range 8 {
			dst = append(dst, byte(h.Slots>>(8*i)))
		}
	}
	if last {
		flags |= blockLast
	} else {
		dst = codec.AppendUvarint(dst, uint64(size))
	}
	dst[at] = flags
	return dst
}

// ReadBlock parses a block and returns its body.
func ReadBlock(r *codec.ByteReader, lastAge uint32) (h BlockHead, body []byte, err error) {
	flags := r.Byte()
	h.Coder = delta.Coder(flags & 3)
	h.Own, h.Two = flags&blockOwn != 0, flags&blockSecond != 0
	var first uint64
	count, age, limit := uint64(1), uint64(lastAge), uint64(MaxGroups)
	if h.Own {
		limit = MaxOwnGroups
	}
	switch {
	case flags&blockFirst == 0:
		first, count = r.Uvarint(), r.Uvarint()
	case !h.Own:
		count = r.Uvarint()
	}
	if flags&blockSameAge == 0 {
		age = r.Uvarint()
	}
	h.Slots = AllSlots
	if flags&blockSome != 0 {
		h.Slots = r.Uint64()
	}
	size := uint64(r.Len())
	if flags&blockLast == 0 {
		size = r.Uvarint()
	}
	switch {
	case r.Err() != nil:
		return h, nil, fmt.Errorf("%w: block: %w", ErrMessage, r.Err())
	case count == 0 || count > limit || first > limit-count:
		return h, nil, fmt.Errorf("%w: block of %d groups from %d on, %d are allowed", ErrMessage, count, first, limit)
	case age >= 1<<31 || h.Two && age == 0:
		return h, nil, fmt.Errorf("%w: block with a baseline %d sends old, second %v", ErrMessage, age, h.Two)
	case h.Slots == 0 || flags&blockSome != 0 && h.Slots == AllSlots:
		return h, nil, fmt.Errorf("%w: block of slots %#x", ErrMessage, h.Slots)
	case size > uint64(r.Len()):
		return h, nil, fmt.Errorf("%w: block of %d bytes: %w", ErrMessage, size, codec.ErrShort)
	}
	h.First, h.Count, h.Age = uint32(first), uint32(count), uint32(age)
	if body = r.Next(int(size)); h.Coder == withWays {
		body, err = h.readWays(body)
	}
	return h, body, err
}

// Halve cuts a run of groups in two, where the number of the group is roundest.
func (h BlockHead) Halve() (a, b BlockHead) {
	last := h.First + h.Count - 1
	step := uint32(bits.Len32(h.First^last)) - 1
	a, b = h, h
	b.First = last >> step << step
	a.Count = b.First - h.First
	b.Count = h.Count - a.Count
	return a, b
}

// HalveSlots splits slots so that each part has half of those alive; high is empty when
// only one is.
func HalveSlots(slots, alive uint64) (low, high uint64) {
	n := bits.OnesCount64(slots & alive)
	if n < 2 {
		return slots, 0
	}
	m := slots & alive
	for range n / 2 {
		m &= m - 1
	}
	low = slots & (1<<bits.TrailingZeros64(m) - 1)
	return low, slots &^ low
}
