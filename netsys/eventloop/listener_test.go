package eventloop_test

import (
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/netsystest"
)

func listen(t testing.TB, addr string) *eventloop.Listener {
	t.Helper()
	l, err := eventloop.Listen(addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
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

// A second server on a port would take some of the first one's clients, so it must not start: neither another
// listener, nor a plain socket, nor one that asks to share as gnet does.
func TestPortHasOneListener(t *testing.T) {
	first := listen(t, "127.0.0.1:0")
	addr := first.LocalAddr().String()
	if first.LocalAddr().Port() == 0 {
		t.Fatal("the port in use is not reported")
	}
	if _, err := eventloop.Listen(addr); !errors.Is(err, netsys.ErrAddrInUse) {
		t.Errorf("second listener: %v", err)
	}
	if _, err := netsys.ListenUDP(addr); !errors.Is(err, netsys.ErrAddrInUse) {
		t.Errorf("plain socket: %v", err)
	}
	if conn, err := listenSharing(t, addr); err == nil {
		t.Error("a socket with SO_REUSEPORT was let in")
		_ = conn.Close()
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again := listen(t, addr)
	if again.LocalAddr().String() != addr {
		t.Errorf("reopened at %v", again.LocalAddr())
	}
}

func TestPortTakenByPlainSocket(t *testing.T) {
	plain, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if _, err := eventloop.Listen(plain.LocalAddr().String()); !errors.Is(err, netsys.ErrAddrInUse) {
		t.Errorf("error %v", err)
	}
}

func TestManyListenersAtOnce(t *testing.T) {
	addr := listen(t, "127.0.0.1:0").LocalAddr()
	free := netip.AddrPortFrom(addr.Addr(), 0).String()
	var ls []*eventloop.Listener
	ports := make(map[uint16]bool)
	for range 8 {
		l := listen(t, free)
		ls = append(ls, l)
		ports[l.LocalAddr().Port()] = true
	}
	if len(ports) != len(ls) {
		t.Errorf("%d listeners have %d ports", len(ls), len(ports))
	}
}

// A race of many for one port has one winner.
func TestOneWinsThePort(t *testing.T) {
	for range 5 {
		free := listen(t, "127.0.0.1:0")
		addr := free.LocalAddr().String()
		if err := free.Close(); err != nil {
			t.Fatal(err)
		}
		won := make(chan *eventloop.Listener, 8)
		for range cap(won) {
			go func() {
				l, err := eventloop.Listen(addr)
				if err != nil && !errors.Is(err, netsys.ErrAddrInUse) {
					t.Error(err)
				}
				won <- l
			}()
		}
		winners := 0
		for range cap(won) {
			if l := <-won; l != nil {
				winners++
				defer l.Close()
			}
		}
		if winners != 1 {
			t.Errorf("%d listeners got the port", winners)
		}
	}
}

func receiveOne(t testing.TB, w netsys.Wire) (d netsys.Datagram) {
	t.Helper()
	for range 10_000 {
		got := false
		w.Poll(time.Now(), func(in netsys.Datagram) {
			d, got = netsys.Datagram{From: in.From, At: in.At, Data: append([]byte(nil), in.Data...)}, true
		})
		if got {
			return d
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("nothing arrived")
	return d
}

// One socket for both families, as in ":7777", shows IPv4 peers with IPv4 addresses and reaches them.
func TestDualStack(t *testing.T) {
	l := listen(t, ":0")
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
		d := receiveOne(t, l)
		if d.From != c.LocalAddr() {
			t.Errorf("from %v, want %v", d.From, c.LocalAddr())
		}
		if err := l.Send(time.Now(), d.From, []byte("pong")); err != nil {
			t.Fatal(err)
		}
		if d := receiveOne(t, c); string(d.Data) != "pong" || d.From != to {
			t.Errorf("answer %q from %v", d.Data, d.From)
		}
	}
}

// A datagram of 60 kB is not cut to something that looks honest.
func TestLongDatagramIsSeenAsTooLong(t *testing.T) {
	l := listen(t, "127.0.0.1:0")
	conn, err := net.Dial("udp", l.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write(make([]byte, 60_000)); err != nil {
		t.Skip(err)
	}
	if d := receiveOne(t, l); len(d.Data) != netsys.MaxDatagram+1 {
		t.Errorf("%d bytes", len(d.Data))
	}
}

func TestConfigRejects(t *testing.T) {
	for _, c := range []eventloop.ListenConfig{{Queue: -1}, {ReadBuffer: -1}, {WriteBuffer: -1}, {Coalesce: time.Second}} {
		if _, err := c.Listen("127.0.0.1:0"); err == nil {
			t.Errorf("%+v accepted", c)
		}
	}
	for _, addr := range []string{"", "127.0.0.1", "127.0.0.1:port", "127.0.0.1:70000"} {
		if l, err := eventloop.Listen(addr); err == nil {
			t.Errorf("address %q accepted", addr)
			_ = l.Close()
		}
	}
}

func TestBoundedQueue(t *testing.T) {
	l, err := eventloop.ListenConfig{Queue: 4, Coalesce: -1}.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := net.Dial("udp", l.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for range 10_000 {
		if _, err := conn.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if l.Dropped() > 0 {
			break
		}
		time.Sleep(100 * time.Microsecond)
	}
	n := 0
	l.Poll(time.Now(), func(netsys.Datagram) { n++ })
	if n != 4 || l.Dropped() == 0 {
		t.Errorf("%d delivered, %d dropped", n, l.Dropped())
	}
}

func TestSendAllocatesNothing(t *testing.T) {
	l := listen(t, "127.0.0.1:0")
	sink, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	to := sink.LocalAddr().(*net.UDPAddr).AddrPort()
	b, now := make([]byte, 400), time.Now()
	if n := testing.AllocsPerRun(200, func() {
		if err := l.Send(now, to, b); err != nil && !errors.Is(err, netsys.ErrFull) {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations per Send", n)
	}
}

// Of what a datagram costs on its way in, only gnet's five allocations are not ours to save.
func TestReceiveAllocatesWhatGnetDoes(t *testing.T) {
	l := listen(t, "127.0.0.1:0")
	c, err := netsys.DialUDP(t.Context(), l.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	b, n := make([]byte, 400), 0
	count := func(netsys.Datagram) { n++ }
	round := func() {
		want := n + 1
		if err := c.Send(time.Now(), c.RemoteAddr(), b); err != nil {
			t.Fatal(err)
		}
		wait(t, l, count, func() bool { return n >= want })
	}
	for range 20 {
		round()
	}
	if allocs := testing.AllocsPerRun(100, round); allocs > 5 {
		t.Errorf("%v allocations per datagram", allocs)
	}
}
