package runner

import (
	"math"
	"slices"
	"time"
)

// report combines the figures of both sides.
func (w *watch) report(m *match) Report {
	o, f := w.o, &w.final
	r := Report{MatchReport: MatchReport{
		SetupReport: SetupReport{Model: o.Preset, Preset: o.Preset, Timing: o.timing(), Clients: o.Clients}, NPCs: o.NPCs,
		TickReport: TickReport{
			FirstTick:    uint32(m.first),
			Ticks:        f.Ticks,
			TickOverruns: w.overruns + f.TicksDropped,
			TickP50us:    percentile(w.ticks, 0.50),
			TickP99us:    percentile(w.ticks, 0.99),
		},
	}}
	if ticks := w.after.ticks - w.before.ticks; ticks > 0 && !w.warmAt.IsZero() {
		n := float64(w.after.mallocs - w.before.mallocs)
		n -= gnetAllocations * float64(w.after.woken-w.before.woken)
		if r.AllocsPerTick = round(n/float64(ticks), 2); r.AllocsPerTick < 0.5 {
			r.AllocsPerTick = 0
		}
	}
	clientSeconds := float64(f.Ticks) / float64(o.Tick) * float64(o.bots())
	if w.crowd != nil {
		clientSeconds = max(w.crowd.seconds, 1e-9)
	}
	s := &r.Server
	s.InputsConsumed, s.InputsLate, s.InputsRejected = f.Inputs.Consumed, f.Inputs.Late, f.Inputs.Rejected
	s.Holds = f.Inputs.Holds
	s.ResimulatedTicks = f.ResimulatedTicks
	s.BytesDownPerClientS = round(float64(f.BytesOut)/clientSeconds, 1)
	s.BytesUpPerClientS = round(float64(f.BytesIn)/clientSeconds, 1)
	s.BytesPerUpdate = round(float64(f.BytesOut)/max(float64(f.Updates), 1), 1)
	s.UpdatesPerClientS = round(float64(f.Updates)/clientSeconds, 3)

	c := &r.Client
	var errors []float64
	var sent, ticks uint64
	var delays delaySum
	for _, p := range m.players {
		pw := &p.watch
		errors = append(errors, pw.errors...)
		r.causes = r.causes.Add(pw.causes)
		c.OwnResponseTicks = max(c.OwnResponseTicks, median(pw.responses))
		sent, ticks = sent+pw.final.Session.DatagramsOut, ticks+pw.final.Ticks
		c.LongestReplay = max(c.LongestReplay, pw.final.LongestReplay)
		c.Pushes += pw.pushes
		if !pw.warm.Load() {
			continue
		}
		s.InputsMissing += pw.status.Inputs.Missing - pw.warmStatus.Inputs.Missing
		c.Corrections += pw.final.Corrections - pw.base.Corrections
		c.ResimulatedTicks += pw.final.Resimulated - pw.base.Resimulated
		c.InterpolationStalls += pw.final.Stalls - pw.base.Stalls
		c.ExtrapolatedFrames += pw.final.Extrapolated - pw.base.Extrapolated
		c.InterpolationDelayMS += pw.meanAge() * 1000 / float64(o.bots())
		delays.join(&pw.delays)
		if pw.looked > 0 {
			c.InputBufferTicks = max(c.InputBufferTicks, round(pw.depths/pw.looked, 2))
		}
		if t := pw.status.Inputs.Ticks - pw.warmStatus.Inputs.Ticks; t > 0 {
			depth := float64(pw.status.Inputs.Depth-pw.warmStatus.Inputs.Depth) / float64(t)
			c.InputBufferTicks = max(c.InputBufferTicks, round(depth, 2))
		}
	}
	if w.crowd != nil {
		s.InputsMissing = w.crowd.missing()
	}
	r.Causes = r.causes.Rows
	c.DatagramsPerTick = round(float64(sent)/max(float64(ticks), 1), 3)
	c.DelayMS = delays.mean()
	c.InterpolationDelayMS = round(c.InterpolationDelayMS, 1)
	milliseconds := func(share float64) float64 {
		return round(float64(w.screens.Quantile(share))/float64(time.Millisecond), 1)
	}
	c.SeenMSP50, c.SeenMSP99 = milliseconds(0.50), milliseconds(0.99)
	c.P99Error, c.MaxError = round(percentile(errors, 0.99), 4), round(percentile(errors, 1), 4)
	return r
}

// percentile sorts values and returns the one at this share, or 0 if there are none.
func percentile(values []float64, share float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[min(int(share*float64(len(values))), len(values)-1)]
}

func median(values []int) int {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func round(v float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(v*scale) / scale
}
