package eventloop

import (
	"net/netip"
	"testing"
)

// WebSocket addresses are different for all TCP addresses, can be converted back, and are never those of UDP peers.
func TestWebAddresses(t *testing.T) {
	seen := make(map[netip.AddrPort]string)
	for _, s := range []string{
		"192.0.2.1:5000", "192.0.2.1:5001", "192.0.2.2:5000", "0.0.0.0:1", "[::1]:5000", "[2001:db8::1]:5000",
		"[2002:c000:201::]:5000", "[fe80::1%eth0]:5000", "[fe80::1%eth1]:5000", "[fe80::1]:5000",
	} {
		a := netip.MustParseAddrPort(s)
		w := webMark.On(a)
		if other, taken := seen[w]; taken {
			t.Errorf("%v and %v are both %v", s, other, w)
		}
		seen[w] = s
		if !IsWebSocket(w) || IsWebSocket(a) || PeerAddr(w) != a || PeerAddr(a) != a || w == a {
			t.Errorf("%v became %v, which is %v", a, w, PeerAddr(w))
		}
		if p, err := netip.ParseAddrPort(w.String()); err != nil || p != w {
			t.Errorf("%v does not survive as text: %v %v", w, p, err)
		}
	}
	mapped := netip.MustParseAddrPort("[::ffff:192.0.2.1]:5000")
	if webMark.On(mapped) != webMark.On(netip.MustParseAddrPort("192.0.2.1:5000")) {
		t.Error("the mapped form of an address is another address")
	}
	// Code that counts clients by their /64 network does not count all of IPv4 as one network.
	a, b := webMark.On(netip.MustParseAddrPort("192.0.2.1:1")).Addr().As16(), webMark.On(netip.MustParseAddrPort("192.0.2.2:1")).Addr().As16()
	if [8]byte(a[:8]) == [8]byte(b[:8]) {
		t.Error("two IPv4 addresses are one network")
	}
}
