package wire

import (
	"fmt"

	"github.com/tactusgo/tactus/codec"
)

// Report is the result of the newest input in a message. If corrections are made only on mismatch,
// the server does not send owner state while there is nothing to correct. Each input message contains
// the state of the client's own entities after its newest input, the result. When the server has consumed
// that input, it compares the result with its own state, and opens a
// correction if they differ by more than the tolerance of a field. While
// a correction is open, its number is in every snapshot, with the newest owner
// state. The client restores that state and replays its inputs. From then on it echoes
// the number. The correction closes when a result with the echo agrees. If
// such a result does not agree, another correction with the next number opens.
//
// The server only compares the result and takes no value from it. A client that sends wrong
// results receives owner state in every snapshot, nothing else.
//
// Under these policies, this follows the inputs of a message:
//
//	report   1, or 0 | echo, 2 bits | result
//	result   for each own entity in the order of NetIDs, for each predicted
//	         component in the order of registration, for each word: remainder |
//	         hash, 16 bits
//
// The 1 requests owner state: the client has no prediction, or a result of
// more than MaxResult bytes. Entities are not named. Each end lists its own:
// the client those that it simulates and has a NetID for.
//
// The result contains the remainder of each word modulo a number that distinguishes values
// within tolerance of each other: the smallest power of two that is large enough, or
// for an angle the smallest divisor of the values of a turn. Words that are compared
// exactly need no remainder, and none do if both ends quantize each step.
// Raw numbers with a tolerance, directions and rotations are sent unchanged. The
// server finds the word with that remainder nearest to its own. The hash
// of all these words says whether the client had the same words: see
// package report. If the two ends have different tolerances, no result agrees,
// and owner state is sent as under the other policies.
type Report struct {
	Asks   bool
	Echo   uint8 // number of the newest correction that was carried out
	Result []byte
	Bits   int // size of Result in bits; when read, including padding
}

// Limits of a report.
const (
	Corrections = 4   // count of correction numbers; they wrap
	MaxResult   = 256 // bytes of a result
	EchoBits    = 2
	HashBits    = 16
)

// writeReport writes the report after the inputs of a message.
func (c *InputCoder) writeReport(a *Report) {
	c.W.Bool(a.Asks)
	if a.Asks {
		return
	}
	c.W.Bits(uint64(a.Echo), EchoBits)
	for i := 0; i < a.Bits; i += 8 {
		c.W.Bits(uint64(a.Result[i/8]), uint(min(8, a.Bits-i)))
	}
}

// readReport reads the output of writeReport, up to the end of the message. It does not decode the result, which
// requires the entities.
func (c *InputCoder) readReport(a *Report) error {
	*a = Report{Asks: c.R.Bool(), Result: a.Result[:0]}
	if a.Asks || c.R.Err() != nil {
		return nil
	}
	a.Echo = uint8(c.R.Bits(EchoBits))
	a.Bits = c.R.Remaining()
	if a.Bits < HashBits || a.Bits >= 8*(MaxResult+1) {
		return fmt.Errorf("%w: a result of %d bits: %w", ErrMessage, a.Bits, codec.ErrMalformed)
	}
	for left := a.Bits; left > 0; left -= 8 {
		a.Result = append(a.Result, byte(c.R.Bits(uint(min(8, left)))))
	}
	return nil
}
