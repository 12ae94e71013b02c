package reconcile_test

import (
	"errors"
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// A packet contains one result of few bits: two bits for each word of a position with a tolerance of 0.01, none for fields
// that are compared exactly, and the hash.
func TestNetcodeD3_OneResultAPacket(t *testing.T) {
	c := fieldtest.Start(t, fieldtest.PresetConfig(policy.CorrectOnMismatch{}, 1, 2, fieldtest.Lag(6)), 5*time.Second)
	k := c.Clients[0]
	before := k.Stats()
	c.Run(10 * time.Second)
	after := k.Stats()
	const bits = 1 + 2 + 2*2 + 16
	if packets, told := after.Ticks-before.Ticks, after.ReportBits-before.ReportBits; told != bits*packets {
		t.Errorf("%d bits of results in %d packets, want %d in each", told, packets, bits)
	}
}

// The hash detects differences that the few bits of a result do not: a push by as many steps as the modulus, and a changed
// count.
func TestNetcodeD3_TheHashTellsTheRest(t *testing.T) {
	config := fieldtest.PresetConfig(policy.CorrectOnMismatch{}, 1, 1, fieldtest.Lag(6))
	config.Play = fieldtest.Steady(fieldtest.Walk{})
	config.Protocol = fieldtest.ProtocolWithAuthority(func(w *ecs.World) {
		type player struct {
			Pos   *components.Position
			Jumps *fieldtest.Jumps
		}
		for _, p := range ecs.Each[player](w) {
			switch w.Tick() {
			case 400:
				p.Pos.X += 4 * fieldtest.Tolerance
			case 500:
				p.Pos.Y -= 64 * fieldtest.Tolerance
			case 600:
				p.Jumps.Count++
			}
		}
	})
	c := systemstest.New(t, config)
	c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == 399 })
	before := c.Server.Stats().Reports.Corrections
	c.Mark()
	c.Run(5 * time.Second)
	opened := c.Server.Stats().Reports.Corrections - before
	if f := c.Clients[0].Figures(); opened != 3 || f.Corrections != 3 {
		t.Errorf("%d corrections opened and %d made of 3 changes", opened, f.Corrections)
	}
}

// At the edge of the tolerance nothing oscillates: a push by up to three steps is corrected at most once, and one well within
// the tolerance never.
func TestNetcodeD3_NothingSwingsAtTheEdge(t *testing.T) {
	const (
		every  = 90 // ticks
		rounds = 40
	)
	systemstest.Seeds(t, 1, func(t *testing.T, seed uint64) {
		offset := func(round uint32) float32 { return float32(round) * 3 * fieldtest.Tolerance / rounds }
		config := fieldtest.PresetConfig(policy.CorrectOnMismatch{}, seed, 1, fieldtest.Lag(6))
		config.Play = fieldtest.Steady(fieldtest.Walk{})
		config.Protocol = fieldtest.ProtocolWithAuthority(func(w *ecs.World) {
			if w.Tick() < 300 || w.Tick()%every != 0 {
				return
			}
			for e, p := range ecs.Each[fieldtest.Pushable](w) {
				if p.Own.Client != 0 {
					r := w.Rand(e)
					// To a place on the grid or off it, and from there.
					p.Pos.X = float32(math.Floor(float64(p.Pos.X))) + 0.37 + float32(r.IntN(5))*fieldtest.Tolerance/4
					p.Pos.Y += offset(w.Tick() / every % rounds)
				}
			}
		})
		c := systemstest.New(t, config)
		c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == every*4-1 })
		opened := c.Server.Stats().Reports.Corrections
		within := 0
		for round := uint32(4); round < 4+rounds; round++ {
			before := c.Server.Stats().Reports
			c.RunTicks(every)
			after := c.Server.Stats().Reports
			switch n := after.Corrections - before.Corrections; {
			case n > 1:
				t.Fatalf("round %d, a push by %v: %d corrections", round, offset(round%rounds), n)
			case after.OpenTicks-before.OpenTicks > every/2:
				t.Fatalf("round %d, a push by %v: open for %d ticks", round, offset(round%rounds), after.OpenTicks-before.OpenTicks)
			case n == 0:
				within++
			case offset(round%rounds) < 0.1*fieldtest.Tolerance:
				// X alone moves, by a step at most.
				t.Errorf("round %d, a push by %v: corrected", round, offset(round%rounds))
			}
		}
		if n := c.Server.Stats().Reports.Corrections - opened; n < rounds/4 || within < 2 {
			t.Errorf("%d corrections of %d pushes, %d were within tolerance", n, rounds, within)
		}
		fieldtest.MustConverge(c)
	})
}

// A protocol whose quantization alone exceeds the tolerance is refused, because it would be corrected forever. The error names
// the field.
func TestNetcodeD3_TooCoarseIsRefused(t *testing.T) {
	for tag, refused := range map[string]bool{
		"-64..64 step 0.5":          false,
		"-64..64 step 0.5 tol 0.26": false,
		"-64..64 step 0.5 tol 0.25": true, // the half of a step
		"-64..64 step 0.5 tol 0":    true,
		"0..10 step 4 tol 3":        false,
		"0..11 step 4 tol 2.5":      true, // 11 is 3 above the last value
		"degrees 0.5":               false,
		"degrees 0.5 tol 0.1":       true,
		"-64..64 step 0.5 lines 2":  false,
		"raw":                       false,
	} {
		protocol := func() *ecs.Protocol {
			return fieldtest.ProtocolWith(func(p *ecs.Protocol) { ecs.ReplicateFields[Fuel](p, ecs.Predicted, schema.Fields{"Left": tag}) })()
		}
		start := func(p *ecs.Protocol, model policy.Model) error {
			_, err := systems.NewServer(netsys.NewNetwork().Node(netip.MustParseAddrPort("127.0.0.1:7777")), p, systems.ServerConfig{Model: model})
			return err
		}
		if err := start(protocol(), policy.LocalSync{}); err != nil {
			t.Errorf("%q: %v, where own state always travels", tag, err)
		}
		quantized := protocol()
		quantized.QuantizeSteps()
		if err := start(quantized, policy.CorrectOnMismatch{}); err != nil {
			t.Errorf("%q: %v, where all is quantized", tag, err)
		}
		err := start(protocol(), policy.CorrectOnMismatch{})
		if (err != nil) != refused {
			t.Errorf("%q: %v; want it refused: %v", tag, err, refused)
		}
		if err != nil && (!errors.Is(err, systems.ErrConfig) || !strings.Contains(err.Error(), "Fuel.Left")) {
			t.Errorf("%q: %v", tag, err)
		}
	}
}

// Nothing of a client's own entities travels down while client and server agree;
// each push is corrected once, as soon as under LocalSync and with fewer bytes.
func TestNetcodeD4_EachPushIsCorrectedOnce(t *testing.T) {
	t.Parallel()
	const from, rounds = 1200, 8
	systemstest.Seeds(t, fieldtest.SeedCount(2), func(t *testing.T, seed uint64) {
		begun := uint64(0) // corrections of inputs that were missed before the buffer was deep enough
		play := func(preset policy.Model) (c *systemstest.Crowd, quiet, own uint64) {
			config := fieldtest.Config(seed, 4, fieldtest.BadLink())
			config.Server.Model = preset
			config.Protocol = fieldtest.Pushes(from)
			c = systemstest.New(t, config)
			c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == 900 })
			c.Mark()
			joined := c.Server.Stats().Snapshots.Own
			begun = c.Server.Stats().Reports.Corrections
			c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == from-1 })
			quiet = c.Server.Stats().Snapshots.Own
			c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == from+rounds*fieldtest.PushEvery-1 })
			return c, quiet - joined, c.Server.Stats().Snapshots.Own - quiet
		}
		local, quiet, usual := play(policy.LocalSync{})
		c, silent, own := play(policy.CorrectOnMismatch{})
		if silent != 0 || quiet == 0 {
			t.Errorf("%d bytes of own state while nothing is to be corrected; %d under LocalSync", silent, quiet)
		}
		if own == 0 || own > usual*2/3 {
			t.Errorf("%d bytes of own state in %d pushes, %d under LocalSync", own, rounds, usual)
		}
		if st := c.Server.Stats().Reports; st.Corrections-begun != 4*rounds {
			t.Errorf("%d corrections were opened for %d pushes of 4 clients: %+v", st.Corrections-begun, rounds, st)
		}
		c.NothingMissing()
		for n, k := range c.Clients {
			f, l := k.Figures(), local.Clients[n].Figures()
			if f.Corrections != rounds || f.Resimulated > l.Resimulated+rounds {
				t.Errorf("%v: %d corrections of %d pushes and %d ticks again; %d under LocalSync", k, f.Corrections, rounds, f.Resimulated, l.Resimulated)
			}
		}
		fieldtest.MustConverge(c)
	})
}

// A correction stays open until its client has carried it out. If all packets in one direction are lost for two thirds of a
// second after a push, it is carried out within a third of a second after the link is back.
func TestNetcodeD4_LostCorrectionsDoNotStick(t *testing.T) {
	t.Parallel()
	const from, rounds, gone, back = 1200, 8, 40, 20 // ticks
	for _, up := range []bool{false, true} {
		systemstest.Seeds(t, fieldtest.SeedCount(2), func(t *testing.T, seed uint64) {
			config := fieldtest.PresetConfig(policy.CorrectOnMismatch{}, seed, 2, fieldtest.BadLink())
			config.Protocol = fieldtest.Pushes(from)
			c := systemstest.New(t, config)
			c.Lose(func(p systemstest.Packet) bool {
				tick := c.Server.Tick()
				since := int(tick) - from - 8 // no earlier does anything arrive
				return p.Up == up && since >= 0 && since%fieldtest.PushEvery < gone
			})
			c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == from-1 })
			c.Mark()
			for round := range rounds {
				c.RunTicks(8 + gone + back)
				for _, k := range c.Clients {
					if n := k.Figures().Corrections; n < uint64(round)+1 {
						t.Errorf("%v: %d corrections of %d pushes", k, n, round+1)
					}
				}
				c.RunTicks(fieldtest.PushEvery - 8 - gone - back)
			}
			fieldtest.MustConverge(c)
			if open := c.Server.Stats().Reports.OpenTicks; open > uint64(2*(from+rounds*fieldtest.PushEvery)) {
				t.Errorf("corrections were open for %d ticks", open)
			}
		})
	}
}

// The state of a client after each input equals the server's state after it consumed that input, bit for bit. All results
// agree.
func TestNetcodeD2_TheSameStepOfTheSameInput(t *testing.T) {
	t.Parallel()
	systemstest.Seeds(t, fieldtest.SeedCount(2), func(t *testing.T, seed uint64) {
		var ran []string
		config := fieldtest.PresetConfig(policy.CorrectOnMismatch{}, seed, 3, fieldtest.BadLink())
		config.Client = func(n int) (config systems.ClientConfig) {
			if n == 0 {
				config.Schedule = noteSystems(&ran, "InputGather", "Predict", "Send")
			}
			return config
		}
		c := fieldtest.Start(t, config, 15*time.Second)
		before := c.Server.Stats().Reports
		compared := fieldtest.WatchOwnerBits(t, c, func(uint32) bool { return true })
		ran = nil
		c.OnClientTick(func(k *systemstest.Client) {
			if got := strings.Join(ran, " "); k.N == 0 && got != "InputGather Predict Send" {
				t.Fatalf("a tick ran %v", got)
			} else if k.N == 0 {
				ran = nil
			}
		})
		c.Run(20 * time.Second)
		c.NothingMissing()
		c.NoCorrections()
		st := c.Server.Stats().Reports
		if agreed := st.Agreed - before.Agreed; st.Differed != before.Differed || st.Asked != before.Asked || agreed < 3000 || *compared < 3000 {
			t.Errorf("%d compared; of the results %d agreed, %d did not, %d asked for state", *compared, agreed, st.Differed-before.Differed, st.Asked-before.Asked)
		}
	})
}

// Predicted owner-only components are part of results. They stay and are corrected although other owner-only components are
// added and removed.
func TestNetcodeD4_WhatTheOwnerAloneSeesIsAdviceToo(t *testing.T) {
	config := fieldtest.PresetConfig(policy.CorrectOnMismatch{}, 1, 2, fieldtest.Lag(6))
	type purse struct {
		Hand *fieldtest.Hand
		Fuel *Fuel
	}
	config.Protocol = fieldtest.ProtocolWith(fieldtest.OnJoin(fieldtest.JoinWith(Fuel{Left: 900}, fieldtest.Hand{})), func(p *ecs.Protocol) {
		ecs.Replicate[Fuel](p, ecs.Predicted|ecs.OwnerOnly)
		ecs.Replicate[fieldtest.Hand](p, ecs.OwnerOnly)
	}, fieldtest.Simulate("burn", func(w *ecs.World) {
		for _, r := range ecs.Each[struct{ Fuel *Fuel }](w) {
			r.Fuel.Left -= 0.25
		}
	}), fieldtest.Authority(func(w *ecs.World) {
		for _, r := range ecs.Each[purse](w) {
			switch w.Tick() {
			case 900:
				r.Hand.Cards = 7
			case 1200:
				r.Fuel.Left += 100
			}
		}
	}))
	c := systemstest.New(t, config)
	c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == 600 })
	c.Mark()
	told := []uint64{c.Server.Stats().Snapshots.Own}
	for range 3 {
		c.RunTicks(300)
		told = append(told, c.Server.Stats().Snapshots.Own)
		for _, k := range c.Clients {
			if ecs.Get[Fuel](k.World(), fieldtest.OwnEntity(k)) == nil {
				t.Fatalf("%v has no fuel at tick %d", k, c.Server.Tick())
			}
		}
	}
	for _, k := range c.Clients {
		hand := ecs.Get[fieldtest.Hand](k.World(), fieldtest.OwnEntity(k))
		if f := k.Figures(); hand == nil || hand.Cards != 7 || f.Corrections != 1 {
			t.Errorf("%v: the hand is %+v; %d corrections of one change", k, hand, f.Corrections)
		}
	}
	if secret := told[2] - told[1]; told[1] != told[0] || secret == 0 || secret > (told[3]-told[2])/2 {
		t.Errorf("%d bytes of own state while all agrees, %d for the secret, %d for the correction", told[1]-told[0], secret, told[3]-told[2])
	}
	fieldtest.MustConverge(c)
}

// A predicted spawn that the server did not make disappears when the server reports agreement. It does not wait for owner
// state or a mismatch.
func TestNetcodeD4_DeniedSpawnsVanish(t *testing.T) {
	const oneWay, most = 6, 2*6 + 2 + 3 + 4 // the buffer, a send gap, and phases of clocks
	config := fieldtest.GalleryConfig(1, 1, false, fieldtest.Authority(func(w *ecs.World) {
		for e := range ecs.Each[fieldtest.Flying](w) {
			w.Despawn(e)
		}
	}))
	config.Link, config.Server.Model = fieldtest.Lag(oneWay), policy.CorrectOnMismatch{}
	config.Play = systemstest.Play(func(k *systemstest.Client, in *fieldtest.Walk) { in.Jump = k.Input()%60 == 0 })
	c := fieldtest.Start(t, config, 5*time.Second)
	own := c.Server.Stats().Snapshots.Own
	shown, age := 0, 0
	c.OnClientTick(func(k *systemstest.Client) {
		was := age
		for range ecs.All[struct{ Fuse fieldtest.Fuse }](k.World()) {
			age = was + 1
		}
		if age == was {
			age = 0
			return
		}
		shown++
		if age > most {
			t.Fatalf("a bullet that never was shows for %d ticks", age)
		}
	})
	c.Run(10 * time.Second)
	if shown < 10*oneWay {
		t.Errorf("bullets showed in %d ticks", shown)
	}
	c.NoCorrections()
	if now := c.Server.Stats().Snapshots.Own; now != own {
		t.Errorf("%d bytes of own state, although all agrees", now-own)
	}
}
