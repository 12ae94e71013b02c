package swarm

import (
	"errors"
	"maps"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/devtools/swarm/internal/manysockets"
)

// figures are the counters of a shard.
type figures struct {
	attendance // since the start
	// The following count since the start of the measurement.

	Inputs        uint64 // created by players
	Updates       uint64 // send ticks from which blind clients received a snapshot
	Snapshots     uint64 // snapshot datagrams of blind clients
	SnapshotBytes uint64
	Decoded       uint64 // snapshots decoded by thin clients
	Renewals      uint64 // times that a thin client lacked a baseline
	Compared      uint64 // entities that two thin clients received in the same send tick
	Different     uint64 // compared entities with different decoded states
	Malformed     uint64
	Blocks        uint64 // world blocks in the snapshot datagrams
	Distinct      uint64 // blocks unlike any earlier block of the same send tick

	sessions sessions
	carrier  manysockets.Stats
}

// attendance counts the clients that are connected, were refused, or lost their sessions, and the reasons.
type attendance struct {
	Connected, Refused, Lost int
	Reasons                  map[string]int
	cause                    error // of the first refusal
}

// refuse counts a refused client.
func (a *attendance) refuse(err error) {
	if a.Refused++; a.cause == nil {
		a.cause = err
	}
	a.because(err)
}

// mostReasons is the largest number of distinct reasons.
const mostReasons = 32

// because counts a reason.
func (a *attendance) because(err error) {
	text := reason(err)
	if _, known := a.Reasons[text]; !known && len(a.Reasons) >= mostReasons {
		text = "other reasons"
	}
	a.Reasons[text]++
}

// lose counts a session that has ended.
func (a *attendance) lose(err error) {
	a.Connected--
	a.Lost++
	a.because(err)
}

// settled reports whether every one of the given number of clients has connected or failed.
func (a *attendance) settled(clients int) bool { return a.Connected+a.Lost+a.Refused == clients }

// sessions sums the figures of sessions.
type sessions struct {
	clients, blind    int
	datagramsIn       uint64
	datagramsOut      uint64
	bytesIn, bytesOut uint64
	lossIn, lossOut   float64 // sums of shares
}

// add counts a session. before are its figures at the start of the measurement.
func (s *sessions) add(now, before netsys.Stats) {
	s.clients++
	s.datagramsIn += now.DatagramsIn - before.DatagramsIn
	s.datagramsOut += now.DatagramsOut - before.DatagramsOut
	s.bytesIn += now.BytesIn - before.BytesIn
	s.bytesOut += now.BytesOut - before.BytesOut
	s.lossIn += now.LossIn
	s.lossOut += now.LossOut
}

// restart starts a new measurement.
func (f *figures) restart() {
	*f = figures{attendance: f.attendance}
}

// merge adds the counters of another shard.
func (f *figures) merge(o *figures) {
	f.Connected, f.Refused, f.Lost = f.Connected+o.Connected, f.Refused+o.Refused, f.Lost+o.Lost
	if f.cause == nil {
		f.cause = o.cause
	}
	for why, n := range o.Reasons {
		f.Reasons[why] += n
	}
	f.Inputs += o.Inputs
	f.Updates += o.Updates
	f.Snapshots += o.Snapshots
	f.SnapshotBytes += o.SnapshotBytes
	f.Decoded += o.Decoded
	f.Renewals += o.Renewals
	f.Compared += o.Compared
	f.Different += o.Different
	f.Malformed += o.Malformed
	f.Blocks += o.Blocks
	f.Distinct += o.Distinct
	s, x := &f.sessions, &o.sessions
	s.clients += x.clients
	s.blind += x.blind
	s.datagramsIn += x.datagramsIn
	s.datagramsOut += x.datagramsOut
	s.bytesIn += x.bytesIn
	s.bytesOut += x.bytesOut
	s.lossIn += x.lossIn
	s.lossOut += x.lossOut
	c, y := &f.carrier, &o.carrier
	c.Sockets += y.Sockets
	c.Reads, c.Writes = c.Reads+y.Reads, c.Writes+y.Writes
	c.Unsent, c.Dropped = c.Unsent+y.Unsent, c.Dropped+y.Dropped
}

// reason returns a short reason that groups similar errors.
func reason(err error) string {
	for _, known := range []error{
		netsys.ErrServerFull, netsys.ErrBusy, netsys.ErrSchema, netsys.ErrVersion, netsys.ErrLogin, netsys.ErrElsewhere, netsys.ErrInsecure, netsys.ErrRefused,
		netcode.ErrTokenExpired, netsys.ErrTimeout, netsys.ErrClosed,
	} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	if no, ok := errors.AsType[*NoSeat](err); ok {
		return "no seat: " + no.Code
	}
	return err.Error()
}

// published is the copy of a shard's figures for other goroutines.
type published struct {
	figures figures
	latency durations
	trips   durations
	load    load
	settled bool
	begun   int
	at      time.Time
}

// publish copies the figures for other goroutines.
func (s *shard) publish(now time.Time) {
	f := s.figures
	f.Reasons = maps.Clone(f.Reasons)
	f.carrier = s.carrier.Stats()
	f.carrier.Reads -= s.before.Reads
	f.carrier.Writes -= s.before.Writes
	f.carrier.Unsent -= s.before.Unsent
	f.carrier.Dropped -= s.before.Dropped
	for _, c := range s.clients {
		if c == nil {
			continue
		}
		if st, ok := c.stats(); ok {
			f.sessions.add(st, c.base().before)
			if _, ok := c.(*blind); ok {
				f.sessions.blind++
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.published = published{f, *s.latency, *s.trips, s.load, s.settled(), s.begun, now}
}

// restart starts a new measurement.
func (s *shard) restart(now time.Time) {
	s.figures.restart()
	*s.latency, *s.trips = durations{}, durations{}
	s.load = load{}
	s.load.reset(now)
	s.before = s.carrier.Stats()
	for _, c := range s.clients {
		if c == nil {
			continue
		}
		if st, ok := c.stats(); ok {
			c.base().before = st
		}
	}
}
