package streams

import (
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// connection is both ends of a TCP connection; the near one as a descriptor.
func connection(t *testing.T) (near int, far net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer ln.Close()
	far, err = net.Dial("tcp", ln.Addr().String())
	must(t, err)
	t.Cleanup(func() { _ = far.Close() })
	in, err := ln.Accept()
	must(t, err)
	defer in.Close()
	raw, err := in.(*net.TCPConn).SyscallConn()
	must(t, err)
	must(t, raw.Control(func(fd uintptr) { near, err = Keep(int(fd)) }))
	must(t, err)
	return near, far
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wait waits until sockets of a set are ready.
func wait(t *testing.T, s *Set) []int {
	t.Helper()
	for range 10_000 {
		if fds, _ := s.Ready(nil); len(fds) > 0 {
			return fds
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("nothing came")
	return nil
}

// Read returns the time of arrival, even if it is called much later. A socket in the set outlives its original descriptor, and
// its end is reported.
func TestReadTellsWhen(t *testing.T) {
	s, err := New()
	must(t, err)
	defer s.Close()
	fd, far := connection(t)
	defer unix.Close(fd)
	must(t, s.Add(fd))
	before := time.Now()
	s.Begin(before)
	b := make([]byte, 100)
	if n, _, err := s.Read(fd, b); n != 0 || err != nil {
		t.Errorf("nothing came, and %d bytes are read, %v", n, err)
	}
	// The kernel begins to stamp a while after the first socket asked.
	late := 0
	for ; late < 1000; late++ {
		_, err = far.Write([]byte("hello"))
		must(t, err)
		if fds := wait(t, s); len(fds) != 1 || fds[0] != fd {
			t.Fatalf("ready: %v, want %d", fds, fd)
		}
		there := time.Now()
		time.Sleep(5 * time.Millisecond)
		s.Begin(time.Now())
		n, at, err := s.Read(fd, b[:2])
		if string(b[:n]) != "he" || err != nil || at.Before(before) {
			t.Fatalf("%q, %v; came %v after it was sent", b[:n], err, at.Sub(before))
		}
		if n, _, err = s.Read(fd, b); string(b[:n]) != "llo" || err != nil {
			t.Errorf("%q, %v", b[:n], err)
		}
		if !at.After(there) {
			break
		}
		before = there
	}
	if late == 1000 {
		t.Error("what came is as late as it is read")
	}
	must(t, far.Close())
	wait(t, s)
	if n, _, err := s.Read(fd, b); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("at the end %d bytes, %v", n, err)
	}
	s.Remove(fd)
	if fds, _ := s.Ready(nil); len(fds) != 0 {
		t.Errorf("removed, and still ready: %v", fds)
	}
}

// If more sockets are ready than one call returns, later calls return the others.
func TestManyReady(t *testing.T) {
	s, err := New()
	must(t, err)
	defer s.Close()
	waiting := make(map[int]bool)
	for range ready + 10 {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		must(t, err)
		defer unix.Close(fds[0])
		defer unix.Close(fds[1])
		must(t, s.Add(fds[0]))
		if Write(fds[1], []byte("x")) != 1 {
			t.Fatal("nothing is written")
		}
		waiting[fds[0]] = true
	}
	b := make([]byte, 10)
	for _, more := range []bool{true, false} {
		fds, is := s.Ready(nil)
		for _, fd := range fds {
			if n, _, err := s.Read(fd, b); n == 1 && err == nil {
				delete(waiting, fd)
			}
		}
		if is != more {
			t.Errorf("%d are ready; more: %v", len(fds), is)
		}
	}
	if len(waiting) != 0 {
		t.Errorf("%d were never ready", len(waiting))
	}
}

// A full socket accepts a part of the data, or nothing. A socket whose other end is closed accepts nothing, and reading
// reports the end.
func TestWriteNeverBlocks(t *testing.T) {
	s, err := New()
	must(t, err)
	defer s.Close()
	fd, far := connection(t)
	defer unix.Close(fd)
	must(t, s.Add(fd))
	block, sent := make([]byte, 1<<20), 0
	for n := 1; n > 0; sent += n {
		n = Write(fd, block)
	}
	if sent == 0 {
		t.Error("nothing is taken")
	}
	must(t, far.(*net.TCPConn).SetLinger(0))
	must(t, far.Close())
	wait(t, s)
	if n := Write(fd, block); n != 0 {
		t.Errorf("%d bytes are taken for nobody", n)
	}
	if n, _, err := s.Read(fd, make([]byte, 10)); n != 0 || err == nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}
