package allowance

import (
	"sync"
	"time"
)

// most is the maximum number of stored keys.
const most = 1 << 16

// Limiter limits the rate of each key. It is safe for concurrent use.
type Limiter[K comparable] struct {
	every time.Duration // time until one unit is restored
	burst int

	mu    sync.Mutex
	next  map[K]time.Time // time at which the allowance of a key is full again
	swept time.Time
}

// New returns a limiter that allows perMinute actions a minute for each key, of which burst may come at once. Both
// must be positive.
func New[K comparable](perMinute, burst int) *Limiter[K] {
	return &Limiter[K]{every: time.Minute / time.Duration(perMinute), burst: burst, next: make(map[K]time.Time)}
}

// Take uses cost units of a key's allowance, from 1 to the burst. If fewer are available, it uses none and returns
// the time until they are.
func (l *Limiter[K]) Take(key K, cost int, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	whole, known := l.next[key]
	if whole.Before(now) {
		whole = now
	}
	if used := now.Add(time.Duration(l.burst) * l.every); whole.After(used) { // the clock was set back
		whole = used
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

// makeRoom removes keys whose allowance is full, at most once a second. If that is not enough, it removes arbitrary
// keys. A removed key has a full allowance, so a flood of keys blocks no other key.
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
