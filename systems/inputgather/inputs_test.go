package inputgather_test

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
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// A client that writes into its own world moves nothing on the server, tick by
// tick, and is put right.
func TestNetcodeA1_TamperedStateStaysHome(t *testing.T) {
	t.Parallel()
	systemstest.Seeds(t, fieldtest.SeedCount(2), func(t *testing.T, seed uint64) {
		play := func(tamper bool) (hashes []uint64, c *systemstest.Crowd) {
			c = systemstest.New(t, fieldtest.Config(seed, 3, systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.02)))
			ts := fieldtest.WatchServer(c)
			c.OnClientTick(func(k *systemstest.Client) {
				if at := c.Elapsed(); !tamper || k.N != 1 || at < 3*time.Second || at > 4*time.Second {
					return
				}
				type all struct {
					Pos   *components.Position
					Jumps *fieldtest.Jumps
				}
				for _, e := range ecs.Each[all](k.World()) {
					e.Pos.X += 50
					e.Jumps.Count += 7
				}
			})
			c.Run(8 * time.Second)
			for tick := range c.Server.Tick() {
				hashes = append(hashes, ts.At[tick+1].Hash)
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

// Everything that a client sends besides inputs is counted and has no effect on the world. Inputs are clamped to their range:
// two bits can hold 3 although the field ends at 2.
func TestNetcodeA1_OnlyInputsAreTaken(t *testing.T) {
	play := func(forge bool) (*fieldtest.Puppet, int) {
		p, forged := fieldtest.NewPuppet(t, systems.ServerConfig{Seed: 3}), 0
		for seq := uint32(1); seq < 200; seq++ {
			messages := [][]byte{fieldtest.Input(seq, 1, 3)}
			if forge && seq > 100 && forged < 10 { // few enough to stay in the game
				snapshot := p.Got[len(p.Got)-1]
				raised := slices.Clone(snapshot)
				for i := 16; i < len(raised); i++ {
					raised[i] ^= 0x40
				}
				other := append([]byte{byte(seq)}, snapshot[1:]...)
				if other[0]&7 == 1 { // the kind of inputs
					other[0] = 0
				}
				messages = append(messages, snapshot, raised, other, append(fieldtest.Input(seq, 1, 3), snapshot...), nil)
				forged += 5
			}
			p.Tick(messages...)
		}
		return p, forged
	}
	honest, _ := play(false)
	forger, forged := play(true)
	if h, f := honest.Server.World().Hash(), forger.Server.World().Hash(); h != f {
		t.Errorf("forged messages changed the world: %x, not %x", f, h)
	}
	if got := forger.Server.Stats().MalformedMessages; forged == 0 || got != uint64(forged) {
		t.Errorf("%d of %d forged messages counted", got, forged)
	}
	steps := ecs.Resource[fieldtest.Journal](honest.Server.World()).Steps
	if len(steps) < 150 || slices.ContainsFunc(steps, func(s fieldtest.Step) bool { return s.In.DX > 1 }) {
		t.Errorf("of %d steps some have a DX beyond 1, where the range ends", len(steps))
	}
}

// An input is sent in the tick in which it is gathered, in one datagram: without delay, the server's next tick has it. Each
// send carries one state to each client.
func TestNetcodeA2_SendsAfterTheTick(t *testing.T) {
	config := fieldtest.Config(1, 5, netsys.Link{})
	config.Server.Model, config.Server.Snapshots.SendRate = policy.LocalSync{Arrival: true}, 20
	c := fieldtest.Start(t, config, time.Second)
	before := c.Server.Stats()
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
	c.RunTicks(600)
	after, want := c.Server.Stats(), uint64(600/3*5)
	if updates, datagrams := after.Updates-before.Updates, after.DatagramsOut-before.DatagramsOut; updates != want || datagrams != want {
		t.Errorf("%d updates in %d datagrams, want %d", updates, datagrams, want)
	}
	for _, k := range c.Clients {
		if f := k.Figures(); f.Snapshots < 199 || f.Snapshots > 201 {
			t.Errorf("%v took in %d snapshots in 600 ticks, want 200", k, f.Snapshots)
		}
	}
}

// The first input that moves the player moves it in the same tick, in the world and in the view, at any round trip.
func TestNetcodeA2_AnswersInTheSameTick(t *testing.T) {
	for _, l := range []int{0, 5, 30} {
		t.Run(fmt.Sprintf("lag=%d", l), func(t *testing.T) {
			const first = 200
			config := fieldtest.Config(1, 2, fieldtest.Lag(l))
			config.Play = systemstest.Play(func(k *systemstest.Client, in *fieldtest.Walk) {
				if k.Input() >= first {
					in.DX = 1
				}
			})
			c := fieldtest.Start(t, config, 0)
			compared := 0
			c.OnFrame(func(k *systemstest.Client) {
				steps := max(int(k.Input())-first+1, 0)
				want := 10*float32(k.ID()) + float32(steps)*fieldtest.StepLength
				if _, ok := k.Own(k.World()); !ok {
					return // the first snapshot is under way
				}
				for name, w := range map[string]*ecs.World{"world": k.World(), "view": k.View()} {
					e, ok := k.Own(w)
					if got := fieldtest.Position(w, e).X; !ok || got != want {
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

// A snapshot without owner state confirms nothing, whatever else it contains and acknowledges.
func TestNetcodeA6_WithoutOwnStateNothingIsConfirmed(t *testing.T) {
	t.Parallel()
	config := fieldtest.Config(1, 1, fieldtest.Lag(4))
	// A crowd that moves by chance takes several datagrams; own state is in the
	// first.
	config.Populate = fieldtest.Drifters(600)
	config.Protocol = fieldtest.ProtocolWithAuthority(fieldtest.Shake)
	c := fieldtest.Start(t, config, 2*time.Second)

	k := c.Clients[0]
	first := fieldtest.FirstOfSnapshot()
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
	fieldtest.MustConverge(c)
	c.NoCorrections()
}

// era is the number of ticks after which all periodic work coincides again: sends, measurements of loss, checks.
const era = 1 << 9 * 3 * 5

// played is the result of a match without its absolute ticks.
type played struct {
	Figures []systemstest.Figures
	Posts   []string
	Drawn   []float64 // by how many ticks what is drawn of others lies back
}

// playFrom plays a match of three clients from a tick on, with hitches and a late client.
func playFrom(t *testing.T, p policy.Model, scope systems.Scope, first uint32, length time.Duration) (c *systemstest.Crowd, r played) {
	config := fieldtest.GuardRoomConfig(p, scope, netsys.Link{Latency: 60 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.02}, func(*ecs.World, fieldtest.Post) {})
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
	for _, x := range ecs.EachInOrder[fieldtest.Post](c.Server.World()) {
		r.Posts = append(r.Posts, fmt.Sprint(*x.Own, *x.Pos, *x.Shots, *x.In))
	}
	return c, r
}

// A match is the same at any tick numbers: where the 16-bit numbers of ticks, sends and inputs wrap, across 2^31, and near the
// last tick.
func TestNetcodeTicks_SameAnywhere(t *testing.T) {
	t.Parallel()
	fieldtest.EachModel(t, func(t *testing.T, p policy.Model, scope systems.Scope) {
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
			fieldtest.MustConverge(c)
		}
	})
}

// After the last tick the server ends with an error, and its clients get a clean close.
func TestNetcodeTicks_EndAfterTheLast(t *testing.T) {
	for _, p := range fieldtest.Presets(policy.LocalSync{}, policy.ServerRewind{}, policy.Rollback{}) {
		t.Run(p.String(), func(t *testing.T) {
			config := fieldtest.GuardRoomConfig(p, systems.ScopeOwn, netsys.Link{Latency: 30 * time.Millisecond}, func(*ecs.World, fieldtest.Post) {})
			config.Populate, config.Server.FirstTick = nil, ecs.MaxTick-400
			c := fieldtest.Start(t, config, 0)
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
	s, err := systems.NewServer(netsys.NewNetwork().Node(netip.MustParseAddrPort("10.0.0.1:7777")), fieldtest.Protocol(), systems.ServerConfig{FirstTick: ecs.MaxTick})
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

// The wrap of the numbers of inputs and datagrams after 65,536 ticks has no effect, with a datagram in each direction in every
// tick, also over a bad link.
func TestNetcodeC2_NumbersBeginAgain(t *testing.T) {
	if !fieldtest.Long() {
		t.Skip("plays 65,536 ticks: set TACTUS_LONG=1")
	}
	for _, p := range policy.Presets() {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			config := fieldtest.PresetConfig(p, 1, 1, netsys.Link{})
			config.Populate, config.Server.Snapshots.SendRate, config.FrameRate = nil, 60, 1
			if policy.Is[policy.LocalSync](p) {
				config.Clients = 2
			}
			config.Links = func(n int) (up, down netsys.Link) {
				if n > 0 {
					way := systemstest.RoundTrip(150*time.Millisecond, 20*time.Millisecond, 0.02)
					return way, way
				}
				return netsys.Link{Latency: 20 * time.Millisecond}, netsys.Link{Latency: 20 * time.Millisecond}
			}
			c := fieldtest.Start(t, config, 15*time.Second)
			window := func(until int) (f systemstest.Figures, bytes uint64) {
				c.RunTicks(until - 300 - int(c.Server.Tick()))
				c.Mark()
				bytes = c.Clients[0].Traffic().Session.PayloadOut
				c.RunTicks(600)
				c.NothingMissing()
				c.NoCorrections()
				c.NoStalls()
				return c.Clients[0].Figures(), c.Clients[0].Traffic().Session.PayloadOut - bytes
			}
			early, less := window(2_000)
			across, bytes := window(1 << 16)
			if early != across || across.Consumed < 590 || bytes > less+less/20 {
				t.Errorf("about tick 2,000, %d bytes\n%+v\nand about 65,536, %d bytes\n%+v", less, early, bytes, across)
			}
			for _, k := range c.Clients {
				f, st := k.Figures(), k.Stats()
				if f.Rejected+f.Resyncs+f.StaleStates+f.Jumps+st.Renewals != 0 || f.Consumed < 590 {
					t.Errorf("%v: %+v, %d renewals", k, f, st.Renewals)
				}
				if n := k.Traffic().Session; n.DatagramsOut < 1<<16 || n.DatagramsIn < 1<<16*97/100-300 || k.Input() < 1<<16+200 {
					t.Errorf("%v: %d and %d datagrams, input %d", k, n.DatagramsOut, n.DatagramsIn, k.Input())
				}
			}
			fieldtest.MustConverge(c)
		})
	}
}

// A packet contains the unacknowledged inputs, but at most the depth of the server's buffer plus 8, and at most 32. Without
// acknowledgements it reaches this number.
func TestNetcodeC2_RedundancyIsWhatMayBeLost(t *testing.T) {
	t.Parallel()
	for _, l := range []int{0, 1, 3, 6, 20, 60} {
		config := fieldtest.Config(1, 1, fieldtest.Lag(l))
		config.Play = fieldtest.Straight()
		c := fieldtest.Start(t, config, 15*time.Second)
		before, packets, longest, deaf := c.Clients[0].Stats().InputsSent, 0, 0, false
		c.OnClientTick(func(k *systemstest.Client) {
			st := k.Stats()
			inputs, most := int(st.InputsSent-before), min(st.InputBuffer+8, 32)
			before = st.InputsSent
			packets++
			// An input is acknowledged by the snapshot after it: a round trip, and
			// up to a send gap more. Ticks of client and server interleave.
			fewest, limit := min(2*l, most), max(min(2*l+3+2, most), 1)
			if deaf {
				limit, longest = most, max(longest, inputs)
			}
			if inputs < fewest || inputs > limit {
				t.Fatalf("lag %d, input %d: a packet of %d inputs, with %d waiting on the server; %d to %d are due",
					l, k.Input(), inputs, st.InputBuffer, fewest, limit)
			}
		})
		c.Run(5 * time.Second)
		c.Lose(func(p systemstest.Packet) bool { return !p.Up })
		deaf = true
		c.Run(5 * time.Second)
		if want := min(c.Clients[0].Stats().InputBuffer+8, 32); longest != want || packets < 590 {
			t.Errorf("lag %d: of %d packets without acknowledgements the longest has %d inputs, want %d", l, packets, longest, want)
		}
	}
}

// Inputs lost with as many packets in a row as the redundancy covers arrive with
// the next one.
func TestNetcodeC2_RedundancyBridgesLosses(t *testing.T) {
	c := fieldtest.Start(t, fieldtest.Config(1, 1, fieldtest.Lag(12)), 12*time.Second)
	lose := func() {
		for range 20 {
			fieldtest.LoseInputs(c, 2)
			c.RunTicks(30)
		}
	}
	lose() // the server's buffer gets as deep as the losses need
	j := fieldtest.KeepJournal(c.Server.World())
	c.Mark()
	lose()
	fieldtest.MustBeInOrder(t, j.Steps)
	c.NothingMissing()
	if f := c.Clients[0].Figures(); f.Consumed < 599 {
		t.Errorf("%d inputs consumed", f.Consumed)
	}
}

// ofNumber returns the input for a number: some fields change rarely, others often.
func ofNumber(n uint16) fieldtest.Walk {
	dice := uint32(n) * 2654435761 >> 24
	in := fieldtest.Walk{N: n, DX: int8(n>>5%3) - 1, DY: int8(dice%3) - 1, Jump: dice&8 != 0}
	if n>>7&1 == 1 {
		in.DY, in.Jump = 1, false
	}
	return in
}

// Each message continues from one that has arrived. Under loss, reordering and duplication, no input is decoded as another
// one.
func TestNetcodeC2_MessagesContinueFromWhatArrived(t *testing.T) {
	t.Parallel()
	systemstest.Seeds(t, fieldtest.SeedCount(4), func(t *testing.T, seed uint64) {
		bad := time.Duration(20*seed-20) * time.Millisecond
		config := fieldtest.Config(seed, 3, netsys.Link{Latency: 20*time.Millisecond + 3*bad, Jitter: bad, Loss: 0.2, Duplicate: 0.2})
		config.Play = systemstest.Play(func(k *systemstest.Client, in *fieldtest.Walk) { *in = ofNumber(uint16(k.Input())) })
		c := systemstest.New(t, config)
		j := fieldtest.KeepJournal(c.Server.World())
		c.Run(20 * time.Second)
		for _, k := range c.Clients {
			last := fieldtest.Walk{}
			for _, s := range j.ForOwner(k.ID()) {
				want := ofNumber(s.In.N)
				if want.Jump = want.Jump && s.In.N != last.N; s.In.N != 0 && s.In != want {
					t.Fatalf("%v: tick %d consumed %+v, want %+v", k, s.Tick, s.In, want)
				}
				last = s.In
			}
		}
		if s := c.Server.Stats(); len(j.Steps) < 3000 || s.Inputs.Unread+s.MalformedMessages > 0 {
			t.Errorf("%d steps; %d messages could not be read, %d are malformed", len(j.Steps), s.Inputs.Unread, s.MalformedMessages)
		}
	})
}

// In Gather, Input is the number of the input that Gather fills in, under models that apply inputs later, too. After a tick it
// is the number of the input that the world includes.
func TestInputIsTheNumberOfTheGatheredInput(t *testing.T) {
	for _, m := range policy.Presets() {
		t.Run(m.String(), func(t *testing.T) {
			config := fieldtest.PresetConfig(m, 1, 2, netsys.Link{Latency: 50 * time.Millisecond})
			config.Play = systemstest.Play(func(k *systemstest.Client, in *fieldtest.Walk) { in.N = uint16(k.Input()) })
			c := systemstest.New(t, config)
			c.Connect()
			c.Run(3 * time.Second)
			compared := 0
			c.OnClientTick(func(k *systemstest.Client) {
				e, ok := k.Own(k.World())
				if !ok || k.Input() < 120 {
					return
				}
				compared++
				if in := ecs.Get[fieldtest.Walk](k.World(), e); uint32(in.N) != k.Input() {
					t.Fatalf("%v: the world includes the input that was %d in Gather, and Input is %d", k, in.N, k.Input())
				}
			})
			c.Run(3 * time.Second)
			if compared < 200 {
				t.Errorf("%d ticks compared", compared)
			}
		})
	}
}

// Sequences of a puppet wrap as well, however far the first one is.
func TestNetcodeC2_NewestPlusCount(t *testing.T) {
	p := fieldtest.NewPuppet(t, systems.ServerConfig{})
	j := ecs.Resource[fieldtest.Journal](p.Server.World())
	for i := uint32(0); i < 400; i++ {
		// Every packet but each fifth gets lost; each holds the five before.
		if seq := 65_400 + i; i%5 == 4 {
			p.Tick(fieldtest.Input(seq, 5, 2))
		} else {
			p.Tick()
		}
	}
	if len(j.Steps) < 380 {
		t.Fatalf("%d steps", len(j.Steps))
	}
	fieldtest.MustBeInOrder(t, j.Steps[100:])
}
