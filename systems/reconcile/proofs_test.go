package reconcile_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Wheel turns by one in every tick, and strikes at every eighth turn. The server lets wheels
// slip, as no client can foresee: then a strike may be left out. Its teeth are there to need
// bytes.
type Wheel struct {
	Turns uint32    `net:"raw"`
	Teeth [4]uint32 `net:"raw"`
}

// strike is an outcome.
type strike struct {
	ID    components.NetID
	Turns uint32
}

// windup is the tick at which all wheels stand still.
const windup = 500

func clockwork(own int, slips func(w *ecs.World, e ecs.Entity)) func() *ecs.Protocol {
	return fieldtest.ProtocolWith(fieldtest.HiddenPart, fieldtest.Predicted[Wheel], fieldtest.OnJoin(func(w *ecs.World, client uint32) {
		for range own {
			w.Spawn(components.Owner{Client: client}, Wheel{}, fieldtest.Walk{})
		}
	}), fieldtest.Simulate("turn", func(w *ecs.World) {
		for e, r := range ecs.Each[struct{ Wheel *Wheel }](w) {
			if w.Tick() >= windup {
				continue
			}
			r.Wheel.Turns++
			for n := range r.Wheel.Teeth {
				r.Wheel.Teeth[n] = (r.Wheel.Turns + uint32(n)<<16) * 2654435761
			}
			if r.Wheel.Turns%8 == 0 {
				outcome.Raise(w, ecs.Entity{}, strike{w.NetID(e), r.Wheel.Turns})
			}
		}
	}), fieldtest.Authority(func(w *ecs.World) {
		for e, r := range ecs.Each[struct{ Wheel *Wheel }](w) {
			if draw := w.Rand(e); w.Tick() < windup && draw.IntN(1000) == 0 {
				r.Wheel.Turns += 3
				slips(w, e)
			}
		}
	}))
}

// clock is a match of the clockwork in which a client has its own wheels, and simulates the wheels without an owner.
type clock struct {
	own, free int
	budget    int
	blinks    bool // a free one that slips gets out of sight for a while
}

// play plays it under a model, and looks whether each outcome that a client has begun has
// ended, and whether the server had those that it has committed.
func (x clock) play(t *testing.T, model policy.Model) {
	model = fieldtest.Predicting(model)
	if policy.Is[policy.ServerRewind](model) {
		model = policy.ServerRewind{Window: 100 * time.Millisecond}
	}
	slipped := map[components.NetID]uint32{}
	truth, believed, withdrawn := map[strike]bool{}, map[strike]uint32{}, 0
	config := systemstest.Config{
		Protocol: clockwork(x.own, func(w *ecs.World, e ecs.Entity) { slipped[w.NetID(e)] = w.Tick() }),
		Populate: func(w *ecs.World) {
			for range x.free {
				w.Spawn(Wheel{})
			}
		},
		Server: systems.ServerConfig{
			Model: model, Snapshots: systems.Snapshots{Budget: x.budget},
			Outcomes: func(l *outcome.Log) {
				outcome.Handle(l, outcome.Handlers[strike]{Commit: func(_ *ecs.World, o outcome.Outcome[strike]) { truth[o.Value] = true }})
			},
		},
		Client: func(int) systems.ClientConfig {
			return systems.ClientConfig{
				Prediction: systems.Prediction{Scope: func(*ecs.World, ecs.Entity) systems.Scope { return systems.ScopeCoSimulated }},
				Outcomes: func(l *outcome.Log) {
					outcome.Handle(l, outcome.Handlers[strike]{
						Commit: func(_ *ecs.World, o outcome.Outcome[strike]) { believed[o.Value] = o.Tick },
						Cancel: func(*ecs.World, outcome.Outcome[strike]) { withdrawn++ },
					})
				},
			}
		},
		Clients: 1,
		Link:    systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.05),
	}
	if x.blinks {
		config.Server.Snapshots.Interest = fieldtest.NotHidden()
	}
	crowd := systemstest.New(t, config)
	if w := crowd.Server.World(); x.blinks {
		crowd.OnServerTick(func() {
			for id, at := range slipped {
				e, there := w.ByNetID(id)
				switch {
				case there && w.Tick() < at+20:
					fieldtest.HideFrom(w, e, fieldtest.Everybody)
				case there:
					fieldtest.HideFrom(w, e, 0)
				}
			}
		})
	}
	crowd.Run(12 * time.Second)
	crowd.Settle()
	for s, input := range believed {
		if !truth[s] {
			t.Errorf("committed %+v of input %d, and the server did not", s, input)
		}
	}
	if st := crowd.Clients[0].Outcomes().Stats(); st.Open > 0 {
		t.Errorf("never ended: %+v", st)
	}
	if len(believed) < 50 || withdrawn < 20 {
		t.Errorf("%d of %d committed, %d withdrawn", len(believed), len(truth), withdrawn)
	}
}

// A client commits outcomes of its own entities when owner state has confirmed each of them, even if owner state holds only a
// few at a time.
func TestOwnStateInPartsProvesItsParts(t *testing.T) {
	t.Parallel()
	for _, model := range fieldtest.Ahead(policy.LocalSync{}, policy.CorrectOnMismatch{}) {
		t.Run(model.String(), func(t *testing.T) { clock{own: 30, budget: 400}.play(t, model) })
	}
}

// A client commits outcomes of co-simulated entities when snapshots have confirmed them, like those of own entities, and
// withdraws those of entities that went out of sight before. This also holds for a client without entities.
func TestWhatIsCoSimulatedIsProvenBySnapshots(t *testing.T) {
	t.Parallel()
	for _, model := range fieldtest.Ahead(policy.LocalSync{}, policy.CorrectOnMismatch{}) {
		for name, x := range map[string]clock{
			"by turns":       {own: 1, free: 60, budget: 250},
			"blinking":       {own: 1, free: 30, budget: 400, blinks: true},
			"of nobody":      {free: 10},
			"all by turns":   {free: 60, budget: 400},
			"all, and blink": {free: 30, blinks: true},
		} {
			t.Run(model.String()+"/"+name, func(t *testing.T) { x.play(t, model) })
		}
	}
}

// turn is the outcome of each tick: how far a wheel has turned, and by how much in this tick.
type turn struct{ Turns, By uint32 }

// The server agrees with the result that a client reported for an input. If the client has simulated the input again since,
// with another result, it commits nothing of it.
func TestAnAgreementProvesOnlyWhatWasReported(t *testing.T) {
	wrong, replays, committed, withdrawn, due := false, 0, 0, 0, uint32(200)
	config := systemstest.Config{
		Populate: func(w *ecs.World) { w.Spawn(Wheel{}) },
		Protocol: fieldtest.ProtocolWith(fieldtest.Predicted[Wheel], fieldtest.OnJoin(fieldtest.JoinWith(Wheel{})), fieldtest.Simulate("turn", func(w *ecs.World) {
			for e, r := range ecs.Each[struct{ Wheel *Wheel }](w) {
				by, own := uint32(1), ecs.Get[components.Owner](w, e) != nil
				if wrong && own {
					by = 3
				}
				if r.Wheel.Turns += by; own {
					outcome.Raise(w, ecs.Entity{}, turn{r.Wheel.Turns, by})
				}
			}
		})),
		Server: systems.ServerConfig{Model: fieldtest.Predicting(policy.CorrectOnMismatch{}), Outcomes: func(l *outcome.Log) {
			outcome.Handle(l, outcome.Handlers[turn]{})
		}},
		Client: func(int) systems.ClientConfig {
			return systems.ClientConfig{
				Prediction: systems.Prediction{Scope: func(*ecs.World, ecs.Entity) systems.Scope { return systems.ScopeCoSimulated }},
				Systems: systems.ClientSystems{Reconcile: func(p systems.ClientParts) func(*ecs.World) {
					return func(w *ecs.World) {
						for told := range p.Predictor.Confirmed {
							spoils := false // the state of the free wheel
							for v := range told.Values {
								spoils = w.Tick() > due && ecs.Get[components.Owner](w, v.Entity) == nil
							}
							if spoils {
								wrong, due = true, w.Tick()+100
								replays++
							}
							if spoils || told.Unpredicted {
								told.Reject()
							}
						}
						for input := range p.Predictor.Rewind {
							p.Predictor.Step(input)
						}
						wrong = false
					}
				}},
				Outcomes: func(l *outcome.Log) {
					outcome.Handle(l, outcome.Handlers[turn]{
						Commit: func(_ *ecs.World, o outcome.Outcome[turn]) {
							if committed++; o.Value.By != 1 {
								t.Errorf("input %d: committed %+v, and the server did not", o.Tick, o.Value)
							}
						},
						Cancel: func(*ecs.World, outcome.Outcome[turn]) { withdrawn++ },
					})
				},
			}
		},
		Clients: 1,
		Link:    fieldtest.Lag(6),
	}
	c := systemstest.New(t, config)
	c.Run(20 * time.Second)
	if replays < 8 || committed < 600 || withdrawn < replays {
		t.Errorf("%d replays, %d outcomes committed, %d withdrawn", replays, committed, withdrawn)
	}
	c.Settle()
	c.Converged()
}
