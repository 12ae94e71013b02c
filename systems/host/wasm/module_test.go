package wasm

import (
	"math"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/systems/host"
)

// A page plays: the bytes that it writes to the buffer are the input of the next ticks, also without prediction.
func TestModulePlays(t *testing.T) {
	m := newMatch(t)
	a, b := m.join(smooth), m.join(thin)
	first := m.module.hash(a)
	for range 60 {
		for _, n := range []int32{a, b} {
			if !m.module.input(n, m.input(keys{DX: 1})) {
				t.Fatal(m.text())
			}
		}
		m.frame()
	}
	ticks := m.stat(a, func(s *host.Stats) float64 { return s.Ticks })
	for _, n := range []int32{a, b} {
		if m.module.frame(n, ms(m.now)) == nil {
			t.Fatal(m.text())
		}
		if m.stat(n, func(s *host.Stats) float64 { return s.Ticks }) <= ticks {
			t.Errorf("host %d: no ticks", n)
		}
	}
	switch {
	case m.module.hash(a) == first || first == 0:
		t.Errorf("the world stands still: %x", first)
	case m.stat(b, func(s *host.Stats) float64 { return s.Resimulated }) != 0 || m.stat(b, func(s *host.Stats) float64 { return s.Rows }) != 2:
		t.Errorf("a thin host: %+v", *m.module.hosts[b-1].Stats())
	}
	m.module.close(a)
	if len(m.out(a)) == 0 {
		t.Error("no goodbye")
	}
	if m.module.sent(a); m.module.out(a) != nil {
		t.Error("a link that is over has something to send")
	}
	if m.module.free(a); m.module.end(a) != -1 || m.module.hash(a) != 0 {
		t.Error("a number that is nobody's has a host")
	}
}

// Invalid calls are refused with advice.
func TestModuleRefuses(t *testing.T) {
	m := newMatch(t)
	n := m.join(smooth)
	x := &m.module
	now := ms(m.now)
	for _, c := range []struct {
		what string
		call func() bool
		text string
	}{
		{"no such host", func() bool { return x.advance(9, now) >= 0 }, "no host with this number"},
		{"a host of below", func() bool { return x.input(-4, 0) }, "no host with this number"},
		{"no such link", func() bool { return x.push(n+maxHosts, now, 0) }, "no host with this number"},
		{"more than is in the room", func() bool { return x.input(n, maxBuffer) }, "exceed the buffer"},
		{"less than nothing", func() bool { return x.input(n, -1) }, "exceed the buffer"},
		{"another length", func() bool { return x.input(n, 1) }, "an input has 1 bytes"},
		{"a time that goes back", func() bool { return x.advance(n, now-1e6) >= 0 }, "performance.timeOrigin"},
		{"no time", func() bool { return x.frame(n, math.NaN()) != nil }, "performance.timeOrigin"},
		{"a time that is none of today", func() bool { return x.advance(n, math.Inf(1)) >= 0 }, "performance.timeOrigin"},
		{"no such kind", func() bool { return x.send(n, 3, 0, 0) }, "2 for a command"},
		{"no such message", func() bool { return x.send(n, 0, 7, 0) }, "there is no message 7"},
		{"what is no datagram", func() bool { return x.push(n, now, 1501) }, "too large"},
		{"a server that does not fit", func() bool { return x.open(now, maxBuffer, 0, -1, 0, 0) != 0 }, "exceed the buffer"},
		{"a token that is none", func() bool { return x.open(now, 0, 64, -1, 0, 0) != 0 }, "token"},
		{"a login of another length", func() bool { return x.open(now, 0, 0, 1, 0, 0) != 0 }, "Login"},
	} {
		m.put(make([]byte, 2000)...)
		if c.call() || !strings.Contains(m.text(), c.text) {
			t.Errorf("%s: taken, or %q", c.what, m.text())
		}
	}
	for range maxHosts - 1 {
		if x.open(now, m.put([]byte("10.0.0.1:7777")...), 0, -1, 0, insecure) == 0 {
			t.Fatal(m.text())
		}
	}
	if x.open(now, 0, 0, -1, 0, insecure) != 0 || !strings.Contains(m.text(), "free those that have ended") {
		t.Errorf("more hosts than there are: %q", m.text())
	}
}

// A page reports that its player is away, and learns why the session ended. A page that does not reconnect stays away.
func TestModuleAway(t *testing.T) {
	m := newMatch(t)
	n := m.join(smooth)
	x := &m.module
	x.away(n)
	for range 30 {
		m.frame()
	}
	if reason := x.end(n); reason != int32(host.Away) {
		t.Errorf("it ended with reason %d: %s", reason, m.text())
	}
	if x.explain(int32(host.Away)); m.text() == "" {
		t.Error("nothing is said to players who are away")
	}
	if x.wants(n) {
		t.Error("it waits for a token, and has no function that makes one")
	}
	if x.token(n, 0) || m.text() == "" {
		t.Error("no bytes are a token")
	}
	if x.rejoin(n, ms(m.now)) || !strings.Contains(m.text(), "Reconnect") {
		t.Errorf("a host that does not reconnect joins again: %s", m.text())
	}
	x.free(n)
	if x.away(n); x.rejoin(n, ms(m.now)) || x.wants(n) || x.token(n, 0) {
		t.Error("a number that is nobody's is called")
	}
}

// A host is sent as few snapshots as it asks for.
func TestRate(t *testing.T) {
	m := newMatch(t)
	n := m.join(0)
	received := func() float64 {
		before := m.module.hosts[n-1].Stats().Snapshots
		for range 2 * 60 {
			m.frame()
			m.module.frame(n, ms(m.now))
		}
		return m.module.hosts[n-1].Stats().Snapshots - before
	}
	received()
	all := received()
	m.module.rate(n, 10)
	received()
	if few := received(); few > 21 || all < 2*few {
		t.Errorf("%v snapshots in two seconds, and %v after it has asked for 10 a second", all, few)
	}
	m.module.rate(n+7, 10) // no such host
}
