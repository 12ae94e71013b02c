package main

import (
	"math"
	"runtime"
	"testing"

	"github.com/tactusgo/tactus/internal/race"
)

const (
	// ticks are enough for histories to have gone round.
	ticks = 900
	// window is how many ticks are watched at once for allocations, a multiple of the three ticks between snapshots.
	window  = 6
	windows = 50
)

// small records a small match.
func small(t *testing.T, seed uint64, ticks int) *tape {
	t.Helper()
	m := match{clients: 12, npcs: 40, seed: seed}
	x, err := m.record(ticks)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// outcome is the result of a replay.
type outcome struct {
	world    uint64
	sent     sent
	consumed uint64
}

func play(t *testing.T, x *tape, workers int) outcome {
	t.Helper()
	r, err := x.open(workers)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.close() }()
	for r.tick() {
	}
	return outcome{r.server.World().Hash(), r.totalSent(), r.server.Stats().Inputs.Consumed}
}

// A replay repeats the match: the world and the datagrams to all clients are the same for any number of workers.
func TestReplay_IsTheSameForEveryNumberOfWorkers(t *testing.T) {
	x := small(t, 1, ticks)
	one := play(t, x, 1)
	if one.world != x.world {
		t.Errorf("the replay's world is %x, the match's %x", one.world, x.world)
	}
	if want := uint64(12 * (ticks - 60)); one.consumed < want || one.sent.datagrams < want/3 {
		t.Fatalf("%d inputs were consumed and %d datagrams sent: that is no match", one.consumed, one.sent.datagrams)
	}
	for _, workers := range []int{1, 2, 4} {
		if again := play(t, x, workers); again != one {
			t.Errorf("%d workers: %+v, one: %+v", workers, again, one)
		}
	}
	if other := play(t, small(t, 2, ticks), 1); other.world == one.world || other.sent.hash == one.sent.hash {
		t.Errorf("another seed, the same match: %+v", other)
	}
}

// When all clients have joined and all histories are full, a tick allocates nothing with any number of workers.
func TestReplay_TicksAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	x := small(t, 1, ticks+windows*window)
	for _, workers := range []int{1, 2} {
		r, err := x.open(workers)
		if err != nil {
			t.Fatal(err)
		}
		for range ticks {
			r.tick()
		}
		// The runtime allocates for goroutines that wait, and a worker allocates when it first does some kind of work. Chance
		// decides when, but neither happens in every few ticks.
		least := uint64(math.MaxUint64)
		for w := 0; w < windows && least > 0; w++ {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range window {
				r.tick()
			}
			runtime.ReadMemStats(&after)
			least = min(least, after.Mallocs-before.Mallocs)
		}
		if least > 0 {
			t.Errorf("at least %d allocations in %d ticks with %d workers", least, window, workers)
		}
		_ = r.close()
	}
}
