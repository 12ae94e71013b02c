package systems_test

import (
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Whatever a client simulates, in its ticks and in replays, is its own. Others
// stand in its world where the newest snapshot says, not a tick further.
func TestNetcodeA4_OthersAreConfirmedNeverSimulated(t *testing.T) {
	systemstest.Seeds(t, 4, func(t *testing.T, seed uint64) {
		config := onField(seed, 4, systemstest.RoundTrip(200*time.Millisecond, 50*time.Millisecond, 0.05))
		config.Protocol = fieldWith(pushAt(func(tick, owner uint32) (components.Position, bool) {
			return components.Position{X: 3}, tick%97 == owner // so that there are replays
		}))
		c := systemstest.New(t, config)
		ts := watchTruth(c)
		compared := 0
		c.OnClientTick(func(k *systemstest.Client) {
			j := journalOf(k.World())
			for _, s := range j.steps {
				if s.owner != k.ID() {
					t.Fatalf("%v simulated entity %d of client %d", k, s.id, s.owner)
				}
			}
			j.steps = j.steps[:0]
			mine, ok := k.Own(k.World())
			tr := ts.at[k.ServerTick()]
			if !ok || tr == nil {
				return
			}
			for id, p := range places(k.World()) {
				if id == k.World().NetID(mine) {
					continue
				}
				compared++
				want := tr.places[id]
				if off := math.Hypot(float64(p.X-want.X), float64(p.Y-want.Y)); off > tolerance {
					t.Fatalf("%v at its tick %d: entity %d stands at %v, the server had it at %v after tick %d", k, k.Input(), id, p, want, k.ServerTick())
				}
			}
		})
		c.Run(10 * time.Second)
		replays := uint64(0)
		for _, k := range c.Clients {
			replays += k.Figures().Corrections
		}
		if compared < 4*400*7 || replays == 0 {
			t.Errorf("%d places compared, %d corrections", compared, replays)
		}
	})
}

// nudgeOnce moves the player of client 1 by d at one tick, on the server alone.
func nudgeOnce(at uint32, d components.Position) func(tick, owner uint32) (components.Position, bool) {
	return func(tick, owner uint32) (components.Position, bool) { return d, tick == at && owner == 1 }
}

// A prediction that is right up to the tolerance stands: it is neither corrected
// nor replaced by the server's value.
func TestNetcodeA5_ApproximatelyEqualIsConfirmed(t *testing.T) {
	const nudge = 0.0078125 // below the tolerance, and exact
	config := onField(1, 2, lag(5))
	config.Protocol = fieldWith(pushAt(nudgeOnce(300, components.Position{X: nudge})))
	config.Play = straight()
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(time.Second)
	c.Mark()
	c.Run(10 * time.Second)
	c.NoCorrections()
	k := client(c, 1)
	if f := k.Figures(); f.Confirmed < 195 || f.Resimulated != 0 {
		t.Errorf("%d own states confirmed, %d ticks simulated again", f.Confirmed, f.Resimulated)
	}
	c.Settle()
	mine, _ := k.Own(k.World())
	got, truth := place(k.World(), mine), place(c.Server.World(), own(c, k))
	if off := truth.X - got.X; off != nudge {
		t.Errorf("the client stands %v from the server; a prediction that was confirmed stays, so it should be %v", off, nudge)
	}
}

// A wrong prediction is replaced by the server's state after input s, and exactly
// the inputs s+1 to the newest are stepped again, each once, in order.
func TestNetcodeA5_MismatchReplaysExactlyTheRest(t *testing.T) {
	config := onField(1, 2, systemstest.RoundTrip(150*time.Millisecond, 30*time.Millisecond, 0.02))
	config.Protocol = fieldWith(pushAt(func(tick, owner uint32) (components.Position, bool) {
		return components.Position{X: 0.0625, Y: -0.0625}, tick%120 == 60 && owner == 1
	}))
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(3 * time.Second)
	ts := watchTruth(c)
	c.Run(time.Second)
	c.Mark()
	var before systemstest.Figures
	corrected := 0
	c.OnClientTick(func(k *systemstest.Client) {
		if k.ID() != 1 {
			return
		}
		j, f := journalOf(k.World()), k.Figures()
		steps := j.steps
		j.steps = nil
		if f.Corrections == before.Corrections {
			if len(steps) > 1 {
				t.Fatalf("input %d: %d steps in a tick without a correction", k.Input(), len(steps))
			}
			before = f
			return
		}
		before = f
		corrected++
		s := ts.at[k.ConfirmedTick()].inputs[k.N]
		if want := int(k.Input() - s); len(steps) != want {
			t.Fatalf("input %d: a state after input %d was corrected in %d steps, not %d", k.Input(), s, len(steps)-1, want-1)
		}
		for i, st := range steps {
			if st.in.N != uint16(s)+1+uint16(i) {
				t.Fatalf("step %d of a replay after input %d took input %d", i, s, st.in.N)
			}
		}
	})
	c.Run(20 * time.Second)
	if corrected != 10 {
		t.Errorf("%d corrections of 10 nudges", corrected)
	}
}

// A state that was overtaken by a newer one is dropped: it is neither confirmed
// nor adopted.
func TestNetcodeA5_OlderTickIsDropped(t *testing.T) {
	c := systemstest.New(t, onField(1, 1, lag(2)))
	k := c.Clients[0]
	c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == 301 })
	c.Mark()
	k.SetLinks(lag(2), lag(19))
	c.RunTicks(3) // the snapshot of tick 303 takes 19 ticks, and comes alone
	k.SetLinks(lag(2), lag(2))
	newest := uint32(0)
	c.OnClientTick(func(k *systemstest.Client) {
		if k.ConfirmedTick() < newest {
			t.Fatalf("own state of tick %d after that of tick %d", k.ConfirmedTick(), newest)
		}
		newest = k.ConfirmedTick()
	})
	c.RunTicks(60)
	f := k.Figures()
	if f.Snapshots < 20 || f.Confirmed != f.Snapshots-1 || f.Corrections != 0 {
		t.Errorf("%d snapshots taken in, %d own states confirmed, %d corrected; exactly one came too late", f.Snapshots, f.Confirmed, f.Corrections)
	}
}

// Own states older than the history of Q inputs are ignored and counted; after a
// second of nothing else the newest is adopted, and the inputs kept are replayed.
func TestNetcodeA5_OlderThanTheHistory(t *testing.T) {
	const kept = 8
	config := onField(1, 1, lag(15))
	config.Protocol = fieldWith(pushAt(nudgeOnce(600, components.Position{X: 40})))
	config.Play = straight()
	config.Client = func(int) systems.ClientConfig { return systems.ClientConfig{History: kept} }
	c := systemstest.New(t, config)
	c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == 500 })
	c.Mark()
	var last systemstest.Figures
	var stale uint64 // states since the last adoption
	var x float32
	adoptions, jumps := 0, 0
	c.OnClientTick(func(k *systemstest.Client) {
		f := k.Figures()
		e, _ := k.Own(k.World())
		jumped := x != 0 && place(k.World(), e).X != x+inputLimit
		x = place(k.World(), e).X
		stale += f.StaleStates - last.StaleStates
		replayed := f.Resimulated - last.Resimulated
		last = f
		if jumped {
			jumps++
			if replayed == 0 {
				t.Fatalf("input %d: the prediction changed without an adoption", k.Input())
			}
		}
		if replayed == 0 {
			return
		}
		if replayed != kept {
			t.Errorf("%d inputs replayed, %d are kept", replayed, kept)
		}
		if adoptions++; adoptions > 1 && stale != 21 {
			t.Errorf("adopted the %d. stale state; 20 gaps between sends are a second", stale)
		}
		stale = 0
	})
	c.Run(5 * time.Second)
	f := client(c, 1).Figures()
	if f.Corrections != 0 || f.Confirmed != 0 || f.StaleStates < 99 {
		t.Errorf("%d own states corrected, %d confirmed, %d stale; all 100 are older than the history", f.Corrections, f.Confirmed, f.StaleStates)
	}
	if adoptions < 4 || jumps != 1 {
		t.Errorf("%d adoptions in 5 s, of which %d moved the player; the push was one", adoptions, jumps)
	}
}
