package netsystest

import (
	"bytes"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// Listen opens a server's transport on an address such as "127.0.0.1:7777".
type Listen func(addr string) (netsys.Wire, error)

// on listens until the test ends.
func (listen Listen) on(t testing.TB, addr string) netsys.Wire {
	t.Helper()
	w, err := listen(addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// RunUDP tests a transport on UDP sockets: it calls [Run] over loopback and over a poor link, and tests the handling of
// ports, address families and datagram sizes.
func RunUDP(t *testing.T, listen Listen) {
	loopback := func(t testing.TB) Setup { return OverUDP(listen.on(t, "127.0.0.1:0")) }
	var wait sync.WaitGroup
	wait.Go(func() { t.Run("loopback", func(t *testing.T) { Run(t, loopback) }) })
	wait.Go(func() { t.Run("poor link", func(t *testing.T) { Run(t, Conditioned(Poor(), loopback)) }) })
	wait.Wait()
	t.Run("ports", func(t *testing.T) { ports(t, listen) })
	t.Run("families", func(t *testing.T) { families(t, listen) })
	t.Run("sizes", func(t *testing.T) { sizes(t, listen) })
	t.Run("addresses", func(t *testing.T) {
		for _, addr := range []string{"", "127.0.0.1", "127.0.0.1:port", "127.0.0.1:70000", "192.0.2.1:7777"} {
			if w, err := listen(addr); err == nil {
				t.Errorf("address %q accepted", addr)
				_ = w.Close()
			}
		}
	})
}

// ports: a second server on a used port must fail to start, because it would receive some of the first server's datagrams.
func ports(t *testing.T, listen Listen) {
	first, other := listen.on(t, "127.0.0.1:0"), listen.on(t, "127.0.0.1:0")
	at := first.LocalAddr()
	same(t, "a port", at.Port() != 0, true)
	same(t, "one port for two", other.LocalAddr() == at, false)
	_, err := listen(at.String())
	is(t, "a second listener", err, netsys.ErrAddrInUse)
	_, err = netsys.ListenUDP(at.String())
	is(t, "a plain socket", err, netsys.ErrAddrInUse)
	same(t, "Close", first.Close(), nil)
	plain, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(at))
	if err != nil {
		t.Fatal(err)
	}
	_, err = listen(at.String())
	is(t, "a listener where a plain socket is", err, netsys.ErrAddrInUse)
	same(t, "Close", plain.Close(), nil)
	same(t, "reopened", listen.on(t, at.String()).LocalAddr(), at)
}

// families: a socket for both families, such as ":7777", reports IPv4 peers with IPv4 addresses and reaches them.
func families(t *testing.T, listen Listen) {
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", "[::1]:0"} {
		w, err := listen(addr)
		if err != nil {
			t.Logf("%s: %v", addr, err)
			continue
		}
		defer w.Close()
		for _, host := range []string{"127.0.0.1", "::1"} {
			to := netip.AddrPortFrom(netip.MustParseAddr(host), w.LocalAddr().Port())
			if addr == "[::1]:0" && to != w.LocalAddr() {
				continue
			}
			c, err := netsys.DialUDP(t.Context(), to.String())
			if err != nil {
				t.Skipf("no %s here: %v", host, err)
			}
			defer c.Close()
			Answer(t, w, c, to, "ping")
		}
	}
}

// sizes: the transport must not truncate a datagram of 60 kB to a valid length, and must deliver an empty datagram.
func sizes(t *testing.T, listen Listen) {
	w := listen.on(t, "127.0.0.1:0")
	conn, err := net.Dial("udp", w.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	all := []int{60_000, 0, netsys.MaxDatagram, netsys.MaxDatagram + 1}
	for _, n := range all {
		d := Arrival(t, w, func() error {
			_, err := conn.Write(make([]byte, n))
			if err != nil {
				t.Skip(err)
			}
			return nil
		})
		same(t, "bytes", len(d.Data), min(n, netsys.MaxDatagram+1))
	}
}

// Arrivals polls a transport in real time until n datagrams have arrived, and returns copies of them.
func Arrivals(t testing.TB, w netsys.Wire, n int) (all []netsys.Datagram) {
	t.Helper()
	for range limit {
		w.Poll(time.Now(), func(d netsys.Datagram) {
			d.Data = bytes.Clone(d.Data)
			all = append(all, d)
		})
		if len(all) >= n {
			return all
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%d of %d datagrams arrived", len(all), n)
	return nil
}

// resendSteps is the number of steps without an arrival after which [Arrival] sends again: at least two seconds, so that a
// busy machine does not get it twice.
const resendSteps = 2000

// Arrival sends a datagram and polls a transport in real time until one arrives, of which it returns a copy. UDP may lose datagrams, so it
// sends again, every few seconds.
func Arrival(t testing.TB, w netsys.Wire, send func() error) (d netsys.Datagram) {
	t.Helper()
	arrived := false
	for n := range limit {
		if n%resendSteps == 0 {
			if err := send(); err != nil {
				t.Fatal(err)
			}
		}
		w.Poll(time.Now(), func(x netsys.Datagram) {
			if d = x; !arrived {
				d.Data = bytes.Clone(x.Data)
			}
			arrived = true
		})
		if arrived {
			return d
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("no datagram arrived")
	return d
}

// Answer sends a datagram from a client's transport to a server, which answers it. It checks the contents and the sender's address of
// both datagrams.
func Answer(t testing.TB, server, client netsys.Wire, to netip.AddrPort, what string) (from netip.AddrPort) {
	t.Helper()
	d := Arrival(t, server, func() error { return client.Send(time.Now(), to, []byte(what)) })
	if dialed, ok := client.(*netsys.UDP); ok {
		same(t, "from", d.From, dialed.LocalAddr())
	}
	same(t, "what arrived", string(d.Data), what)
	answer := Arrival(t, client, func() error {
		if err := server.Send(time.Now(), d.From, []byte("answer")); err != nil {
			return err
		}
		if f, ok := server.(netsys.Flusher); ok {
			f.Flush(time.Now())
		}
		return nil
	})
	same(t, "the answer", string(answer.Data), "answer")
	if dialed, ok := client.(interface{ RemoteAddr() netip.AddrPort }); ok {
		same(t, "where the answer is from", answer.From, dialed.RemoteAddr())
	}
	return d.From
}
