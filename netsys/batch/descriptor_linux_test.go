package batch_test

import (
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/batch"
	"github.com/tactusgo/tactus/netsys/netsystest"
)

// In a process without standard input, the first socket gets the descriptor 0. It works like any other.
func TestDescriptorZero(t *testing.T) {
	if err := os.Stdin.Close(); err != nil {
		t.Skip(err)
	}
	defer func() { _, _ = syscall.Open("/dev/null", syscall.O_RDONLY, 0) }() // takes its place again
	l, err := batch.Listen("127.0.0.1:0")
	must(t, err)
	if to, err := os.Readlink("/proc/self/fd/0"); err != nil || !strings.HasPrefix(to, "socket:") {
		_ = l.Close()
		t.Skip("descriptor 0 went to somebody else")
	}
	client, err := netsys.DialUDP(t.Context(), l.LocalAddr().String())
	must(t, err)
	defer client.Close()
	netsystest.Answer(t, l, client, l.LocalAddr(), "ping")
	if err := l.Send(time.Now(), l.LocalAddr(), []byte("flushed")); err != nil {
		t.Error(err)
	}
	if l.Flush(time.Now()); l.Stats().Sent < 2 {
		t.Errorf("%d sent, want 2", l.Stats().Sent)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if to, err := os.Readlink("/proc/self/fd/0"); err == nil {
		t.Errorf("descriptor 0 is still %s", to)
	}
}

// The socket never blocks, and no child process gets it.
func TestSocketFlags(t *testing.T) {
	sockets := func() map[string]bool {
		all, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		found := make(map[string]bool)
		for _, f := range all {
			if to, err := os.Readlink("/proc/self/fd/" + f.Name()); err == nil && strings.HasPrefix(to, "socket:") {
				found[f.Name()] = true
			}
		}
		return found
	}
	before := sockets()
	listen(t, "127.0.0.1:0")
	n := 0
	for fd := range sockets() {
		if before[fd] {
			continue
		}
		n++
		text, err := os.ReadFile("/proc/self/fdinfo/" + fd)
		if err != nil {
			t.Skip(err)
		}
		_, rest, _ := strings.Cut(string(text), "flags:")
		flags, err := strconv.ParseUint(strings.Fields(rest)[0], 8, 64)
		must(t, err)
		for name, flag := range map[string]uint64{"O_NONBLOCK": syscall.O_NONBLOCK, "O_CLOEXEC": syscall.O_CLOEXEC} {
			if flags&flag == 0 {
				t.Errorf("%s is not set: %#o", name, flags)
			}
		}
	}
	if n != 1 {
		t.Errorf("%d sockets for a listener", n)
	}
}

// Stats returns the sizes of the buffers that the kernel has granted: all of a small request, and all of a large one if this
// process may exceed the system's limit.
func TestBuffersAreWhatTheKernelGave(t *testing.T) {
	for _, size := range []int{16 << 10, 8 << 20} {
		if size > 64<<10 && !mayForce(t, size) {
			continue
		}
		l, err := batch.ListenConfig{ReadBuffer: size, WriteBuffer: size / 2}.Listen("127.0.0.1:0")
		must(t, err)
		if st := l.Stats(); st.ReadBuffer != size || st.WriteBuffer != size/2 {
			t.Errorf("buffers of %d and %d bytes, %d and %d were asked for", st.ReadBuffer, st.WriteBuffer, size, size/2)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

// mayForce reports whether this process may have larger buffers than others.
func mayForce(t *testing.T, size int) (may bool) {
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	must(t, err)
	defer conn.Close()
	raw, err := conn.SyscallConn()
	must(t, err)
	if err := raw.Control(func(fd uintptr) {
		may = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUFFORCE, size) == nil
	}); err != nil {
		t.Fatal(err)
	}
	return may
}
