package broadcast

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems/recording"
)

// MaxSize is the default of Config.MaxSize: 256 MiB, hours of a match.
const MaxSize = 256 << 20

// Config configures a [Stream].
type Config struct {
	// Delay is how much later than recorded viewers receive a segment, in addition to its length. Default (0): immediately.
	Delay time.Duration
	// MaxSize is the maximum size of the recording in bytes, which is kept in memory. Beyond it, writing fails, which ends the
	// recording. Default (0): [MaxSize].
	MaxSize int
	// Origins are the origins of pages on other hosts that may read the stream, as scheme://host or scheme://host:port; "*" allows any
	// page. Relays and other programs need none. Default (nil): pages of the stream's own origin.
	Origins []string
	// Now returns the time. Default (nil): time.Now.
	Now func() time.Time
}

// Stream keeps a recording in memory and serves it. It is the destination of a recording.Writer, and an http.Handler: a GET with the
// query from=N returns the recording from byte N on, and does not end before the recording ends. Any number of goroutines may use it.
type Stream struct {
	config Config
	mu     sync.Mutex
	bytes  []byte
	marks  []mark
	more   chan struct{} // closed when something is written
	ended  bool
}

// mark says when the bytes up to an offset were written.
type mark struct {
	at  time.Time
	end int
}

// ErrSize is returned by Write beyond Config.MaxSize.
var ErrSize = errors.New("broadcast: the recording is larger than Config.MaxSize")

// NewStream returns an empty stream.
func NewStream(c Config) *Stream {
	if c.MaxSize <= 0 {
		c.MaxSize = MaxSize
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Stream{config: c, more: make(chan struct{})}
}

// Write appends to the recording.
func (s *Stream) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.bytes)+len(b) > s.config.MaxSize {
		return 0, ErrSize
	}
	s.bytes = append(s.bytes, b...)
	s.marks = append(s.marks, mark{s.config.Now(), len(s.bytes)})
	s.wake()
	return len(b), nil
}

// End notes that the recording is complete, so that viewers do not wait for more.
func (s *Stream) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.wake()
}

func (s *Stream) wake() {
	close(s.more)
	s.more = make(chan struct{})
}

// Len returns the number of bytes of the recording, including those that viewers do not receive yet.
func (s *Stream) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bytes)
}

// next returns the bytes from an offset that may be sent, and otherwise a channel that is closed when there may be more, and the
// time until then, 0 if it is unknown. ended reports that nothing follows.
func (s *Stream) next(from int) (b []byte, more <-chan struct{}, wait time.Duration, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, end := s.config.Now(), 0
	for _, m := range s.marks {
		if due := m.at.Add(s.config.Delay); now.Before(due) {
			wait = due.Sub(now)
			break
		}
		end = m.end
	}
	if from < end {
		return s.bytes[from:end], nil, 0, false
	}
	return nil, s.more, wait, s.ended && end == len(s.bytes)
}

// allow lets a page of an origin read the response.
func (s *Stream) allow(h http.Header, origin string) {
	if slices.Contains(s.config.Origins, "*") {
		h.Set("Access-Control-Allow-Origin", "*")
		return
	}
	h.Set("Vary", "Origin")
	if origin != "" && slices.ContainsFunc(s.config.Origins, func(o string) bool { return strings.EqualFold(o, origin) }) {
		h.Set("Access-Control-Allow-Origin", origin)
	}
}

// ServeHTTP serves the recording.
func (s *Stream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	from := 0
	if q := r.URL.Query().Get("from"); q != "" {
		var err error
		if from, err = strconv.Atoi(q); err != nil || from < 0 {
			http.Error(w, "from is not a number of bytes", http.StatusBadRequest)
			return
		}
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	s.allow(w.Header(), r.Header.Get("Origin"))
	flush := http.NewResponseController(w)
	_ = flush.Flush()
	for {
		b, more, wait, ended := s.next(from)
		if len(b) > 0 {
			if _, err := w.Write(b); err != nil || flush.Flush() != nil {
				return
			}
			from += len(b)
			continue
		}
		if ended {
			return
		}
		var due <-chan time.Time
		if wait > 0 {
			due = time.After(wait)
		}
		select {
		case <-more:
		case <-due:
		case <-r.Context().Done():
			return
		}
	}
}

// retry is the pause before another attempt to reach a server.
const retry = time.Second

// Relay copies the recording at a URL, which another [Stream] serves, to a stream of its own, until it is complete or ctx ends. It
// reconnects when the connection is lost. It returns ctx's error, the error of the stream, or the server's refusal.
func Relay(ctx context.Context, url string, to *Stream) error {
	for {
		err := copyFrom(ctx, url, to)
		var refused *refusal
		switch {
		case err == nil:
			to.End()
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &refused) || errors.Is(err, ErrSize):
			return err
		}
		select {
		case <-time.After(retry):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// refusal is a response that is no recording.
type refusal struct {
	url    string
	status string
}

func (r *refusal) Error() string { return fmt.Sprintf("broadcast: %s: %s", r.url, r.status) }

// copyFrom copies the rest of the recording. It returns nil when it is complete.
func copyFrom(ctx context.Context, url string, to io.Writer) error {
	from := 0
	if s, ok := to.(*Stream); ok {
		from = s.Len()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s?from=%d", url, from), nil)
	if err != nil {
		return &refusal{url, err.Error()}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return &refusal{url, response.Status}
	}
	_, err = io.Copy(onlyWriter{to}, response.Body)
	return err
}

// onlyWriter hides other methods.
type onlyWriter struct{ io.Writer }

// Viewer receives a recording that is being made.
type Viewer struct {
	// Reader reads the received part, for systems.NewReplay.
	Reader *recording.Reader

	local *Stream
	end   context.CancelFunc
	done  chan error
}

// Watch receives the recording at a URL and returns when a first segment has arrived. The error is that of [Relay], or of
// recording.Open.
func Watch(ctx context.Context, url string) (*Viewer, error) {
	v := &Viewer{local: NewStream(Config{}), done: make(chan error, 1)}
	ctx, v.end = context.WithCancel(ctx)
	go func() { v.done <- Relay(ctx, url, v.local) }()
	for {
		more := v.local.waiting()
		var err error
		if v.Reader, err = recording.Open(v.local, int64(v.local.Len())); err == nil {
			return v, nil
		}
		select {
		case stop := <-v.done:
			v.end()
			return nil, errors.Join(stop, err)
		case <-more:
		}
	}
}

// Update adds the newly received part to the Reader. Call it on the goroutine of the Reader, before each step of the replay.
func (v *Viewer) Update() { v.Reader.Grow(int64(v.local.Len())) }

// Close ends the transfer. What has arrived can still be played.
func (v *Viewer) Close() {
	v.end()
	<-v.done
}

// waiting returns a channel that is closed when something is written.
func (s *Stream) waiting() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.more
}

// ReadAt implements io.ReaderAt.
func (s *Stream) ReadAt(b []byte, offset int64) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if offset < 0 || offset >= int64(len(s.bytes)) {
		return 0, io.EOF
	}
	n := copy(b, s.bytes[offset:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}
