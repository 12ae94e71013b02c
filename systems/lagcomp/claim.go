package lagcomp

import (
	"errors"
	"fmt"
	"math"

	"github.com/tactusgo/tactus/codec"
)

// Claim says which moment a client's view showed: which tick of the server, and
// between which two states it was drawn. The zero Claim says nothing.
//
// It is small and holds no pointers, so that a game puts it into its input as a field;
// there it goes the way of all inputs, and is repeated, delayed and lost with the shot
// that it belongs to. While a view plays in real time a claim goes on by its pace, and
// the states are counted in sends, so that little of it has to travel; one that says
// nothing, between shots, costs nothing.
type Claim struct {
	// At is the moment drawn: a tick, its low 16 bits, and how much of the next has
	// passed, in 1/[Parts].
	At uint32 `net:"0..16777215"`
	// Back is 1 more than the sends from the one that took the older state to the one
	// that is due at that tick: 0 says nothing at all, 15 that the states are not known.
	Back uint8 `net:"0..15"`
	// Ahead is the sends from the older state to the later, 0 where there was none.
	Ahead uint8 `net:"0..15"`
}

// Parts is into how many parts a claim divides a tick. A client whose playback is
// at a multiple of 1/Parts when it draws says exactly what it drew; any other says it
// to within 1/Parts of a tick.
const Parts = 256

const (
	unknownBack = 15      // of two states that are not known
	wire        = 1 << 24 // moments that a claim tells apart
)

// NewClaim says that a client's view showed the tick drawn of the server, between the
// states of ticks from, at or before it, and to, after it; to is 0 where nothing later
// had come. Where they are not known from is 0, and the server takes the sends on either
// side. every is how many ticks a send takes. For a client of package systems it is
// Client.Claim.
func NewClaim(drawn float64, from, to, every uint32) Claim {
	if !(drawn > 0 && drawn < math.MaxUint32 && every > 0) {
		return Claim{}
	}
	tick, part := math.Modf(drawn)
	at := uint32(tick)
	c := Claim{At: uint32(momentOf(at)+moment(part*Parts)) % wire, Back: unknownBack}
	if from == 0 || from > at || to != 0 && to <= at {
		return c
	}
	back, ahead := at/every-from/every+1, uint32(0)
	if to != 0 {
		ahead = to/every - from/every
	}
	if back < unknownBack && ahead < unknownBack {
		c.Back, c.Ahead = uint8(back), uint8(ahead)
	}
	return c
}

// Made reports whether c says anything.
func (c Claim) Made() bool { return c.Back != 0 }

// ClaimSize is the length in bytes of a claim on the wire:
//
//	0..2   at, little endian
//	3      back in the low 4 bits: 0 nothing is said, and all others are 0; 15 states
//	       not known, and ahead is 0 | ahead
const ClaimSize = 4

// ErrClaim is wrapped by the errors of [ParseClaim].
var ErrClaim = errors.New("lagcomp: claim")

// Append appends c as [ClaimSize] bytes.
func (c Claim) Append(b []byte) []byte {
	switch c.Back {
	case 0:
		c = Claim{}
	case unknownBack:
		c.Ahead = 0
	}
	return append(b, byte(c.At), byte(c.At>>8), byte(c.At>>16), c.Back&15|c.Ahead<<4)
}

// ParseClaim reads a claim off the front of b and returns what follows it. Errors
// wrap [ErrClaim]. That it can be read says nothing about whether it is true.
func ParseClaim(b []byte) (c Claim, rest []byte, err error) {
	if len(b) < ClaimSize {
		return Claim{}, b, fmt.Errorf("%w in %d bytes: it takes %d", ErrClaim, len(b), ClaimSize)
	}
	var r codec.ByteReader
	r.Reset(b[:ClaimSize])
	c.At = uint32(r.Uint16()) | uint32(r.Byte())<<16
	states := r.Byte()
	c.Back, c.Ahead = states&15, states>>4
	if c.Back == 0 && c != (Claim{}) || c.Back == unknownBack && c.Ahead != 0 {
		return Claim{}, b, fmt.Errorf("%w % x: what is not said must be zero", ErrClaim, b[:ClaimSize])
	}
	return c, b[ClaimSize:], nil
}

// moment is a time of the server in 1/Parts of a tick.
type moment uint64

func momentOf(tick uint32) moment { return moment(tick) * Parts }
func (m moment) tick() uint32     { return uint32(m / Parts) }
func (m moment) ticks() float64   { return float64(m) / Parts }

// moment is the claimed one, now being a tick near it.
func (c Claim) moment(now uint32) moment {
	return momentOf(codec.Lift(uint16(c.At/Parts), now)) + moment(c.At%Parts)
}

// sends are the numbers of the sends drawn between; there was no later one when both
// are equal.
func (c Claim) sends(now, every uint32) (from, to uint32, known bool) {
	due := c.moment(now).tick() / every
	if c.Back == 0 || c.Back >= unknownBack || due < uint32(c.Back-1) {
		return 0, 0, false
	}
	from = due - uint32(c.Back-1)
	return from, from + uint32(c.Ahead), true
}
