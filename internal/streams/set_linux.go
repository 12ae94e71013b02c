package streams

import (
	"io"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/internal/mmsg"
)

// ready is how many sockets one system call tells of.
const ready = 1024

// Set is TCP sockets that one goroutine reads. Others may add some meanwhile. It owns no socket: who closes one removes it
// before.
type Set struct {
	epoll   int
	events  []unix.EpollEvent
	message mmsg.Stream
}

// New makes an empty set. The error is the operating system's, or [ErrUnsupported].
func New() (*Set, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	return &Set{epoll: fd, events: make([]unix.EpollEvent, ready)}, nil
}

// Add takes a socket in, which must not block. Without time stamps, where the kernel has none, arrivals are as late as
// they are read.
func (s *Set) Add(fd int) error {
	_ = mmsg.Stamp(fd)
	return os.NewSyscallError("epoll_ctl", unix.EpollCtl(s.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)}))
}

// Remove forgets a socket.
func (s *Set) Remove(fd int) { _ = unix.EpollCtl(s.epoll, unix.EPOLL_CTL_DEL, fd, nil) }

// Ready appends the sockets that have something to read, have ended or have failed. It returns at most so many that a
// call may leave some out: more reports that, and they come first in the next call. It never blocks.
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

// Begin says what time it is, before sockets are read: now must come from time.Now.
func (s *Set) Begin(now time.Time) { s.message.Begin(now) }

// Read reads what a socket has into b, as far as there is room, and says when the last of that came: not after the time of
// Begin and not before that of the Begin before. n is 0 where there is nothing, and the error [io.EOF] at the end. It
// never blocks.
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

// Close gives the set up, not its sockets.
func (s *Set) Close() { _ = unix.Close(s.epoll) }

// Keep returns another descriptor of a socket, which stays when the first is closed.
func Keep(fd int) (int, error) {
	other, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	return other, os.NewSyscallError("fcntl", err)
}

// Write writes as much as a socket takes; 0 where that is nothing, or the socket has ended, which reading tells. It never
// blocks.
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
