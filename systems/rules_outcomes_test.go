package systems

import (
	"math"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
)

// volley is the plaza where every input of a player is a shot, and an outcome. With pushes
// the server moves players now and then.
func volley(pushes bool) func() *ecs.Protocol {
	return func() *ecs.Protocol {
		p := plaza()
		p.Simulate("volley", func(w *ecs.World) {
			for e, r := range ecs.Each[pawn](w) {
				if r.In.Fire {
					outcome.Raise(w, e, deed{Shot: r.Shots.Count})
				}
			}
		})
		p.Authority("push", func(w *ecs.World) {
			for _, r := range ecs.Each[pawn](w) {
				if pushes && w.Tick()%50 == 0 {
					r.At.X += 3
				}
			}
		})
		return p
	}
}

// volleyed is a client's log of the volley, by input.
type volleyed struct{ begun, committed, cancelled []uint32 }

func (v *volleyed) register(l *outcome.Log) {
	note := func(to *[]uint32) func(*ecs.World, outcome.Outcome[deed]) {
		return func(_ *ecs.World, o outcome.Outcome[deed]) { *to = append(*to, o.Tick) }
	}
	outcome.Handle(l, outcome.Handlers[deed]{Begin: note(&v.begun), Commit: note(&v.committed), Cancel: note(&v.cancelled)})
}

// newVolley is a player of the volley, far away.
func newVolley(t *testing.T, pushes bool, history int) (*game, *Client, *volleyed) {
	g := newGame(t, volley(pushes), ServerConfig{Join: spawnPawn, Policies: policy.Policies{Outcomes: policy.OutcomesPastHorizon}})
	v := &volleyed{}
	c := g.join(ClientConfig{
		History: history, Outcomes: v.register,
		Gather: Gather(func(_ *ecs.World, in *push) { in.Fire = true }),
	}, netsys.Link{Latency: 10 * testTick})
	g.connect()
	return g, c, v
}

// A client begins what it foresees at once, and commits it when a state of the server agrees
// with its prediction. Where one does not, the inputs since are simulated again and what
// they raise again goes on; what came between this state and the last that agreed is
// withdrawn, because it is not simulated again.
func TestNetcodeB5_CorrectionWithdrawsWhatIsUnconfirmed(t *testing.T) {
	g, c, v := newVolley(t, true, 0)
	g.run(60)
	first := c.reconciler.ConfirmedInput()
	begun := len(v.begun)
	var withdrawn []uint32
	v.cancelled = v.cancelled[:0]
	corrections := c.Stats().Corrections
	for range 600 {
		confirmedInput, wrong := c.reconciler.ConfirmedInput(), c.Stats().Corrections
		g.run(1)
		if c.Stats().Corrections > wrong {
			for input := confirmedInput + 1; input <= c.reconciler.ConfirmedInput(); input++ {
				withdrawn = append(withdrawn, input)
			}
		}
	}
	if n := c.Stats().Corrections - corrections; n < 10 || n > 12 {
		t.Fatalf("%d corrections", n)
	}
	if !slices.Equal(v.cancelled, withdrawn) || len(withdrawn) < 20 {
		t.Errorf("withdrawn are inputs %v, not those that a correction stepped over, %v", v.cancelled, withdrawn)
	}
	if n := len(v.begun) - begun; n < 590 || n > 610 || !slices.IsSorted(v.begun) {
		t.Errorf("%d outcomes began in 600 ticks: %v", n, v.begun)
	}
	for input := first + 1; input <= c.reconciler.ConfirmedInput(); input++ {
		want := 1
		if slices.Contains(withdrawn, input) {
			want = 0
		}
		if n := count(v.committed, input); n != want {
			t.Fatalf("the outcome of input %d was committed %d times", input, n)
		}
	}
	if open := c.Outcomes().Stats().Open; open != int(c.Input()-c.reconciler.ConfirmedInput()) {
		t.Errorf("%d outcomes are open of %d inputs", open, c.Input()-c.reconciler.ConfirmedInput())
	}
}

func count(all []uint32, one uint32) (n int) {
	for _, x := range all {
		if x == one {
			n++
		}
	}
	return n
}

// A state that is too old to be compared proves nothing: what a client foresaw before it is
// withdrawn when it takes over a state in the end.
func TestNetcodeB5_StaleStatesProveNothing(t *testing.T) {
	g, c, v := newVolley(t, false, 8)
	g.run(600)
	if st := c.Stats(); st.StaleStates < 100 || st.Confirmed > 0 {
		t.Fatalf("%d states were too old, %d were compared", st.StaleStates, st.Confirmed)
	}
	if len(v.committed) > 0 || len(v.cancelled) < 400 {
		t.Errorf("%d outcomes committed, %d withdrawn", len(v.committed), len(v.cancelled))
	}
}

// newRange is a player of the skirmish, alone and far away, who fires in every inputs-th
// input. From a tick on the server lets no gun fire.
func newRange(t *testing.T, inputs, jammed uint32) (*game, *Client, *ledger) {
	protocol := func() *ecs.Protocol {
		p := skirmishBase()
		p.Authority("jam", func(w *ecs.World) {
			for _, r := range ecs.Each[cannonRow](w) {
				if w.Tick() >= jammed {
					r.Cannon.Stunned = 60
				}
			}
		})
		return p
	}
	g := newGame(t, protocol, ServerConfig{
		Policies: policy.Policies{Outcomes: policy.OutcomesPastHorizon}, Outcomes: func(l *outcome.Log) { outcome.Handle(l, outcome.Handlers[deed]{}) },
		Events: event.NewServer(skirmishEvents(), event.ServerConfig{}),
		Join: func(w *ecs.World, client uint32) {
			w.Spawn(components.Owner{Client: client}, spot{}, cannon{}, order{})
		},
	})
	l := newLedger("client")
	var c *Client
	c = g.join(ClientConfig{
		Outcomes: l.register, Events: event.NewClient(skirmishEvents(), event.ClientConfig{}),
		Gather: Gather(func(_ *ecs.World, in *order) { in.Fire = c.Input()%inputs == 0 }),
	}, netsys.Link{Latency: 8 * testTick})
	g.connect()
	return g, c, l
}

// shells are the shells of a world that were spawned by Simulate, by key.
func shells(w *ecs.World) map[ecs.SpawnKey]ecs.Entity {
	all := map[ecs.SpawnKey]ecs.Entity{}
	for e := range ecs.All[struct{ Shell shell }](w) {
		if key := ecs.Get[ecs.SpawnKey](w, e); key != nil {
			all[*key] = e
		}
	}
	return all
}

// A client's spawn becomes the server's entity that has its owner, input and number within
// that, under the handle that it had from the start, in the view too.
func TestNetcodeE6_SpawnsAreMatchedByOwnerInputAndNumber(t *testing.T) {
	g, c, _ := newRange(t, 20, math.MaxUint32)
	type shown struct {
		world, view ecs.Entity
		unnamed     bool // when it was seen first
	}
	seen := map[ecs.SpawnKey]shown{}
	matched, pairs := map[ecs.SpawnKey]bool{}, 0
	for range 900 {
		g.run(1)
		theirs, view := shells(g.server.World()), shells(c.View())
		for key, e := range shells(c.World()) {
			id := c.World().NetID(e)
			was, known := seen[key]
			if !known {
				was = shown{e, view[key], id == 0}
				seen[key] = was
			}
			if was.world != e || view[key] != was.view {
				t.Fatalf("the shell %v was %v, in the view %v, and is %v and %v", key, was.world, was.view, e, view[key])
			}
			if id == 0 {
				continue
			}
			if s, ok := theirs[key]; ok && g.server.World().NetID(s) != id {
				t.Fatalf("the shell %v is entity %d, on the server %d", key, id, g.server.World().NetID(s))
			} else if ok && was.unnamed && !matched[key] {
				matched[key] = true
				pairs += int(key.Nth)
			}
		}
	}
	if len(matched) < 20 || pairs < 4 || c.Stats().Corrections > 2 {
		t.Errorf("%d shells matched, %d of them the second of their input; %d corrections", len(matched), pairs, c.Stats().Corrections)
	}
	if spawns, _ := c.World().PendingPredictions(); spawns > 4 {
		t.Errorf("%d spawns wait for their confirmation", spawns)
	}
}

// A spawn that the server did not make disappears with the correction: from the world, from
// the view, from their handles, and what it did is withdrawn.
func TestNetcodeE6_MispredictedSpawnsLeaveNoTrace(t *testing.T) {
	const jammed = 150
	g, c, l := newRange(t, 5, jammed)
	type shown struct{ world, view ecs.Entity }
	ghosts := map[ecs.SpawnKey]shown{}
	for corrections := c.Stats().Corrections; c.Stats().Corrections == corrections; {
		view := shells(c.View())
		for key, e := range shells(c.World()) {
			if view[key].IsZero() {
				t.Fatalf("the shell %v is not in the view", key)
			}
			if c.World().NetID(e) == 0 {
				ghosts[key] = shown{e, view[key]}
			}
		}
		if g.step(); g.server.Tick() < jammed {
			clear(ghosts)
			corrections = c.Stats().Corrections
		}
	}
	if len(ghosts) < 3 || l.cancelled == 0 {
		t.Fatalf("%d shells were predicted; %d outcomes were withdrawn", len(ghosts), l.cancelled)
	}
	for _, w := range []*ecs.World{c.World(), c.View()} {
		for key, e := range shells(w) {
			if w.NetID(e) == 0 {
				t.Errorf("the ghost %v is left after the correction", key)
			}
		}
	}
	g.run(6 * 60)
	for key, e := range ghosts {
		if c.World().Alive(e.world) || c.View().Alive(e.view) {
			t.Errorf("the handle of %v is alive: in the world %v, in the view %v", key, c.World().Alive(e.world), c.View().Alive(e.view))
		}
	}
	if spawns, despawns := c.World().PendingPredictions(); spawns+despawns > 0 {
		t.Errorf("%d spawns and %d despawns are waited for", spawns, despawns)
	}
	if err := l.paired(c.Outcomes()); err != nil || l.cancelled == 0 {
		t.Errorf("%d outcomes were withdrawn; %v", l.cancelled, err)
	}
	if err := g.converged(); err != nil {
		t.Error(err)
	}
}
