package allowance

import (
	"sync"
	"time"
)

// most bounds what a limiter remembers.
const most = 1 << 16

// Limiter gives each key an allowance, which grows back. It may be used from any goroutine.
type Limiter[K comparable] struct {
	every time.Duration // for one to grow back
	burst int

	mu    sync.Mutex
	next  map[K]time.Time // when the allowance is whole again
	swept time.Time
}

// New makes a limiter of so many a minute, of which burst may come at once. Both are positive.
func New[K comparable](perMinute, burst int) *Limiter[K] {
	return &Limiter[K]{every: time.Minute / time.Duration(perMinute), burst: burst, next: make(map[K]time.Time)}
}

// Take uses up cost of an allowance, 1 to the burst. Where there is not so much, it uses up nothing, and returns how long
// it takes until there is.
func (l *Limiter[K]) Take(key K, cost int, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	whole, known := l.next[key]
	if whole.Before(now) {
		whole = now
	}
	if wait = whole.Sub(now) - time.Duration(l.burst-cost)*l.every; wait > 0 {
		return wait
	}
	if !known && len(l.next) >= most {
		l.makeRoom(now)
	}
	l.next[key] = whole.Add(time.Duration(cost) * l.every)
	return 0
}

// makeRoom forgets those whose allowance is whole, once a second at most, else anybody: who is forgotten has a whole
// allowance, so that a flood of keys locks nobody out.
func (l *Limiter[K]) makeRoom(now time.Time) {
	if now.Sub(l.swept) >= time.Second {
		l.swept = now
		for k, whole := range l.next {
			if !whole.After(now) {
				delete(l.next, k)
			}
		}
	}
	for k := range l.next {
		if len(l.next) < most {
			return
		}
		delete(l.next, k)
	}
}
