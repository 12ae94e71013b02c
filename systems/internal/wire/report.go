package wire

import (
	"fmt"

	"github.com/tactusgo/tactus/codec"
)

// Where corrections are made on mismatch alone, own state does not travel while
// there is nothing to correct. Each input message says what the client's own
// entities became by its newest input, its result. When the server has consumed
// that input it compares the result with what it has itself, and opens a
// correction where the two differ by more than the tolerance of a field. While
// one is open its number rides in every snapshot, and with it the newest own
// state. The client restores that and replays its inputs; from then on it echoes
// the number. The correction closes when a result with the echo agrees; when such
// a result does not agree there is another correction, with the next number.
//
// The result is compared, never believed: the server takes no value from it, so that the worst
// that a client can do by it is to be sent own state in every snapshot.
//
// What follows the inputs in a message under these policies:
//
//	report   1, or 0 | echo, 2 bits | result
//	result   for each own entity in the order of NetIDs, for each predicted
//	         component in the order of registration, for each word: remainder |
//	         hash, 16 bits
//
// The 1 asks for own state: the client has no prediction to tell of, or one of
// more than MaxResult bytes. The entities are not named. Both ends list those
// that they have: of the client those that it simulates and has a NetID for.
//
// Of a word there is the remainder by a number that tells apart the values within
// tolerance of each other: by the smallest power of two that is large enough, and
// for an angle by the smallest divisor of the values of a turn. What is compared
// exactly needs none, and neither does anything where both ends quantize each step.
// Raw numbers with a tolerance, directions and rotations travel as they are. The
// server finds the word with that remainder which is nearest to its own. The hash,
// over all of these words, says whether that is what the client had: see
// package report. Where the two ends do not have the same tolerances no result agrees,
// and own state travels as it does without all this.
type Report struct {
	Asks   bool
	Echo   uint8 // number of the newest correction that was carried out
	Result []byte
	Bits   int // of result; as read, with those that fill up the last byte
}

// Sizes of a report: numbers of corrections, bytes of a result, bits of echo and hash.
const (
	Corrections = 4   // numbers of corrections there are; they wrap
	MaxResult   = 256 // bytes of a result
	EchoBits    = 2
	HashBits    = 16
)

// writeReport writes what follows the inputs of a message.
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

// readReport reads what writeReport wrote, up to the end of the message. What the
// result says is left to who knows the entities.
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
