package lagcomp

import (
	"errors"
	"fmt"
	"math"

	"github.com/tactusgo/tactus/codec"
)

// Claim is the moment that a client's view showed: the tick of the server, and the two states between which the view
// was drawn. The zero Claim claims nothing.
//
// A claim is small and has no pointers, so a game makes it a field of its input. It is then repeated, delayed and
// lost together with the shot. In steady playback a claim advances by a fixed amount each tick, and states are
// counted in snapshots, so it costs few bytes. Zero claims between shots cost nothing.
type Claim struct {
	// At is the low 16 bits of the drawn tick, times [Parts], plus the passed part of the next tick in 1/[Parts].
	At uint32 `net:"0..16777215"`
	// Every is the number of ticks from one snapshot to the next, of which the ticks of both states are multiples. 1 if they are not.
	Every uint8 `net:"0..255"`
	// Back is 1 plus the number of snapshots from the older state to the last one at or before the drawn tick. 0 means no claim, 31
	// means that the states are unknown.
	Back uint8 `net:"0..31"`
	// Ahead is the number of snapshots from the older state to the later one, 0 if there was no later one.
	Ahead uint8 `net:"0..31"`
}

// Parts is the number of parts into which a claim divides a tick. If a client draws at multiples of 1/Parts, its
// claim is exact. Otherwise the claim is off by less than 1/Parts of a tick.
const Parts = 256

const (
	unknownBack = 31      // the two states are unknown
	moments     = 1 << 24 // number of moments that a claim can distinguish
)

// NewClaim returns the claim of a view. drawn is the tick of the server that the view showed, with its fraction. from
// is the tick of the older state, at or before drawn. to is the tick of the later state, or 0 if there was none. If
// from is 0, or a state is 30 snapshots away or more, the states are unknown, and the server uses the two neighbouring snapshots.
// every is the number of ticks from one snapshot to the next. In a client of package systems, call Client.Claim instead.
func NewClaim(drawn float64, from, to, every uint32) Claim {
	if !(drawn > 0 && drawn < math.MaxUint32 && every > 0) {
		return Claim{}
	}
	tick, part := math.Modf(drawn)
	at := uint32(tick)
	if from%every != 0 || to%every != 0 || every > math.MaxUint8 {
		every = 1
	}
	c := Claim{At: uint32(momentOf(at)+moment(part*Parts)) % moments, Every: uint8(every), Back: unknownBack}
	if from == 0 || from > at || to != 0 && to <= at {
		return c
	}
	back, ahead := at/every-from/every+1, uint32(0)
	if to != 0 {
		ahead = (to - from) / every
	}
	if back < unknownBack && ahead < unknownBack {
		c.Back, c.Ahead = uint8(back), uint8(ahead)
	}
	return c
}

// Made reports whether c claims anything.
func (c Claim) Made() bool { return c.Back != 0 }

// ClaimSize is the length of an encoded claim in bytes:
//
//	0..2   At, little endian
//	3      Every
//	4      Back
//	5      Ahead
//
// Back and Ahead are at most 31. If Back is 0, all others are 0. Otherwise Every is not 0. If Back is 31, Ahead is 0.
const ClaimSize = 6

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
	if c.Back != 0 {
		c.Every = max(c.Every, 1)
	}
	return append(b, byte(c.At), byte(c.At>>8), byte(c.At>>16), c.Every, c.Back&31, c.Ahead&31)
}

// ParseClaim decodes a claim at the start of b and returns the rest of b. Errors wrap [ErrClaim]. It checks the
// encoding only, not whether the claim is true.
func ParseClaim(b []byte) (c Claim, rest []byte, err error) {
	if len(b) < ClaimSize {
		return Claim{}, b, fmt.Errorf("%w: got %d bytes, want %d", ErrClaim, len(b), ClaimSize)
	}
	var r codec.ByteReader
	r.Reset(b[:ClaimSize])
	c.At = uint32(r.Uint16()) | uint32(r.Byte())<<16
	c.Every, c.Back, c.Ahead = r.Byte(), r.Byte(), r.Byte()
	if c.Back == 0 && c != (Claim{}) || c.Back == unknownBack && c.Ahead != 0 || c.Back|c.Ahead > 31 || c.Made() && c.Every == 0 {
		return Claim{}, b, fmt.Errorf("%w % x: unused fields are not zero", ErrClaim, b[:ClaimSize])
	}
	return c, b[ClaimSize:], nil
}

// moment is a time of the server in 1/Parts of a tick.
type moment uint64

func momentOf(tick uint32) moment { return moment(tick) * Parts }
func (m moment) tick() uint32     { return uint32(m / Parts) }
func (m moment) ticks() float64   { return float64(m) / Parts }

// moment returns the claimed moment. now is a tick near it.
func (c Claim) moment(now uint32) moment {
	return momentOf(codec.Lift(uint16(c.At/Parts), now)) + moment(c.At%Parts)
}

// states returns the ticks of the two states. to is 0 if there was no later one.
func (c Claim) states(now uint32) (from, to uint32, known bool) {
	every := uint32(max(c.Every, 1))
	due := c.moment(now).tick() / every
	if c.Back == 0 || c.Back >= unknownBack || due < uint32(c.Back) {
		return 0, 0, false
	}
	if from = (due + 1 - uint32(c.Back)) * every; c.Ahead > 0 {
		to = from + uint32(c.Ahead)*every
	}
	return from, to, true
}
