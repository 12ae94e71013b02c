package mmsg

import (
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
)

// Writer collects datagrams and sends them as a batch. Only one goroutine may use it at a time.
type Writer struct {
	// Sent counts datagrams, Calls the system calls.
	Sent, Calls uint64
	// Full counts datagrams lost because the kernel's send buffer was full. Refused counts datagrams that the kernel
	// refused for any other reason, such as a missing route.
	Full, Refused uint64

	zones zones

	// These point into each other. NewWriter sets the pointers once; a Writer stays on the heap and never moves.
	messages [BatchSize]message
	vectors  [BatchSize]unix.Iovec
	names    [BatchSize]sockaddr
	sources  [BatchSize]located
	data     [BatchSize][netsys.MaxDatagram]byte
	n        int
	v6       bool
}

// NewWriter returns a writer for an IPv4 socket or, with v6, for an IPv6 socket, which reaches IPv4 peers by mapped
// addresses.
func NewWriter(v6 bool) *Writer {
	w := &Writer{v6: v6}
	for i := range w.messages {
		v := &w.vectors[i]
		v.Base = &w.data[i][0]
		h := &w.messages[i].hdr
		h.Name = (*byte)(unsafe.Pointer(&w.names[i]))
		h.Namelen = sizeInet4
		if v6 {
			h.Namelen = sizeInet6
		}
		h.Iov = v
		h.SetIovlen(1)
		h.Control = (*byte)(unsafe.Pointer(&w.sources[i]))
	}
	return w
}

// Room returns the memory of the next datagram, [netsys.MaxDatagram] bytes. If the caller writes the datagram there, Add
// does not copy.
func (w *Writer) Room() []byte { return w.data[w.n][:] }

// Add appends a datagram of at most [netsys.MaxDatagram] bytes and sends the batch when full. The error is EDESTADDRREQ for
// an unusable address and EAFNOSUPPORT for IPv6 on an IPv4 socket.
func (w *Writer) Add(fd int, to netip.AddrPort, b []byte) error {
	return w.AddFrom(fd, netip.Addr{}, to, b)
}

// AddFrom is [Writer.Add] with a source address: an IPv4 address of this machine, on an IPv4 socket bound to all of them.
// With the zero Addr, the kernel chooses the source.
func (w *Writer) AddFrom(fd int, from netip.Addr, to netip.AddrPort, b []byte) error {
	switch {
	case !to.IsValid() || to.Port() == 0:
		return unix.EDESTADDRREQ
	case !w.v6 && !to.Addr().Unmap().Is4():
		return unix.EAFNOSUPPORT
	}
	h := &w.messages[w.n].hdr
	h.SetControllen(0)
	if from.Is4() {
		w.sources[w.n].from(from)
		h.SetControllen(int(sizeLocated))
	}
	w.names[w.n].set(to, w.v6, &w.zones)
	n := len(b)
	if n > 0 && &b[0] != &w.data[w.n][0] {
		n = copy(w.data[w.n][:], b)
	}
	w.vectors[w.n].SetLen(n)
	if w.n++; w.n == BatchSize {
		w.Flush(fd)
	}
	return nil
}

// Flush sends the batch and never blocks. If the send buffer is full, the rest of the batch is lost. If the kernel refuses
// a datagram because of its content or address, only this datagram is lost.
func (w *Writer) Flush(fd int) {
	for at := 0; at < w.n; {
		n, _, errno := unix.RawSyscall6(unix.SYS_SENDMMSG, uintptr(fd),
			uintptr(unsafe.Pointer(&w.messages[at])), uintptr(w.n-at), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
		w.Calls++
		switch errno {
		case 0:
			at += int(n)
			w.Sent += uint64(n)
		case unix.EINTR:
		case unix.EAGAIN, unix.ENOBUFS, unix.ENOMEM:
			w.Full += uint64(w.n - at)
			at = w.n
		default:
			w.Refused++
			at++
		}
	}
	w.n = 0
}
