package main

import (
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/internal/hostname"
)

const (
	// burst is how many logins may come at once.
	burst = 5
	// maxLimited bounds what a limiter remembers.
	maxLimited = 1 << 16
)

// limiter gives whoever logs in an allowance, by a key such as an address.
type limiter[K comparable] struct {
	mu    sync.Mutex
	every time.Duration   // for one login
	next  map[K]time.Time // when the allowance is whole again
	swept time.Time
}

func newLimiter[K comparable](perMinute int) *limiter[K] {
	return &limiter[K]{every: time.Minute / time.Duration(perMinute), next: make(map[K]time.Time)}
}

// take uses up one login of an allowance. When there is none it returns how long it takes until there is.
func (l *limiter[K]) take(key K, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	whole, known := l.next[key]
	if whole.Before(now) {
		whole = now
	}
	if wait = whole.Sub(now) - (burst-1)*l.every; wait > 0 {
		return wait
	}
	if !known && len(l.next) >= maxLimited {
		l.makeRoom(now)
	}
	l.next[key] = whole.Add(l.every)
	return 0
}

// makeRoom forgets those whose allowance is whole, once a second at most, else anybody: who is forgotten has a whole
// allowance, so that a flood of keys locks nobody out.
func (l *limiter[K]) makeRoom(now time.Time) {
	if now.Sub(l.swept) >= time.Second {
		l.swept = now
		for k, whole := range l.next {
			if !whole.After(now) {
				delete(l.next, k)
			}
		}
	}
	for k := range l.next {
		if len(l.next) < maxLimited {
			return
		}
		delete(l.next, k)
	}
}

// clientAddr is the address that a request comes from: of the connection, or, when that is a proxy to be trusted, the
// last one in X-Forwarded-For that is none. What stands before it was written by the client.
func clientAddr(r *http.Request, names hostname.Guard) (netip.Addr, error) {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}, err
	}
	from := remote.Addr().Unmap().WithZone("")
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && names.Proxied(from); i-- {
		a, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		from = a.Unmap().WithZone("")
	}
	return from, nil
}

// network is what addresses are counted by: an IPv4 address, or the 64 bits of an IPv6 address that a household has, or
// one machine with all addresses that it likes.
func network(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if !a.Is6() || a.IsLoopback() {
		return a
	}
	p, _ := a.Prefix(64) // a has so many bits
	return p.Addr()
}
