package netcode

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"testing"
	"time"
)

// BenchmarkExchange measures the cost at both ends of 100 B up and 400 B down.
func BenchmarkExchange(b *testing.B) {
	p := newPipe(b)
	up, down := make([]byte, 100), make([]byte, 400)
	b.ReportAllocs()
	for b.Loop() {
		p.exchange(b, up, down)
	}
}

// crowd is a server with 256 clients in their turn.
type crowd struct {
	*world
	s       *Server
	peers   []*Peer
	packets [][]byte // of a payload, one from each
	next    int
}

func newCrowd(b *testing.B, payload int) *crowd {
	w := newWorld(b, ServerConfig{PacketsPerSecond: 1e6})
	c := &crowd{world: w, s: w.servers[0].Server}
	for i := range 256 {
		addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i), byte(i * 7)}), uint16(1024+i*31))
		w.join(addr.String(), w.issue(w.config(uint64(i))))
	}
	w.until("connected", func() bool { return c.s.Len() == len(w.clients) })
	w.run(time.Second)
	for p := range c.s.Peers() {
		c.peers = append(c.peers, p)
	}
	byAddr := map[netip.AddrPort][]byte{}
	w.tap = func(d datagram) bool { byAddr[d.from] = d.data; return false }
	for _, client := range w.clients {
		if err := client.Send(w.now, make([]byte, payload)); err != nil {
			b.Fatal(err)
		}
	}
	for _, p := range c.peers {
		c.packets = append(c.packets, byAddr[p.addr])
	}
	c.s.lane.out = func(netip.AddrPort, []byte) error { return nil }
	return c
}

// receive takes a packet of the next peer.
func (c *crowd) receive(b *testing.B) {
	c.next = (c.next + 1) % len(c.peers)
	p := c.peers[c.next]
	p.window, p.rate = window{}, 0 // the same packet again
	if c.s.Receive(c.now, p.addr, c.packets[c.next], quiet{}) != DropNone {
		b.Fatal("dropped")
	}
}

// BenchmarkServerReceive measures the cost of a payload from one of 256 clients.
func BenchmarkServerReceive(b *testing.B) {
	for _, n := range []int{100, 400} {
		b.Run(fmt.Sprintf("%d-B", n), func(b *testing.B) {
			c := newCrowd(b, n)
			b.ReportAllocs()
			for b.Loop() {
				c.receive(b)
			}
		})
	}
}

// BenchmarkServerSend measures the cost of a payload to one of 256 clients.
func BenchmarkServerSend(b *testing.B) {
	for _, n := range []int{100, 400} {
		b.Run(fmt.Sprintf("%d-B", n), func(b *testing.B) {
			c := newCrowd(b, n)
			payload := make([]byte, n)
			b.ReportAllocs()
			for b.Loop() {
				c.next = (c.next + 1) % len(c.peers)
				if c.peers[c.next].Send(c.now, payload) != nil {
					b.Fatal("not sent")
				}
			}
		})
	}
}

// BenchmarkCipher measures only the cipher's part of these costs, also with 256 keys in turn.
func BenchmarkCipher(b *testing.B) {
	x := newParameters(testProtocol)
	for _, n := range []int{100, 400} {
		var directions []direction
		for i := range 256 {
			directions = append(directions, newDirection(&Key{byte(i)}))
		}
		plain, sealed := make([]byte, n, MaxDatagram), make([]byte, 0, MaxDatagram)
		b.Run(fmt.Sprintf("seal-%d-B", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				d := &directions[i%256]
				sealed = d.appendPacket(sealed[:0], &x, kindPayload, 1, plain)
			}
		})
		var packets [][]byte
		head := header{kind: kindPayload, size: 2, sequence: 1}
		for i := range directions {
			d := &directions[i]
			packets = append(packets, d.sealed(kindPayload, 1, plain))
		}
		b.Run(fmt.Sprintf("open-%d-B", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				d := &directions[i%256]
				if _, ok := d.open(plain[:0], &x, head, packets[i%256]); !ok {
					b.Fatal("not opened")
				}
			}
		})
	}
}

// BenchmarkFind measures the cost of a datagram that could belong to any of 256 clients and belongs to none, within the
// allowance: a look at 256 slots and 8 trials.
func BenchmarkFind(b *testing.B) {
	c := newCrowd(b, 100)
	c.now = c.now.Add(time.Second)
	d := make([]byte, 150)
	d[0] = 2<<4 | kindPayload
	binary.LittleEndian.PutUint16(d[1:], 1000)
	from := netip.MustParseAddrPort(mallory)
	b.ReportAllocs()
	for b.Loop() {
		c.s.search.finds = shared{}
		c.now = c.now.Add(2 * time.Millisecond)
		c.s.Find(c.now, from, d, quiet{})
	}
}

// BenchmarkSpoofedRequest measures the cost of requests from forged addresses at 100,000 per second: with a forged token that
// is decrypted, beyond the allowance, with a token that was seen before, and with forged tokens and the default allowance.
func BenchmarkSpoofedRequest(b *testing.B) {
	for _, c := range []struct {
		name      string
		perSecond int
		change    byte
	}{
		{"decrypted", 100000, 1},
		{"too-many", 1, 1},
		{"seen", 1, 0},
		{"default", 0, 1},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := newWorld(b, ServerConfig{TokensPerSecond: c.perSecond})
			s := w.servers[0]
			config := w.config(1)
			config.Lifetime = time.Hour
			d := request(w.issue(config))
			s.lane.out = func(netip.AddrPort, []byte) error { return nil }
			s.Receive(w.now, netip.MustParseAddrPort(alice), d, quiet{})
			d[requestSize-1] += c.change
			b.ReportAllocs()
			for i := uint32(1); b.Loop(); i++ {
				w.now = w.now.Add(10 * time.Microsecond) // 100,000 a second
				var ip [4]byte
				binary.LittleEndian.PutUint32(ip[:], i*2654435761)
				s.Receive(w.now, netip.AddrPortFrom(netip.AddrFrom4(ip), 5), d, quiet{})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e9*100000*100, "%-of-a-core-at-100k/s")
		})
	}
}

// BenchmarkRepeatedRequest measures the cost of a valid request that is challenged again.
func BenchmarkRepeatedRequest(b *testing.B) {
	w := newWorld(b, ServerConfig{RequestsPerSecond: 1e6})
	s := w.servers[0]
	s.lane.out = func(netip.AddrPort, []byte) error { return nil }
	d := request(w.issue(w.config(1)))
	from := netip.MustParseAddrPort(alice)
	b.ReportAllocs()
	for b.Loop() {
		w.now = w.now.Add(2000)
		s.Receive(w.now, from, d, quiet{})
	}
}
