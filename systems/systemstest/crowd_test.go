package systemstest_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// play makes a crowd that is connected, and lets it play for some time.
func play(t testing.TB, config systemstest.Config, d time.Duration) *systemstest.Crowd {
	c := systemstest.New(t, config)
	c.Connect()
	if d > 0 {
		c.Run(d)
	}
	return c
}

func TestSameSeedSameHash(t *testing.T) {
	hash := func(seed uint64, pieces int) uint64 {
		c := systemstest.New(t, dots(seed, 4))
		for range pieces {
			c.Run(12 * time.Second / time.Duration(pieces))
		}
		return c.Hash()
	}
	first := hash(1, 1)
	if again := hash(1, 1); again != first {
		t.Errorf("two runs: %x and %x", first, again)
	}
	if pieces := hash(1, 6); pieces != first {
		t.Errorf("a run in one piece ends with %x, in six pieces with %x", first, pieces)
	}
	if other := hash(2, 1); other == first {
		t.Errorf("seeds 1 and 2 both end with %x", first)
	}
}

func TestClientsAreSpreadOverTheStep(t *testing.T) {
	c := systemstest.New(t, dots(1, 16))
	c.SetLinks(netsys.Link{}, netsys.Link{})
	c.Connect()
	const step = time.Second / 60
	quarters := [4]int{}
	c.OnClientTick(func(*systemstest.Client) {
		quarters[4*(c.Elapsed()%step)/step]++
	})
	c.RunTicks(60)
	for i, n := range quarters {
		if n < 16*60/8 {
			t.Errorf("%d of %d client ticks in quarter %d of the server's step", n, 16*60, i+1)
		}
	}
}

func TestChanceIsEachClientsOwn(t *testing.T) {
	figures := func(clients int) systemstest.Figures {
		c := systemstest.New(t, dots(1, clients))
		c.Run(10 * time.Second)
		return c.Clients[1].Figures()
	}
	if few, many := figures(2), figures(6); few != many {
		t.Errorf("client 1 among 2: %+v\nclient 1 among 6: %+v", few, many)
	}
}

func TestComeAndGo(t *testing.T) {
	config := dots(1, 3)
	config.Server.Session.Timeout = 2 * time.Second
	var left []uint32
	config.Protocol = func() *ecs.Protocol {
		p := Dots()
		p.Leave(func(_ *ecs.World, client uint32) { left = append(left, client) })
		return p
	}
	c := play(t, config, 0)
	late := c.Join()
	if late.N != 3 || len(c.Clients) != 4 {
		t.Fatalf("client %d of %d joined late", late.N, len(c.Clients))
	}
	c.Connect()
	c.Clients[0].Leave()
	c.Run(time.Second)
	if len(left) != 1 || left[0] != c.Clients[0].ID() {
		t.Fatalf("left: %v; %v said goodbye", left, c.Clients[0])
	}
	c.Clients[1].Kill()
	c.Run(time.Second)
	if len(left) != 1 {
		t.Errorf("left: %v; %v said nothing", left, c.Clients[1])
	}
	c.Run(2 * time.Second)
	if len(left) != 2 || left[1] != c.Clients[1].ID() {
		t.Errorf("left: %v; %v timed out", left, c.Clients[1])
	}
	c.Settle()
	c.Converged() // of those who are still there
	n := 0
	for range ecs.Each[dot](c.Server.World()) {
		n++
	}
	if n != 2 {
		t.Errorf("%d players, two are still there", n)
	}
}

func TestRunUntil(t *testing.T) {
	c := systemstest.New(t, dots(1, 1))
	if !c.RunUntil(time.Second, func() bool { return c.Server.Tick() == 30 }) || c.Server.Tick() != 30 {
		t.Errorf("stopped after tick %d, not 30", c.Server.Tick())
	}
	if c.RunUntil(time.Second, func() bool { return false }) {
		t.Error("a condition that never holds held")
	}
	// A tick that is due at the very end is left for the next run.
	if got := c.Server.Tick(); got != 89 || c.Elapsed().Round(time.Millisecond) != 1483*time.Millisecond {
		t.Errorf("gave up after tick %d at %v, not 89", got, c.Elapsed())
	}
	c.RunTicks(10)
	if got := c.Server.Tick(); got != 99 {
		t.Errorf("tick %d after 10 more, not 99", got)
	}
}

func TestStall(t *testing.T) {
	c := play(t, dots(1, 2), 0)
	k := c.Clients[0]
	before, other := k.Figures().Ticks, c.Clients[1].Figures().Ticks
	k.Stall(time.Second)
	c.Run(time.Second)
	if got := k.Figures().Ticks; got != before {
		t.Errorf("%d ticks of a client that stalls", got-before)
	}
	if got := c.Clients[1].Figures().Ticks - other; got < 59 {
		t.Errorf("%d ticks of the other", got)
	}
	tick := c.Server.Tick()
	c.StallServer(50 * time.Millisecond)
	c.Run(40 * time.Millisecond)
	if got := c.Server.Tick(); got != tick {
		t.Errorf("%d ticks of a server that stalls", got-tick)
	}
	c.Run(10*time.Millisecond + time.Second)
	if got := c.Server.Tick() - tick; got < 62 {
		t.Errorf("%d ticks: the server did not catch up", got)
	}
}

func TestFrameRate(t *testing.T) {
	for _, rate := range []int{0, 24, 144} {
		config := dots(1, 2)
		config.FrameRate = rate
		c := play(t, config, 0)
		frames := 0
		c.OnFrame(func(k *systemstest.Client) {
			if _, ok := k.Own(k.View()); ok {
				frames++
			}
		})
		c.Run(time.Second)
		frames = 0
		c.Run(10 * time.Second)
		want := 20 * rate
		if rate == 0 {
			want = 20 * 60
		}
		if frames < want*97/100-2 || frames > want*103/100+2 {
			t.Errorf("rate %d: %d frames of two clients in 10 s", rate, frames)
		}
	}
}

func TestLose(t *testing.T) {
	c := systemstest.New(t, dots(1, 2))
	c.SetLinks(netsys.Link{}, netsys.Link{})
	c.Connect()
	c.Run(time.Second)
	k, other := c.Clients[0], c.Clients[1]
	up, down := 0, 0
	c.Lose(func(p systemstest.Packet) bool {
		if p.Up {
			up++
		} else {
			down++
		}
		return p.Client == k && !p.Up
	})
	before, others := k.Stats().Snapshots, other.Stats().Snapshots
	c.Run(time.Second)
	if n := k.Stats().Snapshots - before; n != 0 {
		t.Errorf("%d snapshots came through", n)
	}
	if n := other.Stats().Snapshots - others; n < 19 {
		t.Errorf("%d snapshots of the other client came through", n)
	}
	if up < 119 || down < 39 {
		t.Errorf("%d datagrams up and %d down were shown", up, down)
	}
	c.Lose(nil)
	c.Run(time.Second)
	if n := k.Stats().Snapshots - before; n < 19 {
		t.Errorf("%d snapshots since nothing is lost any more", n)
	}
}

func TestLinksByClientAndDirection(t *testing.T) {
	config := dots(1, 2)
	slow, fast := netsys.Link{Latency: 200 * time.Millisecond}, netsys.Link{Latency: 20 * time.Millisecond}
	config.Links = func(n int) (up, down netsys.Link) {
		if n == 0 {
			return fast, fast
		}
		return slow, fast
	}
	c := play(t, config, 5*time.Second)
	for n, want := range []time.Duration{40 * time.Millisecond, 220 * time.Millisecond} {
		if got := c.Clients[n].Traffic().Session.MinRTT; got < want || got > want+20*time.Millisecond {
			t.Errorf("client %d: round trip %v, want %v", n, got, want)
		}
		if up, _ := c.Clients[n].Links(); up.Latency != (want - fast.Latency) {
			t.Errorf("client %d: latency up %v", n, up.Latency)
		}
	}
	if k := c.Clients[1]; k.Traffic().Up.Delivered == 0 || k.Traffic().Down.Delivered == 0 {
		t.Errorf("traffic of a link in use: %+v", k.Traffic())
	}
}

func TestPopulateAndGather(t *testing.T) {
	asked := 0
	config := dots(1, 1)
	config.Play = systemstest.Script{}
	config.Populate = func(w *ecs.World) { w.Spawn(components.Position{X: 7}) }
	config.Client = func(n int) systems.ClientConfig {
		return systems.ClientConfig{Gather: systems.Gather(func(_ *systems.Client, in *Move) { asked++; in.DX = 1 })}
	}
	c := play(t, config, time.Second)
	if asked < 60 {
		t.Errorf("the client's own Gather was asked %d times", asked)
	}
	if e, ok := c.Clients[0].World().ByNetID(1); !ok || ecs.Get[components.Position](c.Clients[0].World(), e).X != 7 {
		t.Error("what Populate made did not reach the client")
	}
}
