package mmsg

import (
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Whatever the wall clock does, arrival times are between the last two reads of the sockets.
func TestStreamWhenTheClockIsSet(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer ln.Close()
	far, err := net.Dial("tcp", ln.Addr().String())
	must(t, err)
	defer far.Close()
	near, err := ln.Accept()
	must(t, err)
	defer near.Close()
	raw, err := near.(*net.TCPConn).SyscallConn()
	must(t, err)
	var fd int
	must(t, raw.Control(func(d uintptr) { fd = int(d) }))
	must(t, Stamp(fd))
	var s Stream
	b := make([]byte, 10)
	last := time.Now()
	s.Begin(last)
	if _, _, errno := s.Read(fd, b); errno != unix.EAGAIN {
		t.Errorf("nothing came: %v", errno)
	}
	for _, by := range []time.Duration{-time.Hour, 0, time.Hour} {
		_, err := far.Write([]byte("x"))
		must(t, err)
		var now, at time.Time
		n, errno := 0, unix.EAGAIN
		for tries := range 10_000 {
			now = time.Now()
			s.Begin(now)
			s.wall += int64(by)
			n, at, errno = s.Read(fd, b)
			if _, stamped := s.control.nanos(int(s.hdr.Controllen)); errno != unix.EAGAIN && (stamped || tries > 1000) {
				break
			} else if errno != unix.EAGAIN { // the kernel begins to stamp a while after the first socket asked
				_, err := far.Write([]byte("x"))
				must(t, err)
			}
			last = now
			time.Sleep(time.Millisecond)
		}
		if _, stamped := s.control.nanos(int(s.hdr.Controllen)); !stamped {
			t.Fatal("no stamp")
		}
		if n != 1 || errno != 0 || at.Before(last) || at.After(now) {
			t.Errorf("the clock was set by %v: %d bytes, %v, %v before now", by, n, errno, now.Sub(at))
		}
		last = now
	}
}
