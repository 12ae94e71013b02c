package systems_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Tap is an input that differs in every tick.
type Tap struct {
	N uint8 `net:"0..255"`
}

func taps(seed uint64, clients int) systemstest.Config {
	return systemstest.Config{
		Protocol: func() *ecs.Protocol {
			p := ecs.NewProtocol("taps/1")
			ecs.Input[Tap](p)
			p.Simulate("nothing", func(*ecs.World) {})
			return p
		},
		Play:    systemstest.Play(func(k *systemstest.Client, in *Tap) { in.N = uint8(k.Input()) }),
		Clients: clients,
		Seed:    seed,
	}
}

// A packet holds the newest inputs: as many as are unacknowledged, but no more
// than the server's buffer is deep plus 8, and never more than 32.
func TestNetcodeC2_RedundancyIsWhatMayBeLost(t *testing.T) {
	for _, l := range []int{0, 1, 3, 6, 20, 60} {
		config := taps(1, 1)
		config.Link = lag(l)
		c := systemstest.New(t, config)
		c.Connect()
		c.Run(15 * time.Second)
		k := c.Clients[0]
		before := k.Stats().InputsSent
		packets := 0
		c.OnClientTick(func(k *systemstest.Client) {
			now := k.Stats().InputsSent
			inputs := int(now - before)
			before = now
			packets++
			// An input is acknowledged by the snapshot after it: a round trip, and
			// up to a send gap more. Ticks of client and server interleave.
			fewest := min(2*l, k.Stats().InputBuffer+8, 32)
			limit := min(2*l+3+2, k.Stats().InputBuffer+8, 32)
			if inputs < fewest || inputs > max(limit, 1) {
				t.Fatalf("lag %d, input %d: a packet of %d inputs, with %d waiting on the server; %d to %d are due",
					l, k.Input(), inputs, k.Stats().InputBuffer, fewest, limit)
			}
		})
		c.Run(5 * time.Second)
		if packets < 290 {
			t.Errorf("lag %d: %d packets", l, packets)
		}
	}
}

// Without acknowledgements the packets grow to the buffer's depth plus 8, and stay
// there.
func TestNetcodeC2_RedundancyIsCapped(t *testing.T) {
	config := taps(1, 1)
	config.Link = lag(3)
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(12 * time.Second)
	k := c.Clients[0]
	c.Lose(func(p systemstest.Packet) bool { return !p.Up })
	before, longest := k.Stats().InputsSent, 0
	c.OnClientTick(func(k *systemstest.Client) {
		now := k.Stats().InputsSent
		before, longest = now, max(longest, int(now-before))
	})
	c.Run(5 * time.Second)
	if want := k.Stats().InputBuffer + 8; longest != want {
		t.Errorf("packets of %d inputs with %d waiting on the server, want %d", longest, k.Stats().InputBuffer, want)
	}
}

// Inputs lost with as many packets in a row as the redundancy covers arrive with
// the next one.
func TestNetcodeC2_RedundancyBridgesLosses(t *testing.T) {
	c := systemstest.New(t, onField(1, 1, lag(12)))
	c.Connect()
	c.Run(12 * time.Second)
	j := journalOf(c.Server.World())
	k := c.Clients[0]
	c.Mark()
	for range 20 {
		lost := 0
		c.Lose(func(p systemstest.Packet) bool {
			if p.Up {
				lost++
			}
			return p.Up && lost <= 2
		})
		c.RunTicks(30)
	}
	steps := j.of(k.ID())
	for i := 1; i < len(steps); i++ {
		if steps[i].in.N != steps[i-1].in.N+1 {
			t.Fatalf("tick %d consumed input %d after %d", steps[i].tick, steps[i].in.N, steps[i-1].in.N)
		}
	}
	c.NothingMissing()
	if f := k.Figures(); f.Consumed < 599 {
		t.Errorf("%d inputs consumed", f.Consumed)
	}
}

// Mixed is an input of which everything follows from N: what is held, what jumps
// and what moves.
type Mixed struct {
	N    uint16 `net:"0..65535"`
	Dice uint8  `net:"0..255"`
	Held bool
	Turn uint16 `net:"0..359 angle"`
}

func mixed(n uint16) Mixed {
	dice := uint8(uint32(n) * 2654435761 >> 24)
	m := Mixed{N: n, Dice: dice, Held: n>>5&1 == 1, Turn: n >> 6 * 50 % 360}
	if m.Held {
		m.Turn = (m.Turn + n&31*3) % 360
	}
	if n>>7&1 == 1 {
		m.Dice = 7
	}
	return m
}

// Each message continues from one that has arrived; whatever gets lost, overtaken
// or doubled, no input comes out as another one.
func TestNetcodeC2_MessagesContinueFromWhatArrived(t *testing.T) {
	type holder struct{ In *Mixed }
	for seed := range uint64(4) {
		stepped, wrong := 0, 0
		c := systemstest.New(t, systemstest.Config{
			Protocol: func() *ecs.Protocol {
				p := ecs.NewProtocol("mixed/1")
				ecs.Input[Mixed](p)
				p.Simulate("nothing", func(*ecs.World) {})
				p.Authority("look", func(w *ecs.World) {
					for _, h := range ecs.Each[holder](w) {
						if stepped++; h.In.N != 0 && *h.In != mixed(h.In.N) {
							wrong++
						}
					}
				})
				return p
			},
			Server: systems.ServerConfig{Join: func(w *ecs.World, client uint32) {
				w.Spawn(components.Owner{Client: client}, Mixed{})
			}},
			Play:    systemstest.Play(func(k *systemstest.Client, in *Mixed) { *in = mixed(uint16(k.Input())) }),
			Clients: 3,
			Link: netsys.Link{
				Latency: time.Duration(20+60*seed) * time.Millisecond, Jitter: time.Duration(20*seed) * time.Millisecond,
				Loss: 0.2, Duplicate: 0.2,
			},
			Seed: seed,
		})
		c.Connect()
		c.Run(20 * time.Second)
		if wrong > 0 || stepped < 3000 {
			t.Errorf("seed %d: %d of %d inputs are not as they were", seed, wrong, stepped)
		}
		if s := c.Server.Stats(); s.Inputs.Unread+s.MalformedMessages > 0 {
			t.Errorf("seed %d: %d messages could not be read, %d are malformed", seed, s.Inputs.Unread, s.MalformedMessages)
		}
	}
}

// Sequences and sends wrap at 65,536 on the wire and nowhere else.
func TestNetcodeC2_SequencesWrap(t *testing.T) {
	t.Parallel()
	if testing.Short() && race.Enabled {
		t.Skip("70,000 ticks under the race detector")
	}
	config := onField(1, 2, systemstest.RoundTrip(150*time.Millisecond, 20*time.Millisecond, 0.02))
	config.Server.SendRate = 60 // sends wrap as well
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(15 * time.Second)
	c.Mark()
	c.RunUntil(time.Hour, func() bool { return c.Server.Tick() >= 65_400 })
	bytes := c.Clients[0].Traffic().Session.PayloadOut
	c.RunTicks(300)
	across := c.Clients[0].Traffic().Session.PayloadOut - bytes
	c.RunUntil(time.Hour, func() bool { return c.Server.Tick() >= 70_000 })
	for _, k := range c.Clients {
		f := k.Figures()
		if k.Input() < 1<<16+1000 || k.Status().LastInput < 1<<16+1000 {
			t.Fatalf("%v: inputs up to %d, consumed up to %d: nothing wrapped", k, k.Input(), k.Status().LastInput)
		}
		if f.Consumed < 69_000 || f.Rejected != 0 || f.Resyncs != 0 || f.StaleStates != 0 || f.Jumps != 0 || k.Stats().Renewals != 0 {
			t.Errorf("%v: %+v, %d renewals", k, f, k.Stats().Renewals)
		}
	}
	if across > 300*40 {
		t.Errorf("%d bytes of inputs in 300 ticks across the wrap", across)
	}
	c.NothingMissing()
	c.NoCorrections()
	c.NoStalls()
	c.Settle()
	c.Converged()
}

// Sequences of a puppet wrap as well, however far the first one is.
func TestNetcodeC2_NewestPlusCount(t *testing.T) {
	p := newPuppet(t, systems.ServerConfig{})
	j := ecs.Resource[journal](p.server.World())
	for i := uint32(0); i < 400; i++ {
		// Every packet but each fifth gets lost; each holds the five before.
		if seq := 65_400 + i; i%5 == 4 {
			p.tick(input(seq, 5, 2))
		} else {
			p.tick()
		}
	}
	if len(j.steps) < 380 {
		t.Fatalf("%d steps", len(j.steps))
	}
	for i := 100; i < len(j.steps); i++ {
		if j.steps[i].in.N != j.steps[i-1].in.N+1 {
			t.Fatalf("tick %d consumed input %d after %d", j.steps[i].tick, j.steps[i].in.N, j.steps[i-1].in.N)
		}
	}
}
