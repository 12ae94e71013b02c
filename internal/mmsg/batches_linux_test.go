package mmsg

import (
	"net/netip"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
)

// udp returns a socket on loopback, and where it is.
func udp(t *testing.T) (int, netip.AddrPort) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	t.Cleanup(func() { _ = unix.Close(fd) })
	must(t, Stamp(fd))
	must(t, unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	name, err := unix.Getsockname(fd)
	must(t, err)
	a := name.(*unix.SockaddrInet4)
	return fd, netip.AddrPortFrom(netip.AddrFrom4(a.Addr), uint16(a.Port))
}

// send sends n datagrams from one socket to another, where they wait. It sends those again that are lost.
func send(t *testing.T, w *Writer, fd int, to netip.AddrPort, in, n int) {
	t.Helper()
	for range n {
		before := waiting(t, in)
		for tries := 0; waiting(t, in) == before; tries++ {
			if tries == 100 {
				t.Fatal("all datagrams are lost")
			}
			must(t, w.Add(fd, to, []byte("x")))
			w.Flush(fd)
		}
	}
}

// waiting returns the memory of the datagrams that wait in a socket, in bytes.
func waiting(t *testing.T, fd int) uint32 {
	t.Helper()
	var info [9]uint32 // SK_MEMINFO_VARS; the first is SK_MEMINFO_RMEM_ALLOC
	size := uint32(unsafe.Sizeof(info))
	_, _, err := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_MEMINFO,
		uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	if err != 0 {
		t.Fatal(err)
	}
	return info[0]
}

// A batch that is not full was all that had arrived; after a full one that is not known until the next call.
func TestReadTellsWhetherThatWasAll(t *testing.T) {
	in, to := udp(t)
	out, _ := udp(t)
	w, r := NewWriter(false), NewReader()
	read := func(batches int) (n int, all bool) {
		all = r.Read(in, time.Now(), batches, func(netsys.Datagram) { n++ })
		return n, all
	}
	for _, c := range []struct {
		sent, batches int
		n             int
		all           bool
		calls         uint64
	}{
		{0, 3, 0, true, 1},
		{10, 3, 10, true, 1},
		{BatchSize, 1, BatchSize, false, 1},
		{0, 1, 0, true, 1}, // what was left open
		{BatchSize, 2, BatchSize, true, 2},
		{2*BatchSize + 5, 2, 2 * BatchSize, false, 2},
		{0, 2, 5, true, 1},
	} {
		send(t, w, out, to, in, c.sent)
		before, received := r.Calls, r.Received
		if n, all := read(c.batches); n != c.n || all != c.all || r.Calls-before != c.calls || r.Received-received != uint64(c.n) {
			t.Errorf("%d sent, %d batches: %d read, all %v, %d calls; want %d, %v, %d",
				c.sent, c.batches, n, all, r.Calls-before, c.n, c.all, c.calls)
		}
	}
	if r.Errors != 0 {
		t.Errorf("%d errors", r.Errors)
	}
}

// Each read from a descriptor that is no socket counts an error and delivers nothing.
func TestReadErrorsAreCounted(t *testing.T) {
	var fds [2]int
	must(t, unix.Pipe2(fds[:], unix.O_CLOEXEC))
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	r := NewReader()
	for n := uint64(1); n < 4; n++ {
		r.Read(fds[0], time.Now(), 1, func(netsys.Datagram) { t.Error("a datagram from a pipe") })
		if r.Errors != n || r.Calls != n || r.Received != 0 {
			t.Errorf("after %d: %d errors, %d calls, %d received", n, r.Errors, r.Calls, r.Received)
		}
	}
}

// If the kernel refuses a datagram in the middle of a batch, the others are sent, and those of an earlier batch are not sent
// again.
func TestRefusedInTheMiddle(t *testing.T) {
	for try := range 100 {
		in, to := udp(t)
		out, _ := udp(t)
		w, r := NewWriter(false), NewReader()
		for range BatchSize {
			must(t, w.Add(out, to, []byte("x")))
		}
		for _, a := range []netip.AddrPort{to, netip.MustParseAddrPort("255.255.255.255:9"), to, to} {
			must(t, w.Add(out, a, []byte("x")))
		}
		w.Flush(out)
		n := 0
		r.Read(in, time.Now(), 4, func(netsys.Datagram) { n++ })
		if w.Refused != 1 || w.Sent != BatchSize+3 || n > BatchSize+3 || try == 99 {
			t.Fatalf("%d sent, %d refused, %d arrived", w.Sent, w.Refused, n)
		}
		if n == BatchSize+3 {
			return
		}
		// The network has lost some.
	}
}

// A full buffer of a socket that blocks does not block either; all that is lost is counted, batch by batch.
func TestFlushNeverBlocks(t *testing.T) {
	w, fds := localWriter(t, 0)
	done := make(chan uint64)
	go func() {
		total := uint64(0)
		for rounds := 0; rounds < 3 && total < 1_000_000; total += BatchSize {
			before := w.Full
			for range BatchSize {
				_ = w.Add(fds[0], netip.MustParseAddrPort("127.0.0.1:9"), []byte("x"))
			}
			if w.Full > before {
				rounds++
			}
		}
		done <- total
	}()
	select {
	case total := <-done:
		if w.Sent+w.Full != total || w.Full < 2*BatchSize {
			t.Errorf("%d of %d sent, %d lost", w.Sent, total, w.Full)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it blocks")
	}
}

// must fails the test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
