package batch

import (
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
)

// outbound collects datagrams for one system call. Pointers from one part to another are set once; it must
// stay on the heap, where nothing moves.
type outbound struct {
	messages [batchSize]message
	vectors  [batchSize]unix.Iovec
	names    [batchSize]sockaddr
	data     [batchSize][netsys.MaxDatagram]byte
	n        int
	v6       bool
}

func newOutbound(v6 bool) *outbound {
	o := &outbound{v6: v6}
	for i := range o.messages {
		v := &o.vectors[i]
		v.Base = &o.data[i][0]
		h := &o.messages[i].hdr
		h.Name = (*byte)(unsafe.Pointer(&o.names[i]))
		h.Namelen = sizeInet4
		if v6 {
			h.Namelen = sizeInet6
		}
		h.Iov = v
		h.SetIovlen(1)
	}
	return o
}

// add copies a datagram of at most [netsys.MaxDatagram] bytes and reports whether the batch is full.
func (o *outbound) add(to netip.AddrPort, b []byte, z *zones) (full bool) {
	o.names[o.n].set(to, o.v6, z)
	o.vectors[o.n].SetLen(copy(o.data[o.n][:], b))
	o.n++
	return o.n == batchSize
}

// flush sends the batch. When the kernel has no room, the rest of the batch is lost; when it refuses a
// datagram for what that is, only this one.
func (o *outbound) flush(fd int, stats *Stats) {
	for at := 0; at < o.n; {
		r, _, errno := unix.Syscall6(unix.SYS_SENDMMSG, uintptr(fd),
			uintptr(unsafe.Pointer(&o.messages[at])), uintptr(o.n-at), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
		stats.Writes++
		switch errno {
		case 0:
			at += int(r)
			stats.Sent += uint64(r)
		case unix.EINTR:
		case unix.EAGAIN, unix.ENOBUFS, unix.ENOMEM:
			stats.Full += uint64(o.n - at)
			at = o.n
		default:
			stats.Refused++
			at++
		}
	}
	o.n = 0
}
