package wire

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
)

// A message is the payload of a session's packet. The low three bits of its first byte are its kind: input (see input.go),
// snapshot, and others.
//
//	snapshot  kind 3 bits, agreed 1 bit, flags: control, join, timing, correction |
//	          send u16 | input u16 | [control] | [join] | [timing uvarint] |
//	          [correction u8] | [datagrams u8] | blocks
//	control   epoch u8 | depth u8 | shift i16 | floor uvarint
//	join      sends back uvarint | pieces << 1 + hides, uvarint | if back > 0: late u8
//	block     flags u8 | [piece uvarint] | [missing uvarint] | [age uvarint] | [length uvarint] | [set] | body
//
// Sends have the number of the time at which they happen: there can be one every step = TickRate / SendRate ticks. Timing = late +
// step * (every - 1). The tick of a send is its number times step, plus late: a server that has to catch up may be late. Every is the
// number of times until the next snapshot of this client is due. Without timing, late is 0 and every is 1.
//
// Input is the last input of this client that the state includes. Control is sent when it has changed, and every few sends.
//
// With join, the blocks of the world are pieces of the state of an earlier send (0 back: this send). The client has joined when it
// has all of these pieces. An entity that it has from before and that is in none of them is gone, or, if the server hides
// parts of the world, out of sight.
//
// Agreed and correction are used only if corrections are made on mismatch. Agreed means that the client's result after input
// agrees with the server's state. Correction is the number of the open correction (see [Report]).
//
// A block contains entities of the world, or, with the own bit, the client's own entities at full precision. Its [Set] says which: it
// is present unless they are exactly those of the baseline. The age of a block is the number of sends from the baseline to the block's
// send; 0 means no baseline. With the second bit, the send that is every sends older is a baseline too. Missing is present if other entities
// of the world may be missing on the client: all that came into sight less than so many sends before this one. The baseline of a block
// of own entities is at most [MaxOwnAge] sends old.
//
// Kind 7 is a snapshot whose owner state is in several datagrams, or not complete: datagrams is the number of datagrams of the send
// with owner state, or 0 if the budget does not suffice for all own entities. Only kind 7 has this field, and only in datagrams with
// owner state.
//
// A client that cannot decode a snapshot because it no longer has an acknowledged baseline starts a new epoch. The server then
// lets it join again.
//
// Numbers are little-endian. Sequence and send numbers are sent as their low 16 bits.
const (
	KindInput    = 1
	KindSnapshot = 2
	KindDivided  = 7 // a snapshot with a part of the owner state
)

// IsSnapshot reports whether a message is a snapshot of either kind.
func IsSnapshot(b []byte) bool {
	return len(b) > 0 && (b[0]&KindMask == KindSnapshot || b[0]&KindMask == KindDivided)
}

// Flags of a snapshot's first byte.
const (
	flagAgreed = 1 << (3 + iota)
	flagControl
	flagJoin
	flagTiming
	flagCorrection
)

// Flags of a block, above the two bits of its coder.
const (
	blockSecond  = 1 << (2 + iota) // the send before the baseline is a baseline too
	blockSameAge                   // same age as the block before in this message, or 0
	blockLast                      // last block of the message: its body extends to the end
	blockSet                       // a set is present

	// The two highest bits are the kind of the block.
	blockWorld   = 0 << 6
	blockMissing = 1 << 6 // missing is present
	blockPiece   = 2 << 6 // a piece of the state of a join
	blockOwn     = 3 << 6 // the client's own entities
	blockKind    = 3 << 6
)

// ErrMessage is wrapped by errors about an invalid message of a peer.
var ErrMessage = errors.New("systems: bad message")

// MaxGroups and MaxOwnGroups limit the groups of slots for entities on a client. MaxOwn limits the own entities that a server sends:
// a client has room for those that it owned a short time ago, too. MaxPieces limits the pieces of the state of a join.
const (
	MaxGroups    = 1 << 12
	MaxOwnGroups = 1 << 6
	MaxOwn       = 1 << 10
	MaxPieces    = 1 << 14
)

// OwnKept is the number of sends of owner state that can be baselines. Owner state is small: without a baseline it is sent in full.
// MaxOwnAge is the maximum age of such a baseline: the numbers of sends that are left out count, too.
const (
	OwnKept   = 32
	MaxOwnAge = 1 << 10
)

// DepthUnread replaces the depth of a buffer if the client must send whole messages.
const DepthUnread = 255

// SnapshotHeader precedes the blocks of a snapshot.
type SnapshotHeader struct {
	Send    uint16 // number of the send, counting up
	Input   uint16 // last input of this client that the state includes
	Control bool   // the next four fields are present
	Epoch   uint8  // newest epoch that the server has received from this client
	Depth   uint8  // inputs that wait in the server's buffer
	Shift   int16  // total clock shift requested from this client, in 1/[ShiftUnit] ticks
	Floor   uint32 // sends before this one; no later packet uses an older baseline
	Join    bool   // the next four fields are present
	Back    uint32 // sends before this one: the state with which the client joins
	Pieces  uint32 // number of pieces of that state
	Hides   bool   // the server hides parts of the world
	Joined  uint8  // ticks of that state beyond the tick of its send number
	Timing  uint32 // see [Timing]
	Agreed  bool   // the client's result after Input is correct
	Open    bool   // a correction is open, and Number is present
	Number  uint8  // number of the correction
	Divided bool   // the datagram has a part of the owner state, and OwnParts is present
	// OwnParts is the number of datagrams of the send with owner state; 0: owner state is not complete.
	OwnParts uint8
}

// MaxJoinHeader is the maximum size of the join fields, in bytes.
const MaxJoinHeader = 5 + 3 + 1

// MaxControl is the maximum size of the control fields, in bytes.
const MaxControl = 4 + 5

// MaxTiming is the maximum of the field timing, MaxTimingSize its size in bytes.
const (
	MaxTiming     = 1<<14 - 1
	MaxTimingSize = 2
)

// Timing returns the field timing of a header: how many ticks after its time a snapshot is, and how many times later the next one of
// the client is due. There is a time every step ticks.
func Timing(late, every, step uint32) uint32 { return min(late+step*(every-1), MaxTiming) }

// Times returns the arguments of [Timing].
func (h *SnapshotHeader) Times(step uint32) (late, every uint32) {
	return h.Timing % step, h.Timing/step + 1
}

// MaxHeader is the maximum size of a header, in bytes.
const MaxHeader = 5 + MaxControl + MaxJoinHeader + MaxTimingSize + 1 + MaxDivided

// MaxDivided is the size of the field about divided owner state, in bytes.
const MaxDivided = 1

// Sizes returns the maximum sizes of the first header and of those of later datagrams, without the join fields.
func (h *SnapshotHeader) Sizes() (first, later int) {
	later = 5
	if h.Divided {
		later += MaxDivided
	}
	if h.Timing > 0 {
		later += (bits.Len32(h.Timing) + 6) / 7
	}
	if h.Open {
		later++
	}
	first = later
	if h.Control {
		first += 4 + (bits.Len32(h.Floor|1)+6)/7
	}
	return first, later
}

// AppendSnapshotHeader encodes a message up to its blocks.
func AppendSnapshotHeader(dst []byte, h *SnapshotHeader) []byte {
	at := len(dst)
	dst = append(dst, KindSnapshot, byte(h.Send), byte(h.Send>>8), byte(h.Input), byte(h.Input>>8))
	if h.Control {
		dst[at] |= flagControl
		dst = append(dst, h.Epoch, h.Depth, byte(h.Shift), byte(h.Shift>>8))
		dst = codec.AppendUvarint(dst, uint64(h.Floor))
	}
	if h.Join {
		dst[at] |= flagJoin
		dst = codec.AppendUvarint(dst, uint64(h.Back))
		pieces := uint64(h.Pieces) << 1
		if h.Hides {
			pieces |= 1
		}
		dst = codec.AppendUvarint(dst, pieces)
		if h.Back > 0 {
			dst = append(dst, h.Joined)
		}
	}
	if h.Timing > 0 {
		dst[at] |= flagTiming
		dst = codec.AppendUvarint(dst, uint64(h.Timing))
	}
	if h.Agreed {
		dst[at] |= flagAgreed
	}
	if h.Open {
		dst[at] |= flagCorrection
		dst = append(dst, h.Number)
	}
	if h.Divided {
		dst[at] += KindDivided - KindSnapshot
		dst = append(dst, h.OwnParts)
	}
	return dst
}

// ReadSnapshotHeader decodes a message up to its blocks.
func ReadSnapshotHeader(r *codec.ByteReader) (h SnapshotHeader, err error) {
	flags := r.Byte()
	h.Divided = flags&KindMask == KindDivided
	if r.Err() != nil || !h.Divided && flags&KindMask != KindSnapshot {
		return h, fmt.Errorf("%w: not a snapshot", ErrMessage)
	}
	h.Send, h.Input = r.Uint16(), r.Uint16()
	var floor uint64
	if flags&flagControl != 0 {
		h.Control = true
		h.Epoch, h.Depth = r.Byte(), r.Byte()
		h.Shift = int16(r.Uint16())
		floor = r.Uvarint()
		h.Floor = uint32(floor)
	}
	var back, pieces uint64
	if flags&flagJoin != 0 {
		h.Join = true
		back, pieces = r.Uvarint(), r.Uvarint()
		h.Hides = pieces&1 != 0
		pieces >>= 1
		h.Back, h.Pieces = uint32(back), uint32(pieces)
		if back > 0 {
			h.Joined = r.Byte()
		}
	}
	var timing uint64
	if flags&flagTiming != 0 {
		timing = r.Uvarint()
		h.Timing = uint32(timing)
	}
	h.Agreed = flags&flagAgreed != 0
	if flags&flagCorrection != 0 {
		h.Open, h.Number = true, r.Byte()
	}
	if h.Divided {
		h.OwnParts = r.Byte()
	}
	switch {
	case r.Err() != nil:
		return h, fmt.Errorf("%w: snapshot header: %w", ErrMessage, r.Err())
	case h.OwnParts == 1:
		return h, fmt.Errorf("%w: owner state divided among 1 datagram", ErrMessage)
	case h.Number >= Corrections || h.Agreed && h.Open:
		return h, fmt.Errorf("%w: correction %d, agreed %v", ErrMessage, h.Number, h.Agreed)
	case timing > MaxTiming:
		return h, fmt.Errorf("%w: timing %d", ErrMessage, timing)
	case back >= 1<<31 || floor >= 1<<31 || h.Join && pieces == 0 || pieces > MaxPieces:
		return h, fmt.Errorf("%w: joined %d sends back with %d pieces, floor %d", ErrMessage, back, pieces, floor)
	}
	return h, nil
}

// BlockHead describes the contents of a block.
type BlockHead struct {
	Age   uint32 // distance of the baseline in sends; 0: none
	Two   bool   // the send before the baseline is a baseline too
	Coder delta.Coder
	Set   bool // the body starts with a [Set]

	Own    bool   // the client's own entities at full precision; otherwise entities of the world
	Piece  bool   // a piece of the state of a join
	Number uint32 // of the piece
	// Missing is the number of sends in which entities came into sight that the client may not have received; 0: it has all, or
	// receives them with this block.
	Missing uint32
}

// MaxBlockHead is the maximum size of the head of a block, in bytes.
const MaxBlockHead = 1 + 5 + 5 + 2

// Append encodes the head of a block with a body of size bytes, the set included. lastAge is the age of the block before, 0 for the
// first one.
func (h *BlockHead) Append(dst []byte, lastAge uint32, size int, last bool) []byte {
	flags := byte(h.Coder)
	at := len(dst)
	dst = append(dst, 0)
	if h.Two {
		flags |= blockSecond
	}
	if h.Set {
		flags |= blockSet
	}
	switch {
	case h.Own:
		flags |= blockOwn
	case h.Piece:
		flags |= blockPiece
		dst = codec.AppendUvarint(dst, uint64(h.Number))
	case h.Missing > 0:
		flags |= blockMissing
		dst = codec.AppendUvarint(dst, uint64(h.Missing))
	}
	if h.Age == lastAge {
		flags |= blockSameAge
	} else {
		dst = codec.AppendUvarint(dst, uint64(h.Age))
	}
	if last {
		flags |= blockLast
	} else {
		dst = codec.AppendUvarint(dst, uint64(size))
	}
	dst[at] = flags
	return dst
}

// ReadBlock decodes the head of a block and returns its body, which starts with the set if there is one.
func ReadBlock(r *codec.ByteReader, lastAge uint32) (h BlockHead, body []byte, err error) {
	flags := r.Byte()
	h.Coder = delta.Coder(flags & 3)
	h.Two, h.Set = flags&blockSecond != 0, flags&blockSet != 0
	var number uint64
	missing, age := uint64(1), uint64(lastAge)
	switch flags & blockKind {
	case blockOwn:
		h.Own = true
	case blockPiece:
		h.Piece = true
		number = r.Uvarint()
	case blockMissing:
		missing = r.Uvarint()
		h.Missing = uint32(missing)
	}
	if flags&blockSameAge == 0 {
		age = r.Uvarint()
	}
	size := uint64(r.Len())
	if flags&blockLast == 0 {
		size = r.Uvarint()
	}
	switch {
	case r.Err() != nil:
		return h, nil, fmt.Errorf("%w: block: %w", ErrMessage, r.Err())
	case h.Coder > delta.Range:
		return h, nil, fmt.Errorf("%w: block with flags %#x", ErrMessage, flags)
	case missing == 0 || missing >= 1<<31:
		return h, nil, fmt.Errorf("%w: block with entities missing since %d sends", ErrMessage, missing)
	case number >= MaxPieces || h.Piece && (age > 0 || h.Two):
		return h, nil, fmt.Errorf("%w: piece %d with a baseline %d sends old", ErrMessage, number, age)
	case age >= 1<<31 || h.Two && age == 0 || h.Own && age > MaxOwnAge:
		return h, nil, fmt.Errorf("%w: block with a baseline %d sends old, second %v", ErrMessage, age, h.Two)
	case size > uint64(r.Len()):
		return h, nil, fmt.Errorf("%w: block of %d bytes: %w", ErrMessage, size, codec.ErrShort)
	}
	h.Number, h.Age = uint32(number), uint32(age)
	return h, r.Next(int(size)), nil
}
