package netsys

import (
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"
)

func TestNetworkDelivers(t *testing.T) {
	network := NewNetwork()
	a := network.Node(netip.AddrPort{})
	b := network.Node(netip.MustParseAddrPort("127.0.0.3:7777"))
	mapped := netip.MustParseAddrPort("[::ffff:127.0.0.3]:7777")
	at := func(ms int) time.Time { return epoch.Add(time.Duration(ms) * time.Millisecond) }
	for _, send := range []struct {
		ms int
		s  string
	}{{30, "c"}, {10, "a"}, {30, "d"}, {20, "b"}, {40, "e"}} {
		must(t, a.Send(at(send.ms), mapped, []byte(send.s)))
	}
	var got []string
	note := func(d Datagram) {
		if d.From != a.LocalAddr() {
			t.Errorf("from %v", d.From)
		}
		got = append(got, string(d.Data))
	}
	b.Poll(at(9), note)
	b.Poll(at(20), note)
	if !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %v", got)
	}
	b.Poll(at(30), note)
	if !slices.Equal(got, []string{"a", "b", "c", "d"}) {
		t.Errorf("got %v", got)
	}
	if due, ok := b.NextDue(); !ok || due != at(40) {
		t.Errorf("next due %v %v", due, ok)
	}
	if err := a.Send(at(0), netip.MustParseAddrPort("127.0.0.9:1"), nil); err != nil || network.Unroutable() != 1 {
		t.Errorf("unroutable: %v, %d", err, network.Unroutable())
	}
	for range nodeQueue + 5 {
		_ = a.Send(at(50), b.LocalAddr(), []byte("flood"))
	}
	if b.Dropped() != 6 { // one was waiting
		t.Errorf("%d dropped", b.Dropped())
	}
}

func TestNetworkAddresses(t *testing.T) {
	network := NewNetwork()
	a, b := network.Node(netip.AddrPort{}), network.Node(netip.MustParseAddrPort("127.0.0.1:0"))
	if a.LocalAddr() == b.LocalAddr() || a.LocalAddr() != netip.MustParseAddrPort("127.0.0.1:49152") {
		t.Errorf("addresses %v and %v", a.LocalAddr(), b.LocalAddr())
	}
	defer func() {
		if recover() == nil {
			t.Error("an address was given twice")
		}
	}()
	network.Node(b.LocalAddr())
}

func TestInbox(t *testing.T) {
	q := NewInbox(4)
	from := netip.MustParseAddrPort("[::ffff:127.0.0.1]:5")
	long := make([]byte, 3*MaxDatagram)
	for i := range 6 {
		if got := q.Put(from, epoch.Add(time.Duration(i)), long[:i*700]); got != (i < 4) {
			t.Errorf("put %d: %v", i, got)
		}
	}
	var sizes []int
	note := func(d Datagram) {
		sizes = append(sizes, len(d.Data))
		if d.From != netip.MustParseAddrPort("127.0.0.1:5") {
			t.Errorf("from %v", d.From)
		}
	}
	q.Drain(epoch.Add(1), note)
	q.Drain(epoch.Add(5), note)
	if !slices.Equal(sizes, []int{0, 700, 1400, MaxDatagram + 1}) || q.Dropped() != 2 {
		t.Errorf("sizes %v, %d dropped", sizes, q.Dropped())
	}
	if n := testing.AllocsPerRun(100, func() {
		for range 4 {
			q.Put(from, epoch, long[:100])
		}
		q.Drain(epoch, func(Datagram) {})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Datagrams in the queue do not wait until the clock reaches their time again after it was set back.
func TestInboxWhenTheClockIsSet(t *testing.T) {
	q := NewInbox(4)
	came := 0
	note := func(Datagram) { came++ }
	q.Put(netip.AddrPort{}, epoch.Add(time.Hour), nil)
	q.Put(netip.AddrPort{}, epoch.Add(500*time.Millisecond), nil)
	if q.Drain(epoch, note); came != 1 {
		t.Errorf("%d came at once", came)
	}
	if q.Drain(epoch.Add(500*time.Millisecond), note); came != 2 {
		t.Errorf("%d came in the end", came)
	}
}

func TestInboxConcurrently(t *testing.T) {
	q := NewInbox(64)
	var wg sync.WaitGroup
	const count = 5_000
	wg.Go(func() {
		for i := range count {
			for !q.Put(netip.AddrPort{}, epoch, []byte{byte(i), byte(i >> 8)}) {
				time.Sleep(time.Microsecond)
			}
		}
	})
	n := 0
	for deadline := time.Now().Add(time.Minute); n < count && time.Now().Before(deadline); {
		q.Drain(epoch, func(d Datagram) {
			if want := []byte{byte(n), byte(n >> 8)}; !slices.Equal(d.Data, want) {
				t.Fatalf("%v at %d", d.Data, n)
			}
			n++
		})
	}
	if n < count {
		t.Fatalf("%d of %d came out", n, count)
	}
	wg.Wait()
}

// A client that starts before its server gets refusals from the operating system and connects in the end.
func TestUDPSurvivesRefusals(t *testing.T) {
	first := listenLoopback(t)
	addr := first.LocalAddr()
	must(t, first.Close())
	client := dialUDP(t, addr.String())
	for range 20 {
		must(t, client.Send(time.Now(), addr, []byte("anybody?")))
		time.Sleep(time.Millisecond)
	}
	server, err := ListenUDP(addr.String())
	if err != nil {
		t.Skip(err) // somebody else took the port
	}
	defer server.Close()
	for range 5000 {
		must(t, client.Send(time.Now(), addr, []byte("ping")))
		server.Poll(time.Now(), func(d Datagram) { _ = server.Send(time.Now(), d.From, []byte("pong")) })
		pong := false
		client.Poll(time.Now(), func(d Datagram) { pong = pong || string(d.Data) == "pong" && d.From == addr })
		if pong {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Error("no answer after refusals")
}

func TestUDPErrors(t *testing.T) {
	server := listenLoopback(t)
	client := dialUDP(t, server.LocalAddr().String())
	if client.RemoteAddr() != server.LocalAddr() {
		t.Errorf("remote %v", client.RemoteAddr())
	}
	if err := client.Send(time.Now(), netip.MustParseAddrPort("127.0.0.1:9"), nil); err == nil {
		t.Error("a dialed wire sent to a stranger")
	}
	if _, err := DialUDP(t.Context(), "127.0.0.1:x"); err == nil {
		t.Error("DialUDP to port x worked")
	}
}

func TestUDPAllocatesNothing(t *testing.T) {
	server := listenLoopback(t)
	client := dialUDP(t, server.LocalAddr().String())
	b, n := make([]byte, 500), 0
	echo := func(d Datagram) { _ = server.Send(d.At, d.From, d.Data) }
	count := func(Datagram) { n++ }
	round := func() {
		want := n + 1
		var sent time.Time
		for range 100_000 {
			if now := time.Now(); now.Sub(sent) > 200*time.Millisecond { // again if it was lost
				must(t, client.Send(now, client.RemoteAddr(), b))
				sent = now
			}
			server.Poll(time.Now(), echo)
			client.Poll(time.Now(), count)
			if n >= want {
				return
			}
			time.Sleep(10 * time.Microsecond)
		}
		t.Fatal("nothing arrives")
	}
	for range 20 {
		round()
	}
	if allocs := testing.AllocsPerRun(100, round); allocs != 0 {
		t.Errorf("%v allocations per round trip", allocs)
	}
}
