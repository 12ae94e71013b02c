package systems_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// A client that writes into its own world moves nothing on the server, tick by
// tick, and is put right.
func TestNetcodeA1_TamperedStateStaysHome(t *testing.T) {
	systemstest.Seeds(t, 4, func(t *testing.T, seed uint64) {
		play := func(tamper bool) (hashes []uint64, c *systemstest.Crowd) {
			c = systemstest.New(t, onField(seed, 3, systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.02)))
			ts := watchTruth(c)
			c.OnClientTick(func(k *systemstest.Client) {
				if at := c.Elapsed(); !tamper || k.N != 1 || at < 3*time.Second || at > 4*time.Second {
					return
				}
				type all struct {
					Pos   *components.Position
					Jumps *Jumps
				}
				for _, e := range ecs.Each[all](k.World()) {
					e.Pos.X += 50
					e.Jumps.Count += 7
				}
			})
			c.Run(8 * time.Second)
			for tick := range c.Server.Tick() {
				hashes = append(hashes, ts.at[tick+1].hash)
			}
			c.Settle()
			return hashes, c
		}
		honest, _ := play(false)
		tampered, c := play(true)
		for tick := range honest {
			if honest[tick] != tampered[tick] {
				t.Fatalf("the server's world differs after tick %d", tick)
			}
		}
		// A correction undoes all tampering up to now; the next is due when a state
		// of what was tampered since comes back, a round trip and a buffer later.
		if f := c.Clients[1].Figures(); f.Corrections < 3 {
			t.Errorf("%d corrections of a client that tampered for a second", f.Corrections)
		}
		c.Converged()
	})
}

// Whatever a client sends besides inputs is counted and leaves the world alone.
func TestNetcodeA1_OnlyInputsAreTaken(t *testing.T) {
	play := func(forge bool) (*puppet, int) {
		p, forged := newPuppet(t, systems.ServerConfig{Seed: 3}), 0
		for seq := uint32(1); seq < 200; seq++ {
			messages := [][]byte{input(seq, 1, 2)}
			if forge && seq > 100 && forged < 10 { // few enough to stay in the game
				snapshot := p.got[len(p.got)-1]
				raised := slices.Clone(snapshot)
				for i := 16; i < len(raised); i++ {
					raised[i] ^= 0x40
				}
				other := append([]byte{byte(seq)}, snapshot[1:]...)
				if other[0]&7 == 1 { // the kind of inputs
					other[0] = 0
				}
				longer := append(input(seq, 1, 2), snapshot...)
				messages = append(messages, snapshot, raised, other, longer, nil)
				forged += 5
			}
			p.tick(messages...)
		}
		return p, forged
	}
	honest, _ := play(false)
	forger, forged := play(true)
	if h, f := honest.server.World().Hash(), forger.server.World().Hash(); h != f {
		t.Errorf("forged messages changed the world: %x, not %x", f, h)
	}
	if got := forger.server.Stats().MalformedMessages; forged == 0 || got != uint64(forged) {
		t.Errorf("%d of %d forged messages counted", got, forged)
	}
}

// An input outside its range is what the range allows: two bits can say 3 where
// the field ends at 2.
func TestNetcodeA1_InputsKeepTheirRange(t *testing.T) {
	p := newPuppet(t, systems.ServerConfig{})
	for seq := uint32(1); seq < 100; seq++ {
		p.tick(input(seq, 1, 3))
	}
	steps := ecs.Resource[journal](p.server.World()).steps
	if len(steps) < 50 {
		t.Fatalf("%d steps", len(steps))
	}
	for _, s := range steps {
		if s.in.DX > 1 {
			t.Fatalf("tick %d stepped DX %d, the range ends at 1", s.tick, s.in.DX)
		}
	}
}

// A tick gathers, applies and sends in this order, each once, and draws after.
func TestNetcodeA2_Order(t *testing.T) {
	var ran []string
	config := onField(1, 1, lag(3))
	config.Client = func(int) systems.ClientConfig {
		return systems.ClientConfig{Schedule: noteSystems(&ran, "Receive", "Reconcile", "InputGather", "Predict", "Send", "Interpolate")}
	}
	c := systemstest.New(t, config)
	c.Connect()
	ran = nil
	want := []string{"Receive", "Reconcile", "InputGather", "Predict", "Send"}
	c.OnClientTick(func(*systemstest.Client) {
		if !slices.Equal(ran, want) {
			t.Fatalf("a tick ran %v, not %v", ran, want)
		}
		ran = nil
	})
	c.OnFrame(func(*systemstest.Client) {
		if len(ran) != 1 || ran[0] != "Interpolate" {
			t.Fatalf("a frame ran %v, not Interpolate", ran)
		}
		ran = nil
	})
	c.Run(time.Second)
}

// noteSystems makes a schedule note when systems run.
func noteSystems(ran *[]string, names ...string) func(s *ecs.Schedule) error {
	return func(s *ecs.Schedule) error {
		for _, name := range names {
			err := s.Wrap(name, func(run func(*ecs.World)) func(*ecs.World) {
				return func(w *ecs.World) {
					*ran = append(*ran, name)
					run(w)
				}
			})
			if err != nil {
				return fmt.Errorf("noting %s: %w", name, err)
			}
		}
		return nil
	}
}

// The first input that moves the player moves it in the same tick, in the world
// and in the view, whatever the round trip.
func TestNetcodeA2_AnswersInTheSameTick(t *testing.T) {
	for _, l := range []int{0, 5, 30} {
		t.Run(fmt.Sprintf("lag=%d", l), func(t *testing.T) {
			const first = 200
			config := onField(1, 2, lag(l))
			config.Play = systemstest.Play(func(k *systemstest.Client, in *Walk) {
				if k.Input() >= first {
					in.DX = 1
				}
			})
			c := systemstest.New(t, config)
			c.Connect()
			compared := 0
			c.OnFrame(func(k *systemstest.Client) {
				steps := max(int(k.Input())-first+1, 0)
				want := 10*float32(k.ID()) + float32(steps)*inputLimit
				if _, ok := k.Own(k.World()); !ok {
					return // the first snapshot is under way
				}
				for name, w := range map[string]*ecs.World{"world": k.World(), "view": k.View()} {
					e, ok := k.Own(w)
					if got := place(w, e).X; !ok || got != want {
						t.Fatalf("%v after input %d: X %v in its %s, want %v", k, k.Input(), got, name, want)
					}
				}
				compared++
			})
			c.Run(5 * time.Second)
			if compared < 500 {
				t.Errorf("%d frames compared", compared)
			}
		})
	}
}

// What is gathered in a tick is sent in it: without delay on the way, the server's
// next tick has it.
func TestNetcodeA2_SendsAfterTheTick(t *testing.T) {
	config := onField(1, 3, lag(0))
	config.Server.Policies.Timing = policy.TimingArrival
	c := systemstest.New(t, config)
	c.Connect()
	sent := make([]uint64, len(c.Clients))
	c.OnClientTick(func(k *systemstest.Client) {
		out := k.Traffic().Session.DatagramsOut
		if before := sent[k.N]; before > 0 && out != before+1 {
			t.Fatalf("%v sent %d datagrams in a tick", k, out-before)
		}
		sent[k.N] = out
	})
	c.OnServerTick(func() {
		for _, k := range c.Clients {
			if got, want := k.Status().LastInput, k.Input(); got != want {
				t.Fatalf("tick %d: the server stepped input %d of %v, which has sent %d", c.Server.Tick(), got, k, want)
			}
		}
	})
	c.Run(5 * time.Second)
}
