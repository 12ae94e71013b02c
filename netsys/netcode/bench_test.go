package netcode

import (
	"net/netip"
	"testing"
)

// BenchmarkExchange is what both ends spend on 100 B up and 400 B down.
func BenchmarkExchange(b *testing.B) {
	p := newPipe(b)
	up, down := make([]byte, 100), make([]byte, 400)
	b.ReportAllocs()
	for b.Loop() {
		p.exchange(b, up, down)
	}
}

// BenchmarkServerExchange is the server's share of that: one packet opened, one sealed.
func BenchmarkServerExchange(b *testing.B) {
	p := newPipe(b)
	down := make([]byte, 400)
	p.exchange(b, make([]byte, 100), down)
	b.ReportAllocs()
	for b.Loop() {
		p.peer.window = window{} // the same packet again
		p.server.Receive(p.now, p.addr, p.up, quiet{})
		p.peer.allowance = 0
		if p.peer.Send(p.now, down) != nil {
			b.Fatal("not sent")
		}
	}
}

// BenchmarkForgedRequest is what a request costs that only the cipher can tell from a good one.
func BenchmarkForgedRequest(b *testing.B) {
	w := newWorld(b, ServerConfig{RequestsPerSecond: 1e6})
	s := w.servers[0]
	d := request(w.issue(w.config(1)))
	d[requestSize-1]++
	from := netip.MustParseAddrPort(mallory)
	b.ReportAllocs()
	for b.Loop() {
		w.now = w.now.Add(2000) // within the address's allowance
		s.Receive(w.now, from, d, quiet{})
	}
}

// BenchmarkRepeatedRequest is what a good request costs that is challenged again.
func BenchmarkRepeatedRequest(b *testing.B) {
	w := newWorld(b, ServerConfig{RequestsPerSecond: 1e6})
	s := w.servers[0]
	s.out = func(netip.AddrPort, []byte) error { return nil }
	d := request(w.issue(w.config(1)))
	from := netip.MustParseAddrPort(alice)
	b.ReportAllocs()
	for b.Loop() {
		w.now = w.now.Add(2000)
		s.Receive(w.now, from, d, quiet{})
	}
}
