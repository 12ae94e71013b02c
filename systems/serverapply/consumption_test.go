package serverapply_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Buffered, every tick consumes one input of each client, in order, or holds, and no tick is
// simulated twice. On arrival, every input that came is stepped, oldest first, however many came
// at once; none is merged or dropped.
func TestNetcodeA3_InputsAreConsumedInOrder(t *testing.T) {
	t.Parallel()
	for timing, link := range map[fieldtest.InputTiming]netsys.Link{
		fieldtest.ViaBuffer: {Latency: 150 * time.Millisecond, Jitter: 60 * time.Millisecond, Loss: 0.05, Duplicate: 0.05},
		fieldtest.OnArrival: systemstest.RoundTrip(100*time.Millisecond, 40*time.Millisecond, 0),
	} {
		fieldtest.EachSeed(t, []fieldtest.InputTiming{timing}, fieldtest.SeedCount(2), func(t *testing.T, timing fieldtest.InputTiming, seed uint64) {
			config := fieldtest.Config(seed, 3, link)
			config.Server.Model = timing.Model()
			c := systemstest.New(t, config)
			j := fieldtest.KeepJournal(c.Server.World())
			c.Run(30 * time.Second)
			for _, k := range c.Clients {
				steps, f := j.ForOwner(k.ID()), k.Figures()
				fills, gaps, several, resyncs := uint64(0), uint64(0), 0, uint64(0)
				for i, first := 1, steps[0].In.N; i < len(steps); i++ {
					before, s := steps[i-1], steps[i]
					switch {
					case s.Tick < before.Tick || s.Tick == before.Tick && timing == fieldtest.ViaBuffer:
						t.Fatalf("%v: tick %d stepped after tick %d", k, s.Tick, before.Tick)
					case s.Tick == before.Tick:
						several++
					default:
						gaps += uint64(s.Tick - before.Tick - 1)
					}
					switch {
					case s.In.N == before.In.N:
						fills++
					case timing == fieldtest.OnArrival && s.In.N == before.In.N+1, timing == fieldtest.ViaBuffer && s.In.N == first+uint16(i):
					case resyncs < f.Resyncs && s.In.N > before.In.N: // the newest input is the first again, late or not
						resyncs++
						first = s.In.N - uint16(i)
					default:
						t.Fatalf("%v: tick %d consumed input %d after %d", k, s.Tick, s.In.N, before.In.N)
					}
				}
				if timing == fieldtest.ViaBuffer {
					if uint64(len(steps)) != f.Consumed+f.Missing || f.Consumed < 1500 || fills != f.Missing || gaps != f.Holds {
						t.Errorf("%v: the journal has %d steps, %d fills and %d ticks without a step, counted are %+v", k, len(steps), fills, gaps, f)
					}
					continue
				}
				if several == 0 || f.Consumed != uint64(k.Status().LastInput) || f.Late+f.Rejected+f.Resyncs != 0 {
					t.Errorf("%v: %d ticks stepped several inputs; up to input %d, %+v", k, several, k.Status().LastInput, f)
				}
			}
			if n := c.Server.Stats().ResimulatedTicks; n != 0 {
				t.Errorf("the server counts %d ticks simulated again", n)
			}
		})
	}
}

// Inputs that come together are stepped in one tick, as far as the bucket reaches;
// the rest waits its turn. The bucket fills by 0.02 a tick and holds 30; a filler
// costs a token as well.
func TestNetcodeA3_ArrivalStepsABurstAtOnce(t *testing.T) {
	p := fieldtest.NewPuppet(t, systems.ServerConfig{Model: policy.LocalSync{Arrival: true}})
	seq := uint32(0)
	for range 2000 {
		seq++
		p.Tick(fieldtest.Input(seq, 1, 2))
	}
	j := ecs.Resource[fieldtest.Journal](p.Server.World())
	before := len(j.Steps)
	seq += 20
	p.Tick(fieldtest.Input(seq, 20, 2))
	if got := len(j.Steps) - before; got != 20 {
		t.Fatalf("%d of 20 inputs stepped in the tick in which they came", got)
	}
	seq += 30
	p.Tick(fieldtest.Input(seq, 30, 2))
	if got := len(j.Steps) - before; got < 30 || got > 31 {
		t.Fatalf("%d of 50 inputs stepped in two ticks by a bucket of 30 tokens", got)
	}
	for range 100 {
		seq++
		p.Tick(fieldtest.Input(seq, 1, 2))
	}
	for i, s := range j.Steps[before:] {
		if want := uint16(2001 + i); s.In.N != want {
			t.Fatalf("step %d is input %d, not %d: what waits keeps its order", i, s.In.N, want)
		}
	}
	if got := len(j.Steps) - before; got < 30+100 || got > 31+103 {
		t.Errorf("%d steps after 100 ticks more", got)
	}
}

// A missing input repeats the held input without presses. It uses the sequence number, so the real input is late and dropped.
// After 15 repeats the input is neutral.
func TestNetcodeC4_FillersHoldThenRest(t *testing.T) {
	config := fieldtest.Config(1, 1, fieldtest.Lag(3))
	config.Play = systemstest.Play(func(k *systemstest.Client, in *fieldtest.Walk) {
		*in = fieldtest.Walk{DX: 1, DY: -1, Jump: true, N: uint16(k.Input())}
	})
	c := fieldtest.Start(t, config, 12*time.Second)
	j := fieldtest.KeepJournal(c.Server.World())
	c.RunTicks(30)
	k := c.Clients[0]
	c.Mark()
	const silence = 30
	fieldtest.LoseInputs(c, silence)
	c.RunTicks(100)

	var fills []fieldtest.Step
	steps := j.ForOwner(k.ID())
	for i := 1; i < len(steps); i++ {
		if steps[i].In.N == steps[i-1].In.N || steps[i].In == (fieldtest.Walk{}) {
			fills = append(fills, steps[i])
		} else if !steps[i].In.Jump {
			t.Fatalf("tick %d consumed input %d without its press", steps[i].Tick, steps[i].In.N)
		}
	}
	if len(fills) < 25 || len(fills) > silence {
		t.Fatalf("%d fillers for %d datagrams lost", len(fills), silence)
	}
	held := fills[0].In
	for i, s := range fills {
		want := fieldtest.Walk{DX: 1, DY: -1, N: held.N}
		if i >= 15 {
			want = fieldtest.Walk{}
		}
		if s.In != want {
			t.Fatalf("filler %d is %+v, not %+v", i+1, s.In, want)
		}
	}
	f := k.Figures()
	if f.Missing != uint64(len(fills)) || f.Consumed+f.Missing+f.Holds > 101 {
		t.Errorf("%d fillers counted of %d; %d inputs consumed", f.Missing, len(fills), f.Consumed)
	}
	fieldtest.MustConverge(c)
}

// A client that stalls for long finds the server ahead of its inputs. Both go on
// from there: the buffer starts afresh, nothing stays missing, all agree.
func TestNetcodeC4_ResynchronizesAfterAStall(t *testing.T) {
	t.Parallel()
	systemstest.Seeds(t, fieldtest.SeedCount(2), func(t *testing.T, seed uint64) {
		c := fieldtest.Start(t, fieldtest.Config(seed, 2, systemstest.RoundTrip(120*time.Millisecond, 20*time.Millisecond, 0.02)), 12*time.Second)
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
		fieldtest.MustConverge(c)
	})
}

// A stalled client that also heard nothing from the server returns with old sequence numbers: the server expects the newest of
// them and clears its measurements of the link.
func TestNetcodeC4_OldSequencesResynchronize(t *testing.T) {
	c := fieldtest.Start(t, fieldtest.Config(1, 1, fieldtest.Lag(4)), 12*time.Second)
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
	fieldtest.MustConverge(c)
}

// rates fails the test when a client's tick takes another length than the step at
// a rate within 2 % of the server's, and counts the ticks at another rate.
func rates(t *testing.T, c *systemstest.Crowd) (steered []int) {
	steered = make([]int, len(c.Clients))
	last := make([]time.Time, len(c.Clients))
	const step = float64(time.Second) / 60
	c.OnClientTick(func(k *systemstest.Client) {
		due := k.Next()
		if !last[k.N].IsZero() {
			length := float64(due.Sub(last[k.N]))
			const ns = 2 // rounding
			if length < step/1.02-ns || length > step/0.98+ns {
				t.Fatalf("%v: a step of %.3f ms, of %.3f ms at the server", k, length/1e6, step/1e6)
			}
			if math.Abs(length-step) > ns {
				steered[k.N]++
			}
		}
		last[k.N] = due
	})
	return steered
}

// Runs of lost packets up to the reserve R, which follows from the loss rate, lose
// no input.
func TestNetcodeC8_BurstsUpToTheReserve(t *testing.T) {
	t.Parallel()
	for _, b := range []struct{ run, every int }{
		{2, 220}, // 0.9 %, R = 2
		{4, 80},  // 5 %, R = 4
		{6, 60},  // 10 %, R = 5 … 6 with what the estimate rounds up
		{10, 40}, // 25 %, R = 10
	} {
		t.Run(fmt.Sprintf("%d_of_%d", b.run, b.every), func(t *testing.T) {
			p := float64(b.run) / float64(b.every)
			if r := max(2, math.Ceil(math.Log(1e-7)/math.Log(max(p, 0.01)))-2); float64(b.run) > r {
				b.run = int(r)
			}
			c := fieldtest.Start(t, fieldtest.Config(1, 2, netsys.Link{Latency: 100 * time.Millisecond, Jitter: 15 * time.Millisecond}), 0)
			sent := make([]int, len(c.Clients))
			c.Lose(func(p systemstest.Packet) bool {
				if !p.Up {
					return false
				}
				n := &sent[p.Client.N]
				*n++
				return *n%b.every < b.run
			})
			c.Run(30 * time.Second)
			c.Mark()
			c.Run(30 * time.Second)
			c.NothingMissing()
			c.NoCorrections()
		})
	}
}

// In the long run the least slack of ten seconds is the reserve R that the loss
// asks for, or one more, and stays there: also after the link became a tick slower,
// which is answered by the client's clock, once.
func TestNetcodeC3_SlackStaysAtTheReserve(t *testing.T) {
	t.Parallel()
	for _, every := range []int{0, 20, 7} { // one of so many packets gets lost; 0: none
		t.Run(fmt.Sprintf("one of %d", every), func(t *testing.T) {
			const near = 5
			c := fieldtest.Start(t, fieldtest.Config(1, 1, fieldtest.Lag(near)), 0)
			k := c.Clients[0]
			sent := 0
			c.Lose(func(p systemstest.Packet) bool {
				if !p.Up || every == 0 {
					return false
				}
				sent++
				return sent%every == 0
			})
			least, arrived := math.MaxInt, k.Status().Session.DatagramsIn
			c.OnServerTick(func() {
				s := k.Status()
				// After the tick, what waits is what was ahead of the input consumed.
				if s.Session.DatagramsIn > arrived {
					least, arrived = min(least, s.Waiting), s.Session.DatagramsIn
				}
			})
			check := func(what string) {
				c.Run(15 * time.Second) // the buffer settles, and the window passes
				least = math.MaxInt
				c.Mark()
				c.Run(10 * time.Second)
				p := min(max(k.Status().Session.LossIn, 1e-7), 0.5)
				reserve := max(1, int(math.Ceil(math.Log(1e-7)/math.Log(p)))-2)
				if least < reserve || least > reserve+1 {
					t.Errorf("%s: the least slack is %d, the reserve at a loss of %.3f %d", what, least, p, reserve)
				}
				c.NothingMissing()
			}
			c.Run(15 * time.Second)
			check("as it began")
			holds, resyncs := k.Status().Inputs.Holds, k.Status().Inputs.Resyncs
			for n := range 3 {
				c.SetLinks(fieldtest.Lag(near+n+1), fieldtest.Lag(near))
				c.Run(12 * time.Second)
			}
			check("three ticks slower")
			if now := k.Status().Inputs.Holds; now != holds {
				t.Errorf("%d ticks were held for a link that became slower by single ticks", now-holds)
			}
			if now := k.Status().Inputs.Resyncs; now != resyncs {
				t.Errorf("the buffer was set afresh %d times", now-resyncs)
			}
		})
	}
}

// A link whose delay varies by more than half a second, by hundreds of ticks at a high rate, needs a deep buffer. The inputs
// that wait in it are not taken for the surplus of a stall.
func TestNetcodeC3_JitterIsNoSurplus(t *testing.T) {
	for _, rate := range []int{60, 240} {
		t.Run(fmt.Sprint(rate), func(t *testing.T) {
			config := fieldtest.Config(1, 2, systemstest.RoundTrip(6*time.Second, 600*time.Millisecond, 0.05))
			config.Server.TickRate = rate
			c := fieldtest.Start(t, config, 30*time.Second)
			c.Run(15 * time.Second)
			for _, k := range c.Clients {
				if f := k.Figures(); f.Resyncs > 0 || f.Holds > uint64(rate/2) || f.Missing > 0 {
					t.Errorf("%v: %d resyncs, %d ticks held, %d inputs missing in 15 s", k, f.Resyncs, f.Holds, f.Missing)
				}
			}
		})
	}
}

// The slack of the last ten seconds counts: on a link that stalls briefly every eight seconds the buffer is as deep as needed,
// without a held tick.
func TestNetcodeC3_TenSecondsAreRemembered(t *testing.T) {
	t.Parallel()
	const near, hesitation = 5, 4 // ticks
	c := fieldtest.Start(t, fieldtest.Config(1, 2, fieldtest.Lag(near)), 12*time.Second)
	round := func() {
		c.SetLinks(fieldtest.Lag(near+hesitation), fieldtest.Lag(near))
		c.RunTicks(10)
		c.SetLinks(fieldtest.Lag(near), fieldtest.Lag(near))
		c.RunTicks(8*60 - 10)
	}
	for range 3 {
		round()
	}
	c.Mark()
	for range 5 {
		round()
	}
	c.NothingMissing()
	for _, k := range c.Clients {
		if f := k.Figures(); f.Holds != 0 || f.MeanDepth() < hesitation+1 {
			t.Errorf("%v: %d ticks held, mean depth %.1f", k, f.Holds, f.MeanDepth())
		}
	}
}

// The step is fixed, and no client gets more steps than ticks. A client that sends five inputs per tick is stepped once per
// tick with a buffer. With Arrival it is stepped in order as its tokens allow: a burst of half a second and 2 % more. This
// also holds with reported results, and if one packet contains all inputs.
func TestNetcodeD1_NothingLengthensAStep(t *testing.T) {
	const flood, time, burst = 5, 600, 30 // inputs a tick, ticks, tokens
	for _, timing := range fieldtest.InputTimings {
		for _, reports := range []bool{false, true} {
			t.Run(fmt.Sprint(timing, " ", reports), func(t *testing.T) {
				model := timing.Model()
				if reports {
					model = policy.CorrectOnMismatch{Arrival: timing == fieldtest.OnArrival}
				}
				p := fieldtest.NewPuppet(t, systems.ServerConfig{Model: model})
				for range 10 * burst { // in which tokens gather
					p.Tick()
				}
				for n := range uint32(time) {
					messages := [][]byte{fieldtest.Input((n+1)*flood, flood, 2)}
					if reports {
						messages = nil
						for k := range uint32(flood) {
							b := fieldtest.Input(n*flood+k+1, 1, 2)
							b[len(b)-1] |= 1 << 6 // behind 21 bits of the input and 1 of no more changes: asks for own state
							messages = append(messages, b)
						}
					}
					p.Tick(messages...)
				}
				world := p.Server.World()
				steps := ecs.Resource[fieldtest.Journal](world).Steps
				last := steps[len(steps)-1].Tick
				for i, s := range steps {
					most := float64(last - s.Tick + 1)
					if timing == fieldtest.OnArrival {
						most = 1.02*most + burst + 1
					} else if i > 0 && s.Tick == steps[i-1].Tick {
						t.Fatalf("tick %d was stepped twice", s.Tick)
					}
					if n := len(steps) - i; float64(n) > most {
						t.Fatalf("%d steps in the last %d ticks, at most %.0f are allowed", n, last-s.Tick+1, most)
					}
					if i > 0 && int16(s.In.N-steps[i-1].In.N) < 0 {
						t.Fatalf("tick %d stepped input %d after %d", s.Tick, s.In.N, steps[i-1].In.N)
					}
				}
				if n := len(steps); n < time*9/10 || world.StepDuration() != fieldtest.Ticks(1) {
					t.Errorf("%d steps of %v: a flood should not stop its sender either", n, world.StepDuration())
				}
				if n := p.Server.Stats().MalformedMessages; n != 0 {
					t.Errorf("%d messages were refused", n)
				}
			})
		}
	}
}

// The real inputs that come after their fillers are counted as late and change
// nothing.
func TestNetcodeC4_LateInputsAreDropped(t *testing.T) {
	config := fieldtest.Config(1, 1, fieldtest.Lag(3))
	config.Play = fieldtest.Straight()
	c := fieldtest.Start(t, config, 12*time.Second)
	j := fieldtest.KeepJournal(c.Server.World())
	const rounds = 10
	for range rounds {
		// One more than waits on the server and what the next packet brings in time.
		fieldtest.LoseInputs(c, 4)
		c.RunTicks(60)
	}
	f, fillers := c.Clients[0].Figures(), uint64(0)
	for i := 1; i < len(j.Steps); i++ {
		a, b := j.Steps[i-1], j.Steps[i]
		if b.Tick == a.Tick || b.In.N-a.In.N > 5 {
			t.Fatalf("tick %d consumed input %d after tick %d with input %d", b.Tick, b.In.N, a.Tick, a.In.N)
		}
		if b.In.N == a.In.N {
			fillers++
		}
	}
	if f.Missing < rounds/2 || f.Late == 0 || f.Late > f.Missing || f.Resyncs != 0 || fillers != f.Missing {
		t.Errorf("%d inputs missing, %d fillers stepped, %d late, %d resyncs", f.Missing, fillers, f.Late, f.Resyncs)
	}
	// The server repeated the input that the client sent too, so no client was corrected.
	c.NoCorrections()
}

// At 500/84/5 the buffer grows until not one input is missing, for five minutes, and no deeper
// than it must: 18 ticks at most, on average. When the link becomes good it becomes shallow
// again, without a tick that steps twice or not at all: clients run slower, by 2 % at most.
func TestNetcodeC3_DepthFollowsTheLink(t *testing.T) {
	t.Parallel()
	systemstest.Seeds(t, fieldtest.SeedCount(20), func(t *testing.T, seed uint64) {
		c := fieldtest.Start(t, fieldtest.Config(seed, 4, fieldtest.BadLink()), 10*time.Second)
		c.Run(fieldtest.Length(20*time.Second, 20*time.Second, 5*time.Minute))
		c.NothingMissing()
		c.NoCorrections()
		deep := make([]float64, len(c.Clients))
		for _, k := range c.Clients {
			if deep[k.N] = k.Figures().MeanDepth(); deep[k.N] > 18 || deep[k.N] < 5 {
				t.Errorf("%v: mean depth %.1f", k, deep[k.N])
			}
		}
		if seed > 1 && !fieldtest.Long() {
			return
		}

		c.SetLinks(netsys.Link{Latency: 250 * time.Millisecond}, fieldtest.BadLink())
		c.Mark()
		steered, j := rates(t, c), fieldtest.KeepJournal(c.Server.World())
		c.Run(40 * time.Second)
		c.NothingMissing()
		c.NoCorrections()
		for _, k := range c.Clients {
			steps := j.ForOwner(k.ID())
			fieldtest.MustBeInOrder(t, steps)
			if n := len(steps); int(steps[n-1].Tick-steps[0].Tick) != n-1 {
				t.Errorf("%v: %d steps in %d ticks", k, n, steps[n-1].Tick-steps[0].Tick+1)
			}
			if steered[k.N] < 100 {
				t.Errorf("%v ran at another rate for %d ticks only", k, steered[k.N])
			}
		}
		c.Mark()
		c.Run(5 * time.Second)
		for _, k := range c.Clients {
			if d := k.Figures().MeanDepth(); d > 6 || d > deep[k.N]-4 {
				t.Errorf("%v: mean depth %.1f 40 s after the link became good, before %.1f", k, d, deep[k.N])
			}
		}
		fieldtest.MustConverge(c)
	})
}

// No input is missing at four seconds and a quarter of all packets lost either.
func TestNetcodeC8_NothingMissingAt4000(t *testing.T) {
	t.Parallel()
	systemstest.Seeds(t, fieldtest.SeedCount(20), func(t *testing.T, seed uint64) {
		c := fieldtest.Start(t, fieldtest.Config(seed, 3, systemstest.RoundTrip(4*time.Second, 84*time.Millisecond, 0.25)), 30*time.Second)
		c.Run(fieldtest.Length(20*time.Second, 30*time.Second, 5*time.Minute))
		c.NothingMissing()
		c.NoCorrections()
		fieldtest.MustConverge(c)
	})
}
