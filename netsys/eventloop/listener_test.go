package eventloop_test

import (
	"errors"
	"net"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/netsystest"
)

func listen(t testing.TB, addr string) *eventloop.Listener {
	t.Helper()
	l, err := eventloop.Listen(addr)
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestListener(t *testing.T) {
	netsystest.RunUDP(t, func(addr string) (netsys.Wire, error) {
		l, err := eventloop.Listen(addr)
		if err != nil {
			return nil, err
		}
		return l, nil
	})
	if conn, err := listenSharing(t, listen(t, "127.0.0.1:0").LocalAddr().String()); err == nil {
		t.Error("a socket with SO_REUSEPORT, as gnet asks for, was let in")
		_ = conn.Close()
	}
}

// A race of many for one port has one winner.
func TestOneWinsThePort(t *testing.T) {
	for range 5 {
		free := listen(t, "127.0.0.1:0")
		addr := free.LocalAddr().String()
		must(t, free.Close())
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

func TestConfigRejects(t *testing.T) {
	for _, c := range []eventloop.ListenConfig{{Queue: -1}, {ReadBuffer: -1}, {WriteBuffer: -1}, {Coalesce: time.Second}} {
		if _, err := c.Listen("127.0.0.1:0"); err == nil {
			t.Errorf("%+v accepted", c)
		}
	}
}

func TestBoundedQueue(t *testing.T) {
	l, err := eventloop.ListenConfig{Queue: 4, Coalesce: -1}.Listen("127.0.0.1:0")
	must(t, err)
	defer l.Close()
	conn, err := net.Dial("udp", l.LocalAddr().String())
	must(t, err)
	defer conn.Close()
	for range 10_000 {
		write(t, conn, []byte("x"))
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
	must(t, err)
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

// Receiving a datagram allocates only gnet's own five objects.
func TestReceiveAllocatesWhatGnetDoes(t *testing.T) {
	l := listen(t, "127.0.0.1:0")
	c, err := netsys.DialUDP(t.Context(), l.LocalAddr().String())
	must(t, err)
	defer c.Close()
	b, n := make([]byte, 400), 0
	count := func(netsys.Datagram) { n++ }
	round := func() {
		want := n + 1
		waitFor(t, l, count, func() { must(t, c.Send(time.Now(), c.RemoteAddr(), b)) }, func() bool { return n >= want })
	}
	for range 20 {
		round()
	}
	if allocs := testing.AllocsPerRun(100, round); allocs > 5 {
		t.Errorf("%v allocations per datagram", allocs)
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

// wait is quicker than [until], and allocates nothing.
func wait(t testing.TB, w netsys.Wire, deliver func(netsys.Datagram), condition func() bool) {
	t.Helper()
	waitFor(t, w, deliver, func() {}, condition)
}

// waitFor waits for what send sends, by UDP, which may lose it: it sends again after half a second.
func waitFor(t testing.TB, w netsys.Wire, deliver func(netsys.Datagram), send func(), condition func() bool) {
	t.Helper()
	var sent time.Time
	for range 500_000 {
		now := time.Now()
		if now.Sub(sent) > 500*time.Millisecond {
			send()
			sent, now = now, time.Now()
		}
		if w.Poll(now, deliver); condition() {
			return
		}
		time.Sleep(20 * time.Microsecond)
	}
	t.Fatal("never arrived")
}
