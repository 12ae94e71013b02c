package policy

import (
	"fmt"
	"time"

	"github.com/tactusgo/tactus/codec"
)

// Size is the length of encoded policies in bytes:
//
//	byte 0   bits 0-1 input timing, 2-3 late input, 4-5 missing input, 6 server state, 7 outcomes
//	byte 1   bits 0-1 correction, 2-3 remotes, 4 tolerance, 5 horizon, 6-7 zero
//	2..3     window in ms, little endian; 0 without LateRewrite
//	4..5     suggest in ms, little endian; 0 for NoSuggest, and without TimingStamped
//
// Defaults are encoded as the values that they stand for, so a peer with other defaults reads the same model.
const Size = 6

// Append appends p as [Size] bytes, with defaults filled in. It panics with the error of Validate if p is not valid.
func (p Policies) Append(b []byte) []byte {
	if err := p.Validate(); err != nil {
		panic(err)
	}
	p = p.Filled()
	window := uint16(p.Window / time.Millisecond)
	suggest := uint16(max(p.Suggest, 0) / time.Millisecond)
	return append(b,
		byte(p.Timing)|byte(p.Late)<<2|byte(p.Missing)<<4|byte(p.State)<<6|byte(p.Outcomes)<<7,
		byte(p.Correction)|byte(p.Remotes)<<2|byte(p.Tolerance)<<4|byte(p.Horizon)<<5,
		byte(window), byte(window>>8),
		byte(suggest), byte(suggest>>8),
	)
}

// Parse decodes the [Size] bytes that [Policies.Append] appended. The result is valid and filled. Errors wrap
// [ErrPolicies].
func Parse(b []byte) (Policies, error) {
	if len(b) != Size {
		return Policies{}, fmt.Errorf("%w: got %d bytes, want %d", ErrPolicies, len(b), Size)
	}
	var r codec.ByteReader
	r.Reset(b)
	x, y := r.Byte(), r.Byte()
	p := Policies{
		Timing:     InputTiming(x & 3),
		Late:       LateInput(x >> 2 & 3),
		Missing:    MissingInput(x >> 4 & 3),
		State:      ServerState(x >> 6 & 1),
		Outcomes:   Outcomes(x >> 7),
		Correction: Correction(y & 3),
		Remotes:    Remotes(y >> 2 & 3),
		Tolerance:  Tolerance(y >> 4 & 1),
		Horizon:    Horizon(y >> 5 & 1),
		Window:     time.Duration(r.Uint16()) * time.Millisecond,
		Suggest:    time.Duration(r.Uint16()) * time.Millisecond,
	}
	if p.Timing == TimingStamped && p.Suggest == 0 {
		p.Suggest = NoSuggest
	}
	if err := p.Validate(); err != nil {
		return Policies{}, err
	}
	if y>>6 != 0 || p.Filled() != p {
		return Policies{}, fmt.Errorf("%w: % x is not a canonical encoding", ErrPolicies, b)
	}
	return p, nil
}
