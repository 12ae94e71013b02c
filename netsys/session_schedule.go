package netsys

import (
	"slices"
	"time"
)

// sessionSchedule holds the connected sessions of a server in join order, and the time when each is due. The times are adjacent in
// memory, so a pass over the schedule reads the memory of the due sessions only. The zero value is empty.
type sessionSchedule struct {
	all        []*session
	due        []time.Duration // by the carrier's clock, parallel to all
	prefetched byte
}

// prefetchAhead is the number of sessions that are prefetched at a time.
const prefetchAhead = 64

// add appends a session. It is due immediately.
func (r *sessionSchedule) add(s *session) {
	s.place = int32(len(r.all))
	r.all, r.due = append(r.all, s), append(r.due, 0)
}

// remove removes the i-th session.
func (r *sessionSchedule) remove(i int) {
	r.all[i].place = -1
	r.all, r.due = slices.Delete(r.all, i, i+1), slices.Delete(r.due, i, i+1)
	for ; i < len(r.all); i++ {
		r.all[i].place = int32(i)
	}
}

// wake makes a session due now. A session that is not in the schedule is ignored.
func (r *sessionSchedule) wake(s *session) {
	if s.place >= 0 {
		r.due[s.place] = 0
	}
}

// run calls do for each due session in order. do returns the next time when the session is due, or a negative number for no change.
func (r *sessionSchedule) run(at time.Duration, do func(*session) time.Duration) {
	for i, due := range r.due {
		if i%prefetchAhead == 0 {
			r.prefetch(at, i)
		}
		if at < due {
			continue
		}
		if next := do(r.all[i]); next >= 0 {
			r.due[i] = next
		}
	}
}

// prefetch reads the memory of the due sessions from the i-th on, so that their cache misses overlap.
func (r *sessionSchedule) prefetch(at time.Duration, i int) {
	for end := min(i+prefetchAhead, len(r.due)); i < end; i++ {
		if at >= r.due[i] {
			r.prefetched += prefetchSession(r.all[i]) ^ prefetchForSend(r.all[i])
		}
	}
}
