package natsdir

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tactusgo/tactus/systems/rooms"
)

// againInterval is after how long to try an operation again.
const againInterval = time.Second

// Refused is the error of a directory that does not answer. It wraps rooms.ErrUnavailable. A refused write may have been done: load
// the record before the next write.
type Refused struct {
	// Since is when the directory stopped answering, by Config.Now.
	Since time.Time
	// Again is after how long to try again.
	Again time.Duration
	// Err is the reason.
	Err error
}

// Error returns the reason and when to try again.
func (r *Refused) Error() string {
	return fmt.Sprintf("%v, in %v: %v", rooms.ErrUnavailable, r.Again, r.Err)
}

// Unwrap returns rooms.ErrUnavailable and the reason.
func (r *Refused) Unwrap() []error { return []error{rooms.ErrUnavailable, r.Err} }

// health has whether the directory answers.
type health struct {
	mu    sync.Mutex
	since time.Time // when it stopped answering; zero: it answers
	quiet time.Time // it is not asked before
}

// refused notes that an operation was refused. first reports that the directory answered until now.
func (h *health) refused(now time.Time, err error) (r *Refused, first bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if first = h.since.IsZero(); first {
		h.since = now
	}
	h.quiet = now.Add(againInterval / 4)
	return &Refused{Since: h.since, Again: againInterval, Err: err}, first
}

// worked notes that a write has succeeded, and reports whether writes failed before.
func (h *health) worked() (again bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	again = !h.since.IsZero()
	h.since, h.quiet = time.Time{}, time.Time{}
	return again
}

// down reports whether the directory does not answer, and whether to leave it alone for a moment.
func (h *health) down(now time.Time) (down, quiet bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.since.IsZero(), now.Before(h.quiet)
}

// errFormer is the error of a write over a revision of a stream that does not exist any more.
var errFormer = errors.New("the revision is of a former stream")

// isConflict reports whether a write failed because the record has another revision.
func isConflict(err error) bool {
	if err == errFormer {
		return true
	}
	var e *jetstream.APIError
	return errors.As(err, &e) && (e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}
