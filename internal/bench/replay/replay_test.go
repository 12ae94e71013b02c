package replay_test

import (
	"math"
	"runtime"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/internal/bench/bots"
	"github.com/tactusgo/tactus/internal/bench/replay"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/systems"
)

const (
	// ticks are enough for histories to have gone round.
	ticks = 900
	// window is how many ticks are watched at once for allocations, a multiple of the three ticks between snapshots.
	window  = 6
	windows = 50
)

// tape is a small arena.
func tape(t *testing.T, seed uint64, ticks int) *replay.Tape {
	t.Helper()
	m := replay.Match{
		Protocol: game.Protocol, Server: systems.ServerConfig{Seed: seed},
		Populate: func(w *ecs.World) { game.Populate(w, 12, 40) },
		Clients:  12, Input: bots.Walk(seed, 0, 12),
	}
	x, err := m.Record(ticks)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// came is what came of a replay.
type came struct {
	world    uint64
	told     replay.Told
	consumed uint64
}

func play(t *testing.T, x *replay.Tape, workers int) came {
	t.Helper()
	r, err := x.Open(workers)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	for r.Tick() {
	}
	return came{r.Server.World().Hash(), r.Told(), r.Server.Stats().Inputs.Consumed}
}

// What comes of a replay is what came of the match: the same world, and the same datagrams to everybody, whatever
// the number of workers.
func TestReplay_IsTheSameForEveryNumberOfWorkers(t *testing.T) {
	x := tape(t, 1, ticks)
	one := play(t, x, 1)
	if one.world != x.World {
		t.Errorf("the replay's world is %x, the match's %x", one.world, x.World)
	}
	if want := uint64(12 * (ticks - 60)); one.consumed < want || one.told.Datagrams < want/3 {
		t.Fatalf("%d inputs were consumed and %d datagrams sent: that is no match", one.consumed, one.told.Datagrams)
	}
	for _, workers := range []int{1, 2, 4} {
		if again := play(t, x, workers); again != one {
			t.Errorf("%d workers: %+v, one: %+v", workers, again, one)
		}
	}
	if other := play(t, tape(t, 2, ticks), 1); other.world == one.world || other.told.Hash == one.told.Hash {
		t.Errorf("another seed, the same match: %+v", other)
	}
}

// Once all have joined and histories have gone round, a tick allocates nothing, whatever the number of workers.
func TestReplay_TicksAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	x := tape(t, 1, ticks+windows*window)
	for _, workers := range []int{1, 2} {
		r, err := x.Open(workers)
		if err != nil {
			t.Fatal(err)
		}
		for range ticks {
			r.Tick()
		}
		// The runtime allocates for goroutines that wait, and a worker allocates when it first does some kind of work. Chance
		// decides when, but neither happens in every few ticks.
		least := uint64(math.MaxUint64)
		for w := 0; w < windows && least > 0; w++ {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range window {
				r.Tick()
			}
			runtime.ReadMemStats(&after)
			least = min(least, after.Mallocs-before.Mallocs)
		}
		if least > 0 {
			t.Errorf("at least %d allocations in %d ticks with %d workers", least, window, workers)
		}
		_ = r.Close()
	}
}
