package systems_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// loseUp makes the next n datagrams of every client get lost on their way up.
func loseUp(c *systemstest.Crowd, n int) {
	lost := make([]int, len(c.Clients))
	c.Lose(func(p systemstest.Packet) bool {
		if p.Up {
			lost[p.Client.N]++
		}
		return p.Up && lost[p.Client.N] <= n
	})
}

// A missing input repeats what is held, but no press; it uses up the sequence, so
// the real one is late and dropped. After 15 repeats the input is neutral.
func TestNetcodeC4_FillersHoldThenRest(t *testing.T) {
	config := onField(1, 1, lag(3))
	config.Play = systemstest.Play(func(k *systemstest.Client, in *Walk) {
		*in = Walk{DX: 1, DY: -1, Jump: true, N: uint16(k.Input())}
	})
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(12 * time.Second)
	j := journalOf(c.Server.World())
	c.RunTicks(30)
	k := c.Clients[0]
	c.Mark()
	const silence = 30
	loseUp(c, silence)
	c.RunTicks(100)

	var fills []step
	steps := j.of(k.ID())
	for i := 1; i < len(steps); i++ {
		if steps[i].in.N == steps[i-1].in.N || steps[i].in == (Walk{}) {
			fills = append(fills, steps[i])
		} else if !steps[i].in.Jump {
			t.Fatalf("tick %d consumed input %d without its press", steps[i].tick, steps[i].in.N)
		}
	}
	if len(fills) < 25 || len(fills) > silence {
		t.Fatalf("%d fillers for %d datagrams lost", len(fills), silence)
	}
	held := fills[0].in
	for i, s := range fills {
		want := Walk{DX: 1, DY: -1, N: held.N}
		if i >= 15 {
			want = Walk{}
		}
		if s.in != want {
			t.Fatalf("filler %d is %+v, not %+v", i+1, s.in, want)
		}
	}
	f := k.Figures()
	if f.Missing != uint64(len(fills)) || f.Consumed+f.Missing+f.Holds > 101 {
		t.Errorf("%d fillers counted of %d; %d inputs consumed", f.Missing, len(fills), f.Consumed)
	}
	c.Settle()
	c.Converged()
}

// The real inputs that come after their fillers are counted as late and change
// nothing.
func TestNetcodeC4_LateInputsAreDropped(t *testing.T) {
	config := onField(1, 1, lag(3))
	config.Play = straight()
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(12 * time.Second)
	k := c.Clients[0]
	j := journalOf(c.Server.World())
	c.Mark()
	const rounds = 10
	for range rounds {
		// One more than waits on the server and what the next packet brings in time.
		loseUp(c, 4)
		c.RunTicks(60)
	}
	f := k.Figures()
	if f.Missing < rounds/2 || f.Late == 0 || f.Late > f.Missing || f.Resyncs != 0 {
		t.Errorf("%d inputs missing, %d late, %d resyncs", f.Missing, f.Late, f.Resyncs)
	}
	fillers := uint64(0)
	steps := j.of(k.ID())
	for i := 1; i < len(steps); i++ {
		switch d := steps[i].in.N - steps[i-1].in.N; {
		case d == 0:
			fillers++
		case d > 5:
			t.Fatalf("tick %d consumed input %d after %d", steps[i].tick, steps[i].in.N, steps[i-1].in.N)
		}
		if steps[i].tick == steps[i-1].tick {
			t.Fatalf("tick %d was stepped twice", steps[i].tick)
		}
	}
	if fillers != f.Missing {
		t.Errorf("%d fillers stepped, %d inputs missing", fillers, f.Missing)
	}
	// What is held is what was missing, so nobody was wrong.
	c.NoCorrections()
}

// A client that stalls for long finds the server ahead of its inputs. Both go on
// from there: the buffer starts afresh, nothing stays missing, all agree.
func TestNetcodeC4_ResynchronizesAfterAStall(t *testing.T) {
	systemstest.Seeds(t, 4, func(t *testing.T, seed uint64) {
		c := systemstest.New(t, onField(seed, 2, systemstest.RoundTrip(120*time.Millisecond, 20*time.Millisecond, 0.02)))
		c.Connect()
		c.Run(12 * time.Second)
		k, other := c.Clients[0], c.Clients[1]
		c.Mark()
		before := k.Input()
		k.Stall(3 * time.Second)
		c.Run(3 * time.Second)
		if f := k.Figures(); f.Missing < 150 {
			t.Errorf("%d inputs missing in a stall of 3 s", f.Missing)
		}
		c.Run(2 * time.Second)
		if f := k.Figures(); f.Resyncs+f.Jumps == 0 {
			t.Errorf("neither the server nor the client started afresh: %+v", f)
		}
		if n := k.Input() - before; n > 5*60+12 {
			t.Errorf("the client went on %d inputs later, 5 s after", n)
		}
		if d := k.Status().Waiting; d > 12 {
			t.Errorf("%d inputs wait 2 s after the stall", d)
		}
		if f := other.Figures(); f.Missing != 0 || f.Corrections != 0 {
			t.Errorf("the stall of another cost %v %d inputs and %d corrections", other, f.Missing, f.Corrections)
		}
		c.Run(5 * time.Second)
		c.Mark()
		c.Run(10 * time.Second)
		if f := k.Figures(); f.Consumed < 599 {
			t.Errorf("%d inputs consumed in 10 s", f.Consumed)
		}
		c.NothingMissing()
		c.NoCorrections()
		c.Settle()
		c.Converged()
	})
}

// A stalled client that was cut off from the server as well comes back with old
// sequences: the server takes the newest for the expected one and clears what it
// knew of the link.
func TestNetcodeC4_OldSequencesResynchronize(t *testing.T) {
	config := onField(1, 1, lag(4))
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(12 * time.Second)
	k := c.Clients[0]
	before := k.Input()
	k.Stall(time.Second)
	// Snapshots from the stall would tell the client where the server is.
	c.Lose(func(p systemstest.Packet) bool { return !p.Up })
	c.Run(time.Second)
	c.Mark()
	c.RunTicks(20)
	f := k.Figures()
	if f.Resyncs != 1 || f.Jumps != 0 || k.Input() > before+40 {
		t.Fatalf("%d resyncs, %d jumps; inputs went on from %d to %d", f.Resyncs, f.Jumps, before, k.Input())
	}
	if last := k.Status().LastInput; last > k.Input() || last+12 < k.Input() {
		t.Errorf("the server consumed input %d, the client has gathered %d", last, k.Input())
	}
	c.Lose(nil)
	c.Run(time.Second)
	c.Mark()
	c.Run(5 * time.Second)
	c.NothingMissing()
	c.NoCorrections()
	c.Settle()
	c.Converged()
}

// A replay rewrites the predictions that later states are compared with: one push,
// one correction, however many states of old predictions are under way.
func TestNetcodeC5_AReplayRewritesPredictions(t *testing.T) {
	config := onField(1, 3, netsys.Link{Latency: 400 * time.Millisecond})
	config.Protocol = fieldWith(pushAt(func(tick, owner uint32) (components.Position, bool) {
		return components.Position{X: 10}, tick > 700 && tick%180 == 10*owner
	}))
	c := systemstest.New(t, config)
	c.Connect()
	c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == 700 })
	c.Mark()
	c.RunTicks(180*10 - 20)
	for _, k := range c.Clients {
		if f := k.Figures(); f.Corrections != 10 || f.Confirmed < 500 {
			t.Errorf("%v: %d corrections of 10 pushes, %d own states confirmed", k, f.Corrections, f.Confirmed)
		}
	}
}
