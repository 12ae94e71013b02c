package swarm

import (
	"fmt"
	"math"
	"time"
)

// Report is the result of a swarm since the end of the warm-up. Its JSON is one flat object, except for the latencies, the
// reasons and the rooms.
type Report struct {
	Attendance
	Rates
	// Latency is the time in milliseconds from the creation of an input until a snapshot with its effect arrives; blind
	// clients only.
	Latency Latency `json:"input_to_snapshot_ms"`
	// RoundTrip is the smoothed round trip of each client, sampled once per second, without the peers' waiting times.
	RoundTrip Latency `json:"round_trip_ms"`
	Verified
	Machine
	// Rooms is the result of Config.Rooms, or nil.
	Rooms *InRooms `json:"rooms,omitempty"`
}

// Attendance counts the clients.
type Attendance struct {
	Clients   int            `json:"clients"`
	Connected int            `json:"connected"` // at the end
	Refused   int            `json:"refused"`   // could not connect
	Lost      int            `json:"lost"`      // sessions that ended early
	Reasons   map[string]int `json:"reasons"`   // reasons of refused and lost
}

// Rates are averages per connected client and second.
type Rates struct {
	Seconds           float64 `json:"seconds"` // measured
	InputsPerS        float64 `json:"inputs_per_client_s"`
	UpdatesPerS       float64 `json:"updates_per_client_s"` // send ticks from which blind clients received a snapshot
	DatagramsUpPerS   float64 `json:"datagrams_up_per_client_s"`
	DatagramsDownPerS float64 `json:"datagrams_down_per_client_s"`
	BytesUpPerS       float64 `json:"bytes_up_per_client_s"`
	BytesDownPerS     float64 `json:"bytes_down_per_client_s"`
	BytesPerUpdate    float64 `json:"bytes_per_update"` // snapshot messages without session overhead
	LossDown          float64 `json:"loss_down"`        // share of the server's packets that were lost in the last 10 s
	LossUp            float64 `json:"loss_up"`
}

// Verified counts the verification of snapshots.
type Verified struct {
	Blocks    uint64 `json:"blocks"`    // world blocks opened by blind clients
	Distinct  uint64 `json:"distinct"`  // blocks unlike any other of the same send tick
	Malformed uint64 `json:"malformed"` // malformed messages
	Decoded   uint64 `json:"decoded"`   // snapshot messages decoded by thin clients
	Renewals  uint64 `json:"renewals"`  // times that a thin client lacked a baseline and requested full states
	Compared  uint64 `json:"compared"`  // entities that two thin clients received in the same send tick
	Different uint64 `json:"different"` // compared entities with different decoded states: must be 0
}

// Machine describes the load on the swarm's machine.
type Machine struct {
	Sockets    int     `json:"sockets"`
	Calls      float64 `json:"system_calls_per_s"` // receive and send calls; 0 if unknown
	Unsent     uint64  `json:"unsent"`             // datagrams that this machine did not send
	Dropped    uint64  `json:"dropped"`            // arrivals lost because the machine is too slow or its buffers too small
	Busy       float64 `json:"busy"`               // share of its time that the busiest goroutine worked
	LateSteps  float64 `json:"late_steps"`         // share of steps that started at least 4 ms late
	LatestStep float64 `json:"latest_step_ms"`
	Limit      string  `json:"limit,omitempty"` // why this machine was the limit and what to do; then trust no figure. Empty: it was not the limit
}

// Report returns the results since the end of the warm-up. Each goroutine updates its part at least once per second.
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
	r.Rooms = s.config.roomSet.report()
	r.judge(&s.config)
	return r
}

// mostLate is the allowed share of late steps.
const mostLate = 0.02

// judge sets Limit if this machine was the limit.
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
