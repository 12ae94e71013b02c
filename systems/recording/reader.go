package recording

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"time"

	"github.com/tactusgo/tactus/codec/compression"
)

// Reader reads a recording. It belongs to one goroutine.
type Reader struct {
	from     io.ReaderAt
	kept     [][]byte // contents of the segments, without from
	file     *os.File // nil if there is none to close
	name     string
	header   Header
	segments []Segment
	duration time.Duration

	current int  // index of the segment that is read
	fresh   bool // the client began with this segment
	another bool // the segment is of another session than the one before
	segment segmentReader
}

// OpenFile opens the recording in a file. Close it at the end. Errors name the file.
func OpenFile(name string) (*Reader, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("replay %s: %w", name, reason(err))
	}
	info, err := f.Stat()
	if err == nil {
		var r *Reader
		if r, err = Open(f, info.Size()); err == nil {
			r.file, r.name = f, name
			return r, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("replay %s: %w", name, reason(err)), f.Close())
}

// Open opens a recording of size bytes, which may be untrusted. If its end is missing, it ends with the last whole chunk. Errors wrap
// [ErrFormat] or [ErrEmpty].
func Open(from io.ReaderAt, size int64) (*Reader, error) {
	r := &Reader{from: from}
	if size == 0 {
		return nil, ErrEmpty
	}
	h, content, err := r.chunk(0, size, maxHeader)
	if err == nil && h.kind == chunkIndex { // the end of a recording without a beginning
		err = ErrEmpty
	} else if err == nil && h.kind != chunkHeader {
		err = ErrFormat
	}
	if err == nil {
		r.header, err = parseHeader(content)
	}
	if err != nil {
		return nil, err
	}
	first := headSize + int64(h.body)
	if !r.readIndex(first, size) {
		r.scan(first, size)
	}
	if r.duration == 0 {
		r.measure()
	}
	if len(r.segments) == 0 {
		return nil, fmt.Errorf("%w: it holds no whole segment", ErrFormat)
	}
	return r, r.Begin(0)
}

// chunk reads the chunk at an offset of a recording of size bytes, if its content has at most limit bytes.
func (r *Reader) chunk(offset, size int64, limit uint32) (h head, content []byte, err error) {
	var b [headSize]byte
	if _, err = r.from.ReadAt(b[:min(headSize, max(size-offset, 0))], offset); err != nil && !errors.Is(err, io.EOF) {
		return h, nil, err
	}
	if h, err = parseHead(b[:min(headSize, max(size-offset, 0))]); err != nil {
		return h, nil, err
	}
	if h.content > limit || int64(h.body) > size-offset-headSize {
		return h, nil, fmt.Errorf("%w: chunk %d is cut", ErrFormat, h.number)
	}
	body := make([]byte, h.body)
	if _, err = r.from.ReadAt(body, offset+headSize); err != nil && !errors.Is(err, io.EOF) {
		return h, nil, err
	}
	if content, err = compression.Decompress(body, int(limit)); err != nil || len(content) != int(h.content) {
		return h, nil, fmt.Errorf("%w: chunk %d", ErrFormat, h.number)
	}
	return h, content, nil
}

// readIndex reads the index. It reports false if there is none that fits the recording.
func (r *Reader) readIndex(first, size int64) bool {
	var b [trailerSize]byte
	if size < trailerSize {
		return false
	}
	if _, err := r.from.ReadAt(b[:], size-trailerSize); err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	at, ok := parseTrailer(b[:])
	if !ok || at < first || at > size {
		return false
	}
	h, content, err := r.chunk(at, size, maxHeader)
	if err != nil || h.kind != chunkIndex {
		return false
	}
	duration, segments, ok := parseIndex(content, first, at)
	if ok {
		r.segments, r.duration = segments, duration
	}
	return ok
}

// scan finds the segments by their heads alone, up to the last one that is not cut. What they contain is read when it is played.
func (r *Reader) scan(offset, size int64) {
	start := time.Duration(0)
	for {
		var b [headSize]byte
		if offset+headSize > size {
			return
		}
		if _, err := r.from.ReadAt(b[:], offset); err != nil && !errors.Is(err, io.EOF) {
			return
		}
		h, err := parseHead(b[:])
		if err != nil || h.kind != chunkSegment || int64(h.body) > size-offset-headSize || h.start < start {
			return
		}
		s := Segment{Offset: offset, Size: headSize + int64(h.body), Start: h.start}
		r.segments = append(r.segments, s)
		offset, start = offset+s.Size, h.start
	}
}

// measure sets the duration to the time of the last record. It leaves out a damaged last segment, which the process was writing
// when it was killed. It unpacks at most two segments, because the recording may be hostile.
func (r *Reader) measure() {
	last := len(r.segments) - 1
	if last >= 0 && r.load(last) != nil {
		r.segments = r.segments[:last]
		last--
		if last >= 0 && r.load(last) != nil {
			r.duration = r.segments[last].Start
			return
		}
	}
	if last < 0 {
		return
	}
	r.duration = r.segments[last].Start
	var x Record
	for {
		ok, err := r.segment.next(&x)
		if !ok || err != nil {
			return
		}
		r.duration = x.At
	}
}

// Grow reads the new part of a recording that is still being made. The recording now has size bytes.
func (r *Reader) Grow(size int64) {
	last := r.segments[len(r.segments)-1]
	n := len(r.segments)
	if r.scan(last.Offset+last.Size, size); len(r.segments) == n {
		return
	}
	current, fresh, segment := r.current, r.fresh, r.segment
	r.measure()
	r.current, r.fresh, r.segment = current, fresh, segment
}

// Header returns the description of the recording.
func (r *Reader) Header() Header { return r.header }

// Duration returns the time from the beginning to the last record.
func (r *Reader) Duration() time.Duration { return r.duration }

// Segments returns the segments in order. A client can begin with each of them.
func (r *Reader) Segments() []Segment { return r.segments }

// Begin goes to the start of the segment that holds a time, or the nearest one, for a client that begins there.
func (r *Reader) Begin(at time.Duration) error {
	if err := r.load(r.segmentOf(at)); err != nil {
		return err
	}
	r.fresh, r.another = true, false
	return nil
}

// StartOf returns the start of the segment that holds a time.
func (r *Reader) StartOf(at time.Duration) time.Duration { return r.segments[r.segmentOf(at)].Start }

func (r *Reader) segmentOf(at time.Duration) int {
	return max(sort.Search(len(r.segments), func(i int) bool { return r.segments[i].Start > at })-1, 0)
}

// load starts to read a segment.
func (r *Reader) load(i int) error {
	s, content, err := r.segments[i], []byte(nil), error(nil)
	if r.kept != nil {
		content = r.kept[i]
	} else {
		_, content, err = r.chunk(s.Offset, s.Offset+s.Size, MaxSegment)
	}
	if err == nil {
		err = r.segment.reset(content, s.Start)
	}
	if err != nil {
		return r.failed(s.Start, err)
	}
	r.current, r.fresh = i, false
	return nil
}

// failed adds the place to an error.
func (r *Reader) failed(at time.Duration, err error) error {
	if r.name != "" {
		return fmt.Errorf("replay %s at %v: %w", r.name, at.Round(time.Millisecond), err)
	}
	return fmt.Errorf("replay at %v: %w", at.Round(time.Millisecond), err)
}

// Session returns the session number and the welcome of the segment that is read, and when it started.
func (r *Reader) Session() (number uint64, welcome []byte, start time.Duration) {
	return r.segment.session, r.segment.welcome, r.segment.start
}

// AnotherSession reports, once, that Next has ended because the recorded client got another session. The client that plays the
// recording must begin again before the next call.
func (r *Reader) AnotherSession() bool {
	another := r.another
	r.another = false
	return another
}

// Next reads the next record up to a time. ok is false if there is none, or at the start of another session.
func (r *Reader) Next(x *Record, until time.Duration) (ok bool, err error) {
	for {
		before := r.segment
		if ok, err = r.segment.next(x); err != nil {
			return false, r.failed(r.segment.at, err)
		}
		switch {
		case !ok:
			if r.current+1 == len(r.segments) || r.segments[r.current+1].Start > until {
				return false, nil
			}
			session := r.segment.session
			if err := r.load(r.current + 1); err != nil {
				return false, err
			}
			if r.segment.session != session {
				r.fresh, r.another = true, true
				return false, nil
			}
		case x.At > until:
			r.segment = before
			return false, nil
		case x.Begins && !r.fresh:
		default:
			return true, nil
		}
	}
}

// All calls visit for all records in order until it returns false. It does not change the place of Next. visit must not use r.
func (r *Reader) All(visit func(x *Record) bool) error {
	current, fresh, segment := r.current, r.fresh, r.segment
	defer func() { r.current, r.fresh, r.segment = current, fresh, segment }()
	if err := r.Begin(0); err != nil {
		return err
	}
	for {
		var x Record
		ok, err := r.Next(&x, r.duration)
		if !ok && err == nil && r.AnotherSession() {
			continue
		}
		if err != nil || !ok || !visit(&x) {
			return err
		}
	}
}

// Close closes the file of a reader of [OpenFile].
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
