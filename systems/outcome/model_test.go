package outcome_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/systems/outcome"
)

// model is a simple implementation of what the log documents. For each tick, it stores the outcomes that the last
// simulation of the tick raised, and those that have begun and not ended.
type model struct {
	ticks   map[uint32]*modelTick
	horizon uint32
}

type modelTick struct {
	suspect       bool
	stands, begun []told
}

func (m *model) at(tick uint32) *modelTick {
	if m.ticks[tick] == nil {
		m.ticks[tick] = &modelTick{}
	}
	return m.ticks[tick]
}

func (m *model) rewind(from uint32) {
	for tick, t := range m.ticks {
		t.suspect = t.suspect || tick >= from
	}
}

func (m *model) simulate(tick uint32, rs []raised) {
	if tick < m.horizon {
		return
	}
	t := m.at(tick)
	t.suspect, t.stands = false, nil
	for _, r := range rs {
		kind := "kill"
		if r.goal {
			kind = "goal"
		}
		t.stands = append(t.stands, told{kind: kind, tick: tick, subject: components.NetID(r.about), by: r.by})
	}
}

// settle returns the expected calls, in no particular order.
func (m *model) settle(horizon uint32) (calls []told) {
	m.horizon = max(m.horizon, horizon)
	tell := func(phase string, all []told) {
		for _, c := range all {
			c.phase = phase
			calls = append(calls, c)
		}
	}
	for tick, t := range m.ticks {
		final := tick < m.horizon
		switch {
		case t.suspect && final:
			tell("cancel", t.begun)
		case t.suspect:
			continue
		default:
			tell("cancel", minus(t.begun, t.stands))
			tell("begin", minus(t.stands, t.begun))
			t.begun = slices.Clone(t.stands)
			if final {
				tell("commit", t.stands)
			}
		}
		if final {
			delete(m.ticks, tick)
		}
	}
	return calls
}

// minus returns a without b, counting equals.
func minus(a, b []told) []told {
	a = slices.Clone(a)
	for _, c := range b {
		if i := slices.Index(a, c); i >= 0 {
			a = slices.Delete(a, i, i+1)
		}
	}
	return a
}

// order sorts calls as Settle makes them.
func order(a, b told) int {
	rank := func(c told) int {
		if c.phase == "cancel" {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.tick, b.tick), -cmp.Compare(a.kind, b.kind), cmp.Compare(a.subject, b.subject))
}

// whole orders calls by everything but the ID.
func whole(a, b told) int {
	return cmp.Or(order(a, b), cmp.Compare(a.by, b.by), cmp.Compare(a.phase, b.phase))
}

// driver steps a log and the model as bytes say, and compares the calls.
type driver struct {
	*stage
	model model
	open  map[uint64]told
	bytes []byte
	base  uint32 // the newest tick
}

func (d *driver) next(n int) int {
	if len(d.bytes) == 0 {
		return 0
	}
	b := d.bytes[0]
	d.bytes = d.bytes[1:]
	return int(b) % n
}

func (d *driver) outcomes() (rs []raised) {
	for range d.next(4) {
		rs = append(rs, raised{goal: d.next(2) == 1, about: d.next(5), by: uint8(d.next(3))})
	}
	return rs
}

func (d *driver) run() error {
	for len(d.bytes) > 0 {
		switch d.next(6) {
		case 0, 1: // a new tick
			d.base++
			rs := d.outcomes()
			d.tick(d.base, rs...)
			d.model.simulate(d.base, rs)
		case 2: // some tick alone, twice perhaps
			tick := d.base - min(d.base, uint32(d.next(16)))
			rs := d.outcomes()
			d.log.Start(tick)
			if d.next(2) == 1 {
				d.raise(d.outcomes()...)
				d.log.Start(tick)
			}
			d.raise(rs...)
			d.log.Done()
			d.model.simulate(tick, rs)
		case 3: // a rewind, and some or all of the ticks again
			from := d.base - min(d.base, uint32(d.next(16)))
			d.log.Rewind(from)
			d.model.rewind(from)
			to := d.base - min(d.base, uint32(d.next(3)))
			for tick := from; tick <= to; tick++ {
				rs := d.outcomes()
				d.tick(tick, rs...)
				d.model.simulate(tick, rs)
			}
		default:
			if err := d.settles(d.base - min(d.base, uint32(d.next(16)))); err != nil {
				return err
			}
		}
	}
	if err := d.settles(^uint32(0)); err != nil {
		return err
	}
	if s := d.log.Stats(); len(d.open) > 0 || s.Open != 0 || s.Begun != s.Committed+s.Cancelled {
		return fmt.Errorf("at the end %d are open: %+v", len(d.open), s)
	}
	return nil
}

// settles compares a call of Settle with the model, and pairs each end with its beginning.
func (d *driver) settles(horizon uint32) error {
	got, want := d.settle(horizon), d.model.settle(horizon)
	if !slices.IsSortedFunc(got, order) {
		return fmt.Errorf("out of order: %v", got)
	}
	for _, c := range got {
		begun, open := d.open[c.id]
		switch {
		case c.phase == "begin" && !open:
			d.open[c.id] = c
			continue
		case c.phase == "begin" || !open:
			return fmt.Errorf("%v, outcome %d, when it is open: %v", c, c.id, open)
		}
		delete(d.open, c.id)
		if begun.phase = c.phase; begun != c {
			return fmt.Errorf("outcome %d ends as %v and was %v", c.id, c, begun)
		}
	}
	got = slices.Clone(got)
	for i := range got {
		got[i].id = 0
	}
	slices.SortFunc(got, whole)
	slices.SortFunc(want, whole)
	if !slices.Equal(got, want) {
		return fmt.Errorf("settled at %d:\ngot  %v\nwant %v", horizon, got, want)
	}
	return nil
}

func drive(b []byte) (*driver, error) {
	d := &driver{
		stage: newStage(outcome.Config{}),
		model: model{ticks: map[uint32]*modelTick{}},
		open:  map[uint64]told{},
		bytes: b[:min(len(b), 2000)],
	}
	return d, d.run()
}

func FuzzLog(f *testing.F) {
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := drive(b); err != nil {
			t.Fatal(err)
		}
	})
}

// The log calls handlers as documented, whatever a model does.
func TestLogAgainstModel(t *testing.T) {
	var sum outcome.Stats
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := make([]byte, 2000)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		d, err := drive(b)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		s := d.log.Stats()
		sum.Begun, sum.Cancelled, sum.Late = sum.Begun+s.Begun, sum.Cancelled+s.Cancelled, sum.Late+s.Late
	}
	t.Logf("%d outcomes, %d withdrawn, %d too late", sum.Begun, sum.Cancelled, sum.Late)
	if sum.Begun < 10000 || sum.Cancelled < 1000 || sum.Late < 1000 {
		t.Error("too little happened")
	}
}
