package channel

import (
	"encoding/binary"

	"github.com/tactusgo/tactus/codec"
)

// A packet is a sequence of records:
//
//	whole:   head │ number │ length │ message
//	         u8   │ u16    │ varint │
//
//	pieces:  head │ number │ count−2 │ first  │ run−1  │ length │ the pieces first … first+run−1
//	         u8   │ u16    │ varint  │ varint │ varint │ varint │
//
// Bits 0 to 4 of the head are the channel. There are three flags:
//
//	pieces  32   some pieces of a message of count pieces
//	next    64   a whole message numbered one above the one in the record before: no number
//	rest   128   the last record: its bytes go on to the end of the packet, no length
//
// Messages are numbered per channel from 0, in the order of first sending; numbers wrap. Whole messages on Unreliable
// channels have no number; fragments do. All fragments have Config.Piece bytes, except the last one of a message, which may
// be shorter. length is the length of the last fragment. It is absent if the run ends before the last fragment.
//
// Each packet has only one valid encoding. Messages of up to Config.Packet−3 bytes are whole, longer ones fragmented. next
// and rest are set wherever possible. Fragments that continue the previous record must be part of it.
const (
	channelMask = 0x1f
	flagPieces  = 0x20
	flagNext    = 0x40
	flagRest    = 0x80

	// wholeOverhead is the size of head and number of a message that fills a packet.
	wholeOverhead = 3
	// piecesOverhead is the largest header of fragments, for a MaxMessage of 2^23 and fragments of at least 64 bytes.
	piecesOverhead = 3 + 3 + 3 + 3 + 3
)

// sizes are the sizes that both peers share.
type sizes struct {
	packet int // largest packet
	piece  int // size of every fragment except the last
}

func (s sizes) whole() int { return s.packet - wholeOverhead }

// pieces returns the number of fragments of a message of n bytes.
func (s sizes) pieces(n int) int { return (n + s.piece - 1) / s.piece }

// record is one record of a packet. For a whole message, count, first and run are 0.
type record struct {
	channel           int
	number            uint16
	count, first, run int
	data              []byte
}

func (r *record) whole() bool { return r.count == 0 }

// parser reads the records of a packet.
type parser struct {
	in       codec.ByteReader
	channels []channel
	sizes    sizes
	last     record // previous record
	any      bool
}

// next parses the next record, which is valid as long as the packet. ok is false at the end of the packet and with an
// error: [codec.ErrShort], [codec.ErrMalformed] or [codec.ErrTooLarge].
func (p *parser) next() (r record, ok bool, err error) {
	if p.in.Len() == 0 {
		return r, false, nil
	}
	head := p.in.Byte()
	r.channel = int(head & channelMask)
	if r.channel >= len(p.channels) {
		return r, false, codec.ErrMalformed
	}
	ch := &p.channels[r.channel]
	if head&flagPieces != 0 {
		err = p.pieces(head, ch, &r)
	} else {
		err = p.message(head, ch, &r)
	}
	if err == nil {
		err = p.in.Err()
	}
	if err == nil && head&flagRest == 0 && p.in.Len() == 0 {
		err = codec.ErrMalformed
	}
	p.last, p.any = r, true
	return r, err == nil, err
}

// message parses a whole message after its head.
func (p *parser) message(head byte, ch *channel, r *record) error {
	follows := p.any && p.last.whole() && p.last.channel == r.channel && ch.kind.numbered()
	switch {
	case head&flagNext != 0:
		if !follows {
			return codec.ErrMalformed
		}
		r.number = p.last.number + 1
	case ch.kind.numbered():
		r.number = p.in.Uint16()
		if follows && r.number == p.last.number+1 && p.in.Err() == nil {
			return codec.ErrMalformed
		}
	}
	n := p.in.Len()
	if head&flagRest == 0 {
		length := p.in.Uvarint()
		if p.in.Err() != nil {
			return p.in.Err()
		}
		if length > uint64(p.in.Len()) {
			return codec.ErrShort
		}
		n = int(length)
	}
	if n > p.sizes.whole() || n > ch.maxMessage {
		return codec.ErrTooLarge
	}
	r.data = p.in.Next(n)
	return nil
}

// pieces parses a run of fragments after its head.
func (p *parser) pieces(head byte, ch *channel, r *record) error {
	if head&flagNext != 0 {
		return codec.ErrMalformed
	}
	r.number = p.in.Uint16()
	count, first, run := p.in.Uvarint(), p.in.Uvarint(), p.in.Uvarint()
	if err := p.in.Err(); err != nil {
		return err
	}
	if most := uint64(ch.maxPieces); most < 2 || count > most-2 {
		return codec.ErrTooLarge
	}
	count += 2
	if first >= count || run >= count-first {
		return codec.ErrMalformed
	}
	r.count, r.first, r.run = int(count), int(first), int(run)+1
	n := r.run * p.sizes.piece
	if r.first+r.run == r.count {
		var last uint64
		switch {
		case head&flagRest == 0:
			last = p.in.Uvarint()
		case p.in.Len() > n-p.sizes.piece:
			last = uint64(p.in.Len() - (n - p.sizes.piece))
		default:
			return codec.ErrShort
		}
		if last < 1 || last > uint64(p.sizes.piece) {
			return codec.ErrMalformed
		}
		size := (r.count-1)*p.sizes.piece + int(last)
		if size > ch.maxMessage {
			return codec.ErrTooLarge
		}
		if size <= p.sizes.whole() {
			return codec.ErrMalformed
		}
		n += int(last) - p.sizes.piece
	} else if r.count*p.sizes.piece <= p.sizes.whole() {
		return codec.ErrMalformed // a message of this length is sent whole
	}
	r.data = p.in.Next(n)
	if r.data == nil {
		return codec.ErrShort
	}
	if head&flagRest != 0 && p.in.Len() > 0 {
		return codec.ErrMalformed
	}
	if b := &p.last; p.any && !b.whole() && b.channel == r.channel && b.number == r.number && b.first+b.run == r.first {
		return codec.ErrMalformed
	}
	return nil
}

// packer appends the records of a packet to dst.
type packer struct {
	sizes  sizes
	dst    []byte
	start  int // start of the packet in dst
	end    int // largest length of dst
	head   int // position of the last record
	length int // position of its length
	data   int // position of its bytes
	last   record
	any    bool
}

// reset starts a packet of at most room bytes after dst.
func (p *packer) reset(dst []byte, room int) {
	*p = packer{sizes: p.sizes, dst: dst, start: len(dst), end: len(dst) + room}
}

func (p *packer) len() int  { return len(p.dst) - p.start }
func (p *packer) room() int { return p.end - len(p.dst) }

// message adds a whole message, a followed by b, and reports whether it fitted.
func (p *packer) message(number int, kind Kind, id uint16, a, b []byte) bool {
	head, ids := byte(number), 0
	if kind.numbered() {
		ids = 2
		if p.any && p.last.whole() && p.last.channel == number && p.last.number+1 == id {
			head, ids = head|flagNext, 0
		}
	}
	n := len(a) + len(b)
	length := codec.UvarintLen(uint64(n))
	if 1+ids+n > p.room() {
		return false
	}
	last := 1+ids+length+n > p.room()
	p.startRecord(head)
	if ids > 0 {
		p.dst = binary.LittleEndian.AppendUint16(p.dst, id)
	}
	p.length = len(p.dst)
	if !last {
		p.dst = codec.AppendUvarint(p.dst, uint64(n))
	}
	p.data = len(p.dst)
	p.dst = append(append(p.dst, a...), b...)
	p.last, p.any = record{channel: number, number: id}, true
	if last {
		p.end = len(p.dst)
	}
	return true
}

// fits returns the number of fragments that fit into the remaining room.
func (p *packer) fits() int { return max(p.room()-piecesOverhead, 0) / p.sizes.piece }

// run adds fragments that fit. last is the length of the message's last fragment, or 0 if it is not among them.
func (p *packer) run(number int, id uint16, count, first, run, last int, a, b []byte) {
	p.startRecord(byte(number) | flagPieces)
	p.dst = binary.LittleEndian.AppendUint16(p.dst, id)
	p.dst = codec.AppendUvarint(p.dst, uint64(count-2))
	p.dst = codec.AppendUvarint(p.dst, uint64(first))
	p.dst = codec.AppendUvarint(p.dst, uint64(run-1))
	p.length = len(p.dst)
	if last > 0 {
		p.dst = codec.AppendUvarint(p.dst, uint64(last))
	}
	p.data = len(p.dst)
	p.dst = append(append(p.dst, a...), b...)
	p.last, p.any = record{channel: number, number: id, count: count, first: first, run: run}, true
}

func (p *packer) startRecord(head byte) {
	p.head = len(p.dst)
	p.dst = append(p.dst, head)
}

// finish removes the length of the last record, because that record ends with the packet.
func (p *packer) finish() []byte {
	if p.any {
		p.dst[p.head] |= flagRest
		p.dst = append(p.dst[:p.length], p.dst[p.data:]...)
	}
	return p.dst
}
