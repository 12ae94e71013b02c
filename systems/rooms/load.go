package rooms

import (
	"runtime"
	"sync"
	"time"
)

// processLoad measures the share of the process's processors that the turns of its rooms take.
type processLoad struct {
	mu     sync.Mutex
	since  time.Duration // start of the current window
	before time.Duration // that all turns had taken at its start
	share  float64       // in the window before
}

// loadWindow is the time over which the load is measured.
const loadWindow = time.Second

// processLoad returns the share, 0 in the first second.
func (s *Server) processLoad() float64 {
	l, now := &s.load, s.clock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if passed := now - l.since; passed >= loadWindow {
		took := time.Duration(0)
		for _, c := range s.counts {
			took += time.Duration(c.took.Load())
		}
		l.share = float64(took-l.before) / (float64(passed) * float64(runtime.GOMAXPROCS(0)))
		l.since, l.before = now, took
	}
	return l.share
}
