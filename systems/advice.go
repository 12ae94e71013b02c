package systems

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
// The result is advice. The server never takes a value from it, so that the worst
// that a client can do by it is to be sent own state in every snapshot.
//
// What follows the inputs in a message under these policies:
//
//	advice   1, or 0 | echo, 2 bits | result
//	result   for each own entity in the order of NetIDs, for each predicted
//	         component in the order of registration, for each word: remainder |
//	         hash, 16 bits
//
// The 1 asks for own state: the client has no prediction to tell of, or one of
// more than maxResult bytes. The entities are not named. Both ends list those
// that they have: of the client those that it simulates and has a NetID for.
//
// Of a word there is the remainder by a number that tells apart the values within
// tolerance of each other: by the smallest power of two that is large enough, and
// for an angle by the smallest divisor of the values of a turn. What is compared
// exactly needs none, and neither does anything where both ends quantize each step.
// Raw numbers with a tolerance, directions and rotations travel as they are. The
// server finds the word with that remainder which is nearest to its own. The hash,
// over all of these words, says whether that is what the client had: see
// resultHash. Where the two ends do not have the same tolerances no result agrees,
// and own state travels as it does without all this.
type advice struct {
	asks   bool
	echo   uint8 // number of the newest correction that was carried out
	result []byte
	bits   int // of result; as read, with those that fill up the last byte
}

const (
	corrections = 4   // numbers of corrections there are; they wrap
	maxResult   = 256 // bytes of a result
	echoBits    = 2
	hashBits    = 16
)

// writeAdvice writes what follows the inputs of a message.
func (c *inputCoder) writeAdvice(a *advice) {
	c.w.Bool(a.asks)
	if a.asks {
		return
	}
	c.w.Bits(uint64(a.echo), echoBits)
	for i := 0; i < a.bits; i += 8 {
		c.w.Bits(uint64(a.result[i/8]), uint(min(8, a.bits-i)))
	}
}

// readAdvice reads what writeAdvice wrote, up to the end of the message. What the
// result says is left to who knows the entities.
func (c *inputCoder) readAdvice(a *advice) error {
	*a = advice{asks: c.r.Bool(), result: a.result[:0]}
	if a.asks || c.r.Err() != nil {
		return nil
	}
	a.echo = uint8(c.r.Bits(echoBits))
	a.bits = c.r.Remaining()
	if a.bits < hashBits || a.bits >= 8*(maxResult+1) {
		return fmt.Errorf("%w: a result of %d bits: %w", ErrMessage, a.bits, codec.ErrMalformed)
	}
	for left := a.bits; left > 0; left -= 8 {
		a.result = append(a.result, byte(c.r.Bits(uint(min(8, left)))))
	}
	return nil
}

// Numbers of the multiplicative hash: an odd one near 2⁶⁴ divided by the golden
// ratio, as D. Knuth has it in "The Art of Computer Programming", volume 3, 6.4.
const golden = 0x9e3779b97f4a7c15

// resultHash runs over what a result stands for: of each entity its NetID, the
// low and the high half of the set of its predicted components, and their words.
// It begins at 0; its top 16 bits travel.
type resultHash uint64

func (h *resultHash) add(v uint32) {
	x := (uint64(*h) ^ uint64(v) ^ golden) * golden
	*h = resultHash(x ^ x>>32)
}

func (h resultHash) sum() uint16 { return uint16(uint64(h) * golden >> (64 - hashBits)) }
