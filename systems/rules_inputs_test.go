package systems_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/netsys"
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

// The server holds ticks while a buffer grows, so that sequences and ticks move
// apart. Predictions are matched by sequence, so none of it is a misprediction.
func TestNetcodeA6_HoldsShiftTicksNotPredictions(t *testing.T) {
	config := onField(1, 2, lag(2))
	// Every input moves the player, so being off by one tick shows.
	config.Play = steady(Walk{DX: 1, DY: -1})
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(2 * time.Second)
	c.Mark()
	for n := 4; n <= 24; n += 2 { // never so much at once that inputs are missing
		c.SetLinks(lag(n), lag(n))
		c.Run(3 * time.Second)
	}
	for _, k := range c.Clients {
		if f := k.Figures(); f.Holds < 5 || f.Confirmed < 600 || f.Missing != 0 {
			t.Errorf("%v: %d holds, %d own states confirmed, %d inputs missing", k, f.Holds, f.Confirmed, f.Missing)
		}
	}
	c.NoCorrections()
	c.Settle()
	c.Converged()
}

// What has no own state in it confirms nothing, whatever else it holds and
// acknowledges.
func TestNetcodeA6_WithoutOwnStateNothingIsConfirmed(t *testing.T) {
	config := onField(1, 1, lag(4))
	// A crowd that moves by chance takes several datagrams; own state is in the
	// first.
	config.Populate = drifters(600)
	config.Protocol = fieldWith(shake)
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(2 * time.Second)

	k := c.Clients[0]
	first := firstOfSnapshot()
	c.Lose(func(p systemstest.Packet) bool { return !p.Up && first(p) })
	c.RunTicks(12) // what was under way
	c.Mark()
	tick, server, acks := k.ConfirmedTick(), k.ServerTick(), k.Status().Session.LossOut
	sent := k.Traffic().Session.PayloadOut
	c.RunTicks(60)
	f := k.Figures()
	if f.Confirmed != 0 || f.Corrections != 0 || k.ConfirmedTick() != tick {
		t.Errorf("%d own states confirmed and %d corrected, without any; tick %d, before %d", f.Confirmed, f.Corrections, k.ConfirmedTick(), tick)
	}
	if f.Snapshots < 19 || k.ServerTick() < server+57 || acks > 0.8 {
		t.Errorf("%d snapshots taken in up to tick %d, loss %.2f: the rest should have come through", f.Snapshots, k.ServerTick(), acks)
	}
	// The acknowledgements that came with them trimmed what is sent again: a
	// packet holds what a round trip may still lose, not what was never confirmed.
	const overhead, input = 7, 4
	if mean := float64(k.Traffic().Session.PayloadOut-sent) / 60; mean > overhead+16*input {
		t.Errorf("%.1f bytes of inputs a tick: acknowledged inputs are sent again", mean)
	}
	c.Lose(nil)
	c.Settle()
	c.Converged()
	c.NoCorrections()
}

// firstOfSnapshot tells the first datagram of each snapshot on a link without
// jitter, where all of one arrive at the same time.
func firstOfSnapshot() func(p systemstest.Packet) bool {
	var at time.Time
	return func(p systemstest.Packet) bool {
		fresh := !p.At.Equal(at)
		at = p.At
		return fresh
	}
}

// shake moves what nobody owns by chance, so that no snapshot is small.
func shake(w *ecs.World) {
	type shaken struct {
		Pos *components.Position
		_   ecs.Without[components.Owner]
	}
	for e, s := range ecs.Each[shaken](w) {
		r := w.Rand(e)
		s.Pos.X, s.Pos.Y = 100*r.Float32(), 100*r.Float32()
	}
}

// era is after how many ticks all meets again that is done every so many of them: sends,
// looks at the loss, checks.
const era = 1 << 9 * 3 * 5

// played is what became of a match, as far as one can tell without knowing its ticks.
type played struct {
	Figures []systemstest.Figures
	Posts   []string
	Drawn   []float64 // by how many ticks what is drawn of others lies back
}

// playFrom plays a match of three from a tick on, with hitches, and who comes late.
func playFrom(t *testing.T, p policy.Preset, scope systems.Scope, first uint32, length time.Duration) (c *systemstest.Crowd, r played) {
	config := onPosts(p, scope, netsys.Link{Latency: 60 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.02}, func(*ecs.World, post) {})
	config.Populate = nil
	config.Server.FirstTick = first
	c = systemstest.New(t, config)
	c.Connect()
	c.Run(length / 3)
	c.Join()
	c.Run(length / 3)
	c.Clients[0].Stall(700 * time.Millisecond)
	c.Run(length / 3)
	for _, k := range c.Clients {
		r.Figures = append(r.Figures, k.Figures())
		r.Drawn = append(r.Drawn, float64(int(64*(k.DrawnTick()-float64(c.Server.Tick()))))/64)
	}
	for _, x := range ecs.EachInOrder[post](c.Server.World()) {
		r.Posts = append(r.Posts, fmt.Sprint(*x.Own, *x.Pos, *x.Shots, *x.In))
	}
	return c, r
}

// A match is the same whatever the numbers of its ticks: where those of ticks, of sends
// and, if they are ticks, of inputs begin again on the wire, across 2^31, and close to the
// last.
func TestNetcodeTicks_SameAnywhere(t *testing.T) {
	eachModel(t, func(t *testing.T, p policy.Preset, scope systems.Scope) {
		const length, before = 6 * time.Second, 300
		same := map[uint32]played{} // by what is left of the first tick, in an era
		for _, tick := range []uint32{15 << 16, 1 << 31, ecs.MaxTick / (15 << 16) * (15 << 16)} {
			first := tick - before
			want, known := same[first%era]
			if !known {
				_, want = playFrom(t, p, scope, first%era, length)
				same[first%era] = want
			}
			c, got := playFrom(t, p, scope, first, length)
			if c.Server.Tick() < tick+60 || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("about tick %d, up to %d\n%+v\nand about %d\n%+v", tick, c.Server.Tick(), got, tick%era, want)
			}
			c.Settle()
			c.Converged()
		}
	})
}

// Nothing is different where the numbers of inputs and datagrams begin again on the wire:
// 65,536 ticks in, in matches with a datagram each way in every tick.
func TestNetcodeTicks_NumbersBeginAgain(t *testing.T) {
	presets := policy.Presets()
	if testing.Short() {
		presets = presets[:1] // each takes 18 minutes
	}
	for _, p := range presets {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			config := onPosts(p, systems.ScopeOwn, netsys.Link{Latency: 20 * time.Millisecond}, func(*ecs.World, post) {})
			config.Populate, config.Server.SendRate, config.Clients = nil, 60, 1
			c := systemstest.New(t, config)
			c.Connect()
			window := func(until int) systemstest.Figures {
				c.RunTicks(until - 300 - int(c.Server.Tick()))
				c.Mark()
				c.RunTicks(600)
				return c.Clients[0].Figures()
			}
			early, across := window(10_000), window(1<<16)
			if early != across || across.Consumed < 590 || across.Corrections > 0 {
				t.Errorf("about tick 10,000\n%+v\nand about 65,536\n%+v", early, across)
			}
			if n := c.Clients[0].Traffic().Session; n.DatagramsOut < 1<<16 || n.DatagramsIn < 1<<16-300 {
				t.Errorf("%d and %d datagrams", n.DatagramsOut, n.DatagramsIn)
			}
			c.Settle()
			c.Converged()
		})
	}
}

// After its last tick a server ends and says why; its clients hear a goodbye.
func TestNetcodeTicks_EndAfterTheLast(t *testing.T) {
	for _, p := range policy.Presets() {
		t.Run(p.String(), func(t *testing.T) {
			config := onPosts(p, systems.ScopeOwn, netsys.Link{Latency: 30 * time.Millisecond}, func(*ecs.World, post) {})
			config.Populate, config.Server.FirstTick = nil, ecs.MaxTick-400
			c := systemstest.New(t, config)
			c.Connect()
			c.Run(10 * time.Second)
			if got := c.Server.Tick(); got != ecs.MaxTick+1 || !errors.Is(c.Server.Err(), systems.ErrTicks) {
				t.Errorf("the server stands before tick %d: %v", got, c.Server.Err())
			}
			for _, k := range c.Clients {
				if !errors.Is(k.Err(), netsys.ErrClosed) || k.Figures().Consumed < 200 {
					t.Errorf("%v: %v, %+v", k, k.Err(), k.Figures())
				}
			}
		})
	}
	s, err := systems.NewServer(netsys.NewNetwork().Node(netip.MustParseAddrPort("10.0.0.1:7777")), field(), systems.ServerConfig{FirstTick: ecs.MaxTick})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(context.Background()); !errors.Is(err, systems.ErrTicks) {
		t.Errorf("Run returns %v", err)
	}
	if err := (systems.ServerConfig{FirstTick: ecs.MaxTick + 1}).Validate(); !errors.Is(err, systems.ErrConfig) {
		t.Errorf("a match without ticks: %v", err)
	}
}

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
