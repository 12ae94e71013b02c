package mmsg

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Stream reads from TCP sockets that record the times of arrivals ([Stamp]). Only one goroutine may use it at a time. The
// zero value is ready.
type Stream struct {
	now   time.Time
	wall  int64     // now in nanoseconds since 1970
	floor time.Time // now of the previous round: no arrival is earlier

	hdr     unix.Msghdr
	vector  unix.Iovec
	control control
}

// Begin starts a round of reads at now, which must come from time.Now.
func (s *Stream) Begin(now time.Time) {
	s.floor = s.now
	s.now, s.wall = now, now.UnixNano()
}

// Read reads from a socket into b and returns the time at which the last byte arrived, between the previous and the current
// Begin. It never blocks. The error is EAGAIN if the socket is empty; n is 0 at the end of the stream.
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

// arrival returns the time of arrival of the last read.
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
