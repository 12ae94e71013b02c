package main

import (
	"cmp"
	"fmt"
)

// up returns the number of datagrams that a client sent per second.
func (m *socketMatch) up(b moment) float64 {
	return b.sent.swarm.DatagramsUpPerS * float64(b.sent.swarm.Connected) / float64(m.o.clients)
}

// verify adds the results of the checks: all errors, and other counts between two moments.
func (r *socketReport) verify(a, b *sent) {
	x, y := &a.verified, &b.verified
	r.Compared, r.ComparedEntities = y.States-x.States, y.Entities-x.Entities
	r.NotCompared = y.Late - x.Late + y.Old - x.Old
	r.GoneEntities, r.WaitingEntities = y.Gone-x.Gone, y.Waiting-x.Waiting
	r.MaxError = y.MaxError
	s := &b.swarm.Verified
	r.Blocks, r.BlocksDistinct, r.BlocksMatched = s.Blocks, s.Distinct, s.Blocks-s.Distinct
	r.Different, r.Difference = y.Different, y.Difference
	for _, x := range []struct {
		n      uint64
		format string
	}{{s.Malformed, "%d messages of the server could not be read"}, {s.Different, "%d entities differ between clients that decode"}} {
		if r.Different += x.n; x.n > 0 {
			r.Difference = cmp.Or(r.Difference, fmt.Sprintf(x.format, x.n))
		}
	}
	if r.Compared == 0 {
		r.Different++
		r.Difference = cmp.Or(r.Difference, "no state of any client was compared")
	}
}

// report returns the report of the time between two moments, and of the server's memory without and with clients.
func (m *socketMatch) report(a, b moment, empty, full memory) *socketReport {
	seconds := b.At.Sub(a.At).Seconds()
	clients, hz := float64(m.o.clients), float64(m.o.hz)
	ticks := float64(b.Stats.Ticks - a.Stats.Ticks)
	updates := max(float64(b.Stats.Updates-a.Stats.Updates), 1)
	cpu := (b.CPU - a.CPU).Seconds()
	kib := func(from, to int) float64 { return float64(to-from) / 1024 / clients }
	r := &socketReport{
		TicksPct:               100 * ticks / (seconds * hz),
		UpdatesPerClientS:      updates / clients / seconds,
		CPUPerS:                cpu / seconds,
		CPUUsPerClientUpdate:   1e6 * cpu / updates,
		BytesPerUpdate:         float64(b.Stats.Snapshots.Bytes-a.Stats.Snapshots.Bytes) / updates,
		RSSMB:                  float64(b.Resident) / (1 << 20),
		KiBPerClient:           kib(empty.Own, full.Own),
		HeapKiBPerClient:       kib(empty.Heap, full.Heap),
		StackKiBPerClient:      kib(empty.Stacks, full.Stacks),
		TickP50:                b.P50,
		TickP99:                b.P99,
		TickP999:               b.P999,
		GCPauseMax:             b.PauseMax,
		InputsConsumedPct:      100 * float64(b.Stats.Inputs.Consumed-a.Stats.Inputs.Consumed) / (clients * hz * seconds),
		DatagramsUpPerClientS:  m.up(b),
		LostUpPct:              100 * max(0, 1-float64(b.Stats.DatagramsIn-a.Stats.DatagramsIn)/clients/seconds/max(m.up(b), 1)),
		DatagramsDownPerUpdate: float64(b.Stats.DatagramsOut-a.Stats.DatagramsOut) / updates,
		BytesDownPerClientS:    float64(b.Stats.BytesOut-a.Stats.BytesOut) / clients / seconds,
		LoadCPUPerS:            (b.load - a.load).Seconds() / seconds,
		AllocsPerTick:          float64(b.Mallocs-a.Mallocs) / max(ticks, 1),
		OverBudget:             b.Stats.OverBudget - a.Stats.OverBudget,
		AddedLatency:           1000 * float64(b.Stats.SnapshotDelay-a.Stats.SnapshotDelay) / updates / hz,
		Sampled:                b.sent.thin,
		Clients:                m.o.clients,
		TickBudget:             1e6 / hz,
		TickP999OfBudgetPct:    100 * b.P999 * hz / 1e6,
		SendTickP50:            b.SendP50,
		OtherTickP50:           b.OtherP50,
	}
	r.verify(&a.sent, &b.sent)
	const near = 0.95
	r.LoadLimited = r.LoadCPUPerS > near*float64(m.loaders) || r.DatagramsUpPerClientS < 0.98*hz
	if r.LoadLimited {
		fmt.Fprintf(m.progress, "arena: the load was the limit (%.2f of %d processors, %.1f datagrams a second of each client): the server could carry more\n",
			r.LoadCPUPerS, m.loaders, r.DatagramsUpPerClientS)
	}
	return r
}
