package streams

import (
	"io"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/internal/mmsg"
)

// ready is the largest number of sockets that one epoll_wait reports.
const ready = 1024

// Set is a set of TCP sockets that one goroutine reads. Other goroutines may add sockets meanwhile. The set does not own
// its sockets: remove a socket before closing it.
type Set struct {
	epoll   int
	events  []unix.EpollEvent
	message mmsg.Stream
}

// New returns an empty set, an error of the operating system, or [ErrUnsupported].
func New() (*Set, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	return &Set{epoll: fd, events: make([]unix.EpollEvent, ready)}, nil
}

// Add adds a non-blocking socket. If the kernel has no time stamps, arrivals get the time at which they are read.
func (s *Set) Add(fd int) error {
	_ = mmsg.Stamp(fd)
	return os.NewSyscallError("epoll_ctl", unix.EpollCtl(s.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)}))
}

// Remove removes a socket.
func (s *Set) Remove(fd int) { _ = unix.EpollCtl(s.epoll, unix.EPOLL_CTL_DEL, fd, nil) }

// Ready appends the sockets that are readable, have ended or have failed. It never blocks. If more is true, the call
// reported as many sockets as fit; call Ready again for the rest.
func (s *Set) Ready(fds []int) (_ []int, more bool) {
	for {
		n, err := unix.EpollWait(s.epoll, s.events, 0)
		if err == unix.EINTR {
			continue
		}
		for _, e := range s.events[:max(n, 0)] {
			fds = append(fds, int(e.Fd))
		}
		return fds, n == len(s.events)
	}
}

// Begin starts a round of reads at now, which must come from time.Now.
func (s *Set) Begin(now time.Time) { s.message.Begin(now) }

// Read reads from a socket into b and returns the time at which the last byte arrived, between the previous and the current
// Begin. It never blocks. n is 0 if the socket is empty. The error is [io.EOF] at the end of the stream.
func (s *Set) Read(fd int, b []byte) (n int, at time.Time, err error) {
	n, at, errno := s.message.Read(fd, b)
	switch {
	case errno == unix.EAGAIN:
		return 0, at, nil
	case errno != 0:
		return 0, at, os.NewSyscallError("recvmsg", errno)
	case n == 0:
		return 0, at, io.EOF
	}
	return n, at, nil
}

// Close releases the set but leaves its sockets open.
func (s *Set) Close() { _ = unix.Close(s.epoll) }

// Keep duplicates the descriptor of a socket. The duplicate stays open when the original is closed.
func Keep(fd int) (int, error) {
	other, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	return other, os.NewSyscallError("fcntl", err)
}

// Write writes as much of b as the socket accepts and returns the number of bytes. It returns 0 if the socket is full or
// has ended; reading reports the end. It never blocks.
func Write(fd int, b []byte) int {
	for {
		n, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
		switch errno {
		case unix.EINTR:
			continue
		case 0:
			return int(n)
		}
		return 0
	}
}
