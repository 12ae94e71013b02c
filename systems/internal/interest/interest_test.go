package interest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// A Grid shows entities within Radius and hides far ones. Between Radius and Leave it shows the
// entities that were visible before. This holds while entities walk, jump, spawn and despawn.
func TestGridSeesWhatIsNear(t *testing.T) {
	const cell, radius, leave = 50, 80, 110
	for seed := range uint64(6) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			y := newYard(t, &Grid[spot]{Cell: cell, Radius: radius, Leave: leave})
			any := func() spot { return spot{r.Float32()*600 - 300, r.Float32()*600 - 300} }
			var all, mine []ecs.Entity
			for range 200 {
				all = append(all, y.w.Spawn(any()))
			}
			for range 1 + int(seed)%3 {
				mine = append(mine, y.w.Spawn(of(1), any()))
			}
			score := y.w.Spawn(team{})
			var c Client
			for range 200 {
				for _, e := range append(all, mine...) {
					at := ecs.Get[spot](y.w, e)
					at.X, at.Y = at.X+r.Float32()*8-4, at.Y+r.Float32()*8-4
					if r.IntN(300) == 0 {
						*at = any()
					}
				}
				if i := r.IntN(len(all)); r.IntN(4) == 0 {
					y.w.Despawn(all[i])
					all[i] = y.w.Spawn(any())
				}
				y.capture()
				seen := y.sees(&c, 1)
				if !seen[score] {
					t.Fatal("what has no place is not seen")
				}
				for _, e := range mine {
					if !seen[e] {
						t.Fatal("its own is not seen")
					}
				}
				near := 0
				for _, e := range all {
					far := math.Inf(1)
					for _, m := range mine {
						a, b := ecs.Get[spot](y.w, e), ecs.Get[spot](y.w, m)
						far = min(far, math.Hypot(float64(a.X-b.X), float64(a.Y-b.Y)))
					}
					if far <= radius && !seen[e] {
						t.Fatalf("%.1f away, and not seen", far)
					}
					if far > leave && seen[e] {
						t.Fatalf("%.1f away, and seen", far)
					}
					if seen[e] {
						near++
					}
				}
				if near == len(all) {
					t.Fatal("everything is seen")
				}
			}
		})
	}
}

// An entity that walks back and forth across the border of Radius or of Leave comes into sight and goes out of sight once. It
// stays in sight when its components change.
func TestBordersAreSticky(t *testing.T) {
	y := newYard(t, &Grid[spot]{Cell: 50, Radius: 60, Leave: 90})
	y.w.Spawn(of(1), spot{})
	e := y.w.Spawn(spot{X: 140})
	var c Client
	for i, step := range []struct {
		x    float32
		seen bool
	}{{140, false}, {80, false}, {59, true}, {80, true}, {80, true}, {89, true}, {91, false}, {80, false}, {60, true}} {
		ecs.Get[spot](y.w, e).X = step.x
		if i == 4 {
			ecs.Add(y.w, e, team{})
		}
		y.capture()
		if seen := y.sees(&c, 1)[e]; seen != step.seen {
			t.Errorf("step %d, at %v: seen %v", i, step.x, seen)
		}
	}
}

// Same shows entities with the same value and entities without the component. A client that has lost its last entity keeps the
// value.
func TestSame(t *testing.T) {
	y := newYard(t, And(Same[room](), Same[team]()))
	me := y.w.Spawn(of(1), room{1}, team{1})
	friend, foe := y.w.Spawn(room{1}, team{1}), y.w.Spawn(room{1}, team{2})
	far, door, score := y.w.Spawn(room{2}, team{1}), y.w.Spawn(room{1}), y.w.Spawn(spot{})
	var c, stranger Client
	want := func(when string, c *Client, id uint32, want ...ecs.Entity) {
		t.Helper()
		y.capture()
		seen := y.sees(c, id)
		for _, e := range want {
			if !seen[e] {
				t.Errorf("%s: %v is not seen", when, e)
			}
		}
		if len(seen) != len(want) {
			t.Errorf("%s: %d are seen, not %d", when, len(seen), len(want))
		}
	}
	want("at first", &c, 1, me, friend, door, score)
	want("who owns nothing", &stranger, 2, score)
	*ecs.Get[room](y.w, me) = room{2}
	want("in the other room", &c, 1, me, far, score)
	*ecs.Get[team](y.w, far) = team{2}
	want("it changed sides", &c, 1, me, score)
	y.w.Despawn(me)
	*ecs.Get[room](y.w, foe) = room{2}
	*ecs.Get[room](y.w, friend) = room{2}
	want("who is dead", &c, 1, friend, score)
}

// If an operand does not apply to an entity, the other operands decide. And and Or show entities to which no operand applies.
func TestWhoSaysNothing(t *testing.T) {
	type row struct{ Team *team }
	enemy := Filter(func(me row, it row) bool { return *me.Team != *it.Team })
	for name, test := range map[string]struct {
		of   Interest
		want [4]bool // near with a team, far with a team, far without, neither
	}{
		"and":         {And(&Grid[spot]{Cell: 10, Radius: 10}, Same[team]()), [4]bool{true, false, false, true}},
		"or":          {Or(&Grid[spot]{Cell: 10, Radius: 10}, Same[team]()), [4]bool{true, true, false, true}},
		"or, filter":  {Or(&Grid[spot]{Cell: 10, Radius: 10}, enemy), [4]bool{true, false, false, true}},
		"and, filter": {And(enemy, &Grid[spot]{Cell: 10, Radius: 10}), [4]bool{false, false, false, true}},

		"hidden unless near":              {HiddenUnless(&Grid[spot]{Cell: 10, Radius: 10}), [4]bool{true, false, false, false}},
		"hidden unless a filter says yes": {HiddenUnless(enemy), [4]bool{false, false, false, false}},
		"hidden unless near or a room":    {HiddenUnless(&Grid[spot]{Cell: 10, Radius: 10}, Has[room]()), [4]bool{true, false, false, true}},
		"hidden unless both":              {HiddenUnless(And(&Grid[spot]{Cell: 10, Radius: 10}, Same[team]())), [4]bool{true, false, false, false}},
		"hidden unless it has a cloak":    {HiddenUnless(Has[cloak]()), [4]bool{true, false, false, false}},
		"has a team":                      {Or(&Grid[spot]{Cell: 10, Radius: 10}, Has[team]()), [4]bool{true, true, false, true}},
	} {
		y := newYard(t, test.of)
		y.w.Spawn(of(1), spot{}, team{1})
		all := []ecs.Entity{y.w.Spawn(spot{X: 3}, team{1}), y.w.Spawn(spot{X: 300}, team{1}), y.w.Spawn(spot{X: 300}), y.w.Spawn(room{})}
		ecs.Add(y.w, all[0], cloak{})
		y.capture()
		var c Client
		seen := y.sees(&c, 1)
		for i, e := range all {
			if seen[e] != test.want[i] {
				t.Errorf("%s: entity %d is seen: %v", name, i, seen[e])
			}
			g, k, _ := y.ring.Slot(y.w.NetID(e))
			if y.p.Sees(&c, 1, e, g, k) != test.want[i] || y.p.Sees(&c, 1, e, -1, 0) != test.want[i] {
				t.Errorf("%s: asked by itself, entity %d is seen otherwise", name, i)
			}
		}
	}
}

// HiddenUnless shows a singleton, unless an operand applies to it.
func TestSingletonsStayVisible(t *testing.T) {
	p := protocol()
	ecs.Singleton[struct {
		Seconds uint16 `net:"0..3600"`
	}](p, 0)
	ecs.Singleton[secret](p, 0)
	y := yardWith(t, p, Rules{Entities: HiddenUnless(&Grid[spot]{Cell: 10, Radius: 10}, Filter(func(struct{ Team team }, struct{ It secret }) bool { return false }))})
	y.w.Spawn(of(1), spot{}, team{1})
	y.capture()
	var c Client
	seen := y.sees(&c, 1)
	for id, visible := range map[components.NetID]bool{1: true, 2: false} {
		e, _ := y.w.ByNetID(id)
		g, k, _ := y.ring.Slot(id)
		if seen[e] != visible || y.p.Sees(&c, 1, e, g, k) != visible {
			t.Errorf("singleton %d is seen: %v, want %v", id, seen[e], visible)
		}
	}
}

// secret is a singleton that a filter hides.
type secret struct {
	Number uint8 `net:"0..9"`
}

// Entities of one group have the same replicated components, but may have different local ones.
func TestLocalComponents(t *testing.T) {
	eyes := &Grid[spot]{Cell: 10, Radius: 10, Eyes: Same[side]()}
	for name, test := range map[string]struct {
		of Interest
		// want says whether the client sees four entities: at its place and on its side, without place and side, far away on its
		// side, and at its place on another side.
		want [4]bool
	}{
		"place": {HiddenUnless(&Grid[hideout]{Cell: 10, Radius: 10}), [4]bool{true, false, false, true}},
		"same":  {HiddenUnless(Same[side]()), [4]bool{true, false, true, false}},
		"eyes":  {eyes, [4]bool{true, true, true, false}},
		"has":   {HiddenUnless(Has[side]()), [4]bool{true, false, true, true}},
	} {
		y := newYard(t, test.of)
		plain := y.w.Spawn(spot{})
		y.w.Spawn(of(1), spot{X: 5}, hideout{}, side{1})
		all := []ecs.Entity{
			y.w.Spawn(spot{}, hideout{X: 3}, side{1}), plain,
			y.w.Spawn(spot{X: 300}, hideout{X: 300}, side{1}), y.w.Spawn(spot{X: 600}, hideout{}, side{2}),
		}
		y.capture()
		var c Client
		seen := y.sees(&c, 1)
		for i, e := range all {
			if seen[e] != test.want[i] {
				t.Errorf("%s: entity %d is seen: %v", name, i, seen[e])
			}
		}
	}
}

// Grids of two components are independent, even if all their values are equal.
func TestGridsOfTwoComponents(t *testing.T) {
	y := newYard(t, And(&Grid[spot]{Cell: 10, Radius: 10}, &Grid[goal]{Cell: 10, Radius: 10}))
	y.w.Spawn(of(1), spot{}, goal{})
	near, far := y.w.Spawn(spot{X: 3}, goal{X: 3}), y.w.Spawn(spot{X: 3}, goal{X: 300})
	y.capture()
	var c Client
	if seen := y.sees(&c, 1); !seen[near] || seen[far] {
		t.Errorf("it sees %v of %v and %v", seen, near, far)
	}
}

// With Eyes, a client sees what is near any entity of its team. When no eye of the team is left, it sees from the last points.
func TestEyes(t *testing.T) {
	y := newYard(t, &Grid[spot]{Cell: 10, Radius: 15, Eyes: Same[team]()})
	me := y.w.Spawn(of(1), spot{}, team{1})
	friend, foe := y.w.Spawn(of(2), spot{X: 300}, team{1}), y.w.Spawn(of(3), spot{X: 600}, team{2})
	near := [3]ecs.Entity{y.w.Spawn(spot{X: 5}), y.w.Spawn(spot{X: 305}), y.w.Spawn(spot{X: 605})}
	var c Client
	want := func(when string, want ...bool) {
		t.Helper()
		y.capture()
		seen := y.sees(&c, 1)
		for i, e := range near {
			g, k, _ := y.ring.Slot(y.w.NetID(e))
			if seen[e] != want[i] || y.p.Sees(&c, 1, e, g, k) != want[i] {
				t.Errorf("%s: what is near eye %d is seen: %v", when, i, seen[e])
			}
		}
	}
	want("at first", true, true, false)
	ecs.Get[spot](y.w, friend).X = 600
	want("the friend walked to the foe", true, false, true)
	*ecs.Get[team](y.w, foe) = team{1}
	ecs.Get[spot](y.w, friend).X = 300
	want("the foe changed sides", true, true, true)
	y.w.Despawn(me)
	want("without an entity of its own", false, true, true)
	y.w.Despawn(friend)
	y.w.Despawn(foe)
	want("without a team", false, true, true)
}

// A filter is asked about new entities, and again if a component that it reads has changed, replicated or not, on either side.
func TestFilterAsksForWhatChanged(t *testing.T) {
	asked := 0
	y := newYard(t, Filter(func(me struct{ Team *team }, it struct {
		Team  team
		Cloak *cloak `ecs:"optional"`
	}) bool {
		asked++
		return it.Team == *me.Team || it.Cloak == nil || !it.Cloak.On
	}))
	me := y.w.Spawn(of(1), team{1}, spot{})
	var all []ecs.Entity
	for n := range 100 {
		all = append(all, y.w.Spawn(team{2}, spot{X: float32(n)}, cloak{}))
	}
	var c Client
	want := func(what string, asks, seen int) {
		t.Helper()
		asked = 0
		y.capture()
		if got := len(y.sees(&c, 1)); asked != asks || got != seen {
			t.Errorf("%s: asked %d times, not %d; %d are seen, not %d", what, asked, asks, got, seen)
		}
	}
	want("at first", 100, 101)
	want("nothing changed", 0, 101)
	for _, e := range all {
		ecs.Get[spot](y.w, e).Y++
	}
	ecs.Get[spot](y.w, me).Y++
	want("what nobody reads changed", 0, 101)
	ecs.Get[cloak](y.w, all[7]).On = true
	want("one put on a cloak", 1, 100)
	want("and keeps it on", 0, 100)
	*ecs.Get[team](y.w, me) = team{2}
	want("the client changed sides", 100, 101)
	ecs.Remove[cloak](y.w, all[3])
	want("one has no cloak any more", 1, 101)
	y.w.Despawn(all[9])
	all[9] = y.w.Spawn(team{3}, cloak{On: true})
	want("one came", 1, 100)
	y.capture()
	want("after a send at which the client did not look", 100, 100)
}

// A filter after a Grid is asked only about near entities.
func TestFilterBehindGrid(t *testing.T) {
	asked := 0
	y := newYard(t, And(Filter(func(me struct{ Client Viewer }, it struct{ Spot *spot }) bool {
		asked++
		return me.Client == 7
	}), &Grid[spot]{Cell: 10, Radius: 15, Leave: 15}))
	y.w.Spawn(of(7), spot{})
	for n := range 100 {
		y.w.Spawn(spot{X: 10 * float32(n)})
	}
	y.capture()
	var c Client
	if n := len(y.sees(&c, 7)); n != 3 || asked != 2 {
		t.Errorf("%d are seen, asked %d times", n, asked)
	}
}

// Values that no entity has are removed.
func TestNothingPilesUp(t *testing.T) {
	y := newYard(t, And(&Grid[spot]{Cell: 10, Radius: 15}, Same[room]()))
	y.w.Spawn(of(1), spot{}, room{})
	var c Client
	e := y.w.Spawn(spot{}, room{})
	for n := range 3000 {
		*ecs.Get[spot](y.w, e) = spot{X: float32(n % 900 * 10)}
		*ecs.Get[room](y.w, e) = room{uint8(n % 200)}
		y.capture()
		y.sees(&c, 1)
	}
	if g, v := len(y.f.Groups), len(y.p.sames[0].values); g > 20 || v > 20 {
		t.Errorf("%d groups, %d values are remembered", g, v)
	}
}

// Evaluating an interest allocates nothing.
func TestLookingAllocatesNothing(t *testing.T) {
	y := newYard(t, And(HiddenUnless(&Grid[spot]{Cell: 10, Radius: 30, Eyes: Same[room]()}, Has[team]()), Same[room](), Filter(func(me struct{ Client Viewer }, it struct{ Spot *spot }) bool { return true })))
	me := y.w.Spawn(of(1), spot{}, room{1})
	for n := range 200 {
		y.w.Spawn(spot{X: float32(n)}, room{1})
	}
	clients := make([]Client, 4)
	n := 0
	run := func() {
		n++
		ecs.Get[spot](y.w, me).X = float32(n % 100)
		y.capture()
		for i := range clients {
			y.p.See(&clients[i], uint32(i), &y.r)
		}
	}
	for range 300 {
		run()
	}
	if a := testing.AllocsPerRun(200, run); a > 0 {
		t.Errorf("%v allocations", a)
	}
}

// Invalid interests are refused with the remedy.
func TestAdvice(t *testing.T) {
	type stranger struct{ A uint8 }
	yes := func(struct{ Team *team }, struct{ Spot *spot }) bool { return true }
	var nobody *Grid[spot]
	many := []Interest{}
	for n := range maxLeaves + 1 {
		many = append(many, &Grid[spot]{Cell: 1, Radius: float64(n + 1)})
	}
	for says, of := range map[string]Interest{
		"Cell 0 is no length":                &Grid[spot]{Radius: 5},
		"Radius -1 is no distance":           &Grid[spot]{Cell: 1, Radius: -1},
		"less than Radius 5 (0: 1.2 times":   &Grid[spot]{Cell: 1, Radius: 5, Leave: 4},
		"Radius NaN":                         &Grid[spot]{Cell: 1, Radius: math.NaN()},
		"give a pointer to one":              nobody,
		"no numbers X and Y":                 &Grid[team]{Cell: 1, Radius: 5},
		"the protocol has no such component": And(Same[room](), Same[stranger]()),
		"need an operand":                    Or(),
		"is nil: leave it out":               And(nil),
		"Eyes is no Same":                    &Grid[spot]{Cell: 1, Radius: 5, Eyes: And(Same[team]())},
		"a row is a struct":                  Filter(func(me *spot, it struct{ Spot *spot }) bool { return true }),
		"which the protocol has not":         Filter(func(me struct{ A *stranger }, it struct{ Spot *spot }) bool { return true }),
		"asks for no component":              Filter(func(me struct{ Spot *spot }, it struct{ E ecs.Entity }) bool { return true }),
		"is optional and no pointer": Filter(func(me struct {
			Spot spot `ecs:"optional"`
		}, it struct{ Spot *spot }) bool {
			return true
		}),
		"more than 8": And(many...),
	} {
		p := protocol()
		if _, err := Compile(ecs.NewWorld(p, ecs.Config{}), p, Rules{Entities: of}); !errors.Is(err, ErrInterest) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	p := protocol()
	if _, err := Compile(ecs.NewWorld(p, ecs.Config{}), p, Rules{Entities: Or(&Grid[components.Velocity]{Cell: 1, Radius: 1})}); err == nil {
		t.Error("a component that is not registered")
	}
	if p, err := Compile(nil, p, Rules{}); p != nil || err != nil {
		t.Errorf("no interest: %v, %v", p, err)
	}
	newYard(t, Filter(yes))
}

// Positions may have up to three axes, by tag or by name, of any numeric type.
func TestAxes(t *testing.T) {
	type deep struct {
		Z, X float64
		Y    int16
	}
	p := ecs.NewProtocol("sea/1")
	ecs.ReplicateFields[deep](p, 0, map[string]string{"X": "-100..100 step 0.1", "Y": "-100..100", "Z": "-100..100 step 0.1"})
	w := ecs.NewWorld(p, ecs.Config{})
	pr, err := Compile(w, p, Rules{Entities: &Grid[deep]{Cell: 5, Radius: 5}})
	if err != nil {
		t.Fatal(err)
	}
	g := pr.grids[0]
	e := w.Spawn(deep{X: 1.5, Y: -2, Z: math.NaN()})
	if at := g.point(w.Netcode().Pointer(e, g.comp)); at != (point{1.5, -2, 0}) {
		t.Errorf("it is at %v", at)
	}
	for v, want := range map[float64]int32{math.Inf(1): farthest, -1e300: -farthest, -0.1: -1, 9.9: 1} {
		if c := cellAt(v, 5); c != want {
			t.Errorf("%v is in cell %d", v, c)
		}
	}
}
