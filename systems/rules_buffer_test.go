package systems_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// At 500/84/5 the buffer grows until nothing is missing, and no deeper than it
// must: 18 ticks at most, on average.
func TestNetcodeC3_DepthFitsTheLink(t *testing.T) {
	systemstest.Seeds(t, 4, func(t *testing.T, seed uint64) {
		c := systemstest.New(t, onField(seed, 4, bad()))
		c.Connect()
		c.Run(10 * time.Second)
		c.Mark()
		c.Run(20 * time.Second)
		c.NothingMissing()
		for _, k := range c.Clients {
			if d := k.Figures().MeanDepth(); d > 18 || d < 5 {
				t.Errorf("%v: mean depth %.1f", k, d)
			}
		}
	})
}

// When the link becomes good the buffer becomes shallow again, without a tick
// that steps twice or not at all: clients run slower, by 2 % at most.
func TestNetcodeC3_DepthFallsBySteering(t *testing.T) {
	systemstest.Seeds(t, 4, func(t *testing.T, seed uint64) {
		c := systemstest.New(t, onField(seed, 3, bad()))
		c.Connect()
		c.Run(20 * time.Second)
		deep := make([]float64, len(c.Clients))
		c.Mark()
		c.Run(2 * time.Second)
		for _, k := range c.Clients {
			deep[k.N] = k.Figures().MeanDepth()
		}

		c.SetLinks(netsys.Link{Latency: 250 * time.Millisecond}, bad())
		c.Mark()
		steered := rates(t, c)
		j := journalOf(c.Server.World())
		c.Run(40 * time.Second)
		c.NothingMissing()
		c.NoCorrections()
		for _, k := range c.Clients {
			steps := j.of(k.ID())
			for i := 1; i < len(steps); i++ {
				if steps[i].tick != steps[i-1].tick+1 || steps[i].in.N != steps[i-1].in.N+1 {
					t.Fatalf("%v: tick %d consumed input %d after tick %d with input %d", k,
						steps[i].tick, steps[i].in.N, steps[i-1].tick, steps[i-1].in.N)
				}
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
	})
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

// Not one input is missing over five minutes at 500/84/5, once warm.
func TestNetcodeC8_NothingMissingAt500(t *testing.T) {
	t.Parallel()
	seeds := 3
	if long() {
		seeds = 20
	}
	systemstest.Seeds(t, seeds, func(t *testing.T, seed uint64) {
		c := systemstest.New(t, onField(seed, 8, bad()))
		c.Connect()
		c.Run(10 * time.Second)
		c.Mark()
		c.Run(length(20*time.Second, 30*time.Second, 5*time.Minute))
		c.NothingMissing()
		c.NoCorrections()
		c.Settle()
		c.Converged()
	})
}

// None is missing at four seconds and a quarter of all packets lost either.
func TestNetcodeC8_NothingMissingAt4000(t *testing.T) {
	t.Parallel()
	seeds := 3
	if long() {
		seeds = 20
	}
	systemstest.Seeds(t, seeds, func(t *testing.T, seed uint64) {
		c := systemstest.New(t, onField(seed, 4, systemstest.RoundTrip(4*time.Second, 84*time.Millisecond, 0.25)))
		c.Connect()
		c.Run(30 * time.Second)
		c.Mark()
		c.Run(length(20*time.Second, 30*time.Second, 5*time.Minute))
		c.NothingMissing()
		c.NoCorrections()
		c.Settle()
		c.Converged()
	})
}

// Runs of lost packets up to the reserve R, which follows from the loss rate, lose
// no input.
func TestNetcodeC8_BurstsUpToTheReserve(t *testing.T) {
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
			config := onField(1, 2, netsys.Link{Latency: 100 * time.Millisecond, Jitter: 15 * time.Millisecond})
			c := systemstest.New(t, config)
			c.Connect()
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
