package mmsg

import (
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stamped is a control message with a time of arrival. located is a control message with a local address. Their lengths
// have the alignment of a header, so the next control message begins directly after them.
type (
	stamped struct {
		hdr   unix.Cmsghdr
		stamp unix.Timespec
	}
	located struct {
		hdr  unix.Cmsghdr
		info unix.Inet4Pktinfo
	}
)

const (
	sizeStamped = unsafe.Sizeof(stamped{})
	sizeLocated = unsafe.Sizeof(located{})
	sizeControl = sizeStamped + sizeLocated
)

// control is memory for the control messages of one arrival: its time stamp and its destination address.
type control struct {
	_    [0]uintptr // for the alignment of control messages
	data [sizeControl]byte
}

// find returns the control message of the given level and kind among the size bytes that the kernel wrote, or nil.
func (c *control) find(size int, level, kind int32, length uintptr) unsafe.Pointer {
	const align = unsafe.Sizeof(uintptr(0)) - 1
	for at, end := uintptr(0), min(uintptr(max(size, 0)), sizeControl); at+unix.SizeofCmsghdr <= end; {
		h := (*unix.Cmsghdr)(unsafe.Pointer(&c.data[at]))
		n := uintptr(h.Len)
		if n < unix.SizeofCmsghdr || n > end-at {
			return nil
		}
		if h.Level == level && h.Type == kind && n >= length {
			return unsafe.Pointer(h)
		}
		at += (n + align) &^ align
	}
	return nil
}

// nanos returns the time of arrival in nanoseconds since 1970 by the wall clock. It returns false if the size bytes from
// the kernel contain no time stamp.
func (c *control) nanos(size int) (int64, bool) {
	m := (*stamped)(c.find(size, unix.SOL_SOCKET, unix.SCM_TIMESTAMPNS, unsafe.Sizeof(stamped{})))
	if m == nil {
		return 0, false
	}
	return m.stamp.Nano(), true
}

// to returns the IPv4 destination address of a datagram, or the zero Addr if the kernel did not report it.
func (c *control) to(size int) netip.Addr {
	m := (*located)(c.find(size, unix.IPPROTO_IP, unix.IP_PKTINFO, unsafe.Sizeof(unix.Cmsghdr{})+unsafe.Sizeof(unix.Inet4Pktinfo{})))
	if m == nil {
		return netip.Addr{}
	}
	return netip.AddrFrom4(m.info.Addr)
}

// from sets the IPv4 source address of an outgoing datagram.
func (m *located) from(a netip.Addr) {
	m.hdr.Level, m.hdr.Type = unix.IPPROTO_IP, unix.IP_PKTINFO
	m.hdr.SetLen(unix.CmsgLen(unix.SizeofInet4Pktinfo))
	m.info = unix.Inet4Pktinfo{Spec_dst: a.As4()}
}

// Locate makes an IPv4 socket report the destination address of arrivals; see [Reader.To].
func Locate(fd int) error { return unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_PKTINFO, 1) }
