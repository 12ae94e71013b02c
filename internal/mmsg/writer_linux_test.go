package mmsg

import (
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"
)

// localWriter writes to the first of a pair of local sockets, which take no addresses.
func localWriter(t *testing.T, flags int) (*Writer, [2]int) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|flags, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _, _ = unix.Close(fds[0]), unix.Close(fds[1]) })
	w := NewWriter(false)
	for i := range w.messages {
		w.messages[i].hdr.Name, w.messages[i].hdr.Namelen = nil, 0
	}
	return w, fds
}

// If the kernel has no room, the rest of the batch is dropped and counted, and the next batch is sent normally. Loopback
// always has room. A pair of local sockets takes the same calls and can be full.
func TestFullWriteBuffer(t *testing.T) {
	o, fds := localWriter(t, unix.SOCK_NONBLOCK)
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
