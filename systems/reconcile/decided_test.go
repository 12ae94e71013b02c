package reconcile_test

import (
	"errors"
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

// undecided are the tags of a Patient of which all is predicted.
var undecided = schema.Fields{"Health": "0..1000", "Ammo": "0..1000", "Heat": "0..1000 step 0.5", "Marked": "edge"}

// Purse belongs to a player and is not predicted.
type Purse struct {
	Gold int32 `net:"0..1000000"`
}

// Shuffle is the input of the ward.
type Shuffle struct {
	DX   int8 `net:"-1..1"`
	Fire bool
}

type bed struct {
	Body *fieldtest.Patient
	In   *Shuffle
}

type purse struct {
	Body  *fieldtest.Patient
	Purse *Purse
}

// ward returns a game in which the server takes health every tick, gives ammunition now and then, and gives gold.
// more adds to it.
func ward(tags schema.Fields, every uint32, more ...fieldtest.Part) func() *ecs.Protocol {
	return fieldtest.ProtocolOn[Shuffle](append([]fieldtest.Part{fieldtest.OnJoin(joinWard), func(p *ecs.Protocol) {
		ecs.ReplicateFields[fieldtest.Patient](p, ecs.Predicted|ecs.Interpolated, tags)
		ecs.Replicate[Purse](p, 0)
		p.Simulate("shuffle", shuffle)
		p.Authority("nurse", func(w *ecs.World) { nurse(w, every) })
	}}, more...)...)
}

func shuffle(w *ecs.World) {
	for _, b := range ecs.Each[bed](w) {
		b.Body.X += 0.25 * float32(b.In.DX)
		if b.In.Fire && b.Body.Ammo > 0 {
			b.Body.Ammo--
		}
	}
}

func nurse(w *ecs.World, every uint32) {
	for _, b := range ecs.Each[purse](w) {
		if w.Tick()%every == 0 {
			b.Body.Health = (b.Body.Health + 999) % 1000
			b.Body.Heat = float32(b.Body.Health)
			b.Body.Marked = !b.Body.Marked
			b.Purse.Gold++
		}
		if w.Tick()%700 == 0 {
			b.Body.Ammo += 50
		}
	}
}

func joinWard(w *ecs.World, client uint32) {
	w.Spawn(components.Owner{Client: client}, fieldtest.Patient{Health: 500, Ammo: 500}, Purse{}, Shuffle{})
}

// inWard returns a match in the ward, in which clients walk and fire.
func inWard(protocol func() *ecs.Protocol, preset policy.Model, seed uint64, link netsys.Link) systemstest.Config {
	return systemstest.Config{
		Protocol: protocol, Clients: 2, Seed: seed, Link: link,
		Server: systems.ServerConfig{Model: preset},
		Play: systemstest.Play(func(k *systemstest.Client, in *Shuffle) {
			in.DX, in.Fire = int8(k.Input()/40%3)-1, k.Input()%90 < 8
		}),
	}
}

// charts are the server's states of a client's player, by tick.
type charts map[uint32]struct {
	fieldtest.Patient
	Purse
}

// visit records the server's state of each player. At each tick and frame of a client, it checks that the fields that the
// server decides are those of the newest received state.
func visit(t *testing.T, c *systemstest.Crowd, preset policy.Model) (looked *int) {
	t.Helper()
	history := map[uint32]charts{}
	c.OnServerTick(func() {
		w := c.Server.World()
		for _, r := range ecs.All[struct {
			Own   components.Owner
			Body  fieldtest.Patient
			Purse Purse
		}](w) {
			if history[r.Own.Client] == nil {
				history[r.Own.Client] = charts{}
			}
			history[r.Own.Client][c.Server.Tick()] = struct {
				fieldtest.Patient
				Purse
			}{r.Body, r.Purse}
		}
	})
	looked = new(int)
	look := func(k *systemstest.Client, w *ecs.World, what string) {
		own, ok := k.Own(w)
		if !ok || k.Input() < 120 || t.Failed() {
			return
		}
		at := k.ConfirmedTick() // own state says it
		switch preset.(type) {
		case policy.CorrectOnMismatch:
			at = k.ServerTick() // snapshots do
		case policy.ServerRewind:
			at = k.ConfirmedInput() + 1 // own state is of the tick of that input, which is settled
		}
		want, known := history[k.ID()][at]
		body, bag := ecs.Get[fieldtest.Patient](w, own), ecs.Get[Purse](w, own)
		if known && (body.Health != want.Health || body.Heat != want.Heat || body.Marked != want.Marked) {
			t.Errorf("%v: %s has %+v, the server had %+v at tick %d", k, what, *body, want.Patient, at)
		}
		if want, known = history[k.ID()][k.ServerTick()]; known && what == "the world" && bag.Gold != want.Gold {
			t.Errorf("%v: %s has %d gold, the server had %d at tick %d", k, what, bag.Gold, want.Gold, at)
		}
		*looked++
	}
	c.OnClientTick(func(k *systemstest.Client) { look(k, k.World(), "the world") })
	c.OnFrame(func(k *systemstest.Client) { look(k, k.View(), "the view") })
	return looked
}

// A field tagged server causes no correction: the newest value of the server is simulated and drawn. Without the tag it is
// corrected with every snapshot.
func TestDecided_NoCorrections(t *testing.T) {
	t.Parallel()
	fieldtest.EachRow(t, fieldtest.Ahead(policy.LocalSync{}, policy.CorrectOnMismatch{}, policy.ServerRewind{}), func(t *testing.T, preset policy.Model) {
		systemstest.Seeds(t, fieldtest.SeedCount(2), func(t *testing.T, seed uint64) {
			c := systemstest.New(t, inWard(ward(nil, 1), preset, seed, fieldtest.RoughLink()))
			looked := visit(t, c, preset)
			c.Connect()
			c.Run(5 * time.Second)
			c.Mark()
			c.Run(10 * time.Second)
			c.NoCorrections()
			for _, k := range c.Clients {
				if st := k.Stats(); st.Resimulated > 200 {
					t.Errorf("%v: %d ticks simulated again", k, st.Resimulated)
				}
			}
			if *looked < 1000 {
				t.Errorf("looked %d times", *looked)
			}
		})
		if t.Failed() {
			return
		}
		c := systemstest.New(t, inWard(ward(undecided, 1), preset, 1, fieldtest.RoughLink()))
		c.Connect()
		c.Run(10 * time.Second)
		for _, k := range c.Clients {
			if n := k.Stats().Corrections; n < 50 {
				t.Errorf("%v: %d corrections where all is predicted", k, n)
			}
		}
	})
}

// knock sometimes moves every player of the ward, which no client can predict.
func knock(w *ecs.World) {
	for _, b := range ecs.Each[purse](w) {
		if w.Tick()%60 == 0 {
			b.Body.X += 2
		}
	}
}

// If another field is mispredicted, everything is simulated again once per misprediction, and a field tagged server has the
// newest received value before and after. This also holds if both ends quantize every step, and with a custom Reconcile.
func TestDecided_BesideCorrections(t *testing.T) {
	t.Parallel()
	own := func(n int) systems.ClientConfig {
		return systems.ClientConfig{Systems: systems.ClientSystems{Reconcile: func(p systems.ClientParts) func(*ecs.World) {
			return func(*ecs.World) {
				for told := range p.Predictor.Confirmed {
					wrong := told.Unpredicted
					for v := range told.Values {
						wrong = wrong || !v.Agrees()
					}
					if wrong {
						told.Reject()
					}
				}
				for input := range p.Predictor.Rewind {
					p.Predictor.Step(input)
				}
			}
		}}}
	}
	type row struct {
		fieldtest.Name
		parts  []fieldtest.Part
		client func(int) systems.ClientConfig
	}
	fieldtest.EachRow(t, []row{
		{"as it is", nil, nil},
		{"quantized", []fieldtest.Part{(*ecs.Protocol).QuantizeSteps}, nil},
		{"a Reconcile of its own", nil, own},
	}, func(t *testing.T, test row) {
		fieldtest.EachRow(t, fieldtest.Ahead(policy.LocalSync{}, policy.CorrectOnMismatch{}), func(t *testing.T, preset policy.Model) {
			config := inWard(ward(nil, 1, append(test.parts, fieldtest.Authority(knock))...), preset, 3, fieldtest.RoughLink())
			config.Client = test.client
			c := systemstest.New(t, config)
			looked := visit(t, c, preset)
			c.Connect()
			c.Run(5 * time.Second)
			c.Mark()
			c.Run(20 * time.Second)
			for _, k := range c.Clients {
				if f := k.Figures(); f.Corrections < 15 || f.Corrections > 25 {
					t.Errorf("%v: %d corrections of 20 knocks", k, f.Corrections)
				}
				for _, r := range k.Causes().Rows {
					if r.Field != "X" {
						t.Errorf("%v: %s.%s is counted as a cause", k, r.Component, r.Field)
					}
				}
			}
			if *looked < 2000 {
				t.Errorf("looked %d times", *looked)
			}
		})
	})
}

// A value that Simulate writes to such a field is visible immediately, and stays if the server's value is equal.
func TestDecided_SimulateMayWrite(t *testing.T) {
	fieldtest.EachRow(t, fieldtest.Ahead(policy.LocalSync{}, policy.CorrectOnMismatch{}), func(t *testing.T, preset policy.Model) {
		c := systemstest.New(t, inWard(ward(nil, 1000), preset, 1, fieldtest.Lag(6)))
		c.Connect()
		c.Run(2 * time.Second)
		shots, before := 0, map[int]int16{}
		c.OnClientTick(func(k *systemstest.Client) {
			own, _ := k.Own(k.World())
			ammo := ecs.Get[fieldtest.Patient](k.World(), own).Ammo
			if b := before[k.N]; b > 0 && k.Input()%90 >= 3 && k.Input()%90 < 7 && c.Server.Tick() < 700 {
				if shots++; ammo != b-1 {
					t.Errorf("%v: input %d fires, and leaves %d of %d", k, k.Input(), ammo, b)
				}
			}
			before[k.N] = ammo
		})
		c.Mark()
		c.Run(10 * time.Second)
		c.NoCorrections()
		if shots < 20 {
			t.Errorf("%d shots looked at", shots)
		}
		fieldtest.MustConverge(c)
	})
}

// Co-simulated players get the server's values of such fields too.
func TestDecided_CoSimulated(t *testing.T) {
	fieldtest.EachRow(t, []policy.Model{policy.LocalSync{}, policy.CorrectOnMismatch{}, policy.ServerRewind{}}, func(t *testing.T, preset policy.Model) {
		config := inWard(ward(nil, 1), preset, 1, fieldtest.RoughLink())
		config.Client = fieldtest.Scoped(systems.ScopeCoSimulated)
		config.Play = systemstest.Play(func(*systemstest.Client, *Shuffle) {}) // of others' inputs nobody knows
		c := systemstest.New(t, config)
		health := map[uint32]int16{}
		c.OnServerTick(func() {
			for _, r := range ecs.All[struct {
				Own  components.Owner
				Body fieldtest.Patient
			}](c.Server.World()) {
				if r.Own.Client == 1 {
					health[c.Server.Tick()] = r.Body.Health
				}
			}
		})
		looked := 0
		c.Connect()
		c.Run(3 * time.Second)
		c.Mark()
		c.OnClientTick(func(k *systemstest.Client) {
			for e, r := range ecs.All[struct {
				Own  components.Owner
				Body fieldtest.Patient
			}](k.World()) {
				tick, _ := k.StateTick(k.World().NetID(e))
				if want, known := health[tick]; k.ID() != 1 && r.Own.Client == 1 && known {
					if looked++; r.Body.Health != want {
						t.Fatalf("%v has another one with health %d, the server had %d at tick %d", k, r.Body.Health, want, tick)
					}
				}
			}
		})
		c.Run(10 * time.Second)
		for _, k := range c.Clients {
			if f := k.Stats(); f.CoCorrections > 0 || f.CoConfirmed < 100 {
				t.Errorf("%v: %d wrong and %d right predictions of others", k, f.CoCorrections, f.CoConfirmed)
			}
		}
		if looked < 500 {
			t.Errorf("looked %d times", looked)
		}
	})
}

// Where everybody simulates everything the word changes nothing.
func TestDecided_EverybodySimulates(t *testing.T) {
	fieldtest.EachRow(t, fieldtest.PeerPresets, func(t *testing.T, preset policy.Model) {
		protocol := fieldtest.ProtocolOn[Shuffle](fieldtest.OnJoin(joinWard), fieldtest.Predicted[fieldtest.Patient], fieldtest.Predicted[Purse], fieldtest.Simulate("stride", func(w *ecs.World) {
			for _, b := range ecs.Each[bed](w) {
				b.Body.X += 0.25 * float32(b.In.DX)
				b.Body.Health = int16(w.Tick() % 1000)
			}
		}))
		config := inWard(protocol, preset, 1, fieldtest.RoughLink())
		c := systemstest.New(t, config)
		c.Connect()
		c.Run(5 * time.Second)
		fieldtest.MustConverge(c)
	})
}

// A client that reports results receives such fields with the public state, so owner-only components cannot have them.
func TestDecided_OwnerOnlyIsRefused(t *testing.T) {
	protocol := fieldtest.ProtocolFrom(func(p *ecs.Protocol) { ecs.Replicate[fieldtest.Patient](p, ecs.Predicted|ecs.OwnerOnly) })
	for _, preset := range fieldtest.AheadPresets {
		_, err := systems.NewServer(netsys.NewNetwork().Node(netip.AddrPort{}), protocol(), systems.ServerConfig{Model: preset})
		if bad := policy.Is[policy.CorrectOnMismatch](preset); bad != errors.Is(err, systems.ErrConfig) || bad && !strings.Contains(err.Error(), "Patient.Health is tagged server") {
			t.Errorf("%v: %v", preset, err)
		}
	}
}

// Adopting the server's values of such fields allocates nothing.
func TestDecided_AllocatesNothing(t *testing.T) {
	fieldtest.SkipUnderRace(t)
	fieldtest.EachRow(t, fieldtest.Ahead(policy.LocalSync{}), func(t *testing.T, preset policy.Model) {
		config := inWard(ward(nil, 1), preset, 1, fieldtest.Lag(3))
		config.CountOnly = true
		c := systemstest.New(t, config)
		c.Connect()
		c.Run(20 * time.Second)
		fieldtest.AllocatesNothing(t, c, 300)
	})
}
