package netsys

import (
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/netsys/channel"
)

// What every packet needs of a session, and of its channels, is so little that package runtime lets it begin with a cache
// line, and of so many lines that prefetchSession reads a byte of each.
func TestSessionIsFewCacheLines(t *testing.T) {
	var s session
	if n := unsafe.Sizeof(s); n > 6*64 {
		t.Errorf("a session has %d bytes", n)
	}
	if n := unsafe.Sizeof(channel.Endpoint{}); n > 8*64 {
		t.Errorf("what packets need of its channels has %d bytes", n)
	}
	if n := unsafe.Sizeof(sentPacket{}); n > 16 {
		t.Errorf("what is remembered of a packet has %d bytes", n)
	}
	read := [6]bool{}
	for _, at := range []uintptr{
		unsafe.Offsetof(s.age), unsafe.Offsetof(s.state), unsafe.Offsetof(s.in) + unsafe.Offsetof(s.in.newest),
		unsafe.Offsetof(s.payloadIn), unsafe.Offsetof(s.unsent),
		unsafe.Offsetof(s.details),
	} {
		read[at/64] = true
	}
	if read != [6]bool{true, true, true, true, true, true} {
		t.Errorf("of the cache lines of a session these are read before: %v", read)
	}
}
