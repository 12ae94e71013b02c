package main

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// burst is how many logins an address may make at once.
	burst = 5
	// maxAddresses bounds the addresses that a limiter remembers.
	maxAddresses = 1 << 16
)

// limiter gives each address an allowance.
type limiter struct {
	mu    sync.Mutex
	every time.Duration            // for one login
	next  map[netip.Addr]time.Time // when the allowance is whole again, by address
	swept time.Time
}

func newLimiter(perMinute int) *limiter {
	return &limiter{every: time.Minute / time.Duration(perMinute), next: make(map[netip.Addr]time.Time)}
}

// take uses up one login of an address's allowance. When there is none it returns how long it takes until there is.
func (l *limiter) take(from netip.Addr, now time.Time) (wait time.Duration) {
	if from.Is6() { // a household, or one machine with all addresses that it likes
		network, _ := from.Prefix(64)
		from = network.Addr()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	whole, known := l.next[from]
	if whole.Before(now) {
		whole = now
	}
	if !known && len(l.next) >= maxAddresses && !l.sweep(now) {
		return l.every
	}
	if wait = whole.Sub(now) - (burst-1)*l.every; wait > 0 {
		return wait
	}
	l.next[from] = whole.Add(l.every)
	return 0
}

// sweep forgets addresses whose allowance is whole, once a second at most, and reports whether there is room.
func (l *limiter) sweep(now time.Time) bool {
	if now.Sub(l.swept) >= time.Second {
		l.swept = now
		for a, whole := range l.next {
			if !whole.After(now) {
				delete(l.next, a)
			}
		}
	}
	return len(l.next) < maxAddresses
}

// clientAddr is the address that a request comes from: of the connection, or, when that is a proxy to be trusted, the
// last one in X-Forwarded-For that is none. What stands before it was written by the client.
func clientAddr(r *http.Request, proxies []netip.Prefix) (netip.Addr, error) {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}, err
	}
	from := remote.Addr().Unmap().WithZone("")
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		trusted := slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(from) })
		a, err := netip.ParseAddr(strings.TrimSpace(hop))
		if !trusted || err != nil {
			break
		}
		from = a.Unmap().WithZone("")
	}
	return from, nil
}
