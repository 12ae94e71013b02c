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
// that it belongs to.
type Claim struct {
	// Tick is the tick drawn, its low 16 bits, and Part how much of the next has
	// passed, in 1/[Parts].
	Tick uint16 `net:"raw"`
	Part uint8  `net:"raw"`
	// Back is 1 more than the ticks from the older state to Tick: 0 says nothing at
	// all, 255 that the states are not known.
	Back uint8 `net:"raw"`
	// Ahead is the ticks from Tick to the later state, 0 where there was none.
	Ahead uint8 `net:"raw"`
}

// Parts is into how many parts a claim divides a tick. A client whose playback is at
// a multiple of 1/Parts when it draws says exactly what it drew; any other says it to
// within 1/Parts of a tick.
const Parts = 256

// unknownBack stands for two states that are not known.
const unknownBack = 255

// NewClaim says that a client's view showed the tick drawn of the server: what is
// systems.Client.DrawnTick. The states drawn between are those of ticks from, at or
// before drawn, and to, after it; to is 0 where nothing later had come. Where they are
// not known from is 0, and the server takes the sends on either side.
func NewClaim(drawn float64, from, to uint32) Claim {
	if !(drawn > 0 && drawn < math.MaxUint32) {
		return Claim{}
	}
	tick, part := math.Modf(drawn)
	at := uint32(tick)
	c := Claim{Tick: uint16(at), Part: uint8(part * Parts), Back: unknownBack}
	if from == 0 || from > at || at-from >= unknownBack-1 || to != 0 && (to <= at || to-at > math.MaxUint8) {
		return c
	}
	c.Back = uint8(at-from) + 1
	if to != 0 {
		c.Ahead = uint8(to - at)
	}
	return c
}

// Made reports whether c says anything.
func (c Claim) Made() bool { return c.Back != 0 }

// ClaimSize is the length in bytes of a claim on the wire:
//
//	0..1   tick, little endian
//	2      part of a tick, in 1/256
//	3      back: 0 nothing is said, and all others are 0; 255 states not known, and ahead is 0
//	4      ahead
const ClaimSize = 5

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
	return append(b, byte(c.Tick), byte(c.Tick>>8), c.Part, c.Back, c.Ahead)
}

// ParseClaim reads a claim off the front of b and returns what follows it. Errors
// wrap [ErrClaim]. That it can be read says nothing about whether it is true.
func ParseClaim(b []byte) (c Claim, rest []byte, err error) {
	if len(b) < ClaimSize {
		return Claim{}, b, fmt.Errorf("%w in %d bytes: it takes %d", ErrClaim, len(b), ClaimSize)
	}
	var r codec.ByteReader
	r.Reset(b[:ClaimSize])
	c = Claim{Tick: r.Uint16(), Part: r.Byte(), Back: r.Byte(), Ahead: r.Byte()}
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
	return momentOf(codec.Lift(c.Tick, now)) + moment(c.Part)
}

// states are the ticks drawn between; to is 0 where there was no later one.
func (c Claim) states(now uint32) (from, to uint32, known bool) {
	tick := codec.Lift(c.Tick, now)
	if c.Back == 0 || c.Back == unknownBack || tick < uint32(c.Back-1) {
		return 0, 0, false
	}
	from = tick - uint32(c.Back-1)
	if c.Ahead != 0 {
		to = tick + uint32(c.Ahead)
	}
	return from, to, true
}
