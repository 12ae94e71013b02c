package mmsg

import (
	"net/netip"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
)

// Reader takes datagrams from a socket that stamps arrivals (SO_TIMESTAMPNS). It holds the memory into which the
// kernel writes one batch, and is for one goroutine at a time.
type Reader struct {
	// Received counts datagrams, Calls the system calls that this took, with those that found nothing; Errors is
	// those of them that failed for another reason.
	Received, Calls, Errors uint64

	clock clock
	zones zones

	// Pointers from one part to another are set once; a Reader stays on the heap, where nothing moves.
	messages [BatchSize]message
	vectors  [BatchSize]unix.Iovec
	names    [BatchSize]sockaddr
	controls [BatchSize]control
	// One byte more than a datagram may have shows that one is too long.
	data [BatchSize][netsys.MaxDatagram + 1]byte
	used int // messages that the last call wrote to
	at   int // the message that is being delivered
}

// NewReader returns a reader for any socket.
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

// Stamp makes a socket stamp arrivals.
func Stamp(fd int) error { return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) }

// Read delivers what has arrived, at most so many batches, oldest first, and reports whether that was all. It never
// blocks. now must come from time.Now; no arrival is later, and none earlier than one that was delivered before.
func (r *Reader) Read(fd int, now time.Time, batches int, deliver func(netsys.Datagram)) (all bool) {
	r.clock.begin(now)
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

// Forget makes what follows the arrivals of another socket, whose times have nothing to do with those of the last.
func (r *Reader) Forget() { r.clock.floor = time.Time{} }

// To is the IPv4 address of this end that the datagram which is being delivered was sent to, on a socket that tells
// it ([Locate]); the zero Addr elsewhere.
func (r *Reader) To() netip.Addr {
	return r.controls[r.at].to(int(r.messages[r.at].hdr.Controllen))
}

// receive takes up to a batch of datagrams and returns how many. Fewer than a batch mean that no more had arrived.
func (r *Reader) receive(fd int) int {
	for i := range r.used {
		// The kernel wrote what it used of these.
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
