package recording

import (
	"slices"
	"time"
)

// Feed passes a recording to a client that plays it while it is recorded. Use a feed for one client, on the goroutine of the writer.
type Feed struct {
	header  Header
	session uint64
	welcome []byte
	begun   bool
	start   time.Duration
	queue   []fed
	data    []byte // of the records in the queue
	read    int    // records that were read
	stopped bool   // nobody reads
}

// fed is a record in a feed, with the place of its data.
type fed struct {
	Record
	from, to int
}

// Begun reports whether the recording has begun.
func (f *Feed) Begun() bool { return f.begun }

// Header returns the description of the recording.
func (f *Feed) Header() Header { return f.header }

// Session returns the session number and the welcome of the first segment, and when it started.
func (f *Feed) Session() (number uint64, welcome []byte, start time.Duration) {
	return f.session, f.welcome, f.start
}

// maxFeed is the maximum number of bytes that wait to be read. Beyond it the feed stops.
const maxFeed = 64 << 20

// Stop ends the feed: it keeps nothing more.
func (f *Feed) Stop() { f.stopped, f.queue, f.data, f.read = true, nil, nil, 0 }

func (f *Feed) begin(h Header, session uint64, welcome []byte, start time.Duration) {
	if !f.begun && !f.stopped {
		*f = Feed{header: h, session: session, welcome: slices.Clone(welcome), begun: true, start: start}
	}
}

func (f *Feed) add(r Record, start time.Duration) {
	if f.stopped || r.Begins && start != f.start {
		return // for clients that begin with a later segment
	}
	if f.read == len(f.queue) {
		f.queue, f.data, f.read = f.queue[:0], f.data[:0], 0
	}
	from := len(f.data)
	if from > maxFeed {
		f.Stop()
		return
	}
	f.data = append(f.data, r.Data...)
	f.queue = append(f.queue, fed{r, from, len(f.data)})
}

// Next reads the next record up to a time. ok is false if there is none.
func (f *Feed) Next(x *Record, until time.Duration) (ok bool, err error) {
	if f.read == len(f.queue) || f.queue[f.read].At > until {
		return false, nil
	}
	r := &f.queue[f.read]
	f.read++
	*x = r.Record
	x.Data = f.data[r.from:r.to]
	return true, nil
}
