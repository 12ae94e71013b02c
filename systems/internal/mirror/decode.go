package mirror

import (
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Decoder decodes the blocks of a datagram into open states.
type Decoder struct {
	model    *delta.Model
	rawModel *delta.Model // model of owner state
	world    delta.Decoder
	own      delta.Decoder
	parts    []delta.Part
	reader   codec.ByteReader
	current  incoming
	received byteCount
	set      setIncoming
}

// incoming is the datagram that is being decoded.
type incoming struct {
	send   Sent     // the snapshot's send
	world  Sent     // send of the blocks of the world; differs from send while joining
	joins  bool     // these blocks are pieces of the state of a join
	pieces uint32   // number of pieces of that state
	hides  bool     // the server hides parts of the world
	groups []uint32 // groups of the world with an open state
	own    []uint32 // groups of owner state with an open state
}

// startDatagram prepares for decoding a datagram.
func (d *Decoder) startDatagram(s Sent) *incoming {
	d.set.reset()
	d.current = incoming{send: s, world: s, groups: d.current.groups[:0], own: d.current.own[:0]}
	return &d.current
}

// decodeBlocks decodes all blocks of a datagram.
func (d *Decoder) decodeBlocks(s *Store, floor uint32) error {
	age := uint32(0)
	for d.reader.Len() > 0 {
		h, body, err := wire.ReadBlock(&d.reader, age)
		switch {
		case err != nil:
		case !h.Own:
			err = d.decodeSet(&h, body, s, floor)
		default:
			err = d.decodeOwn(&h, body, s)
		}
		if err != nil {
			return err
		}
		age = h.Age
	}
	return nil
}

// decodeOwn decodes a block of owner state.
func (d *Decoder) decodeOwn(h *wire.BlockHead, body []byte, s *Store) error {
	sent := d.current.send
	if h.Age >= sent.Send || h.Two && h.Age+1 >= sent.Send {
		return fmt.Errorf("%w: send %d has a baseline %d sends before", wire.ErrMessage, sent.Send, h.Age)
	}
	grow(&s.Own, int(h.First+h.Count))
	d.parts = d.parts[:0]
	for g := h.First; g < h.First+h.Count; g++ {
		x := s.Own[g]
		if x.Open == nil {
			x.Open = s.Memory.Get(sent.Send, sent.Tick)
			d.current.own = append(d.current.own, g)
		}
		part := newPart(x, h, sent.Send)
		if x.Open.Known&h.Slots != 0 {
			return fmt.Errorf("%w: group %d has a slot in two blocks", wire.ErrMessage, g)
		}
		if h.Age > 0 && (part.Base == nil || h.Slots&^part.Base.Known != 0) ||
			h.Two && (part.Base2 == nil || h.Slots&^part.Base2.Known != 0) {
			return fmt.Errorf("%w: group %d, %d sends before %d", codec.ErrBaseline, g, h.Age, sent.Send)
		}
		d.parts = append(d.parts, part)
	}
	err := d.own.Decode(body, h.Coder, d.rawModel, d.parts)
	if err != nil && !errors.Is(err, codec.ErrBaseline) {
		err = fmt.Errorf("%w: %w", wire.ErrMessage, err)
	}
	return err
}

// discard removes the open states of the current datagram.
func (d *Decoder) discard(s *Store) {
	for _, g := range d.current.groups {
		s.discard(s.World[g])
	}
	for _, g := range d.current.own {
		s.discard(s.Own[g])
	}
}

// newPart returns the part of a block for one group.
func newPart(x *History, h *wire.BlockHead, send uint32) delta.Part {
	p := delta.Part{Cur: &x.Open.Group, Slots: h.Slots}
	if h.Age > 0 {
		if st := x.At(send - h.Age); st != nil {
			p.Base = &st.Group
		}
	}
	if h.Two {
		if st := x.At(send - h.Age - 1); st != nil {
			p.Base2 = &st.Group
		}
	}
	return p
}

// baselines tracks which states the server may use as baselines.
type baselines struct {
	controlSend uint32 // newest send with a control part
	floor       uint32 // oldest send that the server may still use
	epoch       uint8  // see the wire format
	epochSend   uint32 // from this send on the server knows the epoch; 0: not yet
}

// receiveControl processes the control part of a send and reports whether it is the newest one so far.
func (b *baselines) receiveControl(epoch uint8, send uint32) (newest bool) {
	if epoch == b.epoch && b.epochSend == 0 {
		b.epochSend = send
	}
	newest = send >= b.controlSend
	b.controlSend = max(b.controlSend, send)
	return newest
}

// renew requests full states, unless the server does not know the epoch of an earlier request yet.
func (b *baselines) renew() {
	if b.epochSend != 0 {
		b.epoch++
		b.epochSend = 0
	}
}

// requestRenewal requests full states if err reports a missing baseline that the server assumed the client to have.
// It returns the number of requests, 0 or 1. It makes no second request before the server knows the epoch of the
// first.
func (b *baselines) requestRenewal(err error, send uint32) (renewals uint64) {
	if !errors.Is(err, codec.ErrBaseline) || b.epochSend == 0 || send < b.epochSend {
		return 0
	}
	b.renew()
	return 1
}

// byteCount counts the received bytes.
type byteCount struct {
	on    bool
	bytes uint64
	costs []delta.Cost
}

// add counts a datagram of n bytes.
func (t *byteCount) add(n int) {
	if t.on {
		t.bytes += uint64(n)
	}
}

// CountBytes switches counting of received bytes on or off.
func (d *Decoder) CountBytes(on bool) {
	d.received.on = on
	d.world.Account, d.own.Account = on, on
}

// Counting reports whether received bytes are counted.
func (d *Decoder) Counting() bool { return d.received.on }

// Costs visits the counted bits by component number, for world state and for owner state. It returns the bytes of
// all datagrams.
func (d *Decoder) Costs(visit func(component int, own bool, bits float64)) (bytes uint64) {
	for i, x := range []*delta.Decoder{&d.world, &d.own} {
		d.received.costs = x.Costs(d.received.costs[:0])
		for _, cost := range d.received.costs {
			if cost.Component >= 0 {
				visit(cost.Component, i == 1, cost.Bits)
			}
		}
	}
	return d.received.bytes
}
