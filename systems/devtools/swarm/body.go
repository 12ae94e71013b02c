package swarm

import (
	"encoding/binary"
	"math/bits"
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Body is a snapshot message as a blind client opened it, for [Config.OnBody]. The slices are valid during the call.
type Body struct {
	Client  int       // the number in the swarm
	At      time.Time // of arrival
	Send    uint32    // number of the server's send
	Input   uint32    // the newest of this client's inputs in that state
	Message []byte    // all of it
	Blocks  []Block   // of it
	// Join says that the blocks of the world are the state with which the client joins, of Back sends before Send.
	Join bool
	Back uint32
}

// Block is a part of a snapshot, not decoded: the state of consecutive groups of entities.
type Block struct {
	Own          bool   // of the client's own entities, for it alone
	First, Count uint32 // the groups
	Slots        uint64 // which of their entities
	Age          uint32 // of the baseline in sends, 0: none
	Two          bool   // the send before that is a baseline too
	Coder        uint8
	Data         []byte
}

// Sum is a hash of all that the block says: of two blocks of one send with the same sum one may be decoded for both. It is
// the same in every process, and no protection from anybody.
func (b *Block) Sum() uint64 {
	flags := uint64(b.Coder) << 2
	if b.Own {
		flags |= 1
	}
	if b.Two {
		flags |= 2
	}
	h := mix(mix(mix(flags^uint64(b.Age)<<32, uint64(b.First)<<32|uint64(b.Count)), b.Slots), uint64(len(b.Data)))
	d := b.Data
	for ; len(d) >= 8; d = d[8:] {
		h = mix(h, binary.LittleEndian.Uint64(d))
	}
	var last [8]byte
	copy(last[:], d)
	return mix(h, binary.LittleEndian.Uint64(last[:]))
}

// mix takes another word into a hash.
func mix(h, v uint64) uint64 {
	hi, lo := bits.Mul64(h^v^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return hi ^ lo ^ bits.RotateLeft64(v, 29)
}

// ReadBody reads a message that the server sends, and what its 16-bit numbers mean: near is a send, and input an input, not
// far from those of the message. It is false for messages that are no snapshots. The error is about one that no server sends.
// What it returns holds slices of the message, and blocks, whose memory is used again.
func ReadBody(message []byte, near, input uint32, blocks []Block) (b Body, ok bool, err error) {
	var r codec.ByteReader
	return readBody(&r, message, near, input, blocks)
}

func readBody(r *codec.ByteReader, message []byte, near, input uint32, blocks []Block) (b Body, ok bool, err error) {
	if !isSnapshot(message) {
		return b, false, nil
	}
	r.Reset(message)
	h, err := wire.ReadSnapshotHeader(r)
	if err != nil {
		return b, false, err
	}
	b = Body{Send: codec.Lift(h.Send, near), Input: codec.Lift(h.Input, input), Message: message, Join: h.Join, Back: h.Back}
	b.Blocks, err = readBlocks(r, blocks[:0])
	return b, err == nil, err
}

// isSnapshot reports whether a message is one.
func isSnapshot(message []byte) bool {
	return len(message) > 0 && message[0]&wire.KindMask == wire.KindSnapshot
}

// readBlocks reads those behind a header.
func readBlocks(r *codec.ByteReader, blocks []Block) ([]Block, error) {
	age := uint32(0)
	for r.Len() > 0 {
		h, body, err := wire.ReadBlock(r, age)
		if err != nil {
			return blocks, err
		}
		age = h.Age
		blocks = append(blocks, Block{Own: h.Own, First: h.First, Count: h.Count, Slots: h.Slots, Age: h.Age, Two: h.Two, Coder: uint8(h.Coder), Data: body})
	}
	return blocks, nil
}

// seenBits is the size of a table of sums.
const seenBits = 12

// seen knows blocks that were heard lately: as many as there are places, or fewer where two of them fall on one.
type seen [1 << seenBits]uint64

// add reports whether a block of a send is heard for the first time.
func (s *seen) add(send uint32, sum uint64) bool {
	key := mix(sum, uint64(send)) | 1
	p := &s[key>>(64-seenBits)]
	first := *p != key
	*p = key
	return first
}
