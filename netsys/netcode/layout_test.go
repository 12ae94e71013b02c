package netcode

import (
	"testing"
	"unsafe"
)

// What a packet needs of a peer, beside its keys, is three cache lines.
func TestPeerIsFewCacheLines(t *testing.T) {
	const line = 64
	var p Peer
	if n := unsafe.Sizeof(p); n > 4*line {
		t.Errorf("a peer has %d bytes", n)
	}

	for name, at := range map[string]uintptr{
		"sent": unsafe.Offsetof(p.sent), "window": unsafe.Offsetof(p.window) + unsafe.Sizeof(p.window) - 1, "in": unsafe.Offsetof(p.in),
		"out": unsafe.Offsetof(p.out), "addr": unsafe.Offsetof(p.addr) + unsafe.Sizeof(p.addr) - 1, "over": unsafe.Offsetof(p.over),
	} {
		if at >= 3*line {
			t.Errorf("%s is at %d: behind what every packet needs", name, at)
		}
	}
}
