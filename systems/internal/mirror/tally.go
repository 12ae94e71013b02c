package mirror

import "github.com/tactusgo/tactus/codec/delta"

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
