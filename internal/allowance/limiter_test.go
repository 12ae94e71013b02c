package allowance

import (
	"net/netip"
	"testing"
	"time"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestLimiter(t *testing.T) {
	const burst = 5
	l := New[netip.Addr](60, burst)
	a := netip.MustParseAddr("2001:db8::1")
	for range burst {
		if wait := l.Take(a, 1, epoch); wait != 0 {
			t.Fatalf("waits %v within its burst", wait)
		}
	}
	if wait := l.Take(a, 1, epoch); wait != time.Second {
		t.Errorf("waits %v after its burst", wait)
	}
	if wait := l.Take(netip.MustParseAddr("2001:db8:0:1::1"), 1, epoch); wait != 0 {
		t.Errorf("another one waits %v", wait)
	}
	if wait := l.Take(a, 1, epoch.Add(time.Second)); wait != 0 {
		t.Errorf("waits %v after a second", wait)
	}
	for i := range uint32(most + 100) {
		if wait := l.Take(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 1, epoch); wait != 0 {
			t.Fatalf("the %dth address waits %v for others", i, wait)
		}
	}
	if len(l.rates) > most {
		t.Errorf("%d remembered", len(l.rates))
	}
	if wait := l.Take(netip.MustParseAddr("192.0.2.1"), 1, epoch.Add(time.Minute)); wait != 0 || len(l.rates) != 1 {
		t.Errorf("a minute later: waits %v, %d remembered", wait, len(l.rates))
	}
}

// A higher cost uses more of the allowance, or nothing if the allowance does not suffice.
func TestCost(t *testing.T) {
	l := New[int](60, 5)
	if wait := l.Take(1, 3, epoch); wait != 0 {
		t.Fatalf("waits %v within its burst", wait)
	}
	if wait := l.Take(1, 3, epoch); wait != time.Second {
		t.Errorf("waits %v, where one is missing", wait)
	}
	if wait := l.Take(1, 2, epoch); wait != 0 {
		t.Errorf("waits %v for what is there", wait)
	}
	if wait := l.Take(1, 5, epoch); wait != 5*time.Second {
		t.Errorf("waits %v for all", wait)
	}
}

// When the clock is set back by an hour, a key waits no longer than with no allowance left.
func TestClockSetBack(t *testing.T) {
	l := New[string](60, 5)
	for range 5 {
		l.Take("a", 1, epoch)
	}
	if wait := l.Take("a", 1, epoch.Add(-time.Hour)); wait != time.Second {
		t.Errorf("waits %v", wait)
	}
	if wait := l.Take("a", 1, epoch.Add(time.Second-time.Hour)); wait != 0 {
		t.Errorf("waits %v a second later", wait)
	}
}
