package mirror

import (
	"errors"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Decoder decodes the blocks of a datagram into open states.
type Decoder struct {
	world, own decoding
	reader     codec.ByteReader
	received   byteCount
}

// decodeBlocks decodes all blocks of a datagram.
func (d *Decoder) decodeBlocks(floor uint32) error {
	age := uint32(0)
	for d.reader.Len() > 0 {
		h, body, err := wire.ReadBlock(&d.reader, age)
		switch {
		case err != nil:
		case h.Own:
			err = d.own.decode(&h, body, d.own.floor(floor))
		default:
			err = d.world.decode(&h, body, floor)
		}
		if err != nil {
			return err
		}
		age = h.Age
	}
	return nil
}

// floor returns the oldest send that may be a baseline of owner state.
func (d *decoding) floor(floor uint32) uint32 { return max(floor, d.Send-min(d.Send, wire.MaxOwnAge)) }

// discard removes the open states of the current datagram.
func (d *Decoder) discard(s *Store) {
	for _, x := range []*decoding{&d.world, &d.own} {
		for _, g := range x.groups {
			if y := x.to.Groups[g]; y.Open != nil {
				s.Memory.Release(s.closeState(y))
			}
		}
	}
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
	d.world.decoder.Account, d.own.decoder.Account = on, on
}

// Counting reports whether received bytes are counted.
func (d *Decoder) Counting() bool { return d.received.on }

// Costs visits the counted bits by component number, for world state and for owner state. It returns the bytes of
// all datagrams.
func (d *Decoder) Costs(visit func(component int, own bool, bits float64)) (bytes uint64) {
	for i, x := range []*delta.Decoder{&d.world.decoder, &d.own.decoder} {
		d.received.costs = x.Costs(d.received.costs[:0])
		for _, cost := range d.received.costs {
			if cost.Component >= 0 {
				visit(cost.Component, i == 1, cost.Bits)
			}
		}
	}
	return d.received.bytes
}
