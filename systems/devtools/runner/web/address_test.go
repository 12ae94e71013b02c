package web

import (
	"net"
	"net/netip"
	"testing"
)

func TestListen(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if ln, err := Listen(taken.Addr().String(), false); err == nil {
		_ = ln.Close()
		t.Error("listens where somebody else does")
	}
	ln, err := Listen(taken.Addr().String(), true)
	if err != nil {
		t.Fatal(err)
	}
	_ = ln.Close()
	if _, err := Listen("nonsense", true); err == nil {
		t.Error("listens at nonsense")
	}
}

// A server on all addresses of a machine says one at which it can be found from there.
func TestHereCanBeReached(t *testing.T) {
	for at, want := range map[string]string{"[::]:80": "127.0.0.1:80", "0.0.0.0:7": "127.0.0.1:7", "10.0.0.1:9": "10.0.0.1:9"} {
		if got := localAddress(netip.MustParseAddrPort(at)); got != want {
			t.Errorf("%s is at %s, want %s", at, got, want)
		}
	}
}
