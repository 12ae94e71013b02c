package systems_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/systemstest"
)

// In the long run the least slack of ten seconds is the reserve R that the loss
// asks for, or one more, and stays there: also after the link became a tick slower,
// which is answered by the client's clock, once.
func TestNetcodeC3_SlackStaysAtTheReserve(t *testing.T) {
	for _, every := range []int{0, 40, 20, 12, 7} { // one of so many packets gets lost; 0: none
		t.Run(fmt.Sprintf("one of %d", every), func(t *testing.T) {
			const near = 5
			c := systemstest.New(t, onField(1, 1, lag(near)))
			c.Connect()
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
				p := min(max(k.Status().Session.LossIn, 0.01), 0.5)
				reserve := max(2, int(math.Ceil(math.Log(1e-7)/math.Log(p)))-2)
				if least < reserve || least > reserve+1 {
					t.Errorf("%s: the least slack is %d, the reserve at a loss of %.3f %d", what, least, p, reserve)
				}
				c.NothingMissing()
			}
			c.Run(15 * time.Second)
			check("as it began")
			holds, resyncs := k.Status().Inputs.Holds, k.Status().Inputs.Resyncs
			for n := range 3 {
				c.SetLinks(lag(near+n+1), lag(near))
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

// What happened within ten seconds counts: a link that hesitates for a moment every
// eight of them finds the buffer as deep as it needs, without a tick held.
func TestNetcodeC3_TenSecondsAreRemembered(t *testing.T) {
	const near, hesitation = 5, 4 // ticks
	c := systemstest.New(t, onField(1, 2, lag(near)))
	c.Connect()
	c.Run(12 * time.Second)
	round := func() {
		c.SetLinks(lag(near+hesitation), lag(near))
		c.RunTicks(10)
		c.SetLinks(lag(near), lag(near))
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
		if f := k.Figures(); f.Holds != 0 || f.MeanDepth() < hesitation+2 {
			t.Errorf("%v: %d ticks held, mean depth %.1f", k, f.Holds, f.MeanDepth())
		}
	}
}
