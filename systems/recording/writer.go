package recording

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/frame"
	"github.com/tactusgo/tactus/internal/logging"
)

// DefaultInterval is how often a segment starts by default: the longest time that seeking has to play, and that a killed process loses.
const DefaultInterval = 5 * time.Second

// Config configures a [Writer].
type Config struct {
	// Interval is the time between two segments. Each costs a full state. Default (0): [DefaultInterval].
	Interval time.Duration
	// Live receives everything for a client that plays the recording while it is recorded. May be nil.
	Live *Feed
	// Logger receives the reason if the recording ends because of an error. Default (nil): nothing is logged.
	Logger logging.Logger
}

// Writer writes a recording. The netcode fills it: pass it to systems.Server.Record or ClientConfig.Record. Compressing and writing
// run on a goroutine of their own. After an error the recording ends, and the match goes on: see Err.
type Writer struct {
	config Config
	to     store
	buffer []byte        // content of the segment
	spare  []byte        // of the segment before
	start  time.Duration // of the segment
	at     time.Duration // of the newest record
	seq    uint16
	began  time.Time
	header Header
	open   bool // a segment has started
	number uint64
	busy   chan error // receives the result of writing the segment before; nil: nothing is being written
	err    error
	closed bool
}

// store stores chunks.
type store interface {
	// add stores a chunk.
	add(h head, chunk []byte) error
	// end stores what follows the last segment.
	end(duration time.Duration) error
}

// NewWriter returns a writer to w, which belongs to it until Close.
func NewWriter(w io.Writer, c Config) *Writer { return newWriter(&file{w: w}, c) }

// Create creates a file for a recording. Close the writer to complete the file.
func Create(name string, c Config) (*Writer, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", name, reason(err))
	}
	return newWriter(&file{w: f, f: f, name: name}, c), nil
}

func newWriter(to store, c Config) *Writer {
	if c.Interval <= 0 {
		c.Interval = DefaultInterval
	}
	c.Logger = logging.Or(c.Logger)
	return &Writer{config: c, to: to}
}

// Err returns why the recording has ended, nil while it goes on.
func (w *Writer) Err() error { return w.err }

// Ended reports whether nothing more is recorded: the writer is closed, or there was an error.
func (w *Writer) Ended() bool { return w.closed || w.err != nil }

// Due reports whether another segment should start.
func (w *Writer) Due(now time.Time) bool {
	if w.err != nil || w.closed {
		return false
	}
	return !w.open || now.Sub(w.began)-w.start >= w.config.Interval && !w.writing()
}

// writing reports whether the segment before is still being written.
func (w *Writer) writing() bool {
	if w.busy == nil {
		return false
	}
	select {
	case err := <-w.busy:
		w.written(err)
		return false
	default:
		return true
	}
}

// written notes that the segment before was written.
func (w *Writer) written(err error) {
	if w.busy = nil; err != nil {
		w.fail(err)
	}
}

// fail ends the recording.
func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
		w.config.Logger.Error("recording ended", "error", err)
	}
}

// Begin starts a segment, with a client that has this session number and welcome. h describes the recording, and counts for the
// first segment.
func (w *Writer) Begin(now time.Time, h Header, session uint64, welcome []byte) {
	if w.err != nil || w.closed {
		return
	}
	if w.began.IsZero() {
		w.began, w.header = now, h
		w.header.Began = now.Round(0) // as it is read
		h = w.header
		w.chunk(chunkHeader, 0, marshal(h), true)
	}
	w.flush()
	w.open, w.start, w.seq = true, max(now.Sub(w.began), w.at), 0
	w.at = w.start
	w.buffer = codec.AppendUvarint(w.buffer[:0], session)
	w.buffer = codec.AppendUvarint(w.buffer, uint64(len(welcome)))
	w.buffer = append(w.buffer, welcome...)
	if w.config.Live != nil {
		w.config.Live.begin(w.header, session, welcome, w.start)
	}
}

// flush writes the open segment on another goroutine, after the one before.
func (w *Writer) flush() {
	if !w.open {
		return
	}
	if w.open = false; w.busy != nil {
		w.written(<-w.busy)
	}
	w.chunk(chunkSegment, w.start, w.buffer, false)
	w.buffer, w.spare = w.spare, w.buffer
}

// chunk compresses and stores a chunk, on another goroutine unless wait is set.
func (w *Writer) chunk(kind chunkKind, start time.Duration, content []byte, wait bool) {
	h := head{kind: kind, content: uint32(len(content)), start: start, number: w.number}
	w.number++
	if wait {
		w.written(w.add(h, content))
		return
	}
	done := make(chan error, 1)
	w.busy = done
	go func() { done <- w.add(h, content) }()
}

func (w *Writer) add(h head, content []byte) error {
	body := frame.Compress(content)
	h.body = uint32(len(body))
	return w.to.add(h, append(h.append(make([]byte, 0, headSize+len(body))), body...))
}

// record starts a record with size more bytes. It returns false if the recording has ended.
func (w *Writer) record(at time.Time, kind Kind, begins bool, size int) bool {
	if w.err != nil || !w.open {
		return false
	}
	if len(w.buffer)+size+32 > MaxSegment {
		w.fail(fmt.Errorf("more than %d bytes in %v: the disk may be too slow", MaxSegment, w.at-w.start))
		return false
	}
	t, b := max(at.Sub(w.began), w.at), byte(kind)
	if begins {
		b |= beginsFlag
	}
	w.buffer = append(codec.AppendUvarint(w.buffer, uint64(t-w.at)), b)
	w.at = t
	return true
}

// Datagram records a datagram that arrived at a time, with its sequence number. begins is set for one that only a client which begins
// with this segment needs.
func (w *Writer) Datagram(at time.Time, seq uint16, data []byte, begins bool) {
	if !w.record(at, Datagram, begins, len(data)) {
		return
	}
	w.buffer = codec.AppendVarint(w.buffer, int64(int16(seq-w.seq)))
	w.seq = seq
	w.bytes(data)
	w.live(Record{Kind: Datagram, Begins: begins, Seq: seq, Data: data})
}

// Message records a message of a channel. begins is as for Datagram.
func (w *Writer) Message(at time.Time, channel int, data []byte, begins bool) {
	if !w.record(at, Message, begins, len(data)) {
		return
	}
	w.buffer = append(w.buffer, byte(channel))
	w.bytes(data)
	w.live(Record{Kind: Message, Begins: begins, Channel: channel, Data: data})
}

// Check records the hash of the view that a spectator has drawn.
func (w *Writer) Check(at time.Time, hash uint64) {
	if w.record(at, Check, false, 8) {
		w.buffer = binary.LittleEndian.AppendUint64(w.buffer, hash)
		w.live(Record{Kind: Check, Hash: hash})
	}
}

func (w *Writer) bytes(data []byte) {
	w.buffer = append(codec.AppendUvarint(w.buffer, uint64(len(data))), data...)
}

func (w *Writer) live(r Record) {
	if r.At = w.at; w.config.Live != nil {
		w.config.Live.add(r, w.start)
	}
}

// Began returns when the recording began, the zero time before it did.
func (w *Writer) Began() time.Time { return w.began }

// Close writes the rest and the index, and closes a file. It returns the error that ended the recording, if there was one.
func (w *Writer) Close() error {
	if w.closed {
		return w.err
	}
	w.closed = true
	w.flush()
	if w.busy != nil {
		w.written(<-w.busy)
	}
	err := w.to.end(w.at)
	if w.err == nil {
		w.err = err
	}
	return w.err
}

// file stores chunks in a file or another writer.
type file struct {
	w        io.Writer
	f        *os.File // nil if w is no file
	name     string
	offset   int64
	segments []Segment
	number   uint64
	broken   bool
}

func (f *file) add(h head, chunk []byte) error {
	if h.kind == chunkSegment {
		f.segments = append(f.segments, Segment{Offset: f.offset, Size: int64(len(chunk)), Start: h.start})
	}
	f.number = h.number + 1
	return f.write(chunk)
}

func (f *file) write(b []byte) error {
	n, err := f.w.Write(b)
	if f.offset += int64(n); err != nil {
		f.broken = true
		if f.name != "" {
			return fmt.Errorf("record %s: %w", f.name, reason(err))
		}
	}
	return err
}

func (f *file) end(duration time.Duration) (err error) {
	if !f.broken {
		content := marshal(index{duration, f.segments})
		body := frame.Compress(content)
		h := head{kind: chunkIndex, body: uint32(len(body)), content: uint32(len(content)), start: duration, number: f.number}
		err = f.write(appendTrailer(append(h.append(nil), body...), f.offset))
	}
	if f.f != nil {
		err = errors.Join(err, f.f.Close())
	}
	return err
}

// reason returns an error without the operation and the name of the file.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
