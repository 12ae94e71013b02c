package netsys

import (
	"errors"
	"fmt"
	"time"
)

// maxLatency bounds [Link.Latency], so that no sum of times can overflow.
const maxLatency = time.Hour

// Link describes one direction between two addresses. The zero value is a perfect link.
type Link struct {
	// Latency is the mean one-way delay. 0 is none; at most one hour.
	Latency time.Duration

	// Jitter is how far a delay strays: every datagram's delay is drawn on its own, uniformly from
	// Latency−Jitter to Latency+Jitter, so datagrams overtake each other. 0 is none; at most Latency.
	Jitter time.Duration

	// Loss is the share of datagrams that never arrive, 0 to 1.
	Loss float64

	// Burst is the mean length of a run of losses in time. 0 makes losses independent of each other. Above
	// 0 the link is a Gilbert–Elliott channel in continuous time: it is good, and loses nothing, for an
	// exponentially distributed time of mean Burst·(1−Loss)/Loss, then bad, and loses everything, for one
	// of mean Burst. The share lost in the long run is Loss either way.
	Burst time.Duration

	// Duplicate is the probability, 0 to 1, that a datagram which is not lost arrives twice, the second
	// time with a delay of its own.
	Duplicate float64

	// Bandwidth is what the narrowest point of the path lets pass, in bytes a second, 28 bytes of IP and UDP
	// headers with every datagram. It comes first: what it holds up or drops has not yet met Latency and
	// Loss, and what Loss takes has passed it. Copies by Duplicate take nothing of it. 0 is unlimited.
	Bandwidth int

	// Queue is for how long at most a datagram waits there for those before it; one that would have to
	// wait longer is lost (drop-tail), and its sender is not told. 0 means 200 ms; at most one hour.
	Queue time.Duration
}

// Validate returns an error for values outside the ranges given with each field.
func (l Link) Validate() error {
	var errs []error
	if l.Latency < 0 || l.Latency > maxLatency {
		errs = append(errs, fmt.Errorf("netsys: Link.Latency %v is outside 0 to %v", l.Latency, maxLatency))
	}
	if l.Jitter < 0 || l.Jitter > l.Latency {
		errs = append(errs, fmt.Errorf("netsys: Link.Jitter %v is outside 0 to Latency %v", l.Jitter, l.Latency))
	}
	if !(l.Loss >= 0 && l.Loss <= 1) {
		errs = append(errs, fmt.Errorf("netsys: Link.Loss %v is outside 0 to 1", l.Loss))
	}
	if l.Burst < 0 {
		errs = append(errs, fmt.Errorf("netsys: Link.Burst %v is negative", l.Burst))
	}
	if !(l.Duplicate >= 0 && l.Duplicate <= 1) {
		errs = append(errs, fmt.Errorf("netsys: Link.Duplicate %v is outside 0 to 1", l.Duplicate))
	}
	return errors.Join(append(errs, l.validateBottleneck()...)...)
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
