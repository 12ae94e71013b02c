package host

import "time"

// Stats is how the netcode does, as of the newest frame: numbers of eight bytes each, in this order, and nothing else.
// What they are called is in [StatNames].
type Stats struct {
	// Client is the number that the server gave this client, and the owner of its entities; 0 before it is connected.
	Client float64
	// Own is the NetID of the first own entity of the view; 0 where there is none.
	Own float64
	// Joined is 1 once all of the state with which the client joins has arrived, else 0.
	Joined float64
	// TickRate is the ticks a second; 0 before the client is connected.
	TickRate float64
	// Tick is the tick that the client simulates next, ServerTick the newest of which a state arrived, and DrawnTick
	// the one that the view shows of others.
	Tick, ServerTick, DrawnTick float64
	// Input is the sequence of the newest input.
	Input float64
	// RTT, MinRTT and Jitter of the link, in milliseconds; Loss in and out as shares, 0 to 1.
	RTT, MinRTT, Jitter, LossIn, LossOut float64
	// Buffer is how many inputs wait on the server, Lead how many ticks the client is ahead of the newest state, and
	// Delay how many milliseconds what is drawn of others is behind that.
	Buffer, Lead, Delay float64
	// ReceivedRate and SentRate are bytes a second, CorrectionRate corrections a second, over the last second.
	ReceivedRate, SentRate, CorrectionRate float64
	// Received and Sent are bytes in all.
	Received, Sent float64
	// Ticks, TicksDropped, Inputs, InputsSent, Snapshots, Confirmed, Corrections, Resimulated, LongestReplay, Jumps,
	// Stalls, Snaps, Renewals, Refusals and Malformed count what systems.ClientStats says of them.
	Ticks, TicksDropped, Inputs, InputsSent, Snapshots, Confirmed, Corrections, Resimulated, LongestReplay, Jumps,
	Stalls, Snaps, Renewals, Refusals, Malformed float64
	// Rows is how many rows the view has, Generation what [Host.Generation] says.
	Rows, Generation float64
	// Silence is how many milliseconds nothing has come from the server. Lost is the [Reason] for which there is no session
	// while the client reconnects, else 0; Reconnects counts sessions that began after another one had ended.
	Silence, Lost, Reconnects float64
	// NewsLost counts what there was no room for among the [Host.News].
	NewsLost float64
}

// StatNames are the names of the fields of [Stats], in their order.
func StatNames() []string {
	return []string{
		"Client", "Own", "Joined", "TickRate", "Tick", "ServerTick", "DrawnTick", "Input",
		"RTT", "MinRTT", "Jitter", "LossIn", "LossOut", "Buffer", "Lead", "Delay",
		"ReceivedRate", "SentRate", "CorrectionRate", "Received", "Sent",
		"Ticks", "TicksDropped", "Inputs", "InputsSent", "Snapshots", "Confirmed", "Corrections", "Resimulated",
		"LongestReplay", "Jumps", "Stalls", "Snaps", "Renewals", "Refusals", "Malformed",
		"Rows", "Generation", "Silence", "Lost", "Reconnects", "NewsLost",
	}
}

// rates are counters, ten times a second, for a second.
type rates struct {
	at     time.Time // of the newest
	taken  int
	past   [10]sample
	latest [3]float64
}

// sample is what was counted at a time.
type sample struct {
	at     time.Time
	counts [3]float64
}

// read takes in counters, and returns how much they rose in the last second.
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

// read takes in how a client does.
func (f *Stats) read(h *Host, now time.Time) {
	c := h.client
	s := c.Stats()
	*f = Stats{
		Client: float64(c.ID()), ServerTick: float64(c.ServerTick()), DrawnTick: c.DrawnTick(), Input: float64(c.Input()),
		RTT: milliseconds(s.Session.RTT), MinRTT: milliseconds(s.Session.MinRTT), Jitter: milliseconds(s.Session.Jitter),
		LossIn: s.Session.LossIn, LossOut: s.Session.LossOut, Buffer: float64(s.InputBuffer),
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
		f.Delay = max(f.ServerTick-f.DrawnTick, 0) * milliseconds(w.StepDuration())
		if e, ok := c.Own(h.view.world); ok {
			f.Own = float64(h.view.world.NetID(e))
		}
	}
	rate := h.rates.read(now, [3]float64{f.Received, f.Sent, f.Corrections})
	f.ReceivedRate, f.SentRate, f.CorrectionRate = rate[0], rate[1], rate[2]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
