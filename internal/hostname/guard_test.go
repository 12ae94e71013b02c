package hostname

import (
	"net/netip"
	"testing"
)

func TestGuard(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}
	var open Guard
	named := Guard{Hosts: []string{"game.example"}}
	behind := Guard{Proxies: proxies}
	namedBehind := Guard{Hosts: []string{"game.example"}, Proxies: proxies}
	for _, c := range []struct {
		guard        Guard
		host, remote string
		want         bool
	}{
		{open, "127.0.0.1:7778", "127.0.0.1", true},
		{open, "127.8.9.1", "127.0.0.1", true},
		{open, "localhost:7778", "127.0.0.1", true},
		{open, "LOCALHOST", "::1", true},
		{open, "[::1]:7778", "::1", true},
		{open, "[::1]", "::1", true},
		{open, "[::ffff:127.0.0.1]:1", "127.0.0.1", true},
		{open, "evil.example:7778", "127.0.0.1", false},
		{open, "evil.example", "::ffff:127.0.0.1", false},
		{open, "localhost.evil.example", "127.0.0.1", false},
		{open, "127.0.0.1.evil.example:7778", "127.0.0.1", false},
		{open, "evil.example:127.0.0.1", "127.0.0.1", false},
		{open, "localhost:1:2", "127.0.0.1", false},
		{open, "evil.example@127.0.0.1", "127.0.0.1", false},
		{open, "", "127.0.0.1", false},
		{open, "[::1%x; y]", "::1", false},
		{open, "[fe80::1%eth0]", "fe80::2", false},
		{open, "192.0.2.1:7778", "127.0.0.1", false}, // nothing that is asked for there comes over loopback
		{open, "0.0.0.0:7778", "127.0.0.1", false},
		{open, "192.0.2.1:7778", "192.0.2.9", true},
		{open, "[2001:db8::1]:7778", "2001:db8::9", true},
		{open, "localhost:7778", "192.0.2.9", true}, // a port that was forwarded
		{open, "evil.example:7778", "192.0.2.9", false},
		{open, "evil.example:7778", "", false},
		{named, "Game.Example:7778", "127.0.0.1", true},
		{named, "game.example", "192.0.2.9", true},
		{named, "192.0.2.1", "192.0.2.9", true},
		{named, "my.game.example", "192.0.2.9", false},
		{named, "evil.example", "192.0.2.9", false},
		{behind, "whatever.example", "127.0.0.1", true},
		{behind, "whatever.example", "::ffff:10.1.1.1", true},
		{behind, "whatever.example", "192.0.2.9", false},
		{namedBehind, "game.example", "127.0.0.1", true},
		{namedBehind, "evil.example", "127.0.0.1", false},
		{namedBehind, "192.0.2.1", "127.0.0.1", true},
	} {
		var remote netip.Addr
		if c.remote != "" {
			remote = netip.MustParseAddr(c.remote)
		}
		if got := c.guard.Allows(c.host, remote); got != c.want {
			t.Errorf("%q from %s with %+v: %v", c.host, c.remote, c.guard, got)
		}
	}
	for host, good := range map[string]bool{
		"game.example": true, "localhost": true, "::1": true, "": false, "game.example:80": false, "http://game.example": false,
		"[::1]": false, "*": false, "a b": false,
	} {
		if err := (Guard{Hosts: []string{host}}).Validate(); (err == nil) != good {
			t.Errorf("the host %q: %v", host, err)
		}
	}
}
