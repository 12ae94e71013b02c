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
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// dial opens a plain socket to a listener.
func dial(t testing.TB, l *batch.Listener) *net.UDPConn {
	t.Helper()
	conn, err := net.Dial("udp", l.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn.(*net.UDPConn)
}

func over(condition bool) func(t testing.TB) netsystest.Setup {
	return func(t testing.TB) netsystest.Setup {
		server := listen(t, "127.0.0.1:0")
		return netsystest.Setup{
			Server: server,
			Dial: func(t testing.TB) (netsys.Wire, netip.AddrPort) {
				client, err := netsys.DialUDP(t.Context(), server.LocalAddr().String())
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = client.Close() })
				if !condition {
					return client, client.RemoteAddr()
				}
				poor := netsys.Link{Latency: 10 * time.Millisecond, Jitter: 8 * time.Millisecond, Loss: 0.05, Duplicate: 0.05}
				c, err := netsys.Condition(client, netsys.ConditionerConfig{In: poor, Out: poor})
				if err != nil {
					t.Fatal(err)
				}
				return c, client.RemoteAddr()
			},
		}
	}
}

func TestListener(t *testing.T) {
	t.Parallel()
	netsystest.Run(t, over(false))
}

func TestListenerConditioned(t *testing.T) {
	t.Parallel()
	netsystest.Run(t, over(true))
}

// arrivals polls until so many datagrams have come, and returns copies of them.
func arrivals(t *testing.T, w netsys.Wire, want int) (all []netsys.Datagram) {
	t.Helper()
	keep := func(d netsys.Datagram) {
		d.Data = bytes.Clone(d.Data)
		all = append(all, d)
	}
	for range 10_000 {
		if w.Poll(time.Now(), keep); len(all) >= want {
			return all
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%d of %d datagrams arrived", len(all), want)
	return nil
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
		if _, err := conn.Write(want(i)); err != nil {
			t.Fatal(err)
		}
	}
	client := conn.LocalAddr().(*net.UDPAddr).AddrPort()
	before := l.Stats()
	got := arrivals(t, l, n)
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
		if err := l.Send(time.Now(), sink.LocalAddr(), want(i)); err != nil {
			t.Fatal(err)
		}
	}
	l.Flush(time.Now())
	if s := l.Stats(); s.Sent != n || s.Writes != (n+63)/64 || s.Full != 0 || s.Refused != 0 {
		t.Errorf("after %d sends: %+v", n, s)
	}
	for i, d := range arrivals(t, sink, n) {
		if !bytes.Equal(d.Data, want(i)) || d.From != l.LocalAddr() {
			t.Fatalf("datagram %d is %d bytes from %v", i, len(d.Data), d.From)
		}
	}
}

// What is sent waits for the 64th, for a flush, for the next poll, or for Close.
func TestSendsLeaveTogether(t *testing.T) {
	sink := listen(t, "127.0.0.1:0")
	l := listen(t, "127.0.0.1:0")
	send := func(n int) {
		t.Helper()
		for range n {
			if err := l.Send(time.Now(), sink.LocalAddr(), []byte("x")); err != nil {
				t.Fatal(err)
			}
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
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	sent(73)
	arrivals(t, sink, 73)
}

// A server's answers leave within its Poll, and what a tick sends with its Flush.
func TestServerFlushes(t *testing.T) {
	l := listen(t, "127.0.0.1:0")
	server, err := netsys.NewServer(l, netsys.ServerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	wire, err := netsys.DialUDP(t.Context(), l.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	client, err := netsys.NewClient(wire, wire.RemoteAddr(), netsys.ClientConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(time.Now())
	defer server.Close(time.Now())
	var atServer, atClient netsystest.Recorder
	for range 10_000 {
		client.Poll(time.Now(), &atClient)
		server.Poll(time.Now(), &atServer)
		if len(atServer.Sessions) == 1 {
			break
		}
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

// A deluge does not make a poll longer than configured, and nothing of it is lost by that.
func TestPollLimit(t *testing.T) {
	l, err := batch.ListenConfig{PollLimit: 100}.Listen("127.0.0.1:0") // two batches
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn := dial(t, l)
	for range 150 {
		if _, err := conn.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for range 10_000 {
		before := n
		l.Poll(time.Now(), func(netsys.Datagram) { n++ })
		if n-before > 128 {
			t.Errorf("%d in one poll", n-before)
		}
		if n == 150 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d arrived", n)
}

// An arrival has the time at which it came, not that of the poll: one between the moments before and after it was
// sent. There are many tries: the kernel begins to stamp a while after it was asked to, and a delay on the way through
// it, or between the readings of two clocks, proves nothing.
func TestArrivalTime(t *testing.T) {
	l := listen(t, "127.0.0.1:0")
	conn := dial(t, l)
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		before := time.Now()
		if _, err := conn.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		after := time.Now()
		d := arrivals(t, l, 1)[0]
		if !d.At.Before(before) && !d.At.After(after) {
			return
		}
	}
	t.Error("no arrival has the time at which it was sent")
}

// One socket for both families, as in ":7777", shows IPv4 peers with IPv4 addresses and reaches them.
func TestDualStack(t *testing.T) {
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0"} {
		l := listen(t, addr)
		for _, host := range []string{"127.0.0.1", "::1"} {
			to := netip.AddrPortFrom(netip.MustParseAddr(host), l.LocalAddr().Port())
			c, err := netsys.DialUDP(t.Context(), to.String())
			if err != nil {
				t.Skipf("no %s here: %v", host, err)
			}
			defer c.Close()
			if err := c.Send(time.Now(), to, []byte("ping")); err != nil {
				t.Skipf("no %s here: %v", host, err)
			}
			d := arrivals(t, l, 1)[0]
			if d.From != c.LocalAddr() {
				t.Errorf("from %v, want %v", d.From, c.LocalAddr())
			}
			if err := l.Send(time.Now(), d.From, []byte("pong")); err != nil {
				t.Fatal(err)
			}
			l.Flush(time.Now())
			if d := arrivals(t, c, 1)[0]; string(d.Data) != "pong" || d.From != to {
				t.Errorf("answer %q from %v", d.Data, d.From)
			}
		}
	}
}

func TestIPv6Only(t *testing.T) {
	l, err := batch.Listen("[::1]:0")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	conn := dial(t, l)
	if _, err := conn.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if d := arrivals(t, l, 1)[0]; d.From != conn.LocalAddr().(*net.UDPAddr).AddrPort() {
		t.Errorf("from %v", d.From)
	}
}

// A datagram of 60 kB is not cut to something that looks honest, and an empty one is one.
func TestLongAndEmpty(t *testing.T) {
	l := listen(t, "127.0.0.1:0")
	conn := dial(t, l)
	sizes := []int{60_000, 0, netsys.MaxDatagram, netsys.MaxDatagram + 1}
	for _, n := range sizes {
		if _, err := conn.Write(make([]byte, n)); err != nil {
			t.Skip(err)
		}
	}
	for i, d := range arrivals(t, l, len(sizes)) {
		if want := min(sizes[i], netsys.MaxDatagram+1); len(d.Data) != want {
			t.Errorf("%d bytes arrived as %d, want %d", sizes[i], len(d.Data), want)
		}
	}
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
		if err := l.Send(time.Now(), to, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	l.Flush(time.Now())
	if s := l.Stats(); s.Sent != 3 || s.Refused != 4 || l.SendErrors() != 4 {
		t.Errorf("%+v", s)
	}
	arrivals(t, sink, 3)
}

// A port where nobody listens answers with an ICMP refusal, which anybody can forge: nothing comes of it.
func TestICMPIsIgnored(t *testing.T) {
	gone := listen(t, "127.0.0.1:0")
	nobody := gone.LocalAddr()
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	sink := listen(t, "127.0.0.1:0")
	l := listen(t, "127.0.0.1:0")
	conn := dial(t, l)
	for range 50 {
		for _, to := range []netip.AddrPort{nobody, sink.LocalAddr()} {
			if err := l.Send(time.Now(), to, []byte("x")); err != nil {
				t.Fatal(err)
			}
		}
		l.Poll(time.Now(), func(netsys.Datagram) {})
	}
	if s := l.Stats(); s.Sent != 100 || s.Refused != 0 || s.ReadErrors != 0 {
		t.Errorf("%+v", s)
	}
	arrivals(t, sink, 50)
	if _, err := conn.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	arrivals(t, l, 1)
}

// A second server on a port would take some of the first one's clients, so it must not start.
func TestPortHasOneListener(t *testing.T) {
	first := listen(t, "127.0.0.1:0")
	addr := first.LocalAddr().String()
	if first.LocalAddr().Port() == 0 {
		t.Fatal("the port in use is not reported")
	}
	if _, err := batch.Listen(addr); !errors.Is(err, netsys.ErrAddrInUse) {
		t.Errorf("second listener: %v", err)
	}
	if _, err := netsys.ListenUDP(addr); !errors.Is(err, netsys.ErrAddrInUse) {
		t.Errorf("plain socket: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again := listen(t, addr)
	if again.LocalAddr().String() != addr {
		t.Errorf("reopened at %v", again.LocalAddr())
	}
}

func TestClosed(t *testing.T) {
	l := listen(t, "127.0.0.1:0")
	local := l.LocalAddr()
	for range 2 {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Send(time.Now(), local, nil); !errors.Is(err, netsys.ErrClosed) {
		t.Errorf("Send: %v", err)
	}
	l.Poll(time.Now(), func(netsys.Datagram) { t.Error("delivered") })
	l.Flush(time.Now())
	if l.Dropped() != 0 || l.LocalAddr() != local {
		t.Errorf("%d dropped at %v", l.Dropped(), l.LocalAddr())
	}
}

func TestConfigRejects(t *testing.T) {
	for _, c := range []batch.ListenConfig{{PollLimit: -1}, {ReadBuffer: -1}, {WriteBuffer: -1}} {
		if _, err := c.Listen("127.0.0.1:0"); err == nil {
			t.Errorf("%+v accepted", c)
		}
	}
	for _, addr := range []string{"", "127.0.0.1", "127.0.0.1:port", "127.0.0.1:70000", "192.0.2.1:7777"} {
		if l, err := batch.Listen(addr); err == nil {
			t.Errorf("address %q accepted", addr)
			_ = l.Close()
		}
	}
}

// Neither a listener that closes nor one that cannot start leaves a descriptor behind.
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
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := batch.Listen(taken.LocalAddr().String()); err == nil {
			t.Fatal("the port was given twice")
		}
	}
	if after := open(); after > before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
}

// What does not fit the kernel's receive buffer is counted.
func TestFullReadBuffer(t *testing.T) {
	l, err := batch.ListenConfig{ReadBuffer: 1, WriteBuffer: 1}.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	small, large := l.Stats(), listen(t, "127.0.0.1:0").Stats()
	if small.ReadBuffer <= 0 || small.ReadBuffer >= large.ReadBuffer || small.WriteBuffer <= 0 || small.WriteBuffer >= large.WriteBuffer {
		t.Errorf("buffers %+v and %+v", small, large)
	}
	conn := dial(t, l)
	const n = 200
	for range n {
		if _, err := conn.Write(make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
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
				if err := c.Send(time.Now(), to, b); err != nil {
					t.Fatal(err)
				}
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
