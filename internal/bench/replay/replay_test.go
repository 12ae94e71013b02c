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

// ticks are enough for histories to have gone round, and steady more.
const (
	ticks  = 900
	steady = 120

	windows = 4
)

// tape is a small arena.
func tape(t *testing.T, seed uint64) *replay.Tape {
	t.Helper()
	m := replay.Match{
		Protocol: game.Protocol, Server: systems.ServerConfig{Seed: seed},
		Populate: func(w *ecs.World) { game.Populate(w, 12, 40) },
		Clients:  12, Input: bots.Walk(seed, 0, 12),
	}
	x, err := m.Record(ticks + steady)
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
	x := tape(t, 1)
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
	if other := play(t, tape(t, 2), 1); other.world == one.world || other.told.Hash == one.told.Hash {
		t.Errorf("another seed, the same match: %+v", other)
	}
}

// Once all have joined and histories have gone round, a tick allocates nothing, whatever the number of workers.
func TestReplay_TicksAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	x := tape(t, 1)
	for _, workers := range []int{1, 2} {
		r, err := x.Open(workers)
		if err != nil {
			t.Fatal(err)
		}
		for range ticks {
			r.Tick()
		}
		least := uint64(math.MaxUint64) // the runtime allocates something for goroutines that wait, now and then
		for range windows {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range steady / windows {
				r.Tick()
			}
			runtime.ReadMemStats(&after)
			least = min(least, after.Mallocs-before.Mallocs)
		}
		if least > 0 {
			t.Errorf("%d allocations in %d ticks with %d workers", least, steady/windows, workers)
		}
		_ = r.Close()
	}
}
