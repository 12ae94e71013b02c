package mmsg

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
	o := NewWriter(false)
	for i := range o.messages {
		o.messages[i].hdr.Name, o.messages[i].hdr.Namelen = nil, 0
	}
	fill := func() {
		for range BatchSize {
			must(t, o.Add(fds[0], netip.MustParseAddrPort("127.0.0.1:9"), []byte("x")))
		}
	}
	total := uint64(0)
	for o.Full == 0 && total < 1_000_000 {
		fill()
		total += BatchSize
	}
	if o.Full == 0 || o.Sent+o.Full != total || o.Refused != 0 {
		t.Fatalf("after %d: %d sent, %d full, %d refused", total, o.Sent, o.Full, o.Refused)
	}
	b := make([]byte, 2)
	read := uint64(0)
	for {
		if n, err := unix.Read(fds[1], b); err != nil || n != 1 {
			break
		}
		read++
	}
	if read != o.Sent {
		t.Errorf("%d arrived of %d sent", read, o.Sent)
	}
	before := o.Sent
	if fill(); o.Sent == before {
		t.Error("nothing leaves any more")
	}
}
