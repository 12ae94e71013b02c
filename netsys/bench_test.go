package netsys

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"
)

// BenchmarkThousand measures the cost of a packet for a server with 1,000 sessions: 3 datagrams of 60 bytes from each client,
// one of 130 bytes to it, on a wire that costs almost nothing. Clients run in between, each time in another order, so that the
// caches hold no more of a session than in a game. The result, server-ns/packet, is the median of all updates, of the time in
// which the server runs.
func BenchmarkThousand(b *testing.B) {
	wire := &pipe{}
	server, err := NewServer(wire, ServerConfig{MaxClients: 1000, InsecureAllowAnyAddress: true})
	must(b, err)
	var clients []*Client
	for i := range 1000 {
		addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 4000)
		c, err := NewClient(&pipeEnd{pipe: wire, addr: addr}, wire.LocalAddr(), ClientConfig{InsecureAllowAnyAddress: true})
		must(b, err)
		wire.ends = append(wire.ends, c.carrier.wire.(*pipeEnd))
		clients = append(clients, c)
	}
	now, h := epoch, quietHandler{}
	up, down := make([]byte, 60), make([]byte, 130)
	var list []Session
	do := func(_, i int) { _, _ = list[i].Send(now, down) }
	rng := rand.New(rand.NewPCG(1, 1))
	var spent []time.Duration
	update := func() {
		took := time.Duration(0)
		for tick := range 3 {
			now = now.Add(second60)
			rng.Shuffle(len(clients), func(i, j int) { clients[i], clients[j] = clients[j], clients[i] })
			for _, c := range clients {
				_, _ = c.Session().Send(now, up)
				c.Poll(now, h)
			}
			begun := time.Now()
			server.Poll(now, h)
			if tick == 2 {
				list = list[:0]
				for s := range server.Sessions() {
					list = append(list, s)
				}
				server.Spread(now, list, do)
			}
			server.Flush(now)
			took += time.Since(begun)
		}
		spent = append(spent, took)
	}
	for range 40 {
		update()
	}
	if server.Len() != 1000 {
		b.Fatalf("%d connected", server.Len())
	}
	spent = slices.Grow(spent[:0], 10_000)
	b.ReportAllocs()
	for b.Loop() {
		update()
	}
	slices.Sort(spent)
	b.ReportMetric(float64(spent[len(spent)/2].Nanoseconds())/4000, "server-ns/packet")
}

// pipe is a server's wire that costs only two copies of each datagram.
type pipe struct {
	arrived []Datagram
	bytes   []byte
	ends    []*pipeEnd
	room    [MaxDatagram]byte
}

func (p *pipe) Poll(now time.Time, deliver func(Datagram)) {
	for _, d := range p.arrived {
		d.At = now
		deliver(d)
	}
	p.arrived, p.bytes = p.arrived[:0], p.bytes[:0]
}

func (p *pipe) Send(_ time.Time, to netip.AddrPort, b []byte) error {
	a := to.Addr().As4()
	if i := int(a[2])<<8 + int(a[3]); i < len(p.ends) {
		e := p.ends[i]
		e.arrived = append(e.arrived[:0], append(e.bytes[:0], b...))
		e.bytes = e.arrived[0]
	}
	return nil
}

func (p *pipe) Senders(n int) []Sender {
	all := make([]Sender, n)
	for i := range all {
		all[i] = p
	}
	return all
}
func (p *pipe) Room() []byte              { return p.room[:] }
func (p *pipe) Flush(time.Time)           {}
func (p *pipe) LocalAddr() netip.AddrPort { return netip.MustParseAddrPort("10.1.0.0:4000") }
func (p *pipe) Close() error              { return nil }

// pipeEnd is a client's.
type pipeEnd struct {
	pipe    *pipe
	addr    netip.AddrPort
	arrived [][]byte
	bytes   []byte
}

func (e *pipeEnd) Poll(now time.Time, deliver func(Datagram)) {
	for _, b := range e.arrived {
		deliver(Datagram{From: e.pipe.LocalAddr(), At: now, Data: b})
	}
	e.arrived = e.arrived[:0]
}

func (e *pipeEnd) Send(_ time.Time, _ netip.AddrPort, b []byte) error {
	at := len(e.pipe.bytes)
	e.pipe.bytes = append(e.pipe.bytes, b...)
	e.pipe.arrived = append(e.pipe.arrived, Datagram{From: e.addr, Data: e.pipe.bytes[at:]})
	return nil
}

func (e *pipeEnd) LocalAddr() netip.AddrPort { return e.addr }
func (e *pipeEnd) Close() error              { return nil }
