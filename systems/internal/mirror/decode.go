package mirror

import (
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Decoder makes open states of the blocks of a datagram.
type Decoder struct {
	model    *delta.Model
	rawModel *delta.Model // of own state
	world    delta.Decoder
	own      delta.Decoder
	parts    []delta.Part
	reader   codec.ByteReader
	in       incoming
	tally    tally
	limited  bool // there is something that this client may not know
}

// incoming is the datagram at hand.
type incoming struct {
	send   Sent     // of the snapshot
	join   Sent     // of the blocks of the world
	groups []uint32 // of the world, with an open state
	own    []uint32 // likewise of own state
}

// begin begins with a datagram.
func (d *Decoder) begin(s Sent) *incoming {
	d.in = incoming{send: s, join: s, groups: d.in.groups[:0], own: d.in.own[:0]}
	return &d.in
}

// blocks decodes all blocks of a datagram.
func (d *Decoder) blocks(s *Store) error {
	age := uint32(0)
	for d.reader.Len() > 0 {
		h, body, err := wire.ReadBlock(&d.reader, age)
		if err == nil {
			err = d.block(&h, body, s)
		}
		if err != nil {
			return err
		}
		age = h.Age
	}
	return nil
}

// block decodes one.
func (d *Decoder) block(h *wire.BlockHead, body []byte, s *Store) error {
	of, all, open, model, decoder := d.in.join, &s.World, &d.in.groups, d.model, &d.world
	if h.Own {
		of, all, open, model, decoder = d.in.send, &s.Own, &d.in.own, d.rawModel, &d.own
	}
	if h.Age >= of.Send || h.Two && h.Age+1 >= of.Send {
		return fmt.Errorf("%w: send %d stands on one %d sends before", wire.ErrMessage, of.Send, h.Age)
	}
	grow(all, int(h.First+h.Count))
	d.parts = d.parts[:0]
	for g := h.First; g < h.First+h.Count; g++ {
		x := (*all)[g]
		if x.Open == nil {
			x.Open = s.Memory.Take(of.Send, of.Tick)
			*open = append(*open, g)
		}
		part := partOf(x, h, of.Send)
		if x.Open.Known&h.Slots != 0 {
			return fmt.Errorf("%w: group %d is told of twice", wire.ErrMessage, g)
		}
		if h.Age > 0 && (part.Base == nil || h.Slots&^part.Base.Known != 0) ||
			h.Two && (part.Base2 == nil || h.Slots&^part.Base2.Known != 0) {
			return fmt.Errorf("%w: group %d, %d sends before %d", codec.ErrBaseline, g, h.Age, of.Send)
		}
		d.parts = append(d.parts, part)
	}
	if err := decoder.Decode(body, h.Coder, model, d.parts); err != nil {
		if errors.Is(err, codec.ErrBaseline) {
			return err
		}
		return fmt.Errorf("%w: %w", wire.ErrMessage, err)
	}
	if !h.Own {
		for g := h.First; g < h.First+h.Count; g++ {
			x := (*all)[g]
			var base *State
			if h.Age > 0 {
				base = x.At(of.Send - h.Age)
			}
			x.Open.ways(h, base, of.Send != d.in.send.Send)
		}
		d.limited = d.limited || h.Ways.Told
	}
	return nil
}

// drop forgets what the datagram at hand told.
func (d *Decoder) drop(s *Store) {
	for _, g := range d.in.groups {
		s.drop(s.World[g])
	}
	for _, g := range d.in.own {
		s.drop(s.Own[g])
	}
}

// partOf is the part of a block for one group.
func partOf(x *History, h *wire.BlockHead, send uint32) delta.Part {
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

// baselines is what the server may stand on, as both ends have agreed.
type baselines struct {
	controlSend uint32 // newest that had a control part
	floor       uint32 // oldest send that the server may still use
	epoch       uint8  // see the messages
	epochSend   uint32 // from which on the server has heard of it; 0: not yet
}

// hear takes in the control part of a send, and reports whether no newer one had any.
func (b *baselines) hear(epoch uint8, send uint32) (newest bool) {
	if epoch == b.epoch && b.epochSend == 0 {
		b.epochSend = send
	}
	newest = send >= b.controlSend
	b.controlSend = max(b.controlSend, send)
	return newest
}

// missed asks for full states where a baseline was missing that the server believes to be
// here, and returns how often it did. It is not asked again before the server has heard of it.
func (b *baselines) missed(err error, send uint32) (renewals uint64) {
	if !errors.Is(err, codec.ErrBaseline) || b.epochSend == 0 || send < b.epochSend {
		return 0
	}
	b.epoch++
	b.epochSend = 0
	return 1
}

// tally is what a client counts of what it receives.
type tally struct {
	on    bool
	bytes uint64
	costs []delta.Cost
}

// taken counts a datagram.
func (t *tally) taken(n int) {
	if t.on {
		t.bytes += uint64(n)
	}
}

// CountBytes makes it count, from now on or no longer, what it receives.
func (d *Decoder) CountBytes(on bool) {
	d.tally.on = on
	d.world.Account, d.own.Account = on, on
}

// Counting reports whether it does.
func (d *Decoder) Counting() bool { return d.tally.on }

// Costs visits what was counted: what components took, by number, in bits of the state of
// the world and of own state. It returns the bytes of all datagrams.
func (d *Decoder) Costs(visit func(component int, own bool, bits float64)) (bytes uint64) {
	for i, x := range []*delta.Decoder{&d.world, &d.own} {
		d.tally.costs = x.Costs(d.tally.costs[:0])
		for _, cost := range d.tally.costs {
			if cost.Component >= 0 {
				visit(cost.Component, i == 1, cost.Bits)
			}
		}
	}
	return d.tally.bytes
}
