package systems_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Buffered, every tick consumes one input of each client, in order, or holds. The
// server's journal shows that no tick was simulated twice.
func TestNetcodeA3_BufferedConsumesOneATickInOrder(t *testing.T) {
	systemstest.Seeds(t, 4, func(t *testing.T, seed uint64) {
		config := onField(seed, 3, netsys.Link{Latency: 150 * time.Millisecond, Jitter: 60 * time.Millisecond, Loss: 0.05, Duplicate: 0.05})
		c := systemstest.New(t, config)
		j := journalOf(c.Server.World())
		c.Run(30 * time.Second)
		for _, k := range c.Clients {
			steps, f := j.of(k.ID()), k.Figures()
			if uint64(len(steps)) != f.Consumed+f.Missing || f.Consumed < 1500 {
				t.Fatalf("%v: %d steps, %d inputs consumed and %d filled", k, len(steps), f.Consumed, f.Missing)
			}
			fills, gaps := uint64(0), uint64(0)
			for i := 1; i < len(steps); i++ {
				before, s := steps[i-1], steps[i]
				if s.tick <= before.tick {
					t.Fatalf("%v: tick %d stepped after tick %d", k, s.tick, before.tick)
				}
				gaps += uint64(s.tick - before.tick - 1)
				switch s.in.N {
				case steps[0].in.N + uint16(i):
				case before.in.N:
					fills++
				default:
					t.Fatalf("%v: tick %d consumed input %d after %d", k, s.tick, s.in.N, before.in.N)
				}
			}
			if fills != f.Missing || gaps != f.Holds {
				t.Errorf("%v: the journal has %d fills and %d ticks without a step, counted are %d and %d", k, fills, gaps, f.Missing, f.Holds)
			}
		}
		if n := c.Server.Stats().ResimulatedTicks; n != 0 {
			t.Errorf("the server counts %d ticks simulated again", n)
		}
	})
}

// On arrival, every input that came is stepped, oldest first, however many came
// at once; none is merged or dropped.
func TestNetcodeA3_ArrivalStepsAllThatArrived(t *testing.T) {
	systemstest.Seeds(t, 4, func(t *testing.T, seed uint64) {
		config := onField(seed, 3, systemstest.RoundTrip(100*time.Millisecond, 40*time.Millisecond, 0))
		config.Server.Policies.Timing = policy.TimingArrival
		c := systemstest.New(t, config)
		j := journalOf(c.Server.World())
		c.Connect()
		c.Run(20 * time.Second)
		c.Settle()
		for _, k := range c.Clients {
			steps, f := j.of(k.ID()), k.Figures()
			fills, several := uint64(0), 0
			for i := 1; i < len(steps); i++ {
				before, s := steps[i-1], steps[i]
				if s.tick < before.tick {
					t.Fatalf("%v: tick %d stepped after tick %d", k, s.tick, before.tick)
				}
				if s.tick == before.tick {
					several++
				}
				switch s.in.N {
				case before.in.N + 1:
				case before.in.N:
					fills++
				default:
					if s.in.N != 0 { // neutral while the crowd settles
						t.Fatalf("%v: tick %d consumed input %d after %d", k, s.tick, s.in.N, before.in.N)
					}
				}
			}
			if several == 0 {
				t.Errorf("%v: no tick stepped several inputs: the link was too good for this test", k)
			}
			if f.Consumed != uint64(k.Status().LastInput) {
				t.Errorf("%v: %d inputs consumed of the first %d", k, f.Consumed, k.Status().LastInput)
			}
			if f.Late != 0 || f.Rejected != 0 || f.Resyncs != 0 {
				t.Errorf("%v: %d inputs late, %d rejected, %d resyncs on a link without loss", k, f.Late, f.Rejected, f.Resyncs)
			}
		}
	})
}

// No client steps more often than ticks pass: a flood of inputs costs the server
// one step a tick when it buffers, and a burst of half a second and 2 % more when
// it steps on arrival.
func TestNetcodeA3_FloodIsBounded(t *testing.T) {
	for _, timing := range []policy.InputTiming{policy.TimingBuffered, policy.TimingArrival} {
		t.Run(timing.String(), func(t *testing.T) {
			const (
				speed = 4 // inputs a tick
				long  = 600
				burst = 30
			)
			p := newPuppet(t, systems.ServerConfig{Policies: policy.Policies{Timing: timing}})
			for i := uint32(1); i <= long; i++ {
				p.tick(input(i*speed, speed, 2))
			}
			steps := ecs.Resource[journal](p.server.World()).steps
			byTick := map[uint32]int{}
			for i, s := range steps {
				byTick[s.tick]++
				if i > 0 && int16(s.in.N-steps[i-1].in.N) < 0 {
					t.Fatalf("tick %d stepped input %d after %d", s.tick, s.in.N, steps[i-1].in.N)
				}
			}
			for from := range steps {
				last := steps[len(steps)-1]
				ticks := float64(last.tick - steps[from].tick + 1)
				most := ticks
				if timing == policy.TimingArrival {
					most = 1.02*ticks + burst + 1
				}
				if n := len(steps) - from; float64(n) > most {
					t.Fatalf("%d steps in the last %.0f ticks, at most %.0f are allowed", n, ticks, most)
				}
			}
			for tick, n := range byTick {
				if n > 1 && timing == policy.TimingBuffered {
					t.Fatalf("tick %d stepped %d inputs", tick, n)
				}
			}
			if len(steps) < long*9/10 {
				t.Errorf("%d steps in %d ticks: a flood should not stop its sender either", len(steps), long)
			}
		})
	}
}

// Inputs that come together are stepped in one tick, as far as the bucket reaches;
// the rest waits its turn. The bucket fills by 0.02 a tick and holds 30; a filler
// costs a token as well.
func TestNetcodeA3_ArrivalStepsABurstAtOnce(t *testing.T) {
	p := newPuppet(t, systems.ServerConfig{Policies: policy.Policies{Timing: policy.TimingArrival}})
	seq := uint32(0)
	for range 2000 {
		seq++
		p.tick(input(seq, 1, 2))
	}
	j := ecs.Resource[journal](p.server.World())
	before := len(j.steps)
	seq += 20
	p.tick(input(seq, 20, 2))
	if got := len(j.steps) - before; got != 20 {
		t.Fatalf("%d of 20 inputs stepped in the tick in which they came", got)
	}
	seq += 30
	p.tick(input(seq, 30, 2))
	if got := len(j.steps) - before; got < 30 || got > 31 {
		t.Fatalf("%d of 50 inputs stepped in two ticks by a bucket of 30 tokens", got)
	}
	for range 100 {
		seq++
		p.tick(input(seq, 1, 2))
	}
	for i, s := range j.steps[before:] {
		if want := uint16(2001 + i); s.in.N != want {
			t.Fatalf("step %d is input %d, not %d: what waits keeps its order", i, s.in.N, want)
		}
	}
	if got := len(j.steps) - before; got < 30+100 || got > 31+103 {
		t.Errorf("%d steps after 100 ticks more", got)
	}
}

// A send carries one state to each client: on a perfect link a client takes in one
// snapshot per send gap, no more.
func TestNetcodeA3_OneStateASend(t *testing.T) {
	c := systemstest.New(t, onField(1, 5, netsys.Link{}))
	c.Connect()
	c.Run(time.Second)
	c.Mark()
	before := c.Server.Stats()
	c.RunTicks(600)
	after := c.Server.Stats()
	if got, want := after.Updates-before.Updates, uint64(600/3*5); got != want {
		t.Errorf("%d updates, want %d", got, want)
	}
	if got, want := after.DatagramsOut-before.DatagramsOut, uint64(600/3*5); got != want {
		t.Errorf("%d datagrams from the server, want %d", got, want)
	}
	for _, k := range c.Clients {
		if f := k.Figures(); f.Snapshots < 199 || f.Snapshots > 201 {
			t.Errorf("%v took in %d snapshots in 600 ticks, want 200", k, f.Snapshots)
		}
	}
}
