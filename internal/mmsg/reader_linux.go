package mmsg

import (
	"net/netip"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
)

// Reader reads datagrams from a socket with SO_TIMESTAMPNS. It owns the memory of one batch. Only one goroutine may use it
// at a time.
type Reader struct {
	// Received counts datagrams and Calls the system calls, including calls that found nothing. Errors counts the calls
	// that failed for any other reason.
	Received, Calls, Errors uint64

	clock clock
	zones zones

	// These point into each other. NewReader sets the pointers once; a Reader stays on the heap and never moves.
	messages [BatchSize]message
	vectors  [BatchSize]unix.Iovec
	names    [BatchSize]sockaddr
	controls [BatchSize]control
	// One byte more than the largest datagram, to recognize longer ones.
	data [BatchSize][netsys.MaxDatagram + 1]byte
	used int // messages written by the last call
	at   int // index of the message being delivered
}

// NewReader returns a reader. It serves IPv4 and IPv6 sockets.
func NewReader() *Reader {
	r := &Reader{used: BatchSize}
	for i := range r.messages {
		v := &r.vectors[i]
		v.Base = &r.data[i][0]
		v.SetLen(len(r.data[i]))
		h := &r.messages[i].hdr
		h.Name = (*byte)(unsafe.Pointer(&r.names[i]))
		h.Iov = v
		h.SetIovlen(1)
		h.Control = &r.controls[i].data[0]
	}
	return r
}

// Stamp makes a socket record when datagrams arrive.
func Stamp(fd int) error { return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) }

// Read delivers arrivals, oldest first, in at most the given number of batches, and reports whether it emptied the socket.
// It never blocks. now must come from time.Now. Times of arrival never exceed now and never decrease.
func (r *Reader) Read(fd int, now time.Time, batches int, deliver func(netsys.Datagram)) (all bool) {
	r.clock.startPoll(now)
	for range batches {
		n := r.receive(fd)
		for i := range n {
			r.at = i
			m := &r.messages[i]
			nanos, ok := r.controls[i].nanos(int(m.hdr.Controllen))
			deliver(netsys.Datagram{From: r.names[i].addr(&r.zones), At: r.clock.arrival(nanos, ok), Data: r.data[i][:m.size]})
		}
		if n < BatchSize {
			r.clock.drained()
			return true
		}
	}
	return false
}

// Forget prepares the reader for another socket, whose arrivals may be older than those of the previous socket.
func (r *Reader) Forget() { r.clock.floor = time.Time{} }

// To returns the local IPv4 address to which the sender addressed the datagram being delivered. It returns the zero Addr
// unless [Locate] was called for the socket.
func (r *Reader) To() netip.Addr {
	return r.controls[r.at].to(int(r.messages[r.at].hdr.Controllen))
}

// receive reads up to one batch and returns the number of datagrams. A short batch means that the socket is empty.
func (r *Reader) receive(fd int) int {
	for i := range r.used {
		// The kernel has overwritten both lengths.
		h := &r.messages[i].hdr
		h.Namelen = uint32(unsafe.Sizeof(r.names[i]))
		h.SetControllen(int(sizeControl))
	}
	r.used = 0
	for {
		n, _, errno := unix.RawSyscall6(unix.SYS_RECVMMSG, uintptr(fd),
			uintptr(unsafe.Pointer(&r.messages)), BatchSize, unix.MSG_DONTWAIT, 0, 0)
		r.Calls++
		switch errno {
		case 0:
			r.used = int(n)
			r.Received += uint64(n)
		case unix.EINTR:
			continue
		case unix.EAGAIN:
		default:
			r.Errors++
		}
		return r.used
	}
}
