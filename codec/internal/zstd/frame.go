package zstd

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// magic begins a frame (section 3.1.1).
const magic = 0xfd2fb528

// The types of blocks (section 3.1.1.2.2).
const (
	rawBlock = iota
	oneByte
	compressedBlock
)

// maxBlock is the largest size of a block in bytes (section 3.1.1.2.4).
const maxBlock = 128 << 10

// Frame decompresses a frame with a checksum and without a dictionary (section 3.1.1). It returns an error before it
// produces more than most bytes: [ErrSize]. The result is valid until the next call.
func (d *Decoder) Frame(b []byte, most int) ([]byte, error) {
	at, size, err := readHeader(b)
	if err != nil {
		return nil, err
	}
	if size > uint64(most) && size != unknown {
		return nil, ErrSize
	}
	d.begin()
	for last := false; !last; {
		if at+3 > len(b) {
			return nil, errCorrupt
		}
		head := int(b[at]) | int(b[at+1])<<8 | int(b[at+2])<<16
		at += 3
		kind, n := head>>1&3, head>>3
		last = head&1 != 0
		long := n // of the block in b
		if kind == oneByte {
			long = 1
		}
		if kind > compressedBlock || n > maxBlock || at+long > len(b) {
			return nil, errCorrupt
		}
		block := b[at : at+long]
		at += long
		if kind == compressedBlock {
			if err := d.block(block, most); err != nil {
				return nil, err
			}
			continue
		}
		if len(d.out)+n > most {
			return nil, ErrSize
		}
		if kind == oneByte {
			block = bytes.Repeat(block, n)
		}
		d.out = append(d.out, block...)
	}
	if at+4 != len(b) || size != unknown && size != uint64(len(d.out)) || binary.LittleEndian.Uint32(b[at:]) != uint32(checksum(d.out)) {
		return nil, errCorrupt
	}
	return d.out, nil
}

// unknown is the size of a frame that does not declare it.
const unknown = ^uint64(0)

// readHeader returns the end of the header of a frame and the size of its content (section 3.1.1.1).
func readHeader(b []byte) (at int, size uint64, err error) {
	if len(b) < 5 || binary.LittleEndian.Uint32(b) != magic {
		return 0, 0, errCorrupt
	}
	const single, reserved, checked, dictionary = 1 << 5, 1 << 3, 1 << 2, 3
	about := b[4]
	if about&(reserved|checked|dictionary) != checked {
		return 0, 0, errCorrupt
	}
	if at = 5; about&single == 0 {
		at++ // the window: all output so far is in memory
	}
	long := 1 << (about >> 6)
	if long == 1 && about&single == 0 {
		long = 0
	}
	if at+long > len(b) {
		return 0, 0, errCorrupt
	}
	var field [8]byte
	copy(field[:], b[at:at+long])
	size = binary.LittleEndian.Uint64(field[:])
	switch long {
	case 0:
		size = unknown
	case 2:
		size += 256
	}
	return at + long, size, nil
}

// checksum returns the XXH64 hash of b with the seed 0, whose low half ends a frame (section 3.1.1).
func checksum(b []byte) uint64 {
	const p1, p2, p3, p4, p5 uint64 = 0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9, 0x85ebca77c2b2ae63, 0x27d4eb2f165667c5
	round := func(sum, v uint64) uint64 { return bits.RotateLeft64(sum+v*p2, 31) * p1 }
	long, zero := uint64(len(b)), uint64(0)
	sum := p5
	if len(b) >= 32 {
		lanes := [4]uint64{zero + p1 + p2, p2, 0, zero - p1}
		for ; len(b) >= 32; b = b[32:] {
			for i := range lanes {
				lanes[i] = round(lanes[i], binary.LittleEndian.Uint64(b[8*i:]))
			}
		}
		sum = bits.RotateLeft64(lanes[0], 1) + bits.RotateLeft64(lanes[1], 7) + bits.RotateLeft64(lanes[2], 12) + bits.RotateLeft64(lanes[3], 18)
		for _, lane := range lanes {
			sum = (sum^round(0, lane))*p1 + p4
		}
	}
	sum += long
	for ; len(b) >= 8; b = b[8:] {
		sum = bits.RotateLeft64(sum^round(0, binary.LittleEndian.Uint64(b)), 27)*p1 + p4
	}
	if len(b) >= 4 {
		sum = bits.RotateLeft64(sum^uint64(binary.LittleEndian.Uint32(b))*p1, 23)*p2 + p3
		b = b[4:]
	}
	for _, c := range b {
		sum = bits.RotateLeft64(sum^uint64(c)*p5, 11) * p1
	}
	sum = (sum ^ sum>>33) * p2
	sum = (sum ^ sum>>29) * p3
	return sum ^ sum>>32
}
