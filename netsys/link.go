package netsys

import (
	"errors"
	"fmt"
	"time"
)

// maxLatency bounds [Link.Latency], so that sums of durations do not overflow.
const maxLatency = time.Hour

// Link describes one direction between two addresses. The zero value is a perfect link.
type Link struct {
	// Latency is the mean one-way delay, at most one hour.
	Latency time.Duration

	// Jitter is the largest deviation from Latency, at most Latency. The delay of each datagram is drawn uniformly from
	// Latency−Jitter to Latency+Jitter, so datagrams can overtake each other.
	Jitter time.Duration

	// Loss is the fraction of datagrams that do not arrive, 0 to 1.
	Loss float64

	// Burst is the mean duration of a loss burst. 0 makes losses independent of each other. Above 0, the link is a
	// Gilbert–Elliott channel in continuous time. It alternates between a good state, which loses nothing and lasts
	// Burst·(1−Loss)/Loss on average, and a bad state, which loses everything and lasts Burst on average. Both durations are
	// exponentially distributed. The long-term fraction of lost datagrams is Loss in either case.
	Burst time.Duration

	// Stall is the longest stall of the link, at most one hour, as when a WiFi radio looks for other networks or repeats a frame. A
	// datagram that reaches a stalled link waits until the stall ends, and datagrams that waited arrive together, each with its own
	// Latency and Jitter. The length of a stall is drawn uniformly from 0 to Stall. Stalled is the fraction of time in stalls, 0 to
	// 0.9. If one of both is 0, the link never stalls.
	Stall   time.Duration
	Stalled float64

	// Duplicate is the probability, 0 to 1, that a datagram which is not lost arrives twice. The copy has its own delay.
	Duplicate float64

	// Bandwidth is the capacity of the bottleneck in bytes per second, including 28 bytes of IP and UDP headers per datagram.
	// Datagrams pass the bottleneck before Latency and Loss apply. Datagrams lost by Loss use bandwidth, and copies made by
	// Duplicate do not. 0 means unlimited.
	Bandwidth int

	// Queue is how long a datagram may wait at the bottleneck, at most one hour. A datagram that would wait longer is lost
	// (drop-tail). 0 means 200 ms.
	Queue time.Duration

	// MTU is the size of the largest IP packet in bytes, 68 to 65,535. A larger datagram crosses the link in fragments. It is lost if
	// one of them is lost, and each fragment after the first takes another 20 bytes of Bandwidth. 0 means that every datagram fits.
	MTU int
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
	if l.Stall < 0 || l.Stall > maxLatency {
		errs = append(errs, fmt.Errorf("netsys: Link.Stall %v is outside 0 to %v", l.Stall, maxLatency))
	}
	if !(l.Stalled >= 0 && l.Stalled <= 0.9) {
		errs = append(errs, fmt.Errorf("netsys: Link.Stalled %v is outside 0 to 0.9", l.Stalled))
	}
	if !(l.Duplicate >= 0 && l.Duplicate <= 1) {
		errs = append(errs, fmt.Errorf("netsys: Link.Duplicate %v is outside 0 to 1", l.Duplicate))
	}
	if l.MTU != 0 && (l.MTU < minMTU || l.MTU > 1<<16-1) {
		errs = append(errs, fmt.Errorf("netsys: Link.MTU %d is outside %d to 65535; 0 means that every datagram fits", l.MTU, minMTU))
	}
	return errors.Join(append(errs, l.validateBottleneck()...)...)
}

// validateBottleneck validates Bandwidth and Queue.
func (l *Link) validateBottleneck() (errs []error) {
	if l.Bandwidth < 0 {
		errs = append(errs, fmt.Errorf("netsys: Link.Bandwidth %d is negative; 0 is unlimited", l.Bandwidth))
	}
	if l.Queue < 0 || l.Queue > maxLatency {
		errs = append(errs, fmt.Errorf("netsys: Link.Queue %v is outside 0 to %v", l.Queue, maxLatency))
	}
	return errs
}
