package netcode

import (
	"fmt"
	"testing"
	"time"
)

// An issuer with the key can issue tokens for a hundred years. The server refuses them, because it would have to remember them
// for as long.
func TestTokensThatLiveTooLong(t *testing.T) {
	for _, c := range []struct {
		config, lifetime time.Duration
		want             DropReason
	}{
		{0, time.Hour, DropNone},
		{0, 65 * time.Minute, DropNone},
		{0, 65*time.Minute + time.Second, DropLifetime},
		{0, 100 * 365 * 24 * time.Hour, DropLifetime},
		{time.Minute, time.Minute, DropNone},
		{time.Minute, 61 * time.Second, DropLifetime},
	} {
		w := newWorld(t, ServerConfig{MaxLifetime: c.config})
		config := w.config(1)
		config.Lifetime = c.lifetime
		w.expect(alice, request(w.issue(config)), c.want)
	}
	// A token of another key has the same drop reason, whatever its lifetime.
	w := newWorld(t, ServerConfig{})
	config := w.config(1)
	config.Key, config.Lifetime = Key{9}, 24*time.Hour
	w.expect(alice, request(w.issue(config)), DropKey)
}

// One network uses up any number of tokens. The server still remembers those of other networks, and clients of that network
// can connect.
func TestOneNetworkBurnsTokens(t *testing.T) {
	for network, addr := range map[string]func(i int) string{
		"203.0.113.0/24":     func(i int) string { return fmt.Sprintf("203.0.113.%d:1", 1+i) },
		"2001:db8:5000::/48": func(i int) string { return fmt.Sprintf("[2001:db8:5000:%x::1]:1", i) },
	} {
		w := newWorld(t, ServerConfig{MaxUsedTokens: 64})
		s := w.servers[0]
		config := func(i int) TokenConfig {
			c := w.config(uint64(i))
			c.Lifetime = time.Hour
			return c
		}
		burn := func(addr string, token *ConnectToken) {
			c := w.seat(addr, token)
			c.Disconnect(w.now)
			w.until("gone", func() bool { return s.Len() == 0 })
			w.clients = w.clients[:0]
		}
		early := w.issue(config(1))
		burn("192.0.2.200:1", early)
		var last *ConnectToken
		for i := range 200 {
			last = w.issue(config(2 + i))
			burn(addr(i), last)
		}
		if n, all := s.usedTokens.networks[networkOf(s.last.Address().Addr())], len(s.usedTokens.queue); n != 4 || all != 5 || len(s.usedTokens.macs) != 5 {
			t.Errorf("%s has %d used tokens of %d", network, n, all)
		}
		w.expect(alice, request(early), DropTokenUsed)
		w.expect(alice, request(last), DropTokenUsed)
		burn(alice, w.issue(config(300)))
		burn(addr(201), w.issue(config(301)))
		if s.connected != 203 || s.Drops()[DropUsedFull] != 0 {
			t.Errorf("%s: %d connected, drops %v", network, s.connected, s.Drops())
		}
		w.now = w.now.Add(2 * time.Hour)
		s.Update(w.now, s)
		if len(s.usedTokens.networks) != 0 || len(s.usedTokens.macs) != 0 || len(s.usedTokens.queue) != 0 {
			t.Errorf("what has expired is remembered: %v", s.usedTokens.queue)
		}
	}
}
