package flight

import "github.com/tactusgo/tactus/codec"

// The happenings of a segment are a list of these codes, each followed by uvarints, texts of their length and their bytes,
// and u64 in little-endian. A player is named by its index in the list of those with inputs. A player with an input who is
// not mentioned in a tick has the input of the last tick again, with the next sequence number.
const (
	opEnd     = iota // the end of the file
	opTick           // the tick is simulated with what was listed
	opEntry          // kind | player | value: a join, a leave or a command in the coming tick
	opEnter          // index | client | sequence | change of zero words: a player has an input from now on
	opLeave          // index: a player has no more inputs
	opHold           // index | sequence, as difference to the expected one | change of the words: the input of a player
	opAlone          // index: Simulate runs for the entities of a player alone, with its input
	opSkip           // index: the entities of a player take no step
	opMessage        // client | channel | message
	opClaim          // kind | client | number: what lag compensation was told between ticks
	opHash           // u64: the hash of the world before the coming tick
	opOutside        // index: a system of the game runs outside of ticks
)

// ClaimKind is the kind of an input of lag compensation.
type ClaimKind uint32

const (
	Acknowledged ClaimKind = iota // the newest tick whose state a client has
	Consumed                      // the newest consumed input of a client
	Forgotten                     // a client has left
	Recorded                      // the tick under which the world was recorded; no client
)

// appendChange appends the difference of words to others, nil for zeros. For each eight words there is a byte whose bits say
// which of them differ, and then their differences.
func appendChange(dst []byte, from, words []int32) []byte {
	for i := 0; i < len(words); i += 8 {
		part := words[i:min(i+8, len(words))]
		at := len(dst)
		dst = append(dst, 0)
		for k, v := range part {
			was := int32(0)
			if from != nil {
				was = from[i+k]
			}
			if v != was {
				dst[at] |= 1 << k
				dst = codec.AppendVarint(dst, int64(v)-int64(was))
			}
		}
	}
	return dst
}

// readChange applies a change that appendChange has encoded to words.
func readChange(r *codec.ByteReader, words []int32) {
	for i := 0; i < len(words); i += 8 {
		bits := r.Byte()
		for k := range words[i:min(i+8, len(words))] {
			if bits>>k&1 != 0 {
				words[i+k] += int32(r.Varint())
			}
		}
	}
}
