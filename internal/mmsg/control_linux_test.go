package mmsg

import (
	"net/netip"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
)

// Both control messages are found in either order, and nothing beyond the written length is read.
func TestControl(t *testing.T) {
	stamp := stamped{hdr: unix.Cmsghdr{Level: unix.SOL_SOCKET, Type: unix.SCM_TIMESTAMPNS}, stamp: unix.NsecToTimespec(1_234_567_890_123)}
	stamp.hdr.SetLen(unix.CmsgLen(int(unsafe.Sizeof(stamp.stamp))))
	at := netip.MustParseAddr("127.9.8.7")
	info := located{}
	info.from(at)
	info.info = unix.Inet4Pktinfo{Addr: at.As4()}
	a, b := unsafe.Slice((*byte)(unsafe.Pointer(&stamp)), sizeStamped), unsafe.Slice((*byte)(unsafe.Pointer(&info)), sizeLocated)
	for name, parts := range map[string][2][]byte{"stamp first": {a, b}, "address first": {b, a}} {
		var c control
		copy(c.data[copy(c.data[:], parts[0]):], parts[1])
		if n, ok := c.nanos(int(sizeControl)); n != 1_234_567_890_123 || !ok {
			t.Errorf("%s: stamp %d %v", name, n, ok)
		}
		if got := c.to(int(sizeControl)); got != at {
			t.Errorf("%s: to %v", name, got)
		}
		for size := range len(parts[0]) {
			if _, ok := c.nanos(size); ok && size < unix.CmsgLen(int(unsafe.Sizeof(stamp.stamp))) {
				t.Errorf("%s: a stamp in %d bytes", name, size)
			}
			if got := c.to(size); got.IsValid() && size < unix.CmsgLen(unix.SizeofInet4Pktinfo) {
				t.Errorf("%s: an address in %d bytes", name, size)
			}
		}
	}
	var c control
	copy(c.data[:], a)
	c.data[0] = 1 // shorter than its own header
	if _, ok := c.nanos(int(sizeControl)); ok {
		t.Error("a stamp in a control message of 1 byte")
	}
}

// One socket has many addresses: a datagram is sent from the requested address, and a received one has the address to which it
// was sent. A datagram without a requested source is sent from the kernel's choice, even after one with a source.
func TestSourceAddresses(t *testing.T) {
	many, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	defer unix.Close(many)
	must(t, Stamp(many))
	must(t, Locate(many))
	must(t, unix.Bind(many, &unix.SockaddrInet4{}))
	name, err := unix.Getsockname(many)
	must(t, err)
	port := uint16(name.(*unix.SockaddrInet4).Port)
	server, to := udp(t)

	w, r, back := NewWriter(false), NewReader(), NewWriter(false)
	want := map[string]string{"a": "127.64.0.9", "b": "127.65.1.0", "c": "127.0.0.1"}
	came := map[string]bool{}
	for tries := 0; len(came) < len(want); tries++ { // the network may lose some
		if tries == 100 {
			t.Fatalf("only %v came back", came)
		}
		must(t, w.AddFrom(many, netip.MustParseAddr("127.64.0.9"), to, []byte("a")))
		must(t, w.AddFrom(many, netip.MustParseAddr("127.65.1.0"), to, []byte("b")))
		w.Flush(many)
		must(t, w.Add(many, to, []byte("c")))
		w.Flush(many)
		r.Read(server, time.Now(), 1, func(d netsys.Datagram) {
			if got := d.From; got != netip.AddrPortFrom(netip.MustParseAddr(want[string(d.Data)]), port) {
				t.Errorf("%s came from %v, want %s", d.Data, got, want[string(d.Data)])
			}
			if r.To().IsValid() {
				t.Errorf("%s was sent to %v, and the socket does not tell", d.Data, r.To())
			}
			must(t, back.Add(server, d.From, d.Data))
		})
		back.Flush(server)
		r.Read(many, time.Now(), 1, func(d netsys.Datagram) {
			if came[string(d.Data)] = true; r.To().String() != want[string(d.Data)] || d.From != to {
				t.Errorf("%s came to %v from %v, want %s", d.Data, r.To(), d.From, want[string(d.Data)])
			}
		})
	}
}
