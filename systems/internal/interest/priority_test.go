package interest

import (
	"math"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
)

// classes returns the priority classes of entities for a client.
func (y *yard) classes(c *Client, id uint32, all ...ecs.Entity) (got []uint8) {
	c.Stand(y.p, id, &y.r)
	for _, e := range all {
		g, k, _ := y.ring.Slot(y.w.NetID(e))
		got = append(got, c.Class(y.p, g, k))
	}
	return got
}

// Each distance of a ByDistance adds one class, and a ByComponent adds the class of its share. Entities without a position are
// in the first class, and so is everything for a client without one.
func TestClasses(t *testing.T) {
	y := newYard(t, nil, ByDistance[spot]{Full: 100, Half: 300, Quarter: 1000, Cell: 50}, ByComponent[team](0.25), ByComponent[room](0.6))
	if y.p.Limits() {
		t.Error("priorities hide something")
	}
	y.w.Spawn(of(1), spot{})
	var all []ecs.Entity
	for _, x := range []float32{90, -290, 990, -5000} {
		all = append(all, y.w.Spawn(spot{X: x}))
	}
	all = append(all, y.w.Spawn(room{}), y.w.Spawn(team{}), y.w.Spawn(spot{X: 990}, team{}), y.w.Spawn(spot{X: 5000}, team{}))
	y.capture()
	for id, want := range [][]uint8{1: {0, 1, 2, 3, 1, 2, 4, 4}, 2: {0, 0, 0, 0, 1, 2, 2, 2}} {
		if id == 0 {
			continue
		}
		if got := y.classes(&Client{}, uint32(id), all...); string(got) != string(want) {
			t.Errorf("client %d: classes %v, want %v", id, got, want)
		}
	}
}

// Far entities are beyond half the Radius of a Grid, or with a ByDistance beyond Full.
func TestFar(t *testing.T) {
	grid := &Grid[spot]{Cell: 50, Radius: 200}
	for name, test := range map[string]struct {
		of    Interest
		by    []Priority
		limit float32
	}{
		"grid":     {grid, nil, 100},
		"both":     {grid, []Priority{ByDistance[spot]{Full: 40}}, 40},
		"distance": {nil, []Priority{ByDistance[spot]{Full: 60, Cell: 10}}, 60},
		"neither":  {Same[team](), nil, 1e6},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t, test.of, test.by...)
			y.w.Spawn(of(1), spot{}, team{})
			var all []ecs.Entity
			for x := float32(-180); x <= 180; x += 30 {
				all = append(all, y.w.Spawn(spot{X: x}))
			}
			y.capture()
			var c Client
			if c.Far(y.p, 0, 0) {
				t.Error("something is far from who does not stand anywhere")
			}
			if c.Stand(y.p, 1, &y.r); y.p.Limits() {
				y.p.See(&c, 1, &y.r)
			}
			for _, e := range all {
				g, k, _ := y.ring.Slot(y.w.NetID(e))
				nearest := math.Inf(1)
				for i := range 64 {
					if y.f.Groups[g].Alive>>i&1 != 0 && (i == k || !y.p.Limits()) {
						nearest = min(nearest, math.Abs(float64(ecs.Get[spot](y.w, y.f.Entity(g, i)).X)))
					}
				}
				if far := c.Far(y.p, g, k); far != (nearest > float64(test.limit)) {
					t.Errorf("an entity at %v is far: %v", nearest, far)
				}
			}
		})
	}
}

// Invalid priorities are refused with the remedy.
func TestPrioritiesRefused(t *testing.T) {
	p := protocol()
	for says, by := range map[string][]Priority{
		"Full NaN is no distance":    {ByDistance[spot]{Full: math.NaN()}},
		"Full 0 is no distance":      {ByDistance[spot]{}},
		"Half 50":                    {ByDistance[spot]{Full: 100, Half: 50}},
		"Half -1":                    {ByDistance[spot]{Full: 100, Half: -1}},
		"Quarter 150":                {ByDistance[spot]{Full: 100, Quarter: 150}},
		"Quarter NaN":                {ByDistance[spot]{Full: 100, Quarter: math.NaN()}},
		"Cell -4":                    {ByDistance[spot]{Full: 100, Cell: -4}},
		"ByDistance[interest.team]:": {ByDistance[team]{Full: 100}},
		"no such component":          {ByDistance[int]{Full: 100}},
		"twice":                      {ByDistance[spot]{Full: 100}, ByDistance[spot]{Full: 100}},
		"(-1)":                       {ByComponent[team](-1)},
		"(NaN)":                      {ByComponent[team](math.NaN())},
		"give the others less":       {ByComponent[team](2)},
		"replicate it":               {ByComponent[cloak](0.5)},
		"a priority is nil":          {nil},
	} {
		if _, err := Compile(ecs.NewWorld(p, ecs.Config{}), p, Rules{Priorities: by}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: want %q", err, says)
		}
	}
	if _, err := Compile(ecs.NewWorld(p, ecs.Config{}), p, Rules{Entities: &Grid[spot]{Cell: 1, Radius: 2}, Priorities: []Priority{ByDistance[spot]{Full: 2, Cell: 3}}}); err == nil || !strings.Contains(err.Error(), "leave it 0") {
		t.Error(err)
	}
}
