package delta

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/tactusgo/tactus/codec"
)

// A recording is the sequence of states from which the snapshots of a game are made. It is the input for training a [Trained].
//
//	+--------------------------------------------------------------------+
//	| "tactusrc" 8 B | version 1 B                                       |
//	+--------------------------------------------------------------------+
//	| steps varint | rate varint | raw 0 or 1, 1 B | components varint   |
//	| for each: words varint | length varint, line of its table or none   |
//	+--- for each send --------------------------------------------------+
//	| send u32 | groups varint | coder 1 B | length varint | block       |
//	+--------------------------------------------------------------------+
//
// The blocks contain all slots of all groups, with the previous send as the baseline. The baseline of the first send, and of a
// new group, has only empty slots.

const (
	recordingMagic   = "tactusrc"
	recordingVersion = 2

	maxRecordingLine  = 1 << 16
	maxRecordingWords = 1 << 13
	maxRecordingBlock = 1 << 24
	maxRecordingRate  = 1 << 16
	maxGroups         = 1 << 10
)

// Recorder writes a recording. It is not safe for concurrent use.
type Recorder struct {
	w     io.Writer
	model *Model
	enc   Encoder
	last  []Group
	parts []Part
	body  []byte
	out   []byte
	err   error
}

// NewRecorder starts a recording of groups of a layout. It writes immediately and in small pieces: pass a [bufio.Writer].
func NewRecorder(w io.Writer, l *Layout) *Recorder {
	r := &Recorder{w: w, model: NewModel(l, nil)}
	b := append([]byte(recordingMagic), recordingVersion)
	b = codec.AppendUvarint(b, uint64(l.steps))
	b = codec.AppendUvarint(b, uint64(l.rate))
	raw := byte(0)
	if l.raw {
		raw = 1
	}
	b = append(b, raw)
	b = codec.AppendUvarint(b, uint64(len(l.tables)))
	for i, line := range l.lines() {
		b = codec.AppendUvarint(b, uint64(l.words[i]))
		b = codec.AppendUvarint(b, uint64(len(line)))
		b = append(b, line...)
	}
	_, r.err = w.Write(b)
	return r
}

// Record writes the groups of a send. Their number may grow from send to send, but not shrink. Slots that are not known
// count as empty. Errors are those of the writer; after the first error, Record writes nothing and returns it again.
func (r *Recorder) Record(groups []Group) error {
	if r.err != nil || len(groups) == 0 {
		return r.err
	}
	send := groups[0].Send
	r.parts = r.parts[:0]
	r.last = withEmptyGroups(r.last, len(groups), send-1)
	for i := range groups {
		r.parts = append(r.parts, Part{Cur: &groups[i], Base: &r.last[i], Slots: ^uint64(0)})
	}
	var coder Coder
	r.body, coder = r.enc.Append(r.body[:0], r.model, r.parts)
	r.out = binary.LittleEndian.AppendUint32(r.out[:0], send)
	r.out = codec.AppendUvarint(r.out, uint64(len(groups)))
	r.out = append(r.out, byte(coder))
	r.out = codec.AppendUvarint(r.out, uint64(len(r.body)))
	r.out = append(r.out, r.body...)
	if _, r.err = r.w.Write(r.out); r.err != nil {
		return r.err
	}
	for i := range groups {
		r.last[i].Reset(send)
		adopt(&r.last[i], &groups[i], groups[i].Known)
		r.last[i].Known = ^uint64(0)
	}
	return nil
}

// withEmptyGroups appends empty groups up to n groups.
func withEmptyGroups(groups []Group, n int, send uint32) []Group {
	for len(groups) < n {
		groups = append(groups, Group{Send: send, Known: ^uint64(0)})
	}
	return groups
}

// Recording reads a recording. It is not safe for concurrent use.
type Recording struct {
	r      *bufio.Reader
	model  *Model
	layout *Layout
	dec    Decoder
	last   []Group
	parts  []Part
	body   []byte
}

// NewRecording starts to read a recording. Errors are [codec.ErrMalformed] for other files or versions, [codec.ErrShort],
// and those of r.
func NewRecording(r io.Reader) (*Recording, error) {
	rec := &Recording{r: bufio.NewReader(r)}
	if err := rec.head(); err != nil {
		return nil, fmt.Errorf("recording: %w", eofToShort(err))
	}
	rec.model = NewModel(rec.layout, nil)
	return rec, nil
}

// eofToShort converts an unexpected end of file to codec.ErrShort.
func eofToShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return codec.ErrShort
	}
	return err
}

// Layout returns the layout of the groups for encoding. Its tables have types that were constructed from the recording.
func (r *Recording) Layout() *Layout { return r.layout }

func (r *Recording) head() error {
	var magic [len(recordingMagic) + 1]byte
	if _, err := io.ReadFull(r.r, magic[:]); err != nil {
		return err
	}
	if string(magic[:len(recordingMagic)]) != recordingMagic {
		return fmt.Errorf("%w: it does not begin with %q", codec.ErrMalformed, recordingMagic)
	}
	if v := magic[len(recordingMagic)]; v != recordingVersion {
		return fmt.Errorf("%w: version %d, this reads %d", codec.ErrMalformed, v, recordingVersion)
	}
	steps, err := r.uvarint(maxRecordingRate)
	if err != nil {
		return err
	}
	rate, err := r.uvarint(maxRecordingRate)
	if err != nil {
		return err
	}
	if steps == 0 || rate == 0 {
		return fmt.Errorf("%w: %d steps a send, %d sends a second", codec.ErrMalformed, steps, rate)
	}
	raw, err := r.r.ReadByte()
	if err != nil {
		return err
	}
	n, err := r.uvarint(MaxComponents)
	if err != nil {
		return err
	}
	lines, words := make([]string, n), make([]int, n)
	for i := range lines {
		if words[i], err = r.uvarint(maxRecordingWords); err != nil {
			return err
		}
		size, err := r.uvarint(maxRecordingLine)
		if err != nil {
			return err
		}
		b := make([]byte, size)
		if _, err := io.ReadFull(r.r, b); err != nil {
			return err
		}
		lines[i] = string(b)
	}
	if raw > 1 {
		return fmt.Errorf("%w: layout of kind %d", codec.ErrMalformed, raw)
	}
	r.layout, err = parseLayout(lines, words, steps, rate, raw == 1)
	return err
}

// uvarint reads a number of at most limit.
func (r *Recording) uvarint(limit int) (int, error) {
	v := 0
	for shift := 0; shift < 28; shift += 7 {
		b, err := r.r.ReadByte()
		if err != nil {
			return 0, err
		}
		if v |= int(b&0x7f) << shift; b >= 0x80 {
			continue
		}
		if v > limit {
			break
		}
		return v, nil
	}
	return 0, fmt.Errorf("%w: a number above %d", codec.ErrTooLarge, limit)
}

// Next reads the groups of the next send into dst, reusing its memory, and returns them. Errors are [io.EOF] at the end,
// [codec.ErrShort] if the file ends within a send, and those of [Decoder.Decode].
func (r *Recording) Next(dst []Group) ([]Group, error) {
	var send [4]byte
	if _, err := io.ReadFull(r.r, send[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return dst, io.EOF
		}
		return dst, fmt.Errorf("recording: %w", eofToShort(err))
	}
	dst, err := r.next(dst, binary.LittleEndian.Uint32(send[:]))
	if err != nil {
		return dst, fmt.Errorf("recording: %w", eofToShort(err))
	}
	return dst, nil
}

func (r *Recording) next(dst []Group, send uint32) ([]Group, error) {
	n, err := r.uvarint(maxGroups)
	if err != nil {
		return dst, err
	}
	coder, err := r.r.ReadByte()
	if err != nil {
		return dst, err
	}
	size, err := r.uvarint(maxRecordingBlock)
	if err != nil {
		return dst, err
	}
	if n < len(r.last) || n == 0 {
		return dst, fmt.Errorf("%w: send of %d groups", codec.ErrMalformed, n)
	}
	if r.body, err = readSome(r.r, r.body[:0], size); err != nil {
		return dst, err
	}
	r.last = withEmptyGroups(r.last, n, send-1)
	dst = grow(dst[:0], n)
	r.parts = r.parts[:0]
	for i := range dst {
		dst[i].Reset(send)
		r.parts = append(r.parts, Part{Cur: &dst[i], Base: &r.last[i], Slots: ^uint64(0)})
	}
	if err := r.dec.Decode(r.body, Coder(coder), r.model, r.parts); err != nil {
		return dst, err
	}
	for i := range dst {
		r.last[i].Reset(send)
		adopt(&r.last[i], &dst[i], ^uint64(0))
	}
	return dst, nil
}

// readSome appends n bytes to dst in pieces, because n is not trusted.
func readSome(r io.Reader, dst []byte, n int) ([]byte, error) {
	for n > 0 {
		piece := min(n, 1<<16)
		at := len(dst)
		dst = grow(dst, piece)
		if _, err := io.ReadFull(r, dst[at:]); err != nil {
			return dst, err
		}
		n -= piece
	}
	return dst, nil
}
