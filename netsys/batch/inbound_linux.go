package batch

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
)

// inbound is the memory into which the kernel writes one batch. Pointers from one part to another are set
// once; it must stay on the heap, where nothing moves.
type inbound struct {
	messages [batchSize]message
	vectors  [batchSize]unix.Iovec
	names    [batchSize]sockaddr
	controls [batchSize]control
	// One byte more than a datagram may have shows that one is too long.
	data [batchSize][netsys.MaxDatagram + 1]byte
	used int // messages that the last call wrote to
}

func newInbound() *inbound {
	in := &inbound{used: batchSize}
	for i := range in.messages {
		v := &in.vectors[i]
		v.Base = &in.data[i][0]
		v.SetLen(len(in.data[i]))
		h := &in.messages[i].hdr
		h.Name = (*byte)(unsafe.Pointer(&in.names[i]))
		h.Iov = v
		h.SetIovlen(1)
		h.Control = (*byte)(unsafe.Pointer(&in.controls[i]))
	}
	return in
}

// receive takes up to a batch of datagrams from the socket. errno is EAGAIN when there is none.
func (in *inbound) receive(fd int) (n int, errno unix.Errno) {
	for i := range in.used {
		// The kernel wrote what it used of these.
		h := &in.messages[i].hdr
		h.Namelen = uint32(unsafe.Sizeof(in.names[i]))
		h.SetControllen(int(sizeControl))
	}
	in.used = 0
	for {
		r, _, errno := unix.Syscall6(unix.SYS_RECVMMSG, uintptr(fd),
			uintptr(unsafe.Pointer(&in.messages)), batchSize, unix.MSG_DONTWAIT, 0, 0)
		switch errno {
		case 0:
			in.used = int(r)
			return in.used, 0
		case unix.EINTR:
			continue
		}
		return 0, errno
	}
}

// deliver hands over the datagram at place i of the last batch.
func (in *inbound) deliver(i int, l *Listener, deliver func(netsys.Datagram)) {
	m := &in.messages[i]
	nanos, ok := in.controls[i].nanos(int(m.hdr.Controllen))
	deliver(netsys.Datagram{
		From: in.names[i].addr(&l.zones),
		At:   l.clock.arrival(nanos, ok),
		Data: in.data[i][:m.size],
	})
}
