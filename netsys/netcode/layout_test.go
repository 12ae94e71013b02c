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
	p := &x.peer
	for name, at := range map[string]uintptr{
		"last": unsafe.Offsetof(p.last), "window": unsafe.Offsetof(p.window) + unsafe.Sizeof(p.window) - 1, "in": unsafe.Offsetof(p.in),
		"out": unsafe.Offsetof(p.out), "addr": unsafe.Offsetof(p.addr) + unsafe.Sizeof(p.addr) - 1, "over": unsafe.Offsetof(p.over),
	} {
		if at >= 3*line {
			t.Errorf("%s is at %d: behind what every packet needs", name, at)
		}
	}
}
