package fleet

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tactusgo/tactus/systems/rooms"
)

// againTime is when to try again what was refused.
const againTime = time.Second

// Refused is the error of a directory that does not answer. It wraps rooms.ErrUnavailable. A write that was refused so
// may have been done all the same: load the record before the next one.
type Refused struct {
	// Since is when it was refused first, by Config.Now.
	Since time.Time
	// Again is after how long to try again.
	Again time.Duration
	// Err is what was wrong.
	Err error
}

// Error says what is wrong, and what to do.
func (r *Refused) Error() string {
	return fmt.Sprintf("%v, in %v: %v", rooms.ErrUnavailable, r.Again, r.Err)
}

// Unwrap are rooms.ErrUnavailable and what was wrong.
func (r *Refused) Unwrap() []error { return []error{rooms.ErrUnavailable, r.Err} }

// health is whether the directory answers.
type health struct {
	mu    sync.Mutex
	since time.Time // when it was refused first; zero: it is not
	quiet time.Time // until when nobody is asked
}

// refused notes that a request was refused.
func (h *health) refused(now time.Time, err error) *Refused {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.since.IsZero() {
		h.since = now
	}
	h.quiet = now.Add(againTime / 4)
	return &Refused{Since: h.since, Again: againTime, Err: err}
}

// worked notes that something was written, and says whether that was refused before.
func (h *health) worked() (again bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	again = !h.since.IsZero()
	h.since, h.quiet = time.Time{}, time.Time{}
	return again
}

// down says whether requests are refused, and whether to ask at all.
func (h *health) down(now time.Time) (down, quiet bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.since.IsZero(), now.Before(h.quiet)
}

// errFormer is why nothing is written over a revision of a stream that is no longer there.
var errFormer = errors.New("the revision is of a former stream")

// conflict says whether a write was compared with what is there, and differed.
func conflict(err error) bool {
	if err == errFormer {
		return true
	}
	var e *jetstream.APIError
	return errors.As(err, &e) && (e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}
