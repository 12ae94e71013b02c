package inspect

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// saga is a component that fits no datagram unless it is all zeros.
type saga struct {
	Text [1000]uint32 `net:"raw"`
}

// newest asks for the newest send.
const newest = 1 << 31

// explain asks without a request, for which ticks would pass.
func (m *match) explain(client, entity, tick uint32) explainAnswer {
	m.t.Helper()
	k, ok := m.Server.Baseline(client, components.NetID(entity))
	if !ok {
		m.t.Fatalf("no client %d", client)
	}
	d := k.Explain(tick)
	return explanation(&d, &k, tick, m.Server.Tick(), &m.x.serverConfig)
}

// look asks about an entity, so that its decisions are recorded, runs the match, and asks about each tick since.
func (m *match) look(client, entity uint32, ticks int) (all []explainAnswer) {
	m.t.Helper()
	m.explain(client, entity, 0)
	from := m.Server.Tick()
	m.RunTicks(ticks + 6)
	for n := range ticks {
		a := m.explain(client, entity, from+uint32(n)+3)
		if a.Sentence == "" || a.Reason == "unknown" || a.Tick+1 < a.Asked || a.Asked+1 < a.Tick {
			m.t.Fatalf("%+v", a)
		}
		all = append(all, a)
	}
	return all
}

// has reports whether one of the answers has a reason, and returns it.
func has(all []explainAnswer, reason string) (explainAnswer, bool) {
	for _, a := range all {
		if a.Reason == reason {
			return a, true
		}
	}
	return explainAnswer{}, false
}

// busy is a match in which not all fits: posts are about anywhere, and others stand still.
func busy(seed uint64) systemstest.Config {
	c := yardConfig(seed, 1)
	c.Server.Snapshots.Budget = 200
	c.Protocol = func() *ecs.Protocol {
		p := yard()
		p.Authority("shake", func(w *ecs.World) {
			for e, r := range ecs.Each[struct {
				P *testgame.Place
				T *testgame.Tint
			}](w) {
				n := (w.NetID(e) + components.NetID(w.Tick())*977) * 2654435761
				r.P.X, r.P.Y = float32(n%1000)/2, float32(n/1000%1000)/2
			}
		})
		return p
	}
	populate := c.Populate
	c.Populate = func(w *ecs.World) {
		populate(w)
		for n := range 200 {
			w.Spawn(testgame.Place{X: float32(n), Y: float32(n * n % 311)})
		}
	}
	return c
}

// If everything fits, each send contains every entity, as the difference from an older send. The answer marks the client's own
// entities, and calls unknown ones absent.
func TestExplainTold(t *testing.T) {
	m := newMatch(t, yardConfig(1, 2), Config{})
	first := m.explain(1, 1, newest)
	if first.Reason != "told" || first.Age >= 0 || !strings.Contains(first.Sentence, "the newest send") || !strings.Contains(first.Sentence, "was not recorded") {
		t.Errorf("before somebody asked: %+v", first)
	}
	told := m.look(1, 1, 30)
	for _, a := range told {
		if a.Reason != "told" || a.Age < 1 || a.State != a.Send || a.Own || !strings.Contains(a.Sentence, "as the difference from") {
			t.Fatalf("%+v", a)
		}
		if between := a.Tick != a.Asked; between != strings.Contains(a.Sentence, "nearest to tick") {
			t.Errorf("%+v", a)
		}
	}
	if old := m.explain(1, 1, 0); old.Tick == 0 || old.Tick+2*60 > old.Newest+60 || !strings.Contains(old.Sentence, "nearest to tick 0") {
		t.Errorf("older than what is kept: %+v", old)
	}
	var e entitiesAnswer
	m.get("/api/entities?owner=1", &e)
	own := e.Entities[0].ID
	ownTold := 0
	for _, a := range m.look(1, uint32(own), 30) {
		if !a.Own || !strings.Contains(a.Sentence, "The client owns") {
			t.Fatalf("its own: %+v", a)
		}
		if a.OwnTold {
			ownTold++
		}
	}
	if ownTold == 0 {
		t.Error("own state never went along")
	}
	if a := m.explain(2, uint32(own), newest); a.Own {
		t.Errorf("another's: %+v", a)
	}
	if a := m.explain(1, 9999, newest); a.Reason != "absent" || !strings.Contains(a.Sentence, "no such entity") {
		t.Errorf("%+v", a)
	}
	w := m.Server.World()
	gone, _ := w.ByNetID(1)
	was := m.explain(1, 1, newest).Tick
	w.Despawn(gone)
	m.RunTicks(6)
	if a := m.explain(1, 1, was); a.Reason != "told" || a.Tick != was {
		t.Errorf("while it was there: %+v", a)
	}
	if a := m.explain(1, 1, newest); a.Reason != "absent" {
		t.Errorf("when it is gone: %+v", a)
	}
}

// If not everything fits, entities wait. An entity that the client already holds in its present state is current.
func TestExplainWaits(t *testing.T) {
	m := newMatch(t, busy(2), Config{})
	m.Run(3e9)
	moving := m.look(1, 1, 120)
	a, waits := has(moving, "waits")
	if !waits || a.Allowed != 200 || a.Gained <= 0 || a.Last <= 0 || !strings.Contains(a.Sentence, "did not fit the snapshot of 200 bytes") || !strings.Contains(a.Sentence, "the last entity that was sent had gained") {
		t.Errorf("%v: %+v", waits, a)
	}
	if _, told := has(moving, "told"); !told {
		t.Error("it was never told")
	}
	if _, current := has(moving, "current"); current {
		t.Error("it moves, and the client holds it as it is")
	}
	if a, current := has(m.look(1, posts+1+100, 120), "current"); !current || !strings.Contains(a.Sentence, "nothing new") {
		t.Errorf("of what stands still: %v %+v", current, a)
	}
}

// If whole groups fit, but not all of them, they take turns. The answer contains the accrued sends of the waiting group and of
// the last one that was sent.
func TestExplainTurns(t *testing.T) {
	c := busy(9)
	c.Server.Snapshots.Budget = 900
	populate := c.Populate
	c.Populate = func(w *ecs.World) {
		populate(w)
		for range 400 {
			w.Spawn(testgame.Place{}, testgame.Tint{})
		}
	}
	m := newMatch(t, c, Config{})
	m.Run(3e9)
	waits := 0
	for _, a := range m.look(1, 1, 120) {
		if a.Reason != "waits" {
			continue
		}
		if waits++; a.Gained < 1 || a.Last < 1 || a.Gained > 20 || a.Last > 20 {
			t.Fatalf("%+v", a)
		}
	}
	if waits == 0 {
		t.Error("it never waited")
	}
}

// The answer about a hidden entity names the part of the interest that hides it.
func TestExplainHidden(t *testing.T) {
	c := yardConfig(3, 1)
	c.Server.Snapshots.Interest = systems.And(
		&systems.Grid[testgame.Place]{Cell: 10, Radius: 20},
		systems.Same[mood](),
		systems.Filter(func(_ struct{ P *testgame.Place }, it struct{ V *testgame.Veil }) bool { return it.V.Of == 1 }),
	)
	var far, other, veiled, seen ecs.Entity
	c.Populate = func(w *ecs.World) {
		far = w.Spawn(testgame.Place{X: 300}, testgame.Tint{}, mood{})
		other = w.Spawn(testgame.Place{X: 5}, testgame.Tint{}, mood{3})
		veiled = w.Spawn(testgame.Place{X: 5}, testgame.Tint{}, mood{}, testgame.Veil{})
		seen = w.Spawn(testgame.Place{X: 5}, testgame.Tint{}, mood{}, testgame.Veil{Of: 1})
	}
	m := newMatch(t, c, Config{})
	id := func(e ecs.Entity) uint32 { return uint32(m.Server.World().NetID(e)) }
	for _, x := range []struct {
		e             ecs.Entity
		by, not, said string
	}{
		{far, "by Grid[Place]: its piece is ", "Same", "and becomes visible at 20"},
		{other, "by Same[mood].", "Grid", "no"},
		{veiled, "by Filter[", "Same", "no"},
	} {
		for _, a := range append(m.look(1, id(x.e), 10), m.explain(1, id(x.e), newest)) {
			if a.Reason != "hidden" || !strings.Contains(a.Sentence, x.by) || strings.Contains(a.Sentence, x.not) || len(a.Parts) != 3 {
				t.Fatalf("%q: %+v", x.by, a)
			}
			said := false
			for _, p := range a.Parts {
				said = said || strings.Contains(x.by, strings.SplitN(p.Part, "[", 2)[0]) && strings.Contains(p.Said, x.said)
			}
			if !said {
				t.Fatalf("%q: %+v", x.said, a.Parts)
			}
		}
	}
	if a := m.explain(1, id(seen), newest); a.Reason != "told" || len(a.Parts) != 0 {
		t.Errorf("%+v", a)
	}
}

// The answer about an entity that the client sees lists the hidden components, and the results of their interests.
func TestExplainUntold(t *testing.T) {
	c := yardConfig(3, 1)
	c.Server.Snapshots.ComponentInterest = []systems.ComponentInterest{systems.Only[testgame.Tint](systems.Or(systems.Same[mood](), systems.Same[testgame.Tint](), &systems.Grid[testgame.Place]{Cell: 10, Radius: 20}))}
	var other, mine ecs.Entity
	c.Populate = func(w *ecs.World) {
		other = w.Spawn(testgame.Place{X: 300}, testgame.Tint{}, mood{3})
		mine = w.Spawn(testgame.Place{X: 300}, testgame.Tint{}, mood{})
	}
	m := newMatch(t, c, Config{})
	id := func(e ecs.Entity) uint32 { return uint32(m.Server.World().NetID(e)) }
	for _, a := range m.look(1, id(other), 10) {
		if !strings.Contains(a.Sentence, "interest hides the component Tint.") || len(a.Parts) != 3 || a.Reason == "hidden" {
			t.Fatalf("%+v", a)
		}
		for _, p := range a.Parts {
			if !strings.HasPrefix(p.Part, "Tint: ") || !strings.HasPrefix(p.Said, "no") {
				t.Errorf("%+v", p)
			}
		}
	}
	if a := m.explain(1, id(mine), newest); a.Reason != "told" || len(a.Parts) != 0 || strings.Contains(a.Sentence, "Tint") {
		t.Errorf("%+v", a)
	}
	if k, ok := m.Server.Baseline(1, m.Server.World().NetID(other)); !ok || k.Hidden || k.Held == 0 {
		t.Errorf("what the client knows of it: %+v", k)
	}
}

// An entity that fits no snapshot is reported as too big.
func TestExplainTooBig(t *testing.T) {
	c := yardConfig(4, 1)
	c.Protocol = func() *ecs.Protocol {
		p := yard()
		ecs.Replicate[saga](p, 0)
		return p
	}
	var big saga
	for i := range big.Text {
		big.Text[i] = uint32(i*i) * 2654435761
	}
	populate := c.Populate
	c.Populate = func(w *ecs.World) {
		populate(w)
		w.Spawn(testgame.Place{}, big)
	}
	m := newMatch(t, c, Config{})
	if a, ok := has(m.look(1, posts+1, 240), "too big"); !ok || !strings.Contains(a.Sentence, "fits no snapshot") {
		t.Errorf("%v %+v", ok, a)
	}
	var k knowsAnswer
	if m.get(fmt.Sprintf("/api/knows?client=1&entity=%d", posts+1), &k); !k.TooBig || k.Hidden || strings.Contains(strings.Join(k.Why, " "), "interest") {
		t.Errorf("%+v", k)
	}
}

// A world that does not fit one snapshot is sent to a joining client part by part.
func TestExplainJoining(t *testing.T) {
	c := yardConfig(5, 1)
	populate := c.Populate
	c.Server.Snapshots.Budget = 200
	c.Populate = func(w *ecs.World) {
		populate(w)
		for n := range 600 {
			w.Spawn(testgame.Place{X: float32(n*7919%1000)/3 - 100, Y: float32(n * n % 311)})
		}
	}
	m := newMatch(t, c, Config{})
	k := m.Join()
	m.RunUntil(5e9, func() bool {
		_, ok := m.Server.Baseline(k.ID(), 1)
		return k.ID() != 0 && ok
	})
	all := m.look(k.ID(), posts+500, 120)
	if a, ok := has(all, "joining"); !ok || !strings.Contains(a.Sentence, "was joining") {
		t.Errorf("%v %+v", ok, a)
	}
	if a, ok := has(all, "told"); !ok || a.Age != 0 || a.State == 0 || a.State >= a.Send || !strings.Contains(a.Sentence, "part of the initial state") {
		t.Errorf("%v %+v", ok, a)
	}
}

func TestExplainEverywhere(t *testing.T) {
	c := yardConfig(6, 1)
	c.Server.Model = policy.Rollback{}
	m := newMatch(t, c, Config{})
	if a := m.explain(1, 1, 9); a.Reason != "everywhere" || !strings.HasPrefix(a.Sentence, "Now every peer simulates everything") {
		t.Errorf("%+v", a)
	}
	if a := m.explain(1, 9999, 9); a.Reason != "absent" || !strings.HasPrefix(a.Sentence, "Now there was no such entity") {
		t.Errorf("%+v", a)
	}
}

// Decisions are recorded only after somebody asks, in limited memory, and only while somebody keeps asking.
func TestExplainRemembers(t *testing.T) {
	m := newMatch(t, busy(7), Config{})
	m.Run(2e9)
	tick := m.Server.Tick()
	asked := 0
	m.RunTicks(60)
	for id := range uint32(posts) { // of some it is known from the packets under way
		if a := m.explain(1, id+1, tick); a.Reason == "unknown" && strings.Contains(a.Sentence, "Ask again") {
			asked++
		}
	}
	if asked == 0 {
		t.Error("nobody asked, and it is known why each waited")
	}
	exact := func() (n int) {
		for id := range components.NetID(20) {
			k, _ := m.Server.Baseline(1, id+1)
			if d := k.Explain(tick); d.Allowed > 0 {
				n++
			}
		}
		return n
	}
	for id := range components.NetID(20) {
		k, _ := m.Server.Baseline(1, id+1)
		k.Explain(0)
	}
	tick = m.Server.Tick() + 30
	m.RunTicks(60)
	// Asking about those that are not remembered any more takes the places of those that are: the newest first.
	n := 0
	for id := components.NetID(20); id > 0; id-- {
		k, _ := m.Server.Baseline(1, id)
		if d := k.Explain(tick); d.Allowed > 0 {
			n++
		}
	}
	if n != 8 {
		t.Errorf("%d are remembered", n)
	}
	m.Run(16e9)
	if n := exact(); n != 0 {
		t.Errorf("%d are remembered when nobody has asked for long", n)
	}
}

func TestExplainRefuses(t *testing.T) {
	m := newMatch(t, yardConfig(8, 1), Config{})
	for path, code := range map[string]int{
		"": 400, "?client=1": 400, "?entity=1": 400, "?client=1&entity=1&tick=x": 400, "?client=1&entity=1&tick=-1": 400, "?client=1&entity=1&tick=4294967296": 400,
		"?client=1&entity=1&tick=": 400, "?client=1&entity=0": 400, "?client=1&entity=1&tick=1&tick=2": 400, "?client=1&entity=1&at=1": 400, "?client=9&entity=1": 404,
		"?client=1&entity=1": http.StatusOK,
	} {
		if w := m.do(request("/api/explain"+path, nil)); w.Code != code {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}
