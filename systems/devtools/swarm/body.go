package swarm

import (
	"encoding/binary"
	"math/bits"
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Body is a snapshot message opened by a blind client, for [Config.OnBody]. The slices are valid during the call.
type Body struct {
	Client  int       // number of the client in the swarm
	At      time.Time // of arrival
	Send    uint32    // number of the server's send tick
	Input   uint32    // this client's newest input in the state
	Message []byte    // whole message
	Blocks  []Block   // blocks of the message
	// Join means that the world blocks are the state for joining, from Back send ticks before Send.
	Join bool
	Back uint32
}

// Block is an encoded part of a snapshot: the state of consecutive groups of entities.
type Block struct {
	Own          bool   // for this client only: the client's own entities
	First, Count uint32 // groups
	Slots        uint64 // entities in these groups
	Age          uint32 // age of the baseline in send ticks, 0: no baseline
	Two          bool   // the send tick before the baseline is a baseline too
	Coder        uint8
	Data         []byte
}

// Sum returns a hash of the block's contents. Blocks of the same send tick with equal sums have equal contents, so only one
// needs to be decoded. The hash is the same in every process. It is not cryptographic.
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

// mix adds a word to a hash.
func mix(h, v uint64) uint64 {
	hi, lo := bits.Mul64(h^v^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return hi ^ lo ^ bits.RotateLeft64(v, 29)
}

// ReadBody parses a message from the server. near and input are a send tick and an input close to those of the message;
// they extend its 16-bit numbers. ok is false if the message is not a snapshot. err reports a malformed message. The result
// contains slices of message and reuses the memory of blocks.
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

// isSnapshot reports whether a message is a snapshot.
func isSnapshot(message []byte) bool {
	return len(message) > 0 && message[0]&wire.KindMask == wire.KindSnapshot
}

// readBlocks reads the blocks after the header.
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

// seenBits is the logarithm of the size of a seen table.
const seenBits = 12

// seen is a table of recent block sums. Colliding sums replace each other.
type seen [1 << seenBits]uint64

// add reports whether this is the first block with this sum in the send tick.
func (s *seen) add(send uint32, sum uint64) bool {
	key := mix(sum, uint64(send)) | 1
	p := &s[key>>(64-seenBits)]
	first := *p != key
	*p = key
	return first
}
