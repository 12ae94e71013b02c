package recording

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/netsys"
)

// ErrEmpty is returned for a recording that ended before anything was recorded.
var ErrEmpty = errors.New("nothing was recorded")

// ErrFormat is wrapped by errors about bytes that are not a recording of this version.
var ErrFormat = errors.New("not a recording, or damaged")

const (
	skippable   = 0x184D2A5A
	version     = netsys.WireVersion // because a recording holds datagrams
	headSize    = 8 + 4 + 1 + 1 + 4 + 4 + 8 + 8
	trailerSize = 8 + 4 + 8

	// MaxSegment is the maximum size of a segment in bytes, compressed and not.
	MaxSegment = 64 << 20
	// maxMessage is the maximum length of a message in bytes.
	maxMessage = 8 << 20
	// maxHeader is the maximum size of a header or an index in bytes.
	maxHeader = 16 << 20
)

// chunkKind is the kind of a chunk.
type chunkKind uint8

const (
	chunkHeader chunkKind = 1 + iota
	chunkSegment
	chunkIndex
)

// Header describes a recording.
type Header struct {
	// Protocol is the name of the game's protocol.
	Protocol string
	// Lines describe channels, messages and the protocol, as the two ends of a session compare them. A client plays the recording only
	// if it has the same.
	Lines []string
	// Model is the name of the netcode model.
	Model string
	// Sight is the client number of the player whose sight was recorded; 0: everything was.
	Sight uint32
	// Began is the time at which the recording began.
	Began time.Time
}

// head is the head of a chunk.
type head struct {
	kind    chunkKind
	body    uint32
	content uint32
	start   time.Duration
	number  uint64
}

// append appends the head to dst.
func (h head) append(dst []byte) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint32(le.AppendUint32(dst, skippable), headSize-8)
	dst = append(append(dst, "TREC"...), version, byte(h.kind))
	dst = le.AppendUint32(le.AppendUint32(dst, h.body), h.content)
	return le.AppendUint64(le.AppendUint64(dst, uint64(h.start)), h.number)
}

// parseHead reads a head. The error says what is wrong with it.
func parseHead(b []byte) (h head, err error) {
	le := binary.LittleEndian
	switch {
	case len(b) < headSize || le.Uint32(b) != skippable || le.Uint32(b[4:]) != headSize-8 || string(b[8:12]) != "TREC":
		return h, ErrFormat
	case b[12] != version:
		return h, fmt.Errorf("%w: it has version %d, and this program plays version %d", ErrFormat, b[12], version)
	}
	h = head{chunkKind(b[13]), le.Uint32(b[14:]), le.Uint32(b[18:]), time.Duration(le.Uint64(b[22:])), le.Uint64(b[30:])}
	if limit := uint32(MaxSegment); h.body > limit || h.content > limit || h.start < 0 || h.kind < chunkHeader || h.kind > chunkIndex {
		return h, fmt.Errorf("%w: head of chunk %d", ErrFormat, h.number)
	}
	return h, nil
}

// appendTrailer appends the trailer of a recording to dst.
func appendTrailer(dst []byte, index int64) []byte {
	le := binary.LittleEndian
	dst = append(le.AppendUint32(le.AppendUint32(dst, skippable), trailerSize-8), "TREX"...)
	return le.AppendUint64(dst, uint64(index))
}

// parseTrailer returns the offset of the index.
func parseTrailer(b []byte) (index int64, ok bool) {
	le := binary.LittleEndian
	if len(b) != trailerSize || le.Uint32(b) != skippable || le.Uint32(b[4:]) != trailerSize-8 || string(b[8:12]) != "TREX" {
		return 0, false
	}
	index = int64(le.Uint64(b[12:]))
	return index, index >= 0
}

// append appends the header to dst.
func (h *Header) append(dst []byte) []byte {
	dst = codec.AppendBytes(codec.AppendBytes(dst, h.Protocol), h.Model)
	dst = codec.AppendUvarint(dst, uint64(h.Sight))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(h.Began.UnixNano()))
	dst = codec.AppendUvarint(dst, uint64(len(h.Lines)))
	for _, line := range h.Lines {
		dst = codec.AppendBytes(dst, line)
	}
	return dst
}

// parseHeader reads a header.
func parseHeader(b []byte) (h Header, err error) {
	var r codec.ByteReader
	r.Reset(b)
	h.Protocol, h.Model, h.Sight = string(r.Bytes()), string(r.Bytes()), r.Uvarint32()
	h.Began = time.Unix(0, int64(r.Uint64())).UTC()
	for range r.Count(1) {
		h.Lines = append(h.Lines, string(r.Bytes()))
	}
	if r.Err() != nil || r.Len() > 0 {
		return Header{}, fmt.Errorf("%w: header", ErrFormat)
	}
	return h, nil
}

// appendIndex appends the index of a recording to dst.
func appendIndex(dst []byte, duration time.Duration, segments []Segment) []byte {
	dst = codec.AppendUvarint(dst, uint64(duration))
	for _, s := range segments {
		dst = codec.AppendUvarint(codec.AppendUvarint(dst, uint64(s.Size)), uint64(s.Start))
	}
	return dst
}

// parseIndex reads the index of a recording whose segments lie between two offsets.
func parseIndex(b []byte, offset, end int64) (duration time.Duration, segments []Segment, ok bool) {
	var r codec.ByteReader
	r.Reset(b)
	duration = time.Duration(r.Uvarint())
	start := time.Duration(0)
	for r.Err() == nil && r.Len() > 0 {
		size := r.Uvarint()
		s := Segment{Offset: offset, Size: int64(size), Start: time.Duration(r.Uvarint())}
		if size < headSize || size > uint64(end-offset) || s.Start < start {
			return 0, nil, false
		}
		segments, offset, start = append(segments, s), offset+s.Size, s.Start
	}
	return duration, segments, r.Err() == nil && offset == end && duration >= start
}

// Segment is the place of a segment in a recording.
type Segment struct {
	Offset int64 // of its chunk, in bytes
	Size   int64 // of its chunk, in bytes
	Start  time.Duration
}

// Kind is the kind of a record.
type Kind uint8

// Kinds of records.
const (
	Datagram Kind = 1 + iota
	Message
	Check // the hash of the view that was drawn at this time
)

// beginsFlag is added to the kind of a record that is only for a client that begins with its segment.
const beginsFlag = 128

// Record is something that the recorded client received.
type Record struct {
	At      time.Duration // since the beginning of the recording
	Kind    Kind
	Begins  bool   // it is only for a client that begins with this segment
	Seq     uint16 // of a datagram
	Channel int    // of a message
	Hash    uint64 // of a check
	Data    []byte // valid until the next record is read
}

// segmentReader reads the content of a segment.
type segmentReader struct {
	r       codec.ByteReader
	at      time.Duration
	seq     uint16
	session uint64
	welcome []byte
	start   time.Duration
}

// reset starts to read a segment.
func (s *segmentReader) reset(content []byte, start time.Duration) error {
	s.r.Reset(content)
	s.at, s.start, s.seq = start, start, 0
	s.session = s.r.Uvarint()
	n := s.r.Uvarint()
	s.welcome = s.r.Next(int(min(n, netsys.MaxWelcome+1)))
	if s.r.Err() != nil || n > netsys.MaxWelcome || s.session == 0 {
		return fmt.Errorf("%w: the segment at %v", ErrFormat, start)
	}
	return nil
}

// next reads the next record. ok is false at the end of the segment.
func (s *segmentReader) next(x *Record) (ok bool, err error) {
	r := &s.r
	if r.Err() == nil && r.Len() == 0 {
		return false, nil
	}
	passed := r.Uvarint()
	if passed > uint64(math.MaxInt64-s.at) {
		return false, fmt.Errorf("%w: %v passed", ErrFormat, time.Duration(passed))
	}
	s.at += time.Duration(passed)
	kind := r.Byte()
	*x = Record{At: s.at, Kind: Kind(kind &^ beginsFlag), Begins: kind&beginsFlag != 0}
	limit := uint64(0)
	switch x.Kind {
	case Datagram:
		s.seq += uint16(r.Varint())
		x.Seq, limit = s.seq, netsys.MaxPayload
	case Message:
		x.Channel, limit = int(r.Byte()), maxMessage
	case Check:
		if x.Hash = r.Uint64(); r.Err() != nil {
			return false, fmt.Errorf("%w: the record at %v is cut", ErrFormat, s.at)
		}
		return true, nil
	default:
		return false, fmt.Errorf("%w: a record of kind %d at %v", ErrFormat, x.Kind, s.at)
	}
	n := r.Uvarint()
	if n > limit {
		return false, fmt.Errorf("%w: a record of %d bytes at %v", ErrFormat, n, s.at)
	}
	x.Data = r.Next(int(n))
	if r.Err() != nil {
		return false, fmt.Errorf("%w: the record at %v is cut", ErrFormat, s.at)
	}
	return true, nil
}
