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
	"github.com/tactusgo/tactus/internal/logging"
)

// DefaultInterval is how often a segment starts by default: the longest time that seeking has to play, and that a killed process loses.
const DefaultInterval = 5 * time.Second

// Config configures a [Writer].
type Config struct {
	// Interval is the time between two segments. Each costs a full state. Default (0): [DefaultInterval].
	Interval time.Duration
	// OwnerOnly also records the owner-only components of the player whose sight is recorded: see systems.Server.Record.
	OwnerOnly bool
	// Live receives everything for a client that plays the recording while it is recorded. May be nil.
	Live *Feed
	// Logger receives the reason if the recording ends because of an error. Default (nil): nothing is logged.
	Logger logging.Logger
}

// Writer writes a recording. The netcode fills it: pass it to systems.Server.Record or ClientConfig.Record. Compressing and writing
// run on a goroutine of their own, which Close ends. After an error the recording ends, and the match continues: see Err.
type Writer struct {
	config Config
	to     store
	buffer []byte        // content of the segment
	start  time.Duration // of the segment
	at     time.Duration // of the newest record
	seq    uint16
	began  time.Time
	header Header
	open   bool // a segment has started
	number uint64
	err    error
	closed bool
}

// store stores chunks.
type store interface {
	// add stores a chunk, perhaps later, and keeps content. It returns a buffer for the next one.
	add(h head, content []byte) (spare []byte)
	// failed returns the first error so far.
	failed() error
	// end stores what follows the last segment, and waits until everything is stored.
	end(duration time.Duration) error
}

// NewWriter returns a writer to w, which belongs to it until Close.
func NewWriter(w io.Writer, c Config) *Writer { return newWriter(newFile(w, nil, ""), c) }

// Create creates a file for a recording. Close the writer to complete the file.
func Create(name string, c Config) (*Writer, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", name, reason(err))
	}
	return newWriter(newFile(f, f, name), c), nil
}

func newWriter(to store, c Config) *Writer {
	if c.Interval <= 0 {
		c.Interval = DefaultInterval
	}
	c.Logger = logging.Or(c.Logger)
	return &Writer{config: c, to: to}
}

// OwnerOnly returns Config.OwnerOnly.
func (w *Writer) OwnerOnly() bool { return w.config.OwnerOnly }

// Err returns why the recording has ended, nil while it continues.
func (w *Writer) Err() error {
	if w.err == nil {
		if err := w.to.failed(); err != nil {
			w.Fail(err)
		}
	}
	return w.err
}

// Ended reports whether nothing more is recorded: the writer is closed, or there was an error.
func (w *Writer) Ended() bool { return w.closed || w.Err() != nil }

// Due reports whether another segment should start.
func (w *Writer) Due(now time.Time) bool {
	return !w.Ended() && (!w.open || now.Sub(w.began)-w.start >= w.config.Interval)
}

// Fail ends the recording, because of an error of its source. The first error counts.
func (w *Writer) Fail(err error) {
	if w.err == nil {
		w.err = err
		w.config.Logger.Error("recording ended", "error", err)
	}
}

// Begin starts a segment, with a client that has this session number and welcome. h describes the recording, and counts for the
// first segment.
func (w *Writer) Begin(now time.Time, h Header, session uint64, welcome []byte) {
	if w.Ended() {
		return
	}
	if w.began.IsZero() {
		w.began, w.header = now, h
		w.header.Began = now.Round(0) // as it is read
		w.add(chunkHeader, 0, w.header.append(nil))
	}
	w.flush()
	w.open, w.start, w.seq = true, max(now.Sub(w.began), w.at), 0
	w.at = w.start
	w.buffer = codec.AppendUvarint(w.buffer[:0], session)
	w.buffer = codec.AppendBytes(w.buffer, welcome)
	if w.config.Live != nil {
		w.config.Live.begin(w.header, session, welcome, w.start)
	}
}

// flush stores the open segment.
func (w *Writer) flush() {
	if w.open {
		w.open = false
		w.buffer = w.add(chunkSegment, w.start, w.buffer)
	}
}

func (w *Writer) add(kind chunkKind, start time.Duration, content []byte) (spare []byte) {
	h := head{kind: kind, content: uint32(len(content)), start: start, number: w.number}
	w.number++
	return w.to.add(h, content)
}

// record starts a record with size more bytes. It returns false if the recording has ended.
func (w *Writer) record(at time.Time, kind Kind, begins bool, size int) bool {
	if w.err != nil || w.closed || !w.open {
		return false
	}
	if len(w.buffer)+size+32 > MaxSegment {
		w.Fail(fmt.Errorf("more than %d bytes in %v: the disk may be too slow", MaxSegment, w.at-w.start))
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
	w.buffer = codec.AppendBytes(w.buffer, data)
	w.live(Record{Kind: Datagram, Begins: begins, Seq: seq, Data: data})
}

// Message records a message of a channel. begins is as for Datagram.
func (w *Writer) Message(at time.Time, channel int, data []byte, begins bool) {
	if !w.record(at, Message, begins, len(data)) {
		return
	}
	w.buffer = append(w.buffer, byte(channel))
	w.buffer = codec.AppendBytes(w.buffer, data)
	w.live(Record{Kind: Message, Begins: begins, Channel: channel, Data: data})
}

// Check records the hash of the view that a spectator has drawn.
func (w *Writer) Check(at time.Time, hash uint64) {
	if w.record(at, Check, false, 8) {
		w.buffer = binary.LittleEndian.AppendUint64(w.buffer, hash)
		w.live(Record{Kind: Check, Hash: hash})
	}
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
	w.flush()
	w.closed = true
	if err := w.to.end(w.at); w.err == nil {
		w.err = err
	}
	return w.err
}

// reason returns an error without the operation and the name of the file.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
