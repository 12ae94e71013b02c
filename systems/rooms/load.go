package rooms

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// processLoad measures the share of the process's processors that the turns of its rooms take.
type processLoad struct {
	busy atomic.Int64 // nanoseconds of all turns

	mu     sync.Mutex
	since  time.Duration // start of the current window
	before int64         // busy at its start
	last   float64       // share in the window before
}

// loadWindow is the time over which the load is measured.
const loadWindow = time.Second

// share returns the share, 0 in the first second.
func (l *processLoad) share(now time.Duration) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if passed := now - l.since; passed >= loadWindow {
		busy := l.busy.Load()
		l.last = float64(busy-l.before) / (float64(passed) * float64(runtime.GOMAXPROCS(0)))
		l.since, l.before = now, busy
	}
	return l.last
}
