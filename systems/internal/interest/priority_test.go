package interest

import (
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
)

// A priority by distance falls beyond the first distance, and the priority of an entity with a component is a share. Entities without a
// position have the whole priority, and so has everything for a client without one.
func TestPriorities(t *testing.T) {
	w := ecs.NewWorld(protocol(), ecs.Config{TickRate: 20})
	by := Priorities(ByDistance[spot](100), ByComponent[team](0.25))
	w.Spawn(of(1), spot{})
	w.Spawn(of(1), spot{Y: 1000})
	want := map[ecs.Entity][3]float32{
		w.Spawn(spot{X: 90}):                {1: 1, 2: 1},
		w.Spawn(spot{X: -200}):              {1: 0.5, 2: 1},
		w.Spawn(spot{X: 400, Y: 1000}):      {1: 0.25, 2: 1},
		w.Spawn(room{}):                     {1: 1, 2: 1},
		w.Spawn(team{}):                     {1: 0.25, 2: 0.25},
		w.Spawn(spot{X: 200}, team{}):       {1: 0.125, 2: 0.25},
		w.Spawn(spot{X: 1e9}, of(3)):        {1: 1e-7, 2: 1, 0: 1},
		w.Spawn(goal{X: 5000}, of(4)):       {1: 1, 2: 1, 0: 1},
		w.Spawn(spot{X: -100, Y: -100 * 0}): {1: 1, 2: 1},
	}
	for e, all := range want {
		for client := uint32(1); client <= 2; client++ {
			if got := by(w, e, client); math.Abs(float64(got-all[client])) > 1e-8 {
				t.Errorf("client %d, entity %d: %v, not %v", client, w.NetID(e), got, all[client])
			}
		}
	}
}

// Distances that are none, and components without a place, are refused when the priority is made.
func TestPrioritiesRefused(t *testing.T) {
	for name, make := range map[string]func(){
		"not a number":       func() { ByDistance[spot](math.NaN()) },
		"zero":               func() { ByDistance[spot](0) },
		"infinite":           func() { ByDistance[spot](math.Inf(1)) },
		"without a place":    func() { ByDistance[team](100) },
		"not even a struct":  func() { ByDistance[time.Duration](100) },
		"a negative share":   func() { ByComponent[team](-1) },
		"a share of nothing": func() { ByComponent[team](math.NaN()) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: taken", name)
				}
			}()
			make()
		}()
	}
}
