package recording

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/codec/compression"
)

// maxWaiting is the maximum number of segments that wait to be written.
const maxWaiting = 16

// errSlow ends a recording whose file cannot be written as fast as the match goes.
var errSlow = errors.New("the disk is too slow")

// file stores chunks in a file or another writer, on a goroutine of its own.
type file struct {
	w    io.Writer
	f    *os.File // nil if w is no file
	name string

	waiting chan content
	spare   chan []byte
	done    chan struct{}
	err     atomic.Pointer[error]

	// used by the goroutine, and by end after it
	offset   int64
	segments []Segment
	number   uint64
}

// content is the content of a chunk.
type content struct {
	head
	bytes []byte
}

func newFile(w io.Writer, f *os.File, name string) *file {
	x := &file{w: w, f: f, name: name, waiting: make(chan content, maxWaiting), spare: make(chan []byte, maxWaiting), done: make(chan struct{})}
	go x.run()
	return x
}

// run writes chunks until there are no more.
func (f *file) run() {
	defer close(f.done)
	for c := range f.waiting {
		if f.failed() == nil {
			f.write(c)
		}
		select {
		case f.spare <- c.bytes[:0]:
		default:
		}
	}
}

func (f *file) write(c content) {
	body := compression.Compress(c.bytes)
	c.head.body = uint32(len(body))
	chunk := append(c.head.append(nil), body...)
	if c.kind == chunkSegment {
		f.segments = append(f.segments, Segment{Offset: f.offset, Size: int64(len(chunk)), Start: c.start})
	}
	if c.kind == chunkIndex {
		chunk = appendTrailer(chunk, f.offset)
	}
	f.number = c.number + 1
	n, err := f.w.Write(chunk)
	if f.offset += int64(n); err != nil {
		f.fail(err)
	}
}

func (f *file) fail(err error) {
	if f.name != "" {
		err = fmt.Errorf("record %s: %w", f.name, reason(err))
	}
	f.err.CompareAndSwap(nil, &err)
}

func (f *file) add(h head, bytes []byte) (spare []byte) {
	select {
	case f.waiting <- content{h, bytes}:
	default:
		f.fail(errSlow)
	}
	select {
	case spare = <-f.spare:
	default:
	}
	return spare
}

func (f *file) failed() error {
	if err := f.err.Load(); err != nil {
		return *err
	}
	return nil
}

func (f *file) end(duration time.Duration) error {
	close(f.waiting)
	<-f.done
	if f.failed() == nil {
		b := appendIndex(nil, duration, f.segments)
		f.write(content{head{kind: chunkIndex, content: uint32(len(b)), start: duration, number: f.number}, b})
	}
	if f.f != nil {
		return errors.Join(f.failed(), f.f.Close())
	}
	return f.failed()
}
