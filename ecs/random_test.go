package ecs_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// luck holds sums of random numbers: Good of those of the world, Bad of a generator with running state.
type luck struct {
	Good uint64 `net:"raw"`
	Bad  uint64 `net:"raw"`
}

// gambling makes Simulate draw for everything.
func gambling() part {
	sequential := rand.New(rand.NewPCG(5, 5))
	return func(p *ecs.Protocol) {
		ecs.Replicate[luck](p, ecs.Predicted)
		p.Simulate("draw", func(w *ecs.World) {
			for e, r := range ecs.Each[struct{ Luck *luck }](w) {
				draw := w.Rand(e)
				r.Luck.Good += draw.Uint64() ^ draw.Uint64()>>1
				r.Luck.Bad += sequential.Uint64()
			}
		})
	}
}

// A client that simulates fewer entities than the server, at other ticks and some ticks repeatedly, draws the same numbers as
// the server. A generator with running state does not.
func TestDecision1_DrawsArePureFunctions(t *testing.T) {
	const owner, steps = 2, 40
	server, client := newServer(gambling()), newClient(gambling())
	for i := range uint32(12) {
		server.Spawn(luck{}, components.Owner{Client: i % 4}) // 0 is the server
	}
	var theirs, mine []ecs.Entity
	for e, r := range ecs.All[struct{ Owner components.Owner }](server) {
		if r.Owner.Client == owner {
			theirs = append(theirs, e)
			m := client.Netcode().Replica(server.NetID(e), server.Netcode().Mask(e), true)
			ecs.Get[components.Owner](client, m).Client = owner
			mine = append(mine, m)
		}
	}
	history := ecs.NewHistory(client, steps)
	history.Capture(0)
	predict := func(seq uint32) {
		client.Netcode().SetInputSequence(owner, seq)
		ticks(client, 3*seq, 1)
		history.Capture(seq)
	}
	seen := map[uint64]bool{}
	for seq := uint32(1); seq < steps; seq++ {
		for o := range uint32(4) {
			server.Netcode().SetInputSequence(o, seq)
		}
		before := ecs.Get[luck](server, theirs[0]).Good
		ticks(server, 100+seq+seq/7, 1) // holds move ticks away from sequences
		predict(seq)
		if seq%5 == 0 {
			history.Restore(seq - 3)
			for again := seq - 2; again <= seq; again++ {
				predict(again)
			}
		}
		for i := range mine {
			want, got := ecs.Get[luck](server, theirs[i]), ecs.Get[luck](client, mine[i])
			if got.Good != want.Good {
				t.Fatalf("input %d: entity %d drew %x on the client, %x on the server", seq, client.NetID(mine[i]), got.Good, want.Good)
			}
		}
		drawn := ecs.Get[luck](server, theirs[0]).Good - before
		if seen[drawn] {
			t.Fatalf("input %d drew like an earlier one", seq)
		}
		seen[drawn] = true
	}
	sums := map[uint64]bool{}
	for _, v := range ecs.All[struct{ Luck luck }](server) {
		sums[v.Luck.Good] = true
	}
	equal(t, "different sums of 12 entities", len(sums), 12)
	if ecs.Get[luck](server, theirs[0]).Bad == ecs.Get[luck](client, mine[0]).Bad {
		t.Error("a sequential generator did not diverge: this test compares nothing")
	}
}

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

// A draw follows from seed, system, entity and input or tick, and from nothing else.
func TestWhatTheDrawFollows(t *testing.T) {
	seen := map[uint64]string{}
	for what, c := range map[string]struct {
		seed   uint64
		system string
		seq    uint32
		id     components.NetID
	}{
		"base": {1, "shoot", 55, 7}, "another seed": {2, "shoot", 55, 7}, "another system": {1, "dodge", 55, 7},
		"another input": {1, "shoot", 56, 7}, "another entity": {1, "shoot", 55, 8},
	} {
		w := ecs.NewWorld(kitProtocol(), ecs.Config{Seed: c.seed, Client: true})
		e := replica(w, c.id, 2, place{}, true)
		w.Netcode().SetInputSequence(2, c.seq)
		drawn(w, c.system, func(w *ecs.World) {
			v := first(w, e)
			first(w, ecs.Entity{}) // others draw in between
			equal(t, "once more", first(w, e), v)
			if other, clash := seen[v]; clash {
				t.Errorf("%s draws like %s", what, other)
			}
			seen[v] = what
		})
	}

	w := newServer()
	free := w.Spawn(place{})
	servers := w.Spawn(place{}, components.Owner{})
	own := w.Spawn(place{}, components.Owner{Client: 1})
	other := w.Spawn(place{}, components.Owner{Client: 4})
	byTick := first(w, own)
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
	// The entity of a client that has left draws by tick.
	w.Netcode().SetInputSequence(4, 9)
	byInput := first(w, other)
	w.Netcode().ForgetInputs(1)
	w.Netcode().ForgetInputs(5)
	w.Netcode().SetTick(0)
	equal(t, "draw of who has left", first(w, own), byTick)
	equal(t, "the other's", first(w, other), byInput)
	// An input of the same number as a tick is another moment.
	w.Netcode().SetTick(20)
	x := w.Spawn(place{})
	before := first(w, x)
	ecs.Add(w, x, components.Owner{Client: 1})
	w.Netcode().SetInputSequence(1, 20)
	if first(w, x) == before {
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
	for range 1000 {
		v, most := r.IntN(7), r.IntN(math.MaxInt32)
		if v < 0 || v >= 7 || most < 0 || most >= math.MaxInt32 || r.IntN(1) != 0 {
			t.Fatalf("drawn %d of 7, %d of %d", v, most, math.MaxInt32)
		}
	}
	refused(t, func() { r.IntN(0) }, "positive")
	refused(t, func() { r.IntN(-1) }, "positive")
}
