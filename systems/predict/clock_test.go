package predict_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// warm returns a player behind a link of near ticks each way, after the buffer and the playback have settled.
func warm(t *testing.T, near int) (*systemstest.Crowd, *systemstest.Client) {
	t.Helper()
	c := systemstest.New(t, fieldtest.Config(1, 1, fieldtest.Lag(near)))
	c.Connect()
	c.Run(25 * time.Second)
	c.Mark()
	return c, c.Clients[0]
}

// fewer is the number of ticks by which a client draws later while it is sent 20 snapshots a second instead of 60, because
// acknowledgements were late.
const fewer = 2

// drawnAge returns the age, in ticks, of the state of others that a client draws.
func drawnAge(c *systemstest.Crowd, k *systemstest.Client) float64 {
	return c.Elapsed().Seconds()*60 - (k.DrawnTick() - 1)
}

// stay checks for ten seconds that neither clock moves: the number of waiting inputs stays the same, and the age of drawn states, but
// for the send that covers the first loss of a link.
func stay(t *testing.T, c *systemstest.Crowd, age float64, depth int) {
	t.Helper()
	k := c.Clients[0]
	for range 100 {
		c.RunTicks(6)
		if now := drawnAge(c, k); now < age-1.5 || now > age+3+1.5 {
			t.Fatalf("%v after %v draws what is %.1f ticks old, before it was %.1f", k, c.Elapsed(), now, age)
		}
		if now := k.Status().Waiting; now < depth-1 || now > depth+1 {
			t.Fatalf("%v after %v has %d inputs waiting, before it had %d", k, c.Elapsed(), now, depth)
		}
	}
	if n := k.Stats().Snaps; n != 0 {
		t.Errorf("the view jumped %d times", n)
	}
}

// One datagram that was delayed by two seconds moves no clock, in either direction.
func TestClockIgnoresOneLatePacket(t *testing.T) {
	const near = 5
	for _, late := range []int{6, 40, 120} {
		c, k := warm(t, near)
		age, depth := drawnAge(c, k), k.Status().Waiting
		c.SetLinks(fieldtest.Lag(near+late), fieldtest.Lag(near))
		c.RunTicks(1) // an input
		c.SetLinks(fieldtest.Lag(near), fieldtest.Lag(near))
		c.RunTicks(60)
		c.SetLinks(fieldtest.Lag(near), fieldtest.Lag(near+late))
		c.RunTicks(1) // a snapshot
		c.SetLinks(fieldtest.Lag(near), fieldtest.Lag(near))
		stay(t, c, age, depth)
		f := k.Figures()
		if f.Holds+f.Missing+f.Resyncs+f.Jumps+f.Stalls > 0 {
			t.Errorf("%d ticks late: %+v", late, f)
		}
	}
}

// The path stalls for two seconds and then delivers everything at once. Meanwhile inputs are missing and the view stops.
// Afterwards both clocks are immediately as before, but for what fewer snapshots cost at first.
func TestClockAfterAHiccup(t *testing.T) {
	const near, still = 5, 120
	c, k := warm(t, near)
	age, depth := drawnAge(c, k), k.Status().Waiting
	for left := still; left >= 0; left-- {
		c.SetLinks(fieldtest.Lag(near+left), fieldtest.Lag(near+left))
		c.RunTicks(1)
	}
	if now := drawnAge(c, k); now < still-20 {
		t.Fatalf("the view went on to %.1f ticks", now)
	}
	c.RunTicks(near + 60)
	jumped := k.Stats().Snaps
	if now := drawnAge(c, k); now < age-1.5 || now > age+fewer+1.5 || jumped > 1 {
		t.Errorf("a second later what is drawn is %.1f ticks old, before it was %.1f; %d jumps", now, age, jumped)
	}
	if now := k.Status().Waiting; now < depth-1 || now > depth+2 {
		t.Errorf("a second later %d inputs wait, before %d", now, depth)
	}
	f := k.Figures()
	if f.Holds > 4 {
		t.Errorf("%+v", f)
	}
	c.Mark()
	c.Run(10 * time.Second)
	c.NothingMissing()
	c.NoStalls()
	if f := k.Figures(); f.Holds+f.Resyncs+f.Jumps > 0 {
		t.Errorf("%+v", f)
	}
	if now := drawnAge(c, k); now < age-1.5 || now > age+1.5 {
		t.Errorf("ten seconds later what is drawn is %.1f ticks old, before it was %.1f", now, age)
	}
}

// On a path that delivers packets ten times per second, the clocks find their distance and keep it.
func TestClockInBursts(t *testing.T) {
	const near, period = 5, 6
	c := systemstest.New(t, fieldtest.Config(1, 1, fieldtest.Lag(near)))
	n := 0
	c.OnServerTick(func() {
		n++
		l := fieldtest.Lag(near + period - 1 - n%period)
		c.SetLinks(l, l)
	})
	c.Connect()
	c.Run(30 * time.Second)
	c.Mark()
	age := drawnAge(c, c.Clients[0])
	for range 50 {
		c.RunTicks(period)
		if now := drawnAge(c, c.Clients[0]); now < age-1.5 || now > age+1.5 {
			t.Fatalf("draws what is %.1f ticks old, before it was %.1f", now, age)
		}
	}
	c.Run(5 * time.Second)
	c.NothingMissing()
	c.NoStalls()
	c.NoCorrections()
	if f := c.Clients[0].Figures(); f.Holds+f.Resyncs > 0 {
		t.Errorf("%+v", f)
	}
}

// A client that stalled for three seconds draws as close behind the server as before a moment later, and so does one whose
// server stalled. Its inputs wait no longer than before.
func TestClockAfterAHeldProcess(t *testing.T) {
	const near = 5
	for _, who := range []string{"client", "server"} {
		c, k := warm(t, near)
		age, depth := drawnAge(c, k), k.Status().Waiting
		base := c.Elapsed().Seconds()*60 - float64(c.Server.Tick())
		if who == "client" {
			k.Stall(3 * time.Second)
		} else {
			c.StallServer(3 * time.Second)
		}
		c.Run(5 * time.Second)
		// A held server is behind its clock by what it dropped.
		age += c.Elapsed().Seconds()*60 - float64(c.Server.Tick()) - base
		if now := drawnAge(c, k); now < age-2 || now > age+fewer+2 {
			t.Errorf("%s held: what is drawn is %.1f ticks old, before it was %.1f", who, now, age)
		}
		if now := k.Status().Waiting; now < depth-2 || now > depth+2 {
			t.Errorf("%s held: %d inputs wait, before %d", who, now, depth)
		}
		dropped := c.Elapsed().Seconds()*60 - float64(c.Server.Tick())
		c.Run(10 * time.Second)
		age += c.Elapsed().Seconds()*60 - float64(c.Server.Tick()) - dropped
		if now := drawnAge(c, k); now < age-2 || now > age+2 {
			t.Errorf("%s held: ten seconds later what is drawn is %.1f ticks old, before it was %.1f", who, now, age)
		}
	}
}

// A client whose frames are four ticks long sends four inputs at once. On a path that becomes a few ticks slower, the server's buffer gets
// as deep as they need, and then no input is missing.
func TestClockOfLongFrames(t *testing.T) {
	const ticks, frames = 120, 30
	for slower := 1; slower <= 6; slower++ {
		at := netsys.Link{Latency: 30 * time.Millisecond}
		l := newLoop(t, systems.ServerConfig{TickRate: ticks})
		p := l.join(at, frames, false)
		play := func(d time.Duration) { l.play(d, func(*player, time.Duration) {}) }
		play(12 * time.Second)
		at.Latency += time.Duration(slower) * time.Second / ticks
		if err := p.link.SetLinks(at, at); err != nil {
			t.Fatal(err)
		}
		play(20 * time.Second)
		settled := l.server.Stats().Inputs
		play(20 * time.Second)
		if st := l.server.Stats().Inputs; st.Missing != settled.Missing || st.Consumed < settled.Consumed+2000 {
			t.Errorf("%d ticks slower: %d inputs missing in 20 s, %d consumed", slower, st.Missing-settled.Missing, st.Consumed-settled.Consumed)
		}
	}
}
