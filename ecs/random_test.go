package ecs_test

import (
	"math"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// drawn runs one system in which f draws.
func drawn(w *ecs.World, name string, f func(w *ecs.World)) {
	ecs.NewStage("test", ecs.System{Name: name, Run: f}).Run(w)
}

// Committed draws: a build that draws others cannot play with this one.
func TestRandomNumbersAreCommitted(t *testing.T) {
	w := ecs.NewWorld(kitProtocol(), ecs.Config{Seed: 42})
	e := w.Spawn(place{})
	o := w.Spawn(place{}, components.Owner{Client: 3})
	w.Netcode().SetTick(100)
	w.Netcode().SetInputSequence(3, 9)
	drawn(w, "spread", func(w *ecs.World) {
		for _, c := range []struct {
			e    ecs.Entity
			want [3]uint64
		}{
			{e, [3]uint64{17150585113503439670, 16856761008922338236, 7424066324003927193}},
			{o, [3]uint64{17472752882264917259, 1931982395563040196, 8914972561377023692}},
			{ecs.Entity{}, [3]uint64{4804986507782396120, 1481620387956127395, 2142622581284862949}},
		} {
			r := w.Rand(c.e)
			equal(t, "draws", [3]uint64{r.Uint64(), r.Uint64(), r.Uint64()}, c.want)
		}
		r := w.Rand(e)
		equal(t, "IntN", [4]int{r.IntN(6), r.IntN(6), r.IntN(1000), r.IntN(1)}, [4]int{5, 5, 402, 0})
		equal(t, "Float64", r.Float64(), 0.5804572137900198)
		equal(t, "Float32", r.Float32(), float32(0.23298132))
	})
}

func first(w *ecs.World, e ecs.Entity) uint64 {
	r := w.Rand(e)
	return r.Uint64()
}

func TestADrawDependsOnNothingElse(t *testing.T) {
	server, client := newServer(), newClient()
	var id components.NetID
	for range 10 {
		e := server.Spawn(place{}, components.Owner{Client: 2})
		id = server.NetID(e)
	}
	theirs, _ := server.ByNetID(id)
	mine := replica(client, id, 2, place{}, true)
	for _, w := range []*ecs.World{server, client} {
		w.Netcode().SetInputSequence(2, 55)
	}
	server.Netcode().SetTick(1000)
	client.Netcode().SetTick(990) // the input sequence counts
	var a, b uint64
	drawn(server, "shoot", func(w *ecs.World) {
		for e := range ecs.Each[placeRow](w) { // others draw before it
			first(w, e)
		}
		a = first(w, theirs)
	})
	drawn(client, "shoot", func(w *ecs.World) {
		b = first(w, mine)
		equal(t, "once more", first(w, mine), b)
	})
	equal(t, "client", b, a)

	seen := map[uint64]string{a: "base"}
	differs := func(what string, seed uint64, system string, seq uint32, id components.NetID) {
		w := ecs.NewWorld(kitProtocol(), ecs.Config{Seed: seed, Client: true})
		e := replica(w, id, 2, place{}, true)
		w.Netcode().SetInputSequence(2, seq)
		drawn(w, system, func(w *ecs.World) {
			v := first(w, e)
			if other, clash := seen[v]; clash {
				t.Errorf("%s draws like %s", what, other)
			}
			seen[v] = what
		})
	}
	differs("another seed", 2, "shoot", 55, id)
	differs("another system", 1, "dodge", 55, id)
	differs("another input", 1, "shoot", 56, id)
	differs("another entity", 1, "shoot", 55, id+1)
}

func TestWhatTheDrawFollows(t *testing.T) {
	w := newServer()
	free := w.Spawn(place{})
	servers := w.Spawn(place{}, components.Owner{})
	own := w.Spawn(place{}, components.Owner{Client: 1})
	look := func(tick, seq uint32) [4]uint64 {
		w.Netcode().SetTick(tick)
		w.Netcode().SetInputSequence(1, seq)
		return [4]uint64{first(w, free), first(w, servers), first(w, ecs.Entity{}), first(w, own)}
	}
	a, tick, input := look(10, 20), look(11, 20), look(10, 21)
	for i := range 4 {
		if (a[i] != tick[i]) != (i < 3) || (a[i] != input[i]) != (i == 3) {
			t.Errorf("draw %d: %x, next tick %x, next input %x", i, a[i], tick[i], input[i])
		}
	}
	equal(t, "replayed", look(10, 20), a)
	// An input of the same number as a tick is another moment.
	w.Netcode().SetTick(20)
	x := w.Spawn(place{})
	y := w.Netcode().Replica(w.NetID(x), w.Netcode().Mask(x), false)
	before := first(w, y)
	ecs.Add(w, y, components.Owner{Client: 1})
	w.Netcode().SetInputSequence(1, 20)
	if first(w, y) == before {
		t.Error("tick 20 draws like input 20")
	}
}

func TestDistribution(t *testing.T) {
	w := newServer()
	const n, bins = 200_000, 10
	var ints, floats, across [bins]float64
	sum := 0.0
	r := w.Rand(w.Spawn(place{}))
	for i := range n {
		ints[r.IntN(bins)]++
		f := r.Float64()
		g := float64(r.Float32())
		if f < 0 || f >= 1 || g < 0 || g >= 1 {
			t.Fatalf("%v or %v is outside 0..1", f, g)
		}
		sum += f
		floats[int(f*bins)]++
		w.Netcode().SetTick(uint32(i)) // neighbouring ticks are as good as neighbouring draws
		q := w.Rand(ecs.Entity{})
		across[q.IntN(bins)]++
	}
	for what, h := range map[string][bins]float64{"IntN": ints, "Float64": floats, "first of each tick": across} {
		chi := 0.0
		for _, k := range h {
			chi += (k - n/bins) * (k - n/bins) / (n / bins)
		}
		if chi > 33 { // 9 degrees of freedom: once in ten thousand seeds
			t.Errorf("%s: χ² = %.1f over %v", what, chi, h)
		}
	}
	if math.Abs(sum/n-0.5) > 0.005 {
		t.Errorf("mean %v", sum/n)
	}
	for _, bound := range []int{1, 2, 7, math.MaxInt32} {
		for range 1000 {
			if v := r.IntN(bound); v < 0 || v >= bound {
				t.Fatalf("IntN(%d) = %d", bound, v)
			}
		}
	}
	refused(t, func() { r.IntN(0) }, "positive")
	refused(t, func() { r.IntN(-1) }, "positive")
}
