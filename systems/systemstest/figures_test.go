package systemstest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// All figures count from Mark on.
func TestFiguresBeginAnewWithMark(t *testing.T) {
	c := play(t, dots(1, 3), 0)
	bad := netsys.Link{Latency: 80 * time.Millisecond, Jitter: 80 * time.Millisecond, Loss: 0.3, Duplicate: 0.1}
	var sum systemstest.Figures
	for n := range 6 {
		c.SetLinks(bad, bad)
		c.Run(5 * time.Second)
		c.Clients[n%3].Stall(time.Duration(n%3) * 300 * time.Millisecond)
		c.Run(3 * time.Second)
		for _, k := range c.Clients {
			before := k.Figures()
			sum.Ticks += before.Ticks
			sum.Late += before.Late
			sum.Missing += before.Missing
			sum.Resyncs += before.Resyncs
			sum.Holds += before.Holds
			sum.Jumps += before.Jumps
		}
		c.Mark()
		for i, k := range c.Clients {
			if f := k.Figures(); f != (systemstest.Figures{}) {
				t.Errorf("client %d right after Mark: %+v", i, f)
			}
		}
	}
	if sum.Ticks == 0 || sum.Missing == 0 || sum.Late == 0 || sum.Resyncs == 0 || sum.Holds == 0 || sum.Jumps == 0 {
		t.Errorf("%+v: the links were too good to prove anything", sum)
	}
}

// Settle runs for two round trips of the worst link and a second more, and all links are then perfect.
func TestSettleWaitsForWhatIsUnderWay(t *testing.T) {
	c := play(t, dots(1, 2), 0)
	up := netsys.Link{Latency: 400 * time.Millisecond, Jitter: 100 * time.Millisecond}
	down := netsys.Link{Latency: 300 * time.Millisecond, Jitter: 50 * time.Millisecond}
	c.Clients[1].SetLinks(up, down)
	before := c.Elapsed()
	c.Settle()
	if took, want := c.Elapsed()-before, 2*850*time.Millisecond+time.Second; took < want || took > want+50*time.Millisecond {
		t.Errorf("it took %v, want %v", took, want)
	}
	for i, k := range c.Clients {
		if up, down := k.Links(); up != (netsys.Link{}) || down != (netsys.Link{}) {
			t.Errorf("client %d: links %+v, %+v", i, up, down)
		}
	}
}

// The report of a missing input names the tick of the first one since Mark.
func TestFirstMissingInputIsNamed(t *testing.T) {
	f := &failures{TB: t}
	c := play(f, dots(1, 1), 0)
	c.SetLinks(netsys.Link{}, netsys.Link{})
	c.Clients[0].Stall(time.Second) // before Mark
	c.Run(3 * time.Second)
	c.Mark()
	c.Run(2 * time.Second)
	before := c.Server.Tick()
	c.Clients[0].Stall(500 * time.Millisecond)
	c.Run(2 * time.Second)
	after := c.Server.Tick()
	c.Clients[0].Stall(500 * time.Millisecond)
	c.Run(2 * time.Second)
	f.watch(func() { c.NothingMissing() })
	named := false
	for tick := before; tick < after; tick++ {
		named = named || len(f.errors) == 1 && strings.Contains(f.errors[0], fmt.Sprintf("tick %d", tick))
	}
	if !named {
		t.Errorf("inputs were missing from a tick of %d to %d on: %q", before, after, f.errors)
	}
}
