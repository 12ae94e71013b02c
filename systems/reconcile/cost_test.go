package reconcile_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// The proof of cost: a re-simulated tick is a run of Simulate for a tick that the
// world had completed. Three players at 2, 5 and 10 ticks cost rollback, where a
// client simulates everybody, 17 such ticks on the server and 19, 22 and 27 on
// the clients for one change of input each; local synchronization costs none.

// changeOnce makes every client turn once, with its 600th input.
func changeOnce() systemstest.Script {
	return systemstest.Play(func(k *systemstest.Client, in *fieldtest.Walk) {
		in.DX = 1
		if k.Input() >= 600 {
			in.DX, in.DY = 0, 1
		}
	})
}

// lags are the one-way latencies of the proof, in ticks, by the client's number.
var lags = []int{2, 5, 10}

func lagsOf(n int) (up, down netsys.Link) { l := fieldtest.Lag(lags[n%len(lags)]); return l, l }

func TestNetcodeACost_ChangedInputsCostNothing(t *testing.T) {
	config := fieldtest.Config(1, 3, netsys.Link{})
	config.Links, config.Play = lagsOf, changeOnce()
	c := systemstest.New(t, config)
	j := fieldtest.KeepJournal(c.Server.World())
	c.Connect()
	c.Run(5 * time.Second)
	c.Mark()
	c.Run(10 * time.Second)
	for _, k := range c.Clients {
		if f := k.Figures(); f.Resimulated != 0 || f.Inputs < 599 {
			t.Errorf("%v simulated %d ticks again", k, f.Resimulated)
		}
		turned := false
		steps := j.ForOwner(k.ID())
		for i, s := range steps {
			if i > 0 && s.Tick <= steps[i-1].Tick {
				t.Fatalf("the server simulated tick %d again for %v", s.Tick, k)
			}
			turned = turned || s.In.DY == 1
		}
		if !turned {
			t.Errorf("the change of %v never reached the server", k)
		}
	}
}

// pushed returns a crowd at the latencies of the proof whose players the server alone
// pushes, all at once every 200 ticks.
func pushed(t *testing.T, clients int) *systemstest.Crowd {
	config := fieldtest.Config(1, clients, netsys.Link{})
	config.Links, config.Play = lagsOf, fieldtest.Straight()
	config.Protocol = fieldtest.ProtocolWithAuthority(fieldtest.PushAt(func(tick, _ uint32) (components.Position, bool) {
		return components.Position{Y: 1}, tick > 600 && tick%200 == 0
	}))
	c := systemstest.New(t, config)
	c.Connect()
	c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == 590 })
	c.Mark()
	return c
}

// costs describes the mispredictions and corrections of a crowd's clients.
func costs(c *systemstest.Crowd) (is []string) {
	for _, k := range c.Clients {
		is = append(is, fmt.Sprintf("%+v, longest replay %d", k.Figures(), k.Stats().LongestReplay))
	}
	return is
}

// A misprediction costs its client the round trip, the buffer and one tick, and other clients nothing. The cost does not
// depend on the number of clients.
func TestNetcodeACost_MispredictionsCostARoundTrip(t *testing.T) {
	t.Parallel()
	c := pushed(t, 3)
	deepest := make([]int, len(c.Clients))
	c.OnServerTick(func() {
		for _, k := range c.Clients {
			deepest[k.N] = max(deepest[k.N], k.Status().Waiting)
		}
	})
	c.RunTicks(1060)
	for _, k := range c.Clients {
		f := k.Figures()
		bound := uint64(2*lags[k.N] + deepest[k.N] + 1)
		if f.Corrections != 5 {
			t.Errorf("%v: %d corrections of 5 pushes", k, f.Corrections)
		}
		if f.Resimulated > f.Corrections*bound || k.Stats().LongestReplay > bound || f.Resimulated == 0 {
			t.Errorf("%v: %d ticks simulated again for %d corrections, %d at most; at a latency of %d ticks and %d inputs waiting %d each are the bound",
				k, f.Resimulated, f.Corrections, k.Stats().LongestReplay, lags[k.N], deepest[k.N], bound)
		}
	}
	crowd := pushed(t, 10)
	crowd.RunTicks(1060)
	few, many := costs(c), costs(crowd)
	for n := range few {
		if few[n] != many[n] {
			t.Errorf("client %d\n\tamong 3:  %s\n\tamong 10: %s", n, few[n], many[n])
		}
	}
}

// A lag spike of one client changes no other client's figures.
func TestNetcodeACost_ALagSpikeStaysAtHome(t *testing.T) {
	t.Parallel()
	figures := func(spike bool) []string {
		c := pushed(t, 4)
		c.RunTicks(300)
		if spike {
			c.Clients[1].SetLinks(fieldtest.Lag(60), fieldtest.Lag(60))
		}
		c.RunTicks(120)
		if spike {
			c.Clients[1].SetLinks(lagsOf(1))
		}
		c.RunTicks(600)
		return costs(c)
	}
	calm, spiked := figures(false), figures(true)
	for n := range calm {
		if same := calm[n] == spiked[n]; same == (n == 1) {
			t.Errorf("client %d, client 1 having the spike\n\twithout: %s\n\twith:    %s", n, calm[n], spiked[n])
		}
	}
}

// Under any loss a client sends one datagram per tick with at most 32 inputs.
func TestNetcodeACost_UploadIsBounded(t *testing.T) {
	t.Parallel()
	c := systemstest.New(t, fieldtest.Config(1, 2, systemstest.RoundTrip(4*time.Second, 84*time.Millisecond, 0.25)))
	c.Connect()
	c.Run(20 * time.Second)
	for _, k := range c.Clients {
		before, at := k.Stats(), k.Input()
		c.Run(10 * time.Second)
		after, n := k.Stats(), uint64(k.Input()-at)
		// Of an input: where the next one is that differs, and per field whether
		// and what.
		const header, inputBits = 7, 7 + (1 + 2 + 1) + (1 + 2 + 1) + 1 + (1 + 5 + 16 + 1)
		most := n * (header + (32*inputBits+7)/8)
		if out := after.Session.DatagramsOut - before.Session.DatagramsOut; out != n {
			t.Errorf("%v: %d datagrams in %d ticks", k, out, n)
		}
		if got := after.Session.PayloadOut - before.Session.PayloadOut; got > most || got != after.InputBytes-before.InputBytes {
			t.Errorf("%v: %d bytes in %d ticks, at most %d are allowed", k, got, n, most)
		}
		if got := after.InputsSent - before.InputsSent; got > 32*n || got < 8*n {
			t.Errorf("%v: %d inputs were sent in %d ticks", k, got, n)
		}
	}
}
