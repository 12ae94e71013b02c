package policy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"
)

// Size is the length of an encoded model in bytes:
//
//	byte 0   bits 0-1 inputs: 0 buffered, 1 on arrival, 2 stamped; 2-3 late inputs: 0 dropped, 1 superseding, 2 rewriting;
//	         4-5 missing inputs: 0 repeat, 1 neutral, 2 wait; 6 the server rewinds; 7 outcomes are provisional
//	byte 1   bits 0-1 correction by 0 state, 1 state on a mismatch, 2 inputs; 2-3 remotes; 4 as bit 1; 5 ticks are
//	         final after the window; 6-7 zero
//	2..3     window in ms, little endian; 0 without rewriting
//	4..5     suggest in ms, little endian; 0 for none, and for inputs that are not stamped
//
// Options of one side, such as Damping, Stall and Desync, are not encoded. Defaults are encoded as the values that they
// stand for, so a peer with other defaults reads the same model.
const Size = 6

// Append appends m as [Size] bytes, with defaults filled in. nil means LocalSync{}. m must be valid.
func Append(b []byte, m Model) []byte {
	t := TraitsOf(m)
	x, y := byte(t.Missing&1)<<4|byte(t.Missing>>1)<<2, byte(t.Remotes)<<2
	set := func(to *byte, is bool, bits byte) {
		if is {
			*to |= bits
		}
	}
	set(&x, t.Arrival, 1)
	set(&x, t.Stamped, 2)
	set(&x, t.Rewinds, 2<<2|1<<6)
	set(&x, t.Waits, 2<<4)
	set(&x, t.Provisional, 1<<7)
	set(&y, t.Reports, 1)
	set(&y, t.RelaysInputs, 2|1<<4)
	set(&y, t.FinalAfterWindow, 1<<5)
	b = append(b, x, y)
	b = binary.LittleEndian.AppendUint16(b, uint16(t.Window/time.Millisecond))
	return binary.LittleEndian.AppendUint16(b, uint16(t.Suggest/time.Millisecond))
}

// Parse decodes the [Size] bytes that [Append] appended. The result is valid. Errors wrap [ErrModel].
func Parse(b []byte) (Model, error) {
	if len(b) != Size {
		return nil, fmt.Errorf("%w: got %d bytes, want %d", ErrModel, len(b), Size)
	}
	m := parse(b)
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if !bytes.Equal(Append(nil, m), b) { // other choices than any model makes
		return nil, fmt.Errorf("%w: % x is no encoding of a model", ErrModel, b)
	}
	return m, nil
}

// parse returns the model that b is an encoding of, if it is one.
func parse(b []byte) Model {
	var (
		x, y            = b[0], b[1]
		arrival         = x&3 == 1
		neutral, waits  = x>>4&3 == 1, x>>4&3 == 2
		missing         = Repeat
		remotes         = Remotes(y >> 2 & 3)
		provisional     = x>>7 == 1
		after           = y>>5&1 == 1
		window, suggest = milliseconds(b[2:]), milliseconds(b[4:])
	)
	switch {
	case neutral:
		missing = Neutral
	case x>>2&3 == 1:
		missing = Supersede
	}
	switch {
	case y&3 == 2 && waits:
		return Lockstep{Suggest: orNone(suggest)}
	case y&3 == 2:
		return Rollback{Window: window, Suggest: suggest, Neutral: neutral, FinalAfterWindow: after}
	case x&3 == 2:
		return ServerRewind{Window: orNone(window), Suggest: orNone(suggest), Neutral: neutral, Remotes: remotes, FinalAfterWindow: after}
	case y&3 == 1:
		return CorrectOnMismatch{Arrival: arrival, Missing: missing, PredictOutcomes: provisional, Damped: remotes == Damped}
	case remotes == Damped:
		return Buffered{Arrival: arrival, Missing: missing, PredictOutcomes: provisional}
	}
	return LocalSync{Arrival: arrival, Missing: missing, PredictOutcomes: provisional, CoSimulate: remotes == CoSimulated}
}

func milliseconds(b []byte) time.Duration {
	return time.Duration(binary.LittleEndian.Uint16(b)) * time.Millisecond
}

// orNone returns NoWindow and NoSuggest, which are equal, for 0, which an option has for its default.
func orNone(d time.Duration) time.Duration {
	if d == 0 {
		return NoSuggest
	}
	return d
}
