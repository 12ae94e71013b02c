package netsys

import (
	"fmt"
	"time"
)

// headerBytes is what a datagram takes of [Link.Bandwidth] beyond its own length: an IPv4 and a UDP header.
const headerBytes = 20 + 8

// defaultLinkQueue is what [Link.Queue] 0 stands for: what home routers commonly hold.
const defaultLinkQueue = 200 * time.Millisecond

// bottleneck is the narrowest point of a path: one datagram passes after the other, and what comes meanwhile
// waits in a queue that drops at its tail.
type bottleneck struct {
	// free is when all that was let in will have passed.
	free time.Time
}

// pass returns for how long a datagram of n bytes that comes at a time waits and takes to pass; false when the
// queue is full, and then nothing has changed. Durations are cut to whole nanoseconds.
func (b *bottleneck) pass(l *Link, at time.Time, n int) (time.Duration, bool) {
	if l.Bandwidth == 0 {
		return 0, true
	}
	limit := l.Queue
	if limit == 0 {
		limit = defaultLinkQueue
	}
	wait := max(b.free.Sub(at), 0)
	if wait > limit {
		return 0, false
	}
	delay := wait + time.Duration(n+headerBytes)*time.Second/time.Duration(l.Bandwidth)
	b.free = at.Add(delay)
	return delay, true
}

// validateBottleneck returns errors for the fields that describe one.
func (l *Link) validateBottleneck() (errs []error) {
	if l.Bandwidth < 0 {
		errs = append(errs, fmt.Errorf("netsys: Link.Bandwidth %d is negative; 0 is unlimited", l.Bandwidth))
	}
	if l.Queue < 0 || l.Queue > maxLatency {
		errs = append(errs, fmt.Errorf("netsys: Link.Queue %v is outside 0 to %v", l.Queue, maxLatency))
	}
	return errs
}
