package systems_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// puppet is a client of which every message is written by the test.
type puppet struct {
	t       *testing.T
	server  *systems.Server
	client  *netsys.Client
	session netsys.Session
	now     time.Time
	got     [][]byte // payloads from the server
}

// newPuppet joins a puppet to a server of the field.
func newPuppet(t *testing.T, c systems.ServerConfig) *puppet {
	t.Helper()
	network := netsys.NewNetwork()
	address := netip.MustParseAddrPort("10.0.0.1:7777")
	p := &puppet{t: t, now: time.Unix(0, 0)}
	c.Start, c.Random = p.now, netsys.SeededRandom(1)
	var err error
	if p.server, err = systems.NewServer(network.Node(address), field(), c); err != nil {
		t.Fatal(err)
	}
	p.client, err = netsys.NewClient(network.Node(netip.AddrPort{}), address, netsys.ClientConfig{
		Schema: field().Lines(), Random: netsys.SeededRandom(2),
	})
	if err != nil {
		t.Fatal(err)
	}
	journalOf(p.server.World())
	for p.session == nil {
		p.tick()
	}
	p.tick()
	return p
}

// tick sends messages and lets the server run one tick.
func (p *puppet) tick(messages ...[]byte) {
	p.t.Helper()
	p.client.Poll(p.now, p)
	for _, m := range messages {
		if _, err := p.session.Send(p.now, m); err != nil {
			p.t.Fatal(err)
		}
	}
	p.server.Advance(p.now)
	p.now = p.server.Next()
}

func (p *puppet) Connected(_ time.Time, s netsys.Session) { p.session = s }

func (p *puppet) Received(_ time.Time, _ netsys.Session, pk netsys.Packet) {
	p.got = append(p.got, append([]byte(nil), pk.Data...))
}

func (p *puppet) Message(time.Time, netsys.Session, int, []byte) {}

func (p *puppet) Acked(netsys.Session, uint16) {}

func (p *puppet) Disconnected(_ time.Time, _ netsys.Session, reason error) { p.t.Error(reason) }

// input is a message with the same walk for the count inputs up to newest, but
// for N, which is each one's sequence.
func input(newest uint32, count int, dx uint64) []byte {
	var w codec.Writer
	w.Reset([]byte{1, 0, 0, 0, byte(newest), byte(newest >> 8), byte(count)})
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
		w.Bool(true)                                 // and so it goes on
		w.Bits(0, uint(min(left-1, 2)))              // without another change
	}
	return w.Bytes()
}
