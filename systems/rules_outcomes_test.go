package systems

import (
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
)

// deed is an outcome.
type deed struct {
	Shot uint16 `net:"raw"`
}

// volley returns the plaza in which every input of a player shoots and raises an outcome. If pushes is true, the server
// sometimes moves players.
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

// volleyed records the outcomes of a client, by input.
type volleyed struct{ begun, committed, cancelled []uint32 }

func (v *volleyed) register(l *outcome.Log) {
	note := func(to *[]uint32) func(*ecs.World, outcome.Outcome[deed]) {
		return func(_ *ecs.World, o outcome.Outcome[deed]) { *to = append(*to, o.Tick) }
	}
	outcome.Handle(l, outcome.Handlers[deed]{Begin: note(&v.begun), Commit: note(&v.committed), Cancel: note(&v.cancelled)})
}

// newVolley returns a match with one player who shoots all the time, over a link with a latency of 10 ticks.
func newVolley(t *testing.T, m policy.Model, pushes bool, history int) (*game, *Client, *volleyed) {
	g := newGame(t, joining(volley(pushes), spawnPawn), ServerConfig{Snapshots: Snapshots{SendRate: 20}, Model: m})
	v := &volleyed{}
	c := g.join(ClientConfig{
		Prediction: Prediction{History: history}, Outcomes: v.register,
		Session: ClientSession{Timeout: time.Minute},
		Gather:  Gather(func(_ *Client, in *push) { in.Fire = true }),
	}, netsys.Link{Latency: 10 * testTick})
	g.connect()
	return g, c, v
}

// A client starts a predicted outcome immediately and commits it when a state of the server agrees with its prediction. If a
// state does not agree, the client simulates the later inputs again: outcomes that they raise again continue. Outcomes between
// this state and the last state that agreed are withdrawn, because those inputs are not simulated again.
func TestNetcodeB5_CorrectionWithdrawsWhatIsUnconfirmed(t *testing.T) {
	g, c, v := newVolley(t, policy.LocalSync{PredictOutcomes: true}, true, 0)
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

// A state that is too old to be compared confirms nothing: when the client finally adopts a state, it withdraws the outcomes
// that it predicted before it.
func TestNetcodeB5_StaleStatesProveNothing(t *testing.T) {
	g, c, v := newVolley(t, policy.LocalSync{PredictOutcomes: true}, false, 8)
	g.run(600)
	if st := c.Stats(); st.StaleStates < 100 || st.Confirmed > 0 {
		t.Fatalf("%d states were too old, %d were compared", st.StaleStates, st.Confirmed)
	}
	if len(v.committed) > 0 || len(v.cancelled) < 400 {
		t.Errorf("%d outcomes committed, %d withdrawn", len(v.committed), len(v.cancelled))
	}
}

// While the server stands still, a client that stamps its inputs gets ahead of it, and may stop simulating an entity of another
// player there. No tick that the server has not simulated becomes final. When the server goes on, the client goes back: outcomes of
// the ticks ahead are withdrawn, and later ones end as before.
func TestOutcomesAfterTheServerStoodStill(t *testing.T) {
	g, c, v := newVolley(t, policy.ServerRewind{}, false, 0)
	other := g.join(ClientConfig{Session: ClientSession{Timeout: time.Minute}, Gather: gatherPush()}, netsys.Link{})
	g.connect().run(60)
	pawn, _ := other.Own(other.World())
	seen, ok := c.World().ByNetID(other.World().NetID(pawn))
	if !ok {
		t.Fatal("the client does not have the other player's pawn")
	}
	c.SetScope(seen, ScopeCoSimulated)
	g.run(60)
	before := c.Outcomes().Stats()
	g.frozen = true
	g.run(15 * 60)
	c.SetScope(seen, ScopeInterpolated)
	g.run(15 * 60)
	ahead := c.Input()
	if final := c.Outcomes().Horizon(); final > g.server.Tick() {
		t.Errorf("ticks before %d are final, and the server is at %d", final, g.server.Tick())
	}
	g.frozen = false
	g.run(300)
	if c.Input() > ahead-20*60 {
		t.Fatalf("the client was at tick %d and is at tick %d", ahead, c.Input())
	}
	if confirmed := c.reconciler.ConfirmedInput(); confirmed > g.server.Tick() {
		t.Errorf("inputs up to %d are confirmed, and the server is at %d", confirmed, g.server.Tick())
	}
	if st := c.Outcomes().Stats(); st.Open > before.Open+10 {
		t.Errorf("%+v after the server stood still, %+v before", st, before)
	}
	refused := c.Outcomes().Stats().Refused
	committed := len(v.committed)
	g.run(20 * 60)
	if st, n := c.Outcomes().Stats(), len(v.committed)-committed; st.Refused != refused || st.Late != before.Late || n < 19*60 {
		t.Errorf("%d outcomes committed in 20 s, %+v", n, st)
	}
}
