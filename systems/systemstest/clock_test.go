package systemstest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// A client whose clock is slow is asked for its ticks by its own time, and keeps up with the
// server all the same.
func TestDrift(t *testing.T) {
	c := systemstest.New(t, dots(1, 3))
	fast, slow := c.Clients[0], c.Clients[1]
	fast.SetDrift(0.01)
	slow.SetDrift(-0.01)
	c.Connect()
	c.Run(30 * time.Second)
	slow.SetDrift(0) // what it is behind by then it stays
	c.Run(10 * time.Second)
	for _, k := range c.Clients {
		ahead := k.Now().Sub(c.Now())
		want := map[*systemstest.Client]time.Duration{fast: c.Elapsed() / 100, slow: -(c.Elapsed() - 10*time.Second) / 100}[k]
		if (ahead - want).Abs() > time.Microsecond {
			t.Errorf("the clock of %v is %v fast, not %v", k, ahead, want)
		}
		if n := int(c.Elapsed()*60/time.Second) - int(k.Figures().Ticks); n < -80 || n > 80 {
			t.Errorf("%v is %d ticks behind", k, n)
		}
	}
	c.Settle()
	c.Converged()
	defer func() {
		if recover() == nil {
			t.Error("a clock that is twice as fast")
		}
	}()
	fast.SetDrift(1)
}

// A match goes on when the clock of the server or of a client is set, under every model.
func TestClocksAreSet(t *testing.T) {
	for name, model := range map[string]policy.Model{
		"LocalSync": policy.LocalSync{}, "Buffered": policy.Buffered{}, "CorrectOnMismatch": policy.CorrectOnMismatch{},
		"ServerRewind": policy.ServerRewind{}, "Rollback": policy.Rollback{}, "Lockstep": policy.Lockstep{},
	} {
		for _, by := range []time.Duration{-time.Hour, -20 * time.Second, 20 * time.Second} {
			t.Run(fmt.Sprint(name, by), func(t *testing.T) {
				config := dots(1, 3)
				config.Server.Model = model
				c := play(t, config, 0)
				c.StepClock(by)
				c.Run(time.Second)
				c.Clients[0].StepClock(-by)
				c.Run(time.Second)
				before := c.Server.Tick()
				c.Run(20 * time.Second)
				if n := c.Server.Tick() - before; n < 1190 || n > 1210 {
					t.Errorf("the server had %d ticks in 20 s, want 1200", n)
				}
				if err := c.Err(); err != nil {
					t.Error(err)
				}
				c.Settle()
				c.Converged()
			})
		}
	}
}

// A client whose clock is set forward by more ticks than a message has bits for still learns which of its inputs a state contains.
func TestStatesAfterAClockIsSet(t *testing.T) {
	config := dots(1, 1)
	config.Server.Model = policy.ServerRewind{}
	c := play(t, config, 0)
	k := c.Clients[0]
	for n := range 20 {
		k.StepClock(20*time.Minute + time.Duration(n)*13*time.Millisecond)
		c.Run(20 * time.Second)
		before := k.Stats()
		c.Run(10 * time.Second)
		if s := k.Stats(); s.Confirmed+s.Corrections == before.Confirmed+before.Corrections {
			t.Fatalf("after step %d no owner state was used in 10 s: %+v", n, s)
		}
	}
}

// A client that returns within the reconnect window has its entity again.
func TestReturn(t *testing.T) {
	config := dots(1, 2)
	config.Server.Session.Timeout, config.Server.Players.ReconnectWindow = time.Second, 5*time.Second
	c := play(t, config, 0)
	c.SetLinks(netsys.Link{}, netsys.Link{})
	c.Run(time.Second)
	gone := c.Clients[0]
	e, _ := gone.Own(gone.World())
	id, number := gone.World().NetID(e), gone.ID()
	gone.Kill()
	c.Run(3 * time.Second)
	back, other := c.Return(gone), c.Join()
	c.Connect()
	c.Run(time.Second)
	e, _ = back.Own(back.World())
	if got := back.World().NetID(e); got != id || back.ID() != number {
		t.Errorf("client %d with entity %d came back as client %d with %d", number, id, back.ID(), got)
	}
	if other.ID() == number {
		t.Error("somebody else took its place")
	}
	twice := c.Return(back) // while it plays
	c.Run(2 * time.Second)
	if twice.ID() != number || back.Err() == nil || twice.Status().Inputs.Consumed == 0 {
		t.Errorf("took over as client %d; the session before ended with %v", twice.ID(), back.Err())
	}
	owners := map[uint32]int{}
	for _, o := range ecs.All[struct{ Owner components.Owner }](c.Server.World()) {
		owners[o.Owner.Client]++
	}
	if len(owners) != 3 {
		t.Errorf("entities by owner: %v", owners)
	}
}
