package swarm

import (
	"encoding/binary"
	"math/bits"

	"github.com/tactusgo/tactus/systems/internal/wire"
)

// countBlocks counts the blocks of the world in the rest of a snapshot message, and how many of them differ from all others of
// the same send.
func (s *shard) countBlocks(send uint32) error {
	age := uint32(0)
	for s.reader.Len() > 0 {
		h, body, err := wire.ReadBlock(&s.reader, age)
		if err != nil {
			return err
		}
		if age = h.Age; h.Own {
			continue
		}
		s.figures.Blocks++
		if s.seen.add(send, sum(&h, body)) {
			s.figures.Distinct++
		}
	}
	return nil
}

// sum returns a hash of a block. It does not resist attacks.
func sum(b *wire.BlockHead, body []byte) uint64 {
	flags := uint64(b.Coder) << 1
	if b.Two {
		flags |= 1
	}
	h := mix(mix(flags^uint64(b.Age)<<32, uint64(b.Number)<<32|uint64(b.Missing)), uint64(len(body)))
	for ; len(body) >= 8; body = body[8:] {
		h = mix(h, binary.LittleEndian.Uint64(body))
	}
	var last [8]byte
	copy(last[:], body)
	return mix(h, binary.LittleEndian.Uint64(last[:]))
}

// mix adds a word to a hash.
func mix(h, v uint64) uint64 {
	hi, lo := bits.Mul64(h^v^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return hi ^ lo ^ bits.RotateLeft64(v, 29)
}

// seenBits is the binary logarithm of the number of sums that a seen remembers.
const seenBits = 12

// seen remembers the sums of recent blocks. A sum replaces an earlier one at the same index.
type seen [1 << seenBits]uint64

// add adds a sum of a send. It reports whether the sum is new in that send.
func (s *seen) add(send uint32, sum uint64) bool {
	key := mix(sum, uint64(send)) | 1
	p := &s[key>>(64-seenBits)]
	first := *p != key
	*p = key
	return first
}
