package flight

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/compression"
	"github.com/tactusgo/tactus/ecs"
)

// mark begins a flight, followed by the version of the format.
const (
	mark    = "tactus flight "
	version = 3
)

// Maximum sizes in bytes: of a file, of a save, and of the happenings between two checkpoints.
const (
	MaxFile   = 1 << 28
	maxSave   = 1 << 28
	maxEvents = 1 << 27
	maxStack  = 256 // functions
)

// ErrFlight is wrapped by the errors of [Parse] and of the methods of a [Segment].
var ErrFlight = errors.New("not a flight that this program can read")

// Header describes a flight and how it ended.
type Header struct {
	Protocol string // its name
	Lines    uint64 // ecs.Protocol.Hash
	Model    string // name of the netcode model
	TickRate int
	SendRate int
	Words    int    // of an input
	Reason   string // why the flight was written
	// Panic is the value of the panic with which the flight ends, as text, and Stack the functions of the game that ran. Panic
	// is empty if there was none.
	Panic     string
	PanicTick uint32 // the tick of the world
	Stack     []string
}

// File is a flight.
type File struct {
	Header
	Segments []Segment // at least one
}

// Segment is a checkpoint and the happenings until the next one.
type Segment struct {
	Tick         uint32 // the tick after the checkpoint
	save, claims []byte
	events       []byte
	words        int
}

// append returns the bytes of a file before they are compressed:
//
//	mark | version | protocol | hash u64 | model | tick rate | send rate | words | reason | panic | its tick | stack n | n functions
//	segments n | each: tick | save, compressed | happenings, compressed
//	state of lag compensation before the first segment, compressed; empty: none
//
// Numbers are uvarints. Texts, saves and happenings are their length and their bytes.
func (h *Header) append(list []segment) []byte {
	dst := append([]byte(mark), version)
	dst = binary.LittleEndian.AppendUint64(codec.AppendBytes(dst, h.Protocol), h.Lines)
	dst = codec.AppendUvarints(codec.AppendBytes(dst, h.Model), uint32(h.TickRate), uint32(h.SendRate), uint32(h.Words))
	dst = codec.AppendBytes(codec.AppendBytes(dst, h.Reason), h.Panic)
	dst = codec.AppendUvarints(dst, h.PanicTick, uint32(len(h.Stack)))
	for _, f := range h.Stack {
		dst = codec.AppendBytes(dst, f)
	}
	dst = codec.AppendUvarints(dst, uint32(len(list)))
	for i := range list {
		dst = codec.AppendBytes(codec.AppendBytes(codec.AppendUvarints(dst, list[i].tick), list[i].save), list[i].events)
	}
	return codec.AppendBytes(dst, list[0].claims)
}

// Parse decodes a file, which may be untrusted. It uses memory in proportion to the bytes, and at most [MaxFile].
func Parse(file []byte) (*File, error) {
	if len(file) > MaxFile {
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrFlight, MaxFile)
	}
	b, err := compression.Decompress(file, MaxFile)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: it is cut off or damaged: %w", ErrFlight, err)
	case len(b) <= len(mark) || string(b[:len(mark)]) != mark:
		return nil, fmt.Errorf("%w: it is not a flight", ErrFlight)
	case b[len(mark)] != version:
		return nil, fmt.Errorf("%w: it has version %d of the format, and this program reads version %d", ErrFlight, b[len(mark)], version)
	}
	var r codec.ByteReader
	r.Reset(b[len(mark)+1:])
	x := &File{Header: Header{Protocol: string(r.Bytes())}}
	x.Lines = r.Uint64()
	x.Model, x.TickRate, x.SendRate, x.Words = string(r.Bytes()), int(r.Uvarint32()), int(r.Uvarint32()), int(r.Uvarint32())
	x.Reason, x.Panic = string(r.Bytes()), string(r.Bytes())
	x.PanicTick = r.Uvarint32()
	lines := r.Count(1)
	if lines > maxStack {
		r.Reject()
		lines = 0
	}
	for range lines {
		x.Stack = append(x.Stack, string(r.Bytes()))
	}
	for range r.Count(3) {
		s := Segment{Tick: r.Uvarint32(), save: r.Bytes(), events: r.Bytes(), words: x.Words}
		if len(x.Segments) > 0 && s.Tick < x.Segments[len(x.Segments)-1].Tick || s.Tick > ecs.MaxTick {
			r.Reject()
		}
		x.Segments = append(x.Segments, s)
	}
	claims := r.Bytes()
	if r.Err() != nil || r.Len() > 0 || len(x.Segments) == 0 || x.Words > maxWords {
		return nil, fmt.Errorf("%w: it is damaged", ErrFlight)
	}
	x.Segments[0].claims = claims
	return x, nil
}

// maxWords is the maximum number of words of an input.
const maxWords = 1 << 16

// Save returns the save of the world at the checkpoint.
func (s *Segment) Save() ([]byte, error) {
	return s.decompress(s.save)
}

// Claims returns the state of lag compensation at the checkpoint, nil if there is none. Only the first segment has it.
func (s *Segment) Claims() ([]byte, error) {
	if len(s.claims) == 0 {
		return nil, nil
	}
	return s.decompress(s.claims)
}

func (s *Segment) decompress(b []byte) ([]byte, error) {
	b, err := compression.Decompress(b, maxSave)
	if err != nil {
		return nil, fmt.Errorf("%w: the checkpoint before tick %d: %w", ErrFlight, s.Tick, err)
	}
	return b, nil
}
