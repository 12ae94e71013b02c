package netsys

import (
	"bytes"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// addrNumber returns the n-th address, by any of its ports.
func addrNumber(n int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}), uint16(1+n*7))
}

// An address that repeats its request gets one line per reason, and another one after a quiet time.
func TestRefusalLogHasOneLineForAnAddress(t *testing.T) {
	var text bytes.Buffer
	l := newRefusalLog(slog.New(slog.NewTextHandler(&text, nil)), 1, nil)
	lines := func() int { return strings.Count(text.String(), "\n") }
	for second := range 60 {
		l.add(time.Duration(second)*time.Second, addrNumber(1), netcode.DropExpired)
	}
	l.add(time.Minute, netip.AddrPortFrom(addrNumber(1).Addr(), 9999), netcode.DropExpired)
	if lines() != 1 {
		t.Errorf("logged\n%s", &text)
	}
	l.add(time.Minute, addrNumber(1), netcode.DropKey)
	l.add(time.Minute, addrNumber(2), netcode.DropExpired)
	l.add(time.Minute+quietTime, addrNumber(1), netcode.DropExpired)
	if lines() != 4 {
		t.Errorf("logged\n%s", &text)
	}
}

// Strangers with many addresses fill neither the log nor the memory.
func TestRefusalLogOfManyAddresses(t *testing.T) {
	var text bytes.Buffer
	l := newRefusalLog(slog.New(slog.NewTextHandler(&text, nil)), 1, nil)
	const each = 1000 // in a second, for 60 s
	for n := range 60 * each {
		l.add(time.Duration(n)*time.Second/each, addrNumber(n), netcode.DropKey)
		if len(l.logged) > maxLogged {
			t.Fatalf("%d addresses are kept", len(l.logged))
		}
	}
	own, more := strings.Count(text.String(), "token refused"), strings.Count(text.String(), "more addresses")
	if own < 5*maxLogged || own > 7*maxLogged || more < 5 || more > 7 {
		t.Errorf("%d lines of addresses, %d of more", own, more)
	}
	text.Reset()
	l.add(2*time.Minute, addrNumber(1), netcode.DropKey) // there is room again
	if !strings.Contains(text.String(), "token refused") {
		t.Errorf("logged %q", text.String())
	}
}

// Each reason for refusing a token comes with advice.
func TestRefusalLogAdvice(t *testing.T) {
	l := newRefusalLog(nil, 1, []netip.AddrPort{addrNumber(1)})
	l.add(0, addrNumber(2), netcode.DropKey) // there is no log
	n := 0
	for reason := range netcode.DropReason(len(netcode.Drops{})) {
		advice := l.advice(reason)
		if text, ok := advice[len(advice)-1].(string); !ok || (text != "") != reason.RefusesToken() {
			t.Errorf("%v: %q", reason, text)
		}
		if reason.RefusesToken() {
			n++
		}
	}
	if n < 10 {
		t.Errorf("%d reasons", n)
	}
}
