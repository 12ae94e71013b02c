package ecs_test

import (
	"fmt"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/workers"
)

// striding is a row of Rows with all kinds of fields, and stridden the same for Each.
type (
	striding struct {
		Self   ecs.Entity
		Place  *place
		Speed  speed `ecs:"optional"`
		Odd    *odd  `ecs:"optional"`
		In     push  `ecs:"optional"`
		Flag   *flag `ecs:"optional"`
		Health health
		ID     components.NetID
		_      ecs.Without[hat]
	}
	stridden struct {
		Place  *place
		Speed  *speed `ecs:"optional"`
		Odd    *odd   `ecs:"optional"`
		In     *push  `ecs:"optional"`
		Flag   *flag  `ecs:"optional"`
		Health *health
		ID     *components.NetID
		_      ecs.Without[hat]
	}
)

func stride(r striding, s ecs.Step) {
	draw := s.Rand()
	r.Place.X += r.Speed.X + int32(r.In.DX) + int32(draw.IntN(100))
	r.Place.Y += int32(r.Health.Points) + int32(s.Tick) + int32(r.ID) + int32(s.TickRate) + int32(1000*s.Seconds)
	if r.Odd != nil {
		r.Odd.B ^= draw.Uint64()
	}
	if r.Flag != nil {
		r.Place.Y++
	}
	if r.Self.IsZero() {
		r.Place.X = -1
	}
}

// strideEach does the same in a walk.
func strideEach(w *ecs.World) {
	for e, r := range ecs.Each[stridden](w) {
		draw := w.Rand(e)
		if r.Speed != nil {
			r.Place.X += r.Speed.X
		}
		if r.In != nil {
			r.Place.X += int32(r.In.DX)
		}
		r.Place.X += int32(draw.IntN(100))
		r.Place.Y += int32(r.Health.Points) + int32(w.Tick()) + int32(*r.ID) + int32(w.TickRate()) + int32(1000*w.Step())
		if r.Odd != nil {
			r.Odd.B ^= draw.Uint64()
		}
		if r.Flag != nil {
			r.Place.Y++
		}
	}
}

// stretching is another system over rows of a type that one has already.
func stretching(r striding, s ecs.Step) { r.Place.X ^= int32(s.Tick) }

func stretchEach(w *ecs.World) {
	for _, r := range ecs.Each[stridden](w) {
		r.Place.X ^= int32(w.Tick())
	}
}

// thousands plays a match with several tables and many owners, some of them skipped, in which entities are spawned and
// despawned. It returns the hash after each tick.
func thousands(p *ecs.Protocol, pool ecs.Workers, client bool, check func(ecs.Divergence)) (hashes []uint64) {
	w := ecs.NewWorld(p, ecs.Config{Seed: 9, Workers: pool, Client: client})
	if check != nil {
		w.ForceRollback(check)
	}
	draw := ecs.NewRand(3, 0)
	var es []ecs.Entity
	for i := range int32(3000) {
		var e ecs.Entity
		if client {
			e = w.Netcode().Replica(components.NetID(i+1), maskOf(p.Replicated()[0], ecs.ComponentOf[place](p), ecs.ComponentOf[health](p)), i%3 != 0)
			ecs.Get[components.Owner](w, e).Client = uint32(i % 5)
		} else if e = spread(w, i); i%2 == 0 {
			ecs.Add(w, e, components.Owner{Client: uint32(draw.IntN(6))})
			ecs.Add(w, e, push{DX: 1})
			ecs.Add(w, e, health{3})
		}
		es = append(es, e)
	}
	for tick := range uint32(12) {
		for owner := range uint32(6) {
			w.Netcode().SetInputSequence(owner, 7*tick+owner)
		}
		if tick%3 != 0 {
			w.Netcode().SkipOwner(2)
			w.Netcode().SkipOwner(tick % 6)
		}
		ticks(w, tick, 1)
		w.Netcode().SimulateOnly(1 + tick%2)
		w.Netcode().SkipNobody()
		if tick%4 == 1 {
			w.Netcode().BeginPartial(tick+1, 3, 100, 0.5)
			simulate(w)
			hashes = append(hashes, w.Hash())
			w.Netcode().EndPartial()
		}
		hashes = append(hashes, w.Hash())
		if client {
			continue
		}
		for range 40 {
			i := draw.IntN(len(es))
			w.Despawn(es[i])
			es[i] = spread(w, int32(draw.IntN(1000)))
			if ecs.Has[flag](w, es[i]) {
				ecs.Add(w, es[i], health{9})
			}
		}
	}
	return hashes
}

// Rows has the same result as Each with any number of workers: on a server and on a client, with skipped owners and with a
// single owner, in partial ticks and with rollbacks.
func TestDecision9_RowsDoWhatEachDoes(t *testing.T) {
	walked := func() *ecs.Protocol { return kitProtocol(rule("stride", strideEach), rule("stretch", stretchEach)) }
	rows := kitProtocol(rule("stride", ecs.Rows(stride)), rule("stretch", ecs.Rows(stretching)))
	for _, client := range []bool{false, true} {
		want := thousands(walked(), nil, client, nil)
		if want[0] == want[len(want)-1] {
			t.Fatal("nothing happens in this match")
		}
		for _, n := range []int{0, 1, 2, 4} {
			var pool ecs.Workers
			if n > 0 {
				p := workers.New(n)
				defer p.Close()
				pool = p
			}
			equal(t, fmt.Sprintf("client %v, %d workers", client, n), fmt.Sprint(thousands(rows, pool, client, nil)), fmt.Sprint(want))
		}
	}
	pool := workers.New(3)
	defer pool.Close()
	got := thousands(rows, pool, false, func(d ecs.Divergence) { t.Error(d) })
	equal(t, "rolled back", fmt.Sprint(got), fmt.Sprint(thousands(walked(), nil, false, nil)))
}

// Many rows are spread over the workers. Few rows are done by the caller alone.
func TestRowsUseTheWorkers(t *testing.T) {
	crew := &counting{Pool: workers.New(2)}
	defer crew.Close()
	p := kitProtocol(rule("mark", ecs.Rows(func(r struct{ Place *place }, s ecs.Step) { r.Place.X++ })))
	w := ecs.NewWorld(p, ecs.Config{Workers: crew})
	for range 256 {
		w.Spawn(place{})
	}
	simulate(w)
	equal(t, "calls of the workers for 256 rows", crew.calls, 0)
	for range 1000 {
		w.Spawn(place{})
	}
	simulate(w)
	equal(t, "calls of the workers for 1256 rows", crew.calls, 1)
	for _, r := range ecs.All[placeValue](w) {
		if r.Place.X < 1 || r.Place.X > 2 {
			t.Fatalf("a row was done %d times in two ticks", r.Place.X)
		}
	}
}

// counting is a pool that counts its calls.
type counting struct {
	*workers.Pool
	calls int
}

func (c *counting) Each(n int, do func(worker, piece int)) {
	c.calls++
	c.Pool.Each(n, do)
}

// A function of rows that uses a world panics, with any number of workers, and the world remains usable.
func TestDecision9_FunctionsOfRowsHaveNoWorld(t *testing.T) {
	var w *ecs.World
	var e ecs.Entity
	for name, use := range map[string]func(){
		"Spawn":       func() { ecs.Spawn(w, placeValue{}) },
		"World.Spawn": func() { w.Spawn(place{}) },
		"Despawn":     func() { w.Despawn(e) },
		"Add":         func() { ecs.Add(w, e, hat{}) },
		"Remove":      func() { ecs.Remove[place](w, e) },
		"Get":         func() { ecs.Get[place](w, e) },
		"Has":         func() { ecs.Has[place](w, e) },
		"Each":        func() { length(ecs.Each[placeRow](w)) },
		"EachOf":      func() { length(ecs.EachOf[placeRow](w, 0)) },
		"EachInOrder": func() { length(ecs.EachInOrder[placeRow](w)) },
		"All":         func() { length(ecs.All[placeValue](w)) },
		"Rows":        func() { ecs.Rows(func(r placeRow, s ecs.Step) {})(w) },
	} {
		for _, n := range []int{1, 3} {
			pool := workers.New(n)
			bad := true
			p := kitProtocol(rule("rows", ecs.Rows(func(r placeRow, s ecs.Step) {
				if bad {
					use()
				}
			})))
			w = ecs.NewWorld(p, ecs.Config{Workers: pool})
			for range 1000 {
				e = w.Spawn(place{})
			}
			refused(t, func() { simulate(w) }, "in a function of ecs.Rows", "a system of its own")
			bad = false
			simulate(w)
			equal(t, name+": places after", length(ecs.Each[placeRow](w)), 1000)
			pool.Close()
		}
	}
}

// Rows panics for an invalid row type when the system is made.
func TestRowsThatAreNone(t *testing.T) {
	refused(t, func() { ecs.Rows[placeRow](nil) }, "needs a function")
	refused(t, func() { ecs.Rows(func(int, ecs.Step) {}) }, "struct of pointers to components and component values", "not int")
	refused(t, func() { ecs.Rows(func(struct{}, ecs.Step) {}) }, "can change nothing")
	refused(t, func() { ecs.Rows(func(placeValue, ecs.Step) {}) }, "no pointer to a component")
	refused(t, func() {
		ecs.Rows(func(struct {
			Place *place
			Again *place
		}, ecs.Step) {
		})
	}, "place is in row", "twice")
	refused(t, func() {
		ecs.Rows(func(struct {
			Place *place
			Was   place
		}, ecs.Step) {
		})
	}, "a pointer serves to read and to write")
	refused(t, func() {
		ecs.Rows(func(struct {
			Place *place
			Self  *ecs.Entity
		}, ecs.Step) {
		})
	}, "an Entity is only read")
	refused(t, func() {
		simulate(newServer(rule("rows", ecs.Rows(func(struct {
			Place *place
			Many  []speed
		}, ecs.Step) {
		}))))
	}, "Rows takes pointers and values")
	refused(t, func() {
		simulate(newServer(rule("rows", ecs.Rows(func(struct {
			Place *place `ecs:"optional"`
		}, ecs.Step) {
		}))))
	}, "has no component")
	refused(t, func() {
		simulate(newServer(rule("rows", ecs.Rows(func(struct{ N *int }, ecs.Step) {}))))
	}, "int is not a component")
}

// A tick of rows allocates nothing, alone and with workers.
func TestAllocationsOfRows(t *testing.T) {
	for _, n := range []int{1, 2} {
		pool := workers.New(n)
		defer pool.Close()
		w := ecs.NewWorld(kitProtocol(rule("stride", ecs.Rows(stride)), rule("stretch", ecs.Rows(stretching))), ecs.Config{Workers: pool})
		for i := range int32(3000) {
			w.Spawn(place{i, 0}, health{1}, components.Owner{Client: uint32(i % 7)}, push{})
		}
		without(t, fmt.Sprintf("%d workers", n), 10, func() {
			w.Netcode().SkipOwner(3)
			simulate(w)
			w.Netcode().SkipNobody()
		})
	}
}
