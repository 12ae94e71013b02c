package swarm

import (
	"errors"
	"maps"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/devtools/swarm/internal/manysockets"
)

// figures are what a shard counts.
type figures struct {
	attendance // of all time
	// Since figures count.

	Inputs        uint64 // that players gave
	Updates       uint64 // sends that blind clients heard of
	Snapshots     uint64 // datagrams with state, of blind clients
	SnapshotBytes uint64
	Decoded       uint64 // the same of thin clients, decoded
	Renewals      uint64 // times that thin clients lacked a baseline
	Compared      uint64 // entities that one send told two thin clients of
	Different     uint64 // of these, what they made of it differed
	Malformed     uint64
	Blocks        uint64 // of the world, in these datagrams
	Distinct      uint64 // of these, that none before of the same send equalled

	sessions sessions
	carrier  manysockets.Stats
}

// attendance is how many clients' sessions go on, were never let in, and have ended, and why the latter.
type attendance struct {
	Connected, Refused, Lost int
	Reasons                  map[string]int
	cause                    error // of the first that was never let in
}

// refuse counts a client that is not let in.
func (a *attendance) refuse(err error) {
	if a.Refused++; a.cause == nil {
		a.cause = err
	}
	a.because(err)
}

// mostReasons is how many reasons are told apart.
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

// settled reports whether so many clients are all in, or never will be.
func (a *attendance) settled(clients int) bool { return a.Connected+a.Lost+a.Refused == clients }

// sessions sums up the figures of sessions.
type sessions struct {
	clients, blind    int
	datagramsIn       uint64
	datagramsOut      uint64
	bytesIn, bytesOut uint64
	lossIn, lossOut   float64 // sums of shares
}

// add counts a session that had other figures when it began to count.
func (s *sessions) add(now, before netsys.Stats) {
	s.clients++
	s.datagramsIn += now.DatagramsIn - before.DatagramsIn
	s.datagramsOut += now.DatagramsOut - before.DatagramsOut
	s.bytesIn += now.BytesIn - before.BytesIn
	s.bytesOut += now.BytesOut - before.BytesOut
	s.lossIn += now.LossIn
	s.lossOut += now.LossOut
}

// restart makes figures count from here on.
func (f *figures) restart() {
	*f = figures{attendance: f.attendance}
}

// merge adds what another shard has counted.
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

// reason is why a client is not in, in a few words that many have in common.
func reason(err error) string {
	for _, known := range []error{
		netsys.ErrServerFull, netsys.ErrSchema, netsys.ErrVersion, netsys.ErrLogin, netsys.ErrElsewhere, netsys.ErrInsecure, netsys.ErrRefused,
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

// published is what others see of a shard.
type published struct {
	figures figures
	latency durations
	trips   durations
	load    load
	settled bool
	begun   int
	at      time.Time
}

// publish shows figures to others.
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

// restart makes figures count from here on.
func (s *shard) restart(now time.Time) {
	s.figures.restart()
	*s.latency, *s.trips = durations{}, durations{}
	s.load = load{}
	s.load.begin(now)
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
