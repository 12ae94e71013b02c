package batch_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/batch"
	"github.com/tactusgo/tactus/netsys/netsystest"
)

func listen(t testing.TB, addr string) *batch.Listener {
	t.Helper()
	l, err := batch.Listen(addr)
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func listenWith(t testing.TB, config batch.ListenConfig) *batch.Listener {
	t.Helper()
	l, err := config.Listen("127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// dial opens a plain socket to a listener.
func dial(t testing.TB, l *batch.Listener) *net.UDPConn {
	t.Helper()
	conn, err := net.Dial("udp", l.LocalAddr().String())
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn.(*net.UDPConn)
}

func TestListener(t *testing.T) {
	netsystest.RunUDP(t, func(addr string) (netsys.Wire, error) {
		l, err := batch.Listen(addr)
		if err != nil {
			return nil, err
		}
		return l, nil
	})
}

// Several batches pass in one poll and in one flush, in order, with all their bytes.
func TestManyBatches(t *testing.T) {
	const n = 300
	l := listen(t, "127.0.0.1:0")
	conn := dial(t, l)
	want := func(i int) []byte {
		b := make([]byte, 4+i) // short enough that all fit the smallest receive buffer in use
		binary.LittleEndian.PutUint32(b, uint32(i))
		for k := 4; k < len(b); k++ {
			b[k] = byte(i + k)
		}
		return b
	}
	for i := range n {
		write(t, conn, want(i))
	}
	client := conn.LocalAddr().(*net.UDPAddr).AddrPort()
	before := l.Stats()
	got := netsystest.Arrivals(t, l, n)
	for i, d := range got {
		if !bytes.Equal(d.Data, want(i)) || d.From != client {
			t.Fatalf("datagram %d is %d bytes from %v", i, len(d.Data), d.From)
		}
	}
	after := l.Stats()
	if reads := after.Reads - before.Reads; after.Received-before.Received != n || reads < (n+63)/64 {
		t.Errorf("%d reads for %d datagrams: %+v", reads, n, after)
	}

	sink := listen(t, "127.0.0.1:0")
	for i := range n {
		must(t, l.Send(time.Now(), sink.LocalAddr(), want(i)))
	}
	l.Flush(time.Now())
	if s := l.Stats(); s.Sent != n || s.Writes != (n+63)/64 || s.Full != 0 || s.Refused != 0 {
		t.Errorf("after %d sends: %+v", n, s)
	}
	for i, d := range netsystest.Arrivals(t, sink, n) {
		if !bytes.Equal(d.Data, want(i)) || d.From != l.LocalAddr() {
			t.Fatalf("datagram %d is %d bytes from %v", i, len(d.Data), d.From)
		}
	}
}

// Datagrams wait for the 64th, for a flush, for the next poll, or for Close.
func TestSendsLeaveTogether(t *testing.T) {
	sink := listen(t, "127.0.0.1:0")
	l := listen(t, "127.0.0.1:0")
	send := func(n int) {
		t.Helper()
		for range n {
			must(t, l.Send(time.Now(), sink.LocalAddr(), []byte("x")))
		}
	}
	sent := func(want uint64) {
		t.Helper()
		if got := l.Stats().Sent; got != want {
			t.Errorf("%d left, want %d", got, want)
		}
	}
	send(63)
	sent(0)
	send(1)
	sent(64)
	send(2)
	l.Flush(time.Now())
	sent(66)
	send(3)
	l.Poll(time.Now(), func(netsys.Datagram) {})
	sent(69)
	send(4)
	must(t, l.Close())
	l.Flush(time.Now())
	sent(73)
	if n := l.Dropped(); n != 0 {
		t.Errorf("%d dropped when it is closed", n)
	}
	netsystest.Arrivals(t, sink, 73)
}

// A server's answers are sent within its Poll, and the datagrams of a tick with its Flush.
func TestServerFlushes(t *testing.T) {
	l := listen(t, "127.0.0.1:0")
	server, err := netsys.NewServer(l, netsys.ServerConfig{})
	must(t, err)
	wire, err := netsys.DialUDP(t.Context(), l.LocalAddr().String())
	must(t, err)
	client, err := netsys.NewClient(wire, wire.RemoteAddr(), netsys.ClientConfig{})
	must(t, err)
	defer client.Close(time.Now())
	defer server.Close(time.Now())
	var atServer, atClient netsystest.Recorder
	for tries := 0; len(atServer.Sessions) == 0 && tries < 10_000; tries++ {
		client.Poll(time.Now(), &atClient)
		server.Poll(time.Now(), &atServer)
		time.Sleep(time.Millisecond)
	}
	if len(atServer.Sessions) != 1 {
		t.Fatal("not connected")
	}
	before := l.Stats().Sent
	if _, err := atServer.Sessions[0].Send(time.Now(), []byte("snapshot")); err != nil {
		t.Fatal(err)
	}
	if l.Stats().Sent != before {
		t.Error("left at once")
	}
	server.Flush(time.Now())
	if got := l.Stats().Sent - before; got != 1 {
		t.Errorf("%d left with Flush", got)
	}
}

// A flood makes a poll no longer than configured, in whole batches. The limit loses no datagram.
func TestPollLimit(t *testing.T) {
	for limit, most := range map[int]int{64: 64, 100: 128} {
		l := listenWith(t, batch.ListenConfig{PollLimit: limit})
		conn := dial(t, l)
		for range 150 {
			write(t, conn, []byte("x"))
		}
		n := 0
		for tries := 0; n < 150 && tries < 10_000; tries++ {
			before := n
			l.Poll(time.Now(), func(netsys.Datagram) { n++ })
			if n-before > most {
				t.Errorf("limit %d: %d in one poll", limit, n-before)
			}
			time.Sleep(time.Millisecond)
		}
		if n != 150 {
			t.Errorf("%d arrived", n)
		}
	}
}

// An arrival has the time at which it came, not that of the poll: one between the moments before and after it was
// sent. There are many tries: the kernel begins to stamp a while after it was asked to, and a delay on the way through
// it, or between the readings of two clocks, proves nothing.
func TestArrivalTime(t *testing.T) {
	l := listen(t, "127.0.0.1:0")
	conn := dial(t, l)
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		before := time.Now()
		write(t, conn, []byte("x"))
		after := time.Now()
		d := netsystest.Arrivals(t, l, 1)[0]
		if !d.At.Before(before) && !d.At.After(after) {
			return
		}
	}
	t.Error("no arrival has the time at which it was sent")
}

func TestSendErrors(t *testing.T) {
	l := listen(t, "127.0.0.1:0")
	now, peer := time.Now(), netip.MustParseAddrPort("127.0.0.1:9")
	for _, c := range []struct {
		to   netip.AddrPort
		size int
		want error
	}{
		{peer, netsys.MaxDatagram + 1, netsys.ErrTooLarge},
		{netip.AddrPort{}, 1, unix.EDESTADDRREQ},
		{netip.AddrPortFrom(peer.Addr(), 0), 1, unix.EDESTADDRREQ},
		{netip.MustParseAddrPort("[::1]:9"), 1, unix.EAFNOSUPPORT},
		{netip.MustParseAddrPort("[::ffff:127.0.0.1]:9"), 1, nil},
		{peer, netsys.MaxDatagram, nil},
	} {
		if err := l.Send(now, c.to, make([]byte, c.size)); !errors.Is(err, c.want) {
			t.Errorf("%d bytes to %v: %v, want %v", c.size, c.to, err, c.want)
		}
	}
}

// One datagram that the kernel refuses, here for a destination that needs a right, does not take its
// neighbours with it.
func TestRefusedAlone(t *testing.T) {
	sink := listen(t, "127.0.0.1:0")
	l := listen(t, "127.0.0.1:0")
	broadcast := netip.MustParseAddrPort("255.255.255.255:9")
	for _, to := range []netip.AddrPort{sink.LocalAddr(), broadcast, sink.LocalAddr(), broadcast, broadcast, sink.LocalAddr(), broadcast} {
		must(t, l.Send(time.Now(), to, []byte("x")))
	}
	l.Flush(time.Now())
	if s := l.Stats(); s.Sent != 3 || s.Refused != 4 || l.SendErrors() != 4 {
		t.Errorf("%+v", s)
	}
	netsystest.Arrivals(t, sink, 3)
}

// A closed port answers with an ICMP refusal, which anybody can forge. It has no effect.
func TestICMPIsIgnored(t *testing.T) {
	gone := listen(t, "127.0.0.1:0")
	nobody := gone.LocalAddr()
	must(t, gone.Close())
	sink := listen(t, "127.0.0.1:0")
	l := listen(t, "127.0.0.1:0")
	conn := dial(t, l)
	for range 50 {
		for _, to := range []netip.AddrPort{nobody, sink.LocalAddr()} {
			must(t, l.Send(time.Now(), to, []byte("x")))
		}
		l.Poll(time.Now(), func(netsys.Datagram) {})
	}
	if s := l.Stats(); s.Sent != 100 || s.Refused != 0 || s.ReadErrors != 0 {
		t.Errorf("%+v", s)
	}
	netsystest.Arrivals(t, sink, 50)
	write(t, conn, []byte("x"))
	netsystest.Arrivals(t, l, 1)
}

func TestConfigRejects(t *testing.T) {
	for _, c := range []batch.ListenConfig{{PollLimit: -1}, {ReadBuffer: -1}, {WriteBuffer: -1}} {
		if _, err := c.Listen("127.0.0.1:0"); err == nil {
			t.Errorf("%+v accepted", c)
		}
	}
}

// Neither a listener that closes nor one that fails to start leaks a descriptor.
func TestDescriptors(t *testing.T) {
	open := func() int {
		all, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(all)
	}
	taken := listen(t, "127.0.0.1:0")
	before := open()
	for range 20 {
		l, err := batch.Listen("127.0.0.1:0")
		must(t, err)
		must(t, l.Close())
		if _, err := batch.Listen(taken.LocalAddr().String()); err == nil {
			t.Fatal("the port was given twice")
		}
	}
	if after := open(); after > before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
}

// Datagrams that do not fit into the kernel's receive buffer are counted.
func TestFullReadBuffer(t *testing.T) {
	l := listenWith(t, batch.ListenConfig{ReadBuffer: 1, WriteBuffer: 1})
	small, large := l.Stats(), listen(t, "127.0.0.1:0").Stats()
	if small.ReadBuffer <= 0 || small.ReadBuffer >= large.ReadBuffer || small.WriteBuffer <= 0 || small.WriteBuffer >= large.WriteBuffer {
		t.Errorf("buffers %+v and %+v", small, large)
	}
	conn := dial(t, l)
	const n = 200
	for range n {
		write(t, conn, make([]byte, 1000))
	}
	for range 10_000 {
		if l.Poll(time.Now(), func(netsys.Datagram) {}); l.Stats().Received+l.Dropped() >= n {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if l.Dropped() == 0 || l.Stats().Received == 0 || l.Stats().Received+l.Dropped() != n {
		t.Errorf("%d received, %d dropped", l.Stats().Received, l.Dropped())
	}
}

func TestAllocatesNothing(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "[::1]:0", ":0"} {
		l, err := batch.Listen(addr)
		if err != nil {
			t.Log(err) // no IPv6 here
			continue
		}
		defer l.Close()
		c := listen(t, "127.0.0.1:0")
		to := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), l.LocalAddr().Port())
		if addr == "[::1]:0" {
			c, to = listen(t, addr), l.LocalAddr()
		}
		const burst = 100
		b, n := make([]byte, 400), 0
		echo := func(d netsys.Datagram) { _ = l.Send(d.At, d.From, d.Data) }
		count := func(netsys.Datagram) { n++ }
		round := func() {
			want := n + burst
			for range burst {
				must(t, c.Send(time.Now(), to, b))
			}
			c.Flush(time.Now())
			for range 100_000 {
				l.Poll(time.Now(), echo)
				if c.Poll(time.Now(), count); n >= want {
					return
				}
				time.Sleep(10 * time.Microsecond)
			}
			t.Fatal("lost on loopback")
		}
		round()
		if allocs := testing.AllocsPerRun(20, round); allocs != 0 {
			t.Errorf("%s: %v allocations per %d datagrams there and back", addr, allocs, burst)
		}
	}
}

// must fails the test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, conn net.Conn, b []byte) {
	t.Helper()
	_, err := conn.Write(b)
	must(t, err)
}
