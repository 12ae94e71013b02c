package mmsg

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Stream reads from sockets of streams that stamp arrivals ([Stamp]). It is for one goroutine at a time. The zero value is
// ready.
type Stream struct {
	now   time.Time
	wall  int64     // the same in nanoseconds since 1970
	floor time.Time // no arrival is before this: sockets were read then

	hdr     unix.Msghdr
	vector  unix.Iovec
	control control
}

// Begin says what time it is; now must come from time.Now.
func (s *Stream) Begin(now time.Time) {
	s.floor = s.now
	s.now, s.wall = now, now.UnixNano()
}

// Read reads what a socket has into b, as far as there is room, and says when the last of that came: not after the time of
// Begin, and not before that of the Begin before. It never blocks; a socket that has nothing is the error EAGAIN, and one
// that has ended 0 bytes.
func (s *Stream) Read(fd int, b []byte) (n int, at time.Time, errno unix.Errno) {
	s.vector.Base = unsafe.SliceData(b)
	s.vector.SetLen(len(b))
	s.hdr.Iov = &s.vector
	s.hdr.SetIovlen(1)
	s.hdr.Control = &s.control.data[0]
	for {
		s.hdr.SetControllen(int(sizeControl))
		got, _, errno := unix.RawSyscall(unix.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(&s.hdr)), unix.MSG_DONTWAIT)
		switch errno {
		case unix.EINTR:
			continue
		case 0:
			return int(got), s.arrival(), 0
		}
		return 0, s.now, errno
	}
}

// arrival is when what was read last came.
func (s *Stream) arrival() time.Time {
	nanos, ok := s.control.nanos(int(s.hdr.Controllen))
	if !ok {
		return s.now
	}
	at := s.now.Add(time.Duration(nanos - s.wall))
	switch {
	case at.After(s.now):
		return s.now
	case at.Before(s.floor):
		return s.floor
	}
	return at
}
