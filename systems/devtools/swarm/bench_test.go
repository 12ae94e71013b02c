package swarm

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/swarm/internal/manysockets"
)

// pipes are the wires of a server and its clients, without delay, and with as little cost as can be.
type pipes struct {
	up, down [][]byte // taken from the front; memory is used again
	from, to []int
	wires    []*pipe
}

// pipe is one end; −1 is the server's.
type pipe struct {
	all     *pipes
	number  int
	waiting []byte
}

func pipeAddr(n int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(n >> 8), byte(n)}), 7777)
}

func push(queue *[][]byte, who *[]int, n int, b []byte) {
	q := *queue
	if len(q) < cap(q) {
		q = q[:len(q)+1]
	} else {
		q = append(q, nil)
	}
	q[len(q)-1] = append(q[len(q)-1][:0], b...)
	*queue, *who = q, append(*who, n)
}

func (p *pipe) Send(_ time.Time, to netip.AddrPort, b []byte) error {
	if p.number >= 0 {
		push(&p.all.up, &p.all.from, p.number, b)
		return nil
	}
	a := to.Addr().As4()
	push(&p.all.down, &p.all.to, int(a[2])<<8|int(a[3]), b)
	return nil
}

func (p *pipe) Poll(now time.Time, deliver func(netsys.Datagram)) {
	if p.number >= 0 {
		if b := p.waiting; b != nil {
			p.waiting = nil
			deliver(netsys.Datagram{From: serverAddr, At: now, Data: b})
		}
		return
	}
	for i, b := range p.all.up {
		deliver(netsys.Datagram{From: pipeAddr(p.all.from[i]), At: now, Data: b})
	}
	p.all.up, p.all.from = p.all.up[:0], p.all.from[:0]
}

func (p *pipe) LocalAddr() netip.AddrPort {
	if p.number < 0 {
		return netip.MustParseAddrPort("127.0.0.1:7777")
	}
	return pipeAddr(p.number)
}
func (p *pipe) Close() error { return nil }

func (p *pipes) Wire(n int) (netsys.Wire, error) {
	p.wires[n] = &pipe{all: p, number: n}
	return p.wires[n], nil
}

func (p *pipes) Poll(_ time.Time, arrived func(n int)) {
	for i, b := range p.down {
		n := p.to[i]
		p.wires[n].waiting = b
		arrived(n)
	}
	p.down, p.to = p.down[:0], p.to[:0]
}

func (p *pipes) RemoteAddr() netip.AddrPort { return serverAddr }
func (p *pipes) Flush(time.Time)            {}
func (p *pipes) Stats() manysockets.Stats   { return manysockets.Stats{} }
func (p *pipes) Close() error               { return nil }

// BenchmarkBlind measures a tick of a blind client: an input and a third of a snapshot, without the system calls.
func BenchmarkBlind(b *testing.B) {
	const clients = 2000
	all := &pipes{wires: make([]*pipe, clients)}
	m := &match{now: time.Unix(1_000_000, 0)}
	var err error
	if m.server, err = systems.NewServer(&pipe{all: all, number: -1}, plaza(), systems.ServerConfig{Start: m.now, MaxClients: clients}); err != nil {
		b.Fatal(err)
	}
	m.swarm, err = New(b.Context(), Config{
		Protocol: plaza, Addr: serverAddr.String(), Clients: clients, Ramp: 2 * clients, Input: walk(),
		Client: func(_ int, c *systems.ClientConfig) { c.Session.InsecureAllowAnyAddress = true },
		dial:   func(int) carrier { return all },
	})
	if err != nil {
		b.Fatal(err)
	}
	m.until(b, "connect", m.swarm.Settled)
	m.ticks(b, 200)
	var took time.Duration
	first := m.swarm.shards[0].figures.Inputs
	inputs := func() int { return int(m.swarm.shards[0].figures.Inputs - first) }
	b.ReportAllocs()
	b.ResetTimer()
	for inputs() < b.N {
		b.StopTimer()
		m.now = m.now.Add(time.Millisecond)
		m.server.Advance(m.now)
		b.StartTimer()
		began := time.Now()
		m.swarm.Step(m.now)
		took += time.Since(began)
	}
	b.ReportMetric(float64(took.Nanoseconds())/float64(max(inputs(), 1)), "ns/input")
}
