package host

import (
	"reflect"
	"time"
)

// Stats holds the figures of the newest frame. All fields are float64, so bindings can read the struct as an array.
// [StatNames] returns their names.
type Stats struct {
	// Client is the number that the server gave this client. Entities name their owner with it. It is 0 before the client
	// is connected. In a replay it is that of the followed player: see [Replay.Follow].
	Client float64
	// Own is the NetID of the client's first own entity in the view, or 0.
	Own float64
	// Joined is 1 once the whole initial state has arrived, and 0 before.
	Joined float64
	// TickRate is the number of ticks per second. It is 0 before the client is connected.
	TickRate float64
	// Tick is the tick that the client simulates next. ServerTick is the newest tick of which a state arrived. DrawnTick is
	// the tick at which the view shows interpolated entities.
	Tick, ServerTick, DrawnTick float64
	// Input is the sequence number of the newest input.
	Input float64
	// RTT, MinRTT and Jitter are in milliseconds. LossIn and LossOut are shares from 0 to 1.
	RTT, MinRTT, Jitter, LossIn, LossOut float64
	// Buffer is the number of inputs that wait on the server. Lead is the number of ticks by which the client is ahead of
	// the newest state. Delay is the time in milliseconds by which interpolated entities are behind the newest state.
	Buffer, Lead, Delay float64
	// Up, Waiting, HalfTick, Sending, Down and FrameTime are the other parts of the delay between two screens, in milliseconds: see
	// systems.Delay, whose Interpolation is Delay.
	Up, Waiting, HalfTick, Sending, Down, FrameTime float64
	// ReceivedRate and SentRate are bytes per second, and CorrectionRate is corrections per second, over the last second.
	ReceivedRate, SentRate, CorrectionRate float64
	// Received and Sent are total bytes.
	Received, Sent float64
	// The next fields have the meaning of their namesakes in systems.ClientStats. Malformed is MalformedMessages.
	Ticks, TicksDropped, Inputs, InputsSent, Snapshots, Confirmed, Corrections, Resimulated, LongestReplay, Jumps,
	Stalls, Snaps, Renewals, Refusals, Malformed float64
	// Rows is the number of rows in the view. Generation is [Host.Generation].
	Rows, Generation float64
	// Silence is the time since the last packet of the server, in milliseconds. Lost is the [Reason] of the lost session
	// while the client reconnects, and 0 otherwise. Reconnects counts the sessions after the first.
	Silence, Lost, Reconnects float64
	// NewsLost counts the news beyond the limits of Config.
	NewsLost float64
}

// StatNames returns the names of the fields of [Stats], in their order.
func StatNames() (names []string) {
	for f := range reflect.TypeFor[Stats]().Fields() {
		names = append(names, f.Name)
	}
	return names
}

// rates computes increases per second from ten samples per second.
type rates struct {
	at     time.Time // of the newest sample
	taken  int
	past   [10]sample
	latest [3]float64
}

// sample is the value of the counters at one time.
type sample struct {
	at     time.Time
	counts [3]float64
}

// read adds a sample of the counters. It returns their increase per second over the last second.
func (r *rates) read(now time.Time, counts [3]float64) [3]float64 {
	if now.Sub(r.at) < time.Second/10 && r.taken > 0 {
		return r.latest
	}
	r.at = now
	was := &r.past[r.taken%len(r.past)]
	r.taken++
	if seconds := now.Sub(was.at).Seconds(); !was.at.IsZero() && seconds > 0 {
		for i := range counts {
			r.latest[i] = max(counts[i]-was.counts[i], 0) / seconds
		}
	}
	*was = sample{now, counts}
	return r.latest
}

// read populates the figures from the host's client.
func (f *Stats) read(h *Host, now time.Time) {
	c := h.client
	s := c.Stats()
	*f = Stats{
		Client: float64(c.ID()), ServerTick: float64(c.ServerTick()), DrawnTick: c.DrawnTick(), Input: float64(c.Input()),
		RTT: milliseconds(s.Session.RTT), MinRTT: milliseconds(s.Session.MinRTT), Jitter: milliseconds(s.Session.Jitter),
		LossIn: s.Session.LossIn, LossOut: s.Session.LossOut, Buffer: float64(s.InputBuffer),
		Delay: milliseconds(s.Delay.Interpolation), Up: milliseconds(s.Delay.Up), Waiting: milliseconds(s.Delay.Waiting),
		HalfTick: milliseconds(s.Delay.Tick), Sending: milliseconds(s.Delay.Send), Down: milliseconds(s.Delay.Down), FrameTime: milliseconds(s.Delay.Frame),
		Received: float64(s.Session.BytesIn), Sent: float64(s.Session.BytesOut),
		Ticks: float64(s.Ticks), TicksDropped: float64(s.TicksDropped), Inputs: float64(s.Inputs), InputsSent: float64(s.InputsSent),
		Snapshots: float64(s.Snapshots), Confirmed: float64(s.Confirmed + s.CoConfirmed), Corrections: float64(s.Corrections + s.CoCorrections),
		Resimulated: float64(s.Resimulated), LongestReplay: float64(s.LongestReplay), Jumps: float64(s.Jumps), Stalls: float64(s.Stalls),
		Snaps: float64(s.Snaps), Renewals: float64(s.Renewals), Refusals: float64(s.Refusals), Malformed: float64(s.MalformedMessages),
		Rows: float64(h.view.rows[0].n), Generation: float64(h.view.generation),
		Silence: milliseconds(s.Session.Silence), Lost: float64(h.Lost()), Reconnects: float64(s.Reconnects), NewsLost: float64(h.news.lost),
	}
	if _, joined := c.Loaded(); joined {
		f.Joined = 1
	}
	if w := c.World(); w != nil {
		f.TickRate, f.Tick = float64(w.TickRate()), float64(w.Tick())
		f.Lead = max(f.Tick-f.ServerTick, 0)
		if e, ok := c.Own(h.view.world); ok {
			f.Own = float64(h.view.world.NetID(e))
		}
	}
	if r := h.replay; r != nil {
		f.Client, f.Own = float64(r.follow), 0
		if e, ok := r.own(h.view.world); ok {
			f.Own = float64(h.view.world.NetID(e))
		}
	}
	rate := h.rates.read(now, [3]float64{f.Received, f.Sent, f.Corrections})
	f.ReceivedRate, f.SentRate, f.CorrectionRate = rate[0], rate[1], rate[2]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
