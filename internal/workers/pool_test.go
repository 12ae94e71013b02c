package workers

import (
	"runtime"
	"testing"

	"github.com/tactusgo/tactus/internal/race"
)

// Each does each piece once with any number of workers, and no worker does two at the same time.
func TestEachDoesEveryPieceOnce(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 3, 8} {
		p := New(workers)
		for _, n := range []int{0, 1, 2, 7, 1000} {
			done := make([]int, n)
			inside := make([]int, p.Workers())
			p.Each(n, func(worker, piece int) {
				if inside[worker]++; inside[worker] != 1 {
					t.Errorf("worker %d does two pieces at once", worker)
				}
				done[piece]++
				if piece%3 == 0 {
					runtime.Gosched()
				}
				inside[worker]--
			})
			for i, times := range done {
				if times != 1 {
					t.Fatalf("%d workers did piece %d of %d %d times", workers, i, n, times)
				}
			}
		}
		p.Close()
		p.Close()
		ran := 0
		p.Each(3, func(int, int) { ran++ })
		if ran != 3 {
			t.Errorf("a closed pool did %d of 3 pieces", ran)
		}
	}
	var none *Pool
	ran := 0
	none.Each(2, func(int, int) { ran++ })
	if none.Close(); ran != 2 || none.Workers() != 1 {
		t.Errorf("no pool did %d of 2 pieces with %d workers", ran, none.Workers())
	}
}

// A pool that has had no work has no goroutines, and need not be closed.
func TestGoroutinesBeginWithTheFirstWork(t *testing.T) {
	for range 1000 { // those of other tests' pools, which are closed
		runtime.Gosched()
	}
	before := runtime.NumGoroutine()
	p := New(4)
	if n := runtime.NumGoroutine() - before; n != 0 {
		t.Errorf("a pool without work has %d goroutines", n)
	}
	p.Each(100, func(int, int) {})
	if n := runtime.NumGoroutine() - before; n != 3 {
		t.Errorf("a pool of 4 at work has %d goroutines beside the caller", n)
	}
	p.Close()
}

// A panic is the caller's, and the pool works on.
func TestPanicsReachTheCaller(t *testing.T) {
	p := New(3)
	defer p.Close()
	func() {
		defer func() {
			if v := recover(); v != "oops" {
				t.Errorf("recovered %v", v)
			}
		}()
		p.Each(100, func(_, piece int) {
			if piece == 41 {
				panic("oops")
			}
		})
	}()
	done := make([]bool, 50)
	p.Each(50, func(_, piece int) { done[piece] = true })
	for i, ok := range done {
		if !ok {
			t.Errorf("piece %d was not done after a panic", i)
		}
	}
}

func TestEachAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	p := New(2)
	defer p.Close()
	var sums [2]int
	do := func(worker, piece int) { sums[worker] += piece }
	if n := testing.AllocsPerRun(100, func() { p.Each(100, do) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
