package fieldtest

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// Puppet is a client whose messages are written by the test.
type Puppet struct {
	T       *testing.T
	Server  *systems.Server
	Client  *netsys.Client
	Session netsys.Session
	Now     time.Time
	Got     [][]byte // payloads from the server
}

// NewPuppet starts a server of the field and connects a puppet to it.
func NewPuppet(t *testing.T, c systems.ServerConfig) *Puppet {
	t.Helper()
	network := netsys.NewNetwork()
	address := netip.MustParseAddrPort("10.0.0.1:7777")
	p := &Puppet{T: t, Now: time.Unix(0, 0)}
	c.Start, c.Session.Random = p.Now, netsys.SeededRandom(1)
	var err error
	if p.Server, err = systems.NewServer(network.Node(address), Protocol(), c); err != nil {
		t.Fatal(err)
	}
	p.Client, err = netsys.NewClient(network.Node(netip.AddrPort{}), address, netsys.ClientConfig{
		Schema: Protocol().Lines(), Random: netsys.SeededRandom(2),
	})
	if err != nil {
		t.Fatal(err)
	}
	KeepJournal(p.Server.World())
	for p.Session == nil {
		p.Tick()
	}
	p.Tick()
	return p
}

// Tick sends messages and runs one tick of the server.
func (p *Puppet) Tick(messages ...[]byte) {
	p.T.Helper()
	p.Client.Poll(p.Now, p)
	for _, m := range messages {
		if _, err := p.Session.Send(p.Now, m); err != nil {
			p.T.Fatal(err)
		}
	}
	p.Server.Advance(p.Now)
	p.Now = p.Server.Next()
}

// Connected stores the session.
func (p *Puppet) Connected(_ time.Time, s netsys.Session) { p.Session = s }

// Received stores the packet.
func (p *Puppet) Received(_ time.Time, _ netsys.Session, pk netsys.Packet) {
	p.Got = append(p.Got, append([]byte(nil), pk.Data...))
}

// Message ignores messages.
func (p *Puppet) Message(time.Time, netsys.Session, int, []byte) {}

// Acked ignores acknowledgements.
func (p *Puppet) Acked(netsys.Session, uint16) {}

// Disconnected fails the test.
func (p *Puppet) Disconnected(_ time.Time, _ netsys.Session, reason error) { p.T.Error(reason) }

// Input encodes a message with count inputs, up to the sequence newest. All have the same DX. N is the sequence of
// each.
func Input(newest uint32, count int, dx uint64) []byte {
	var w codec.Writer
	w.Reset([]byte{1, 0, 0, 0, 0, byte(newest), byte(newest >> 8), byte(count)})
	const (
		still = 1 // DY 0 in steps from −1
		up    = 0 // Jump
	)
	first := newest - uint32(count) + 1
	w.Bits(dx, 2)
	w.Bits(still, 2)
	w.Bits(up, 1)
	w.Bits(uint64(uint16(first)), 16)
	w.Bool(count > 1)
	if left := count - 1; left > 0 {
		w.Bits(0, uint(codec.BitsFor(uint64(left)))) // the very next is not as predicted:
		w.Bits(8, 4)                                 // in its N,
		w.Bits(2, 5+1)                               // which is 1 more, in zigzag form 2, of 2 bits
		w.Bool(true)                                 // and so it continues
		w.Bits(0, uint(min(left-1, 2)))              // without another change
	}
	return w.Bytes()
}
