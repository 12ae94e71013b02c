package systems

import (
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/snapshot"
)

// Messages are the payload of a session's packets; the low three bits of the
// first byte say which: input (see input_message.go) or snapshot.
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
// server has, and the number of the correction that is open (see advice).
//
// A block is the state of consecutive groups, all slots or some: of the world, or
// with the own bit of the client's own entities at full precision. Its age tells
// the baseline, in sends before the block's own; 0 is none. With the second bit
// the send before the baseline serves as well.
//
// A client that cannot decode a snapshot, because it no longer has a baseline
// that it acknowledged, begins a new epoch; the server answers with full states
// until some of that epoch are acknowledged.
//
// Numbers are little-endian. Sequences and sends travel as their low 16 bits.
const (
	kindInput    = 1
	kindSnapshot = 2
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

// MaxMalformed is how many messages that no honest peer sends a session may
// carry: as many as four wake-ups of a server read. The first is logged, the last
// ends the session with netsys.ReasonProtocol; all are counted as
// MalformedMessages.
const MaxMalformed = 4 * MaxMessages

// maxGroups and maxOwnGroups bound what a client keeps: 65,536 entities, 1,024 of
// them its own.
const (
	maxGroups    = 1 << 10
	maxOwnGroups = 1 << 4
)

// snapshotHeader precedes the blocks of a snapshot.
type snapshotHeader struct {
	send    uint16 // number of the send, counting up
	input   uint16 // last input of this client consumed into that state
	control bool   // the next four are there
	epoch   uint8  // newest that the server has heard of from this client
	depth   uint8  // inputs that wait in the server's buffer
	shift   int16  // clock shift asked of this client in all, in 1/shiftUnit ticks
	floor   uint8  // sends before this one; no packet from now on uses an older baseline
	join    bool   // the next two are there
	back    uint32 // sends before this one: the state with which the client joins
	groups  uint32 // of that state
	joined  uint8  // ticks of that state beyond those that its number tells
	late    uint8  // ticks of the state beyond those that the send's number tells
	agreed  bool   // the client's result after input is right
	open    bool   // a correction is, the next is there
	number  uint8  // of the correction
}

// maxSnapshotHeader is the longest header.
const maxSnapshotHeader = 5 + 5 + maxJoinHeader + 1 + 1

func appendSnapshotHeader(dst []byte, h *snapshotHeader) []byte {
	at := len(dst)
	dst = append(dst, kindSnapshot, byte(h.send), byte(h.send>>8), byte(h.input), byte(h.input>>8))
	if h.control {
		dst[at] |= flagControl
		dst = append(dst, h.epoch, h.depth, byte(h.shift), byte(h.shift>>8), h.floor)
	}
	if h.join {
		dst[at] |= flagJoin
		dst = codec.AppendUvarint(dst, uint64(h.back))
		dst = codec.AppendUvarint(dst, uint64(h.groups))
		if h.back > 0 {
			dst = append(dst, h.joined)
		}
	}
	if h.late > 0 {
		dst[at] |= flagLate
		dst = append(dst, h.late)
	}
	if h.agreed {
		dst[at] |= flagAgreed
	}
	if h.open {
		dst[at] |= flagCorrection
		dst = append(dst, h.number)
	}
	return dst
}

// readSnapshotHeader parses a message up to its blocks.
func readSnapshotHeader(r *codec.ByteReader) (h snapshotHeader, err error) {
	flags := r.Byte()
	if r.Err() != nil || flags&kindMask != kindSnapshot {
		return h, fmt.Errorf("%w: not a snapshot", ErrMessage)
	}
	h.send, h.input = r.Uint16(), r.Uint16()
	if flags&flagControl != 0 {
		h.control = true
		h.epoch, h.depth = r.Byte(), r.Byte()
		h.shift, h.floor = int16(r.Uint16()), r.Byte()
	}
	var back, groups uint64
	if flags&flagJoin != 0 {
		h.join = true
		back, groups = r.Uvarint(), r.Uvarint()
		h.back, h.groups = uint32(back), uint32(groups)
		if back > 0 {
			h.joined = r.Byte()
		}
	}
	if flags&flagLate != 0 {
		h.late = r.Byte()
	}
	h.agreed = flags&flagAgreed != 0
	if flags&flagCorrection != 0 {
		h.open, h.number = true, r.Byte()
	}
	switch {
	case r.Err() != nil:
		return h, fmt.Errorf("%w: snapshot header: %w", ErrMessage, r.Err())
	case h.number >= corrections || h.agreed && h.open:
		return h, fmt.Errorf("%w: correction %d, agreed %v", ErrMessage, h.number, h.agreed)
	case back >= 1<<31 || groups > maxGroups:
		return h, fmt.Errorf("%w: joined %d sends back with %d groups", ErrMessage, back, groups)
	}
	return h, nil
}

// blockHead says what a block holds.
type blockHead struct {
	own   bool
	first uint32 // group
	count uint32 // of groups, at least 1
	slots uint64 // of all of them when not allSlots
	age   uint32 // of the baseline in sends; 0: none
	two   bool   // the send before the baseline serves too
	coder snapshot.Coder
}

// maxBlockHead is the longest head of a block.
const maxBlockHead = 1 + 2 + 2 + 2 + 8 + 2

// append writes the head of a block behind which size bytes of body follow; lastAge
// is the age of the block before, 0 in front of the first.
func (h *blockHead) append(dst []byte, lastAge uint32, size int, last bool) []byte {
	flags := byte(h.coder)
	at := len(dst)
	dst = append(dst, 0)
	if h.two {
		flags |= blockSecond
	}
	if h.own {
		flags |= blockOwn
	}
	switch {
	case h.first == 0 && h.own && h.count == 1:
		flags |= blockFirst
	case h.first == 0 && !h.own:
		flags |= blockFirst
		dst = codec.AppendUvarint(dst, uint64(h.count))
	default:
		dst = codec.AppendUvarint(dst, uint64(h.first))
		dst = codec.AppendUvarint(dst, uint64(h.count))
	}
	if h.age == lastAge {
		flags |= blockSameAge
	} else {
		dst = codec.AppendUvarint(dst, uint64(h.age))
	}
	if h.slots != allSlots {
		flags |= blockSome
		for i := range 8 {
			dst = append(dst, byte(h.slots>>(8*i)))
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

// readBlock parses a block and returns its body.
func readBlock(r *codec.ByteReader, lastAge uint32) (h blockHead, body []byte, err error) {
	flags := r.Byte()
	h.coder = snapshot.Coder(flags & 3)
	h.own, h.two = flags&blockOwn != 0, flags&blockSecond != 0
	var first uint64
	count, age, limit := uint64(1), uint64(lastAge), uint64(maxGroups)
	if h.own {
		limit = maxOwnGroups
	}
	switch {
	case flags&blockFirst == 0:
		first, count = r.Uvarint(), r.Uvarint()
	case !h.own:
		count = r.Uvarint()
	}
	if flags&blockSameAge == 0 {
		age = r.Uvarint()
	}
	h.slots = allSlots
	if flags&blockSome != 0 {
		h.slots = r.Uint64()
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
	case age >= 1<<31 || h.two && age == 0:
		return h, nil, fmt.Errorf("%w: block with a baseline %d sends old, second %v", ErrMessage, age, h.two)
	case h.slots == 0 || flags&blockSome != 0 && h.slots == allSlots || h.coder > snapshot.Range:
		return h, nil, fmt.Errorf("%w: block of slots %#x by coder %d", ErrMessage, h.slots, h.coder)
	case size > uint64(r.Len()):
		return h, nil, fmt.Errorf("%w: block of %d bytes: %w", ErrMessage, size, codec.ErrShort)
	}
	h.first, h.count, h.age = uint32(first), uint32(count), uint32(age)
	return h, r.Next(int(size)), nil
}

// resize is s with n elements, of any value.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		s = make([]T, n, n+n/2)
	}
	return s[:n]
}
