package swarm

import (
	"fmt"
	"math"
	"time"
)

// Report is what a swarm has measured, since the end of the warm-up. As JSON it is one object without objects inside, but for
// the latencies, the reasons and the rooms.
type Report struct {
	Attendance
	Rates
	// Latency is from when a player gave an input until a snapshot arrived that has it, in milliseconds; of blind clients.
	Latency Latency `json:"input_to_snapshot_ms"`
	// RoundTrip is the smoothed round trip of each client, sampled once a second, without what the peers waited.
	RoundTrip Latency `json:"round_trip_ms"`
	Verified
	Machine
	// Rooms is what became of Config.Rooms, nil without.
	Rooms *InRooms `json:"rooms,omitempty"`
}

// Attendance is who was there.
type Attendance struct {
	Clients   int            `json:"clients"`
	Connected int            `json:"connected"` // in, at the end
	Refused   int            `json:"refused"`   // never let in
	Lost      int            `json:"lost"`      // sessions that ended
	Reasons   map[string]int `json:"reasons"`   // why these
}

// Rates are per client that is in, and a second.
type Rates struct {
	Seconds           float64 `json:"seconds"` // measured
	InputsPerS        float64 `json:"inputs_per_client_s"`
	UpdatesPerS       float64 `json:"updates_per_client_s"` // sends of the server that blind clients heard of
	DatagramsUpPerS   float64 `json:"datagrams_up_per_client_s"`
	DatagramsDownPerS float64 `json:"datagrams_down_per_client_s"`
	BytesUpPerS       float64 `json:"bytes_up_per_client_s"`
	BytesDownPerS     float64 `json:"bytes_down_per_client_s"`
	BytesPerUpdate    float64 `json:"bytes_per_update"` // of snapshot messages, without what sessions add
	LossDown          float64 `json:"loss_down"`        // share of the server's packets that did not arrive, of the last 10 s
	LossUp            float64 `json:"loss_up"`
}

// Verified is what was looked at.
type Verified struct {
	Blocks    uint64 `json:"blocks"`    // that blind clients opened, of the world
	Distinct  uint64 `json:"distinct"`  // of these, that no other of the same send equalled
	Malformed uint64 `json:"malformed"` // messages that no server sends
	Decoded   uint64 `json:"decoded"`   // snapshot messages that thin clients decoded
	Renewals  uint64 `json:"renewals"`  // times that one of them could not, and asked for full states
	Compared  uint64 `json:"compared"`  // entities that one send told two thin clients of
	Different uint64 `json:"different"` // of these, what they made of it was not the same: it must be 0
}

// Machine is how the machine of the swarm has kept up.
type Machine struct {
	Sockets    int     `json:"sockets"`
	Calls      float64 `json:"system_calls_per_s"` // to receive and send; 0 where that is not known
	Unsent     uint64  `json:"unsent"`             // datagrams that this machine did not send
	Dropped    uint64  `json:"dropped"`            // datagrams that came and found no room: the machine is too slow, or its buffers too small
	Busy       float64 `json:"busy"`               // share of its time that the busiest goroutine worked
	LateSteps  float64 `json:"late_steps"`         // share of steps that began 4 ms late or more
	LatestStep float64 `json:"latest_step_ms"`
	Limit      string  `json:"limit,omitempty"` // why this machine was the limit, and what to do: trust no figure; empty: it was not
}

// Report is what was measured since the end of the warm-up, as of the last time that each goroutine had a look, at most a
// second ago.
func (s *Swarm) Report() *Report {
	all := figures{attendance: attendance{Reasons: make(map[string]int)}}
	inputs, trips := new(durations), new(durations)
	r := &Report{Attendance: Attendance{Clients: s.config.Clients}}
	var steps, late uint64
	for _, x := range s.shards {
		x.mu.Lock()
		p := &x.published
		all.merge(&p.figures)
		inputs.Merge(&p.latency)
		trips.Merge(&p.trips)
		r.Busy = max(r.Busy, p.load.share(p.at))
		r.Seconds = max(r.Seconds, p.at.Sub(p.load.began).Seconds())
		steps, late = steps+p.load.steps, late+p.load.late
		r.LatestStep = max(r.LatestStep, float64(p.load.worst)/float64(time.Millisecond))
		x.mu.Unlock()
	}
	r.Connected, r.Refused, r.Lost, r.Reasons = all.Connected, all.Refused, all.Lost, all.Reasons
	per := func(n uint64, clients int) float64 {
		if clients == 0 || r.Seconds == 0 {
			return 0
		}
		return round(float64(n)/float64(clients)/r.Seconds, 3)
	}
	n, e := all.sessions.clients, &all.sessions
	r.InputsPerS, r.UpdatesPerS = per(all.Inputs, n), per(all.Updates, e.blind)
	r.DatagramsUpPerS, r.DatagramsDownPerS = per(e.datagramsOut, n), per(e.datagramsIn, n)
	r.BytesUpPerS, r.BytesDownPerS = per(e.bytesOut, n), per(e.bytesIn, n)
	r.BytesPerUpdate = round(float64(all.SnapshotBytes)/max(float64(all.Updates), 1), 1)
	r.LossDown, r.LossUp = round(e.lossIn/max(float64(n), 1), 5), round(e.lossOut/max(float64(n), 1), 5)
	r.Latency, r.RoundTrip = latency(inputs), latency(trips)
	r.Blocks, r.Distinct, r.Malformed = all.Blocks, all.Distinct, all.Malformed
	r.Decoded, r.Renewals, r.Compared, r.Different = all.Decoded, all.Renewals, all.Compared, all.Different
	c := &all.carrier
	r.Sockets, r.Unsent, r.Dropped = c.Sockets, c.Unsent, c.Dropped
	if r.Seconds > 0 {
		r.Calls = round(float64(c.Reads+c.Writes)/r.Seconds, 1)
	}
	r.LateSteps = round(float64(late)/max(float64(steps), 1), 5)
	r.Busy, r.LatestStep, r.Seconds = round(r.Busy, 4), round(r.LatestStep, 2), round(r.Seconds, 3)
	r.Rooms = s.config.house.report()
	r.judge(&s.config)
	return r
}

// mostLate is the share of late steps that a measurement may have.
const mostLate = 0.02

// judge says whether this machine was the limit.
func (r *Report) judge(c *Config) {
	switch {
	case r.Busy >= c.Busy:
		r.Limit = fmt.Sprintf("the load machine: a goroutine was busy for %.0f %% of its time; give the swarm more Threads, other processors than the server's, or fewer clients", 100*r.Busy)
	case r.LateSteps >= mostLate:
		r.Limit = fmt.Sprintf("the load machine: %.1f %% of the steps came late; give the swarm a processor of its own", 100*r.LateSteps)
	case r.Dropped > 0:
		r.Limit = fmt.Sprintf("the load machine: it lost %d datagrams on arrival; raise net.core.rmem_max, or give the swarm more Sockets or a processor of its own", r.Dropped)
	}
}

func round(v float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(v*scale) / scale
}
