package game

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// play plays a short match through a terrible link.
func play(t *testing.T, args ...string) (*runner.Report, Proof) {
	t.Helper()
	args = append([]string{"-virtual", "-rtt", "500ms", "-jitter", "84ms", "-loss", "0.05", "-duration", "30s"}, args...)
	r, err := runner.Headless(t.Context(), World(), args...)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Converged || r.Client.MaxError != 0 && r.Preset == "Lockstep" {
		t.Errorf("%v: %s, error %v", args, r.Difference, r.Client.MaxError)
	}
	return r, r.World.(Proof)
}

func TestMatch(t *testing.T) {
	for _, preset := range []string{"Rollback", "Lockstep"} {
		r, p := play(t, "-model", preset)
		if r.Clients != 2 || p.Hits == 0 || p.Checked == 0 || p.Spectators != 1 || (p.Rollbacks > 0) != (preset == "Rollback") {
			t.Errorf("under %s, %d clients: %+v", preset, r.Clients, p)
		}
	}
}

// The same match, each tick simulated twice, has the same end.
func TestMatchForced(t *testing.T) {
	a, _ := play(t)
	b, _ := play(t, "-force-rollback")
	if b.Divergences > 0 || a.WorldHash != b.WorldHash {
		t.Errorf("%d divergences, %s; hash %s, %s without", b.Divergences, b.Divergence, b.WorldHash, a.WorldHash)
	}
}

// People take the places of bots, fight each other, and give them back, on all peers alike.
func TestPeopleFight(t *testing.T) {
	for _, preset := range []policy.Model{policy.Rollback{}, policy.Lockstep{}} {
		c := systemstest.New(t, systemstest.Config{
			Protocol: Protocol,
			Server:   systems.ServerConfig{Model: preset},
			Client:   func(n int) systems.ClientConfig { return systems.ClientConfig{Login: Login{Bot: n < 2}} },
			Play:     systemstest.Play(func(k *systemstest.Client, in *Input) { in.Move = int8(1 - 2*(k.N%2)) }),
			Clients:  2, Link: systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.02), Seed: 1,
		})
		fight := func() (clients [2]uint32) {
			both, n := fighters(c.Server.World())
			for i, f := range both[:n] {
				clients[i] = f.Owner.Client
			}
			return clients
		}
		c.Connect()
		first, second := c.Join(), c.Join()
		c.Run(5 * time.Second)
		if both, _ := fighters(c.Server.World()); fight() != [2]uint32{first.ID(), second.ID()} || both[1].Pos.X-both[0].Pos.X > Reach {
			t.Errorf("%v: %v fight", preset, fight())
		}
		first.Leave()
		c.Run(2 * time.Second)
		if now := fight(); now[0] > 2 || now[1] != second.ID() {
			t.Errorf("%v: then %v fight", preset, now)
		}
		c.Settle()
		c.Converged()
	}
}
