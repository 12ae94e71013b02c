package allowance

import (
	"maps"
	"sync"
	"time"

	"github.com/tactusgo/tactus/internal/clock"
)

// most is the maximum number of stored keys.
const most = 1 << 16

// Limiter limits the rate of each key. It is safe for concurrent use.
type Limiter[K comparable] struct {
	every time.Duration // time until one unit is restored
	burst int

	mu    sync.Mutex
	clock clock.Clock
	rates map[K]Rate
	swept time.Duration
}

// New returns a limiter that allows perMinute actions a minute for each key, of which burst may come at once. Both
// must be positive.
func New[K comparable](perMinute, burst int) *Limiter[K] {
	return &Limiter[K]{every: time.Minute / time.Duration(perMinute), burst: burst, rates: make(map[K]Rate)}
}

// Take uses cost units of a key's allowance, from 1 to the burst. If fewer are available, it uses none and returns
// the time until they are.
func (l *Limiter[K]) Take(key K, cost int, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.clock.At(now)
	rate, known := l.rates[key]
	if wait = rate.Take(at, time.Duration(cost)*l.every, time.Duration(l.burst)*l.every); wait > 0 {
		return wait
	}
	if !known && len(l.rates) >= most {
		l.makeRoom(at)
	}
	l.rates[key] = rate
	return 0
}

// makeRoom removes keys whose allowance is full, at most once a second. If that is not enough, it removes arbitrary
// keys. A removed key has a full allowance, so a flood of keys blocks no other key.
func (l *Limiter[K]) makeRoom(now time.Duration) {
	if now-l.swept >= time.Second {
		l.swept = now
		maps.DeleteFunc(l.rates, func(_ K, r Rate) bool { return time.Duration(r) <= now })
	}
	for k := range l.rates {
		if len(l.rates) < most {
			return
		}
		delete(l.rates, k)
	}
}
