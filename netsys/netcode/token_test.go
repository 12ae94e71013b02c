package netcode

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"
)

func TestTokenRoundTrip(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	for _, n := range []int{1, 2, MaxServers} {
		c := w.config(9)
		c.Servers = nil
		for i := range n {
			c.Servers = append(c.Servers, netip.AddrPortFrom(netip.AddrFrom16([16]byte{0x20, 1, 15: byte(i)}), uint16(1+i)))
		}
		token := w.issue(c)
		b := token.Append([]byte("before"))
		if len(b) != 6+TokenSize {
			t.Fatalf("%d bytes", len(b)-6)
		}
		got, err := ParseToken(b[6:])
		must(t, err)
		if fmt.Sprint(got.Servers) != fmt.Sprint(c.Servers) || got.Private != token.Private || got.ServerToClient != token.ServerToClient {
			t.Errorf("%d servers read as %v", n, got.Servers)
		}
	}
}

func TestTokenDefaults(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	token := w.issue(w.config(1))
	if token.Expire-token.Create != 45 || token.Timeout != 10 || token.Create != uint64(epoch.Unix()) {
		t.Errorf("created %d, lives %d s, times out after %d s", token.Create, token.Expire-token.Create, token.Timeout)
	}
	c := w.config(1)
	c.Timeout = -time.Second
	if token := w.issue(c); token.Timeout >= 0 {
		t.Errorf("no timeout is said as %d", token.Timeout)
	}
	a, b := w.config(1), w.config(1)
	a.Random, b.Random = nil, nil
	if x, y := w.issue(a), w.issue(b); x.Nonce == y.Nonce || x.ClientToServer == y.ClientToServer || x.ClientToServer == x.ServerToClient {
		t.Error("two tokens share random bytes")
	}
}

func TestTokenConfigIsValidated(t *testing.T) {
	w := newWorld(t, ServerConfig{})
	for name, change := range map[string]func(c *TokenConfig){
		"no key":            func(c *TokenConfig) { c.Key = Key{} },
		"no server":         func(c *TokenConfig) { c.Servers = nil },
		"many servers":      func(c *TokenConfig) { c.Servers = make([]netip.AddrPort, MaxServers+1) },
		"zero address":      func(c *TokenConfig) { c.Servers = make([]netip.AddrPort, 1) },
		"unspecified":       func(c *TokenConfig) { c.Known = []netip.AddrPort{netip.MustParseAddrPort("0.0.0.0:1")} },
		"negative lifetime": func(c *TokenConfig) { c.Lifetime = -time.Second },
		"half seconds":      func(c *TokenConfig) { c.Timeout = time.Second / 2 },
		"long timeout":      func(c *TokenConfig) { c.Timeout = (1<<31-1)*time.Second + 1 },
		"much user data":    func(c *TokenConfig) { c.UserData = make([]byte, UserDataSize+1) },
	} {
		c := w.config(1)
		change(&c)
		if _, err := c.Issue(epoch); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	c := w.config(1)
	c.Timeout = (1<<31 - 1) * time.Second
	if err := c.Validate(); err != nil {
		t.Errorf("the longest timeout: %v", err)
	}
}

func TestBadTokensAreRefused(t *testing.T) {
	good := golden(t, "token")
	for name, change := range map[string]func(b []byte) []byte{
		"short":                func(b []byte) []byte { return b[:TokenSize-1] },
		"long":                 func(b []byte) []byte { return append(b, 0) },
		"version":              func(b []byte) []byte { b[11] = '1'; return b },
		"no servers":           func(b []byte) []byte { b[publicHeader+privateSize+4] = 0; return b },
		"33 servers":           func(b []byte) []byte { b[publicHeader+privateSize+4] = 33; return b },
		"many servers":         func(b []byte) []byte { b[publicHeader+privateSize+7] = 255; return b },
		"address type 0":       func(b []byte) []byte { b[publicHeader+privateSize+8] = 0; return b },
		"address type 3":       func(b []byte) []byte { b[publicHeader+privateSize+8] = 3; return b },
		"expires before birth": func(b []byte) []byte { b[29+7], b[21+7] = 0, 1; return b },
	} {
		if token, err := ParseToken(change(append([]byte(nil), good...))); !errors.Is(err, ErrToken) || token != nil {
			t.Errorf("%s: %v, %v", name, token, err)
		}
	}
	if _, err := NewClient(&ConnectToken{}, nil); !errors.Is(err, ErrToken) {
		t.Errorf("NewClient with an empty token: %v", err)
	}
}

func TestKeys(t *testing.T) {
	const text = "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F"
	if k, err := ParseKey(text); err != nil || k != goldenKey {
		t.Errorf("ParseKey: %v", err)
	}
	for _, bad := range []string{"", "00", text[1:], text + "0", text + "00", "0x" + text[2:]} {
		if _, err := ParseKey(bad); !errors.Is(err, ErrKey) || len(bad) > 2 && strings.Contains(err.Error(), bad) ||
			len(bad) != len(text) && !strings.Contains(err.Error(), "64 hexadecimal") {
			t.Errorf("ParseKey(%q): %v", bad, err)
		}
	}
	if a, b := GenerateKey(nil), GenerateKey(nil); a == b {
		t.Error("two random keys are equal")
	}
}
