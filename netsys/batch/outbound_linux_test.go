package batch

import (
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"
)

// When the kernel has no room, the rest of a batch is dropped and counted, and the next batch goes as before.
// Loopback always has room; a pair of local sockets takes the same calls and has not.
func TestFullWriteBuffer(t *testing.T) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Skip(err)
	}
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	o := newOutbound(false)
	for i := range o.messages {
		o.messages[i].hdr.Name, o.messages[i].hdr.Namelen = nil, 0
	}
	var stats Stats
	fill := func() {
		for !o.add(netip.MustParseAddrPort("127.0.0.1:9"), []byte("x"), nil) {
		}
		o.flush(fds[0], &stats)
	}
	total := uint64(0)
	for stats.Full == 0 && total < 1_000_000 {
		fill()
		total += batchSize
	}
	if stats.Full == 0 || stats.Sent+stats.Full != total || stats.Refused != 0 {
		t.Fatalf("after %d: %+v", total, stats)
	}
	b := make([]byte, 2)
	read := uint64(0)
	for {
		if n, err := unix.Read(fds[1], b); err != nil || n != 1 {
			break
		}
		read++
	}
	if read != stats.Sent {
		t.Errorf("%d arrived: %+v", read, stats)
	}
	before := stats.Sent
	if fill(); stats.Sent == before {
		t.Errorf("nothing leaves any more: %+v", stats)
	}
}
