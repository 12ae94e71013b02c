package trial

import (
	"errors"
	"net/netip"
	"slices"
	"time"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/compare/yard"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/relay"
	"github.com/tactusgo/tactus/systems/timeline"
)

// worlds are the worlds of a match, of which somebody counts what they simulate.
type worlds interface {
	begin(warmup time.Duration) error
	pass(ticks int) error
	next() time.Time
	counts() counts
	setLink(n int, l netsys.Link) error
}

// relayed is a match under rollback on bare links: the two ends of package relay, at the same tick by clocks that agree.
type relayed struct {
	setup
	server *relay.Server
	node   *netsys.Node
	ends   []*end
	now    time.Time
	buffer []byte
}

// end is one player.
type end struct {
	*relay.Client
	wire    *netsys.Conditioner
	address netip.AddrPort
	seq     [2]uint16 // up, down
}

// What a datagram holds, by its first byte: a message with its number, or a reliable one. Nothing gets lost here.
const (
	kindMessage = iota
	kindReliable
)

const datagram = 1180 // bytes

func newRelayed(s setup) (*relayed, error) {
	network := netsys.NewNetwork()
	address := netip.MustParseAddrPort("127.0.0.1:7777")
	t := timeline.Config{Join: s.rules.Join}
	world := func() *ecs.World {
		return ecs.NewWorld(yard.Protocol(s.rules, nil), ecs.Config{TickRate: rate, Seed: s.seed})
	}
	r := &relayed{setup: s, server: relay.NewServer(world(), relay.Config{Timeline: t}), node: network.Node(address), now: epoch}
	for n, link := range s.links {
		at := netip.AddrPortFrom(address.Addr(), uint16(10_000+n))
		wire, err := netsys.Condition(network.Node(at), netsys.ConditionerConfig{In: link, Out: link})
		if err != nil {
			return nil, err
		}
		player := uint32(n + 1)
		r.ends = append(r.ends, &end{Client: relay.NewClient(world(), player, relay.ClientConfig{Timeline: t}), wire: wire, address: at})
		if err := r.server.Add(player, true); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *relayed) next() time.Time { return r.now }

func (r *relayed) setLink(n int, l netsys.Link) error { return r.ends[n].wire.SetLinks(l, l) }

func (r *relayed) begin(warmup time.Duration) error { return r.pass(int(warmup / step)) }

func (r *relayed) pass(ticks int) error {
	for range ticks {
		if err := r.tick(); err != nil {
			return err
		}
		r.now = r.now.Add(step)
	}
	return nil
}

// tick is one of the server, and of each player after it.
func (r *relayed) tick() (err error) {
	for _, e := range r.ends {
		e.wire.Flush(r.now)
	}
	r.node.Poll(r.now, func(d netsys.Datagram) {
		n := slices.IndexFunc(r.ends, func(e *end) bool { return e.address == d.From })
		player := uint32(n + 1)
		if d.Data[0] == kindReliable {
			err = errors.Join(err, r.server.Deliver(player, d.Data[1:]))
			return
		}
		err = errors.Join(err, r.server.Receive(player, uint16(d.Data[1])|uint16(d.Data[2])<<8, d.Data[3:]))
	})
	r.server.Step()
	for n, e := range r.ends {
		player := uint32(n + 1)
		send := func(b []byte) error { return r.node.Send(r.now, e.address, b) }
		err = errors.Join(err, r.message(&e.seq[1], send, func(dst []byte) []byte {
			return r.server.Append(dst, player, e.seq[1], datagram)
		}))
		for {
			b, failed := r.server.Outgoing(player, nil)
			if err = errors.Join(err, failed); b == nil || err != nil {
				break
			}
			err = errors.Join(err, send(append([]byte{kindReliable}, b...)))
			r.server.Sent(player)
		}
		err = errors.Join(err, r.frame(n, e))
	}
	return err
}

// message sends what fill appends.
func (r *relayed) message(seq *uint16, send func([]byte) error, fill func(dst []byte) []byte) error {
	r.buffer = append(r.buffer[:0], kindMessage, byte(*seq), byte(*seq>>8))
	if r.buffer = fill(r.buffer); len(r.buffer) == 3 {
		return nil
	}
	*seq++
	return send(r.buffer)
}

func (r *relayed) frame(n int, e *end) (err error) {
	e.wire.Poll(r.now, func(d netsys.Datagram) {
		if d.Data[0] == kindReliable {
			err = errors.Join(err, e.Deliver(d.Data[1:]))
			return
		}
		err = errors.Join(err, e.Receive(uint16(d.Data[1])|uint16(d.Data[2])<<8, d.Data[3:]))
	})
	schema := e.Timeline().World().Protocol().Input().Schema
	words := make([]int32, schema.Words)
	for late := int(r.server.Timeline().Next()) - int(e.Timeline().Next()); e.Following() && late > 0; late-- {
		in := r.play(n, r.now)
		schema.Quantize(words, schema.Words, unsafe.Pointer(&in), 1)
		if !e.Step(words) {
			break
		}
	}
	send := func(b []byte) error { return e.wire.Send(r.now, r.node.LocalAddr(), b) }
	err = errors.Join(err, r.message(&e.seq[0], send, func(dst []byte) []byte { return e.Append(dst, datagram) }))
	for b := e.Outgoing(); b != nil; b = e.Outgoing() {
		err = errors.Join(err, send(append([]byte{kindReliable}, b...)))
		e.Sent()
	}
	return err
}

func (r *relayed) counts() (c counts) {
	s := r.server.Timeline().Stats()
	c.again.Server, c.first.Server = float64(s.Resimulated), float64(s.Ticks)
	for _, e := range r.ends {
		s := e.Timeline().Stats()
		c.again.Players, c.first.Players = append(c.again.Players, float64(s.Resimulated)), append(c.first.Players, float64(s.Ticks))
	}
	return c
}
