package netcode

import (
	"testing"
	"unsafe"
)

// What a packet needs of a peer is its keys, in a cache line of their own, and three lines behind them.
func TestPeerIsFewCacheLines(t *testing.T) {
	const line = 64
	var x seat
	if unsafe.Offsetof(x.peer) != line || unsafe.Sizeof(x) > 5*line {
		t.Errorf("a peer is at %d of %d bytes", unsafe.Offsetof(x.peer), unsafe.Sizeof(x))
	}

	for name, at := range map[string]uintptr{
		"last": unsafe.Offsetof(x.peer.last), "window": unsafe.Offsetof(x.peer.window) + unsafe.Sizeof(x.peer.window) - 1, "in": unsafe.Offsetof(x.peer.in),
		"out": unsafe.Offsetof(x.peer.out), "addr": unsafe.Offsetof(x.peer.addr) + unsafe.Sizeof(x.peer.addr) - 1, "over": unsafe.Offsetof(x.peer.over),
	} {
		if at >= 3*line {
			t.Errorf("%s is at %d: behind what every packet needs", name, at)
		}
	}
}
