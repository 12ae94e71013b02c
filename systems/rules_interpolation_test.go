package systems_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Once warm no frame is without something to play toward, for all jitter and
// loss, and what is drawn is not older than it must be.
func TestNetcodeE4_NoStalls(t *testing.T) {
	t.Parallel()
	for _, l := range []struct {
		link   netsys.Link
		oldest float64 // mean age of what is drawn, in ms
	}{
		{systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05), 410},
		{bad(), 625},
	} {
		t.Run(fmt.Sprint(2*l.link.Latency), func(t *testing.T) {
			systemstest.Seeds(t, 8, func(t *testing.T, seed uint64) {
				c := systemstest.New(t, onField(seed, 4, l.link))
				c.Connect()
				c.Run(12 * time.Second)
				c.Mark()
				var age, frames float64
				c.OnFrame(func(k *systemstest.Client) {
					// After tick n the server has completed n+1 ticks.
					age += c.Elapsed().Seconds()*1000 - (k.DrawnTick()-1)*1000/60
					frames++
				})
				c.Run(length(10*time.Second, 30*time.Second, 5*time.Minute))
				c.NoStalls()
				// The delay swings with the loss of the last ten seconds.
				if mean := age / frames; mean > l.oldest && !testing.Short() {
					t.Errorf("what is drawn is %.0f ms old on average, %.0f is enough", mean, l.oldest)
				}
			})
		})
	}
}

// Playback runs between 0.95 and 1.05 of real time and never backwards, at any
// frame rate.
func TestNetcodeE4_RateIsBounded(t *testing.T) {
	t.Parallel()
	for _, rate := range []int{0, 30, 144} {
		t.Run(fmt.Sprintf("frames=%d", rate), func(t *testing.T) {
			systemstest.Seeds(t, 4, func(t *testing.T, seed uint64) {
				config := onField(seed, 3, systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05))
				config.FrameRate = rate
				c := systemstest.New(t, config)
				c.Connect()
				c.Run(12 * time.Second)
				c.Mark()
				last := make([]time.Duration, len(c.Clients))
				drawn := make([]float64, len(c.Clients))
				faster, slower := 0, 0
				c.OnFrame(func(k *systemstest.Client) {
					n := k.N
					if last[n] != 0 {
						passed := (c.Elapsed() - last[n]).Seconds() * 60
						rate := (k.DrawnTick() - drawn[n]) / passed
						const rounding = 1e-6
						if rate < 0.95-rounding || rate > 1.05+rounding {
							t.Fatalf("%v: playback at %.3f from tick %.2f to %.2f", k, rate, drawn[n], k.DrawnTick())
						}
						if rate > 1+rounding {
							faster++
						} else if rate < 1-rounding {
							slower++
						}
					}
					last[n], drawn[n] = c.Elapsed(), k.DrawnTick()
				})
				c.Run(10 * time.Second)
				// The delay follows the link, by the rate alone.
				c.SetLinks(systemstest.RoundTrip(200*time.Millisecond, 60*time.Millisecond, 0.05), systemstest.RoundTrip(220*time.Millisecond, 60*time.Millisecond, 0.05))
				c.Run(10 * time.Second)
				// What was late ten seconds ago no longer counts, all at once.
				c.SetLinks(netsys.Link{}, netsys.Link{})
				c.Run(15 * time.Second)
				if faster == 0 || slower == 0 {
					t.Errorf("%d frames played faster and %d slower: the delay did not follow the link", faster, slower)
				}
			})
		})
	}
}

// When all snapshots stop, playback stops at the newest and never goes back; when
// they come again it goes on from there.
func TestNetcodeE4_NeverBackwards(t *testing.T) {
	c := systemstest.New(t, onField(1, 2, systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.02)))
	c.Connect()
	c.Run(11 * time.Second)
	drawn := make([]float64, len(c.Clients))
	c.OnFrame(func(k *systemstest.Client) {
		if k.DrawnTick() < drawn[k.N] {
			t.Fatalf("%v drew tick %.2f after %.2f", k, k.DrawnTick(), drawn[k.N])
		}
		if k.DrawnTick() > float64(k.ServerTick()) {
			t.Fatalf("%v drew tick %.2f, the newest state is of %d", k, k.DrawnTick(), k.ServerTick())
		}
		drawn[k.N] = k.DrawnTick()
	})
	c.Mark()
	for range 5 {
		c.Lose(func(p systemstest.Packet) bool { return !p.Up })
		c.Run(2 * time.Second)
		c.Lose(nil)
		c.Run(5 * time.Second)
	}
	for _, k := range c.Clients {
		if f := k.Figures(); f.Stalls < 100 {
			t.Errorf("%v counts %d stalls in 10 s without snapshots", k, f.Stalls)
		}
		if age := float64(c.Server.Tick()) - k.DrawnTick(); age > 60 {
			t.Errorf("%v draws a state of %.0f ticks ago, 5 s after the link is back", k, age)
		}
	}
}

// Others are drawn on the straight line between two confirmed states, at the share
// of the way that the drawn tick says.
func TestNetcodeE4_DrawnBetweenConfirmedStates(t *testing.T) {
	systemstest.Seeds(t, 4, func(t *testing.T, seed uint64) {
		c := systemstest.New(t, onField(seed, 4, systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05)))
		ts := watchTruth(c)
		c.Connect()
		c.Run(12 * time.Second)
		compared, between := 0, 0
		c.OnFrame(func(k *systemstest.Client) {
			mine, _ := k.Own(k.View())
			for id, p := range places(k.View()) {
				if id == k.View().NetID(mine) {
					continue
				}
				compared++
				ok, moved := onTheWay(ts, id, k.DrawnTick(), p)
				if !ok {
					t.Fatalf("%v draws entity %d at %v for tick %.2f, which lies between no two states that were sent", k, id, p, k.DrawnTick())
				}
				if moved {
					between++
				}
			}
		})
		c.Run(10 * time.Second)
		if compared < 10_000 || between < compared/4 {
			t.Errorf("%d places compared, %d of them between two that differ", compared, between)
		}
	})
}

// onTheWay reports whether p lies between the states of two sends around a tick,
// at its share of the way. Sends lie 3 ticks apart; up to 8 in a row may be lost.
func onTheWay(ts *truths, id components.NetID, tick float64, p components.Position) (ok, moved bool) {
	const every, most = 3, 9
	before := uint32(tick) / every * every
	for from := before; from+most*every > before; from -= every {
		for to := before + every; to < before+most*every; to += every {
			a, b := ts.at[from], ts.at[to]
			if a == nil || b == nil {
				continue
			}
			f := float32((tick - float64(from)) / float64(to-from))
			pa, pb := a.places[id], b.places[id]
			want := components.Position{X: pa.X + (pb.X-pa.X)*f, Y: pa.Y + (pb.Y-pa.Y)*f}
			if apart(p, want) <= math.Sqrt2*tolerance {
				return true, pa != pb
			}
		}
	}
	return false, false
}
