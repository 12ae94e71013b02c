package systems

import (
	"net/netip"
	"testing"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// seat is a session of a client without a connection.
type seat struct {
	netsys.Session
	id uint64
}

func (s *seat) ID() uint64          { return s.id }
func (s *seat) ClientID() uint64    { return s.id }
func (s *seat) Spectator() bool     { return false }
func (s *seat) Stats() netsys.Stats { return netsys.Stats{} }

func (*seat) RemoteAddr() netip.AddrPort { return netip.AddrPort{} }

func (*seat) Channels() *channel.Endpoint { return nil }

// crowd is a server with simulated thin clients, without a wire: each tick brings a datagram of inputs from each client, which
// acknowledges one in three sent datagrams.
type crowd struct {
	server *Server
	seats  []*seat
	coder  *wire.InputCoder
	bases  *wire.Bases
	input  wire.Input
	seq    uint16
	packet []byte
	dealt  bool // packets are dealt out to workers
}

func newCrowd(tb testing.TB, clients int, c ServerConfig) *crowd {
	tb.Helper()
	c.MaxClients = clients
	g := newGame(tb, peopled, c)
	t := wire.InputTable(g.server.protocol)
	x := &crowd{server: g.server, coder: wire.NewInputCoder(t), bases: wire.NewInputBases(t.Words)}
	x.input = wire.Input{Count: 3, Words: make([]int32, 3*t.Words)}
	for n := range clients {
		s := &seat{id: uint64(n + 1)}
		x.seats = append(x.seats, s)
		(*serverHandler)(g.server).Connected(birth, s)
	}
	for range 60 {
		x.tick()
	}
	tb.Cleanup(func() { g.server.workers.Close() })
	return x
}

// tick runs a tick of the server, without sending.
func (x *crowd) tick() {
	s, n := x.server, len(x.input.Words)/x.input.Count
	s.link.now = s.link.now.Add(testTick)
	x.seq++
	x.input.Newest = x.seq + 3
	copy(x.input.Words, x.input.Words[n:])
	x.input.Words[2*n] = int32(x.seq / 7 % 3)
	x.packet = x.coder.Append(x.packet[:0], &x.input, x.seq, x.bases)
	x.bases.Put(x.seq, &x.input, x.coder.State)
	x.bases.Ack(x.seq)
	h := (*serverHandler)(s)
	s.sessions.Poll()
	if x.dealt {
		x.deal()
	}
	for i, c := range x.seats {
		if x.dealt {
			break
		}
		if (i+int(x.seq))%3 == 0 {
			h.Acked(c, x.seq)
		}
		h.Received(s.link.now, c, netsys.Packet{Seq: x.seq, At: s.link.now, Newest: true, Data: x.packet})
	}
	x.taken()
	s.model.applier.Ready()
	s.stages.onTick.Run(s.world)
	s.model.applier.Done()
	s.link.tick++
}

// taken runs the steps after all packets were received.
func (x *crowd) taken() {
	s := x.server
	(*serverHandler)(s).catchUp()
	s.sessions.Polled()
	s.sessions.commands.Deliver(s.model.applier, func(uint32) bool { return true })
}
