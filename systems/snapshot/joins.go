package snapshot

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// shareJoin is how many sends old a kept state may be when another client joins
// with it.
const shareJoin = 8

// joins keeps the states of the world that clients join with. It is safe for several workers:
// which state a client joins with does not depend on who comes first.
type joins struct {
	mu   sync.Mutex
	kept []*joinSnapshot
}

// pin begins to stream the state of a send to the client of a draft.
func (k *joins) pin(d *draft) {
	s, c, f := d.sys, d.c, d.f
	k.mu.Lock()
	defer k.mu.Unlock()
	rest := s.laterHeader() + wire.MaxJoinHeader + wire.MaxBlockHead
	room := min(netsys.MaxPayload, max(c.contest.budget/2, MinBudget/2)) - rest
	biggest := min(netsys.MaxPayload, c.contest.budget) - rest // the longest body that a datagram of a join can have
	hides := c.baselines.Hides()
	var pin *joinSnapshot
	for _, x := range k.kept {
		if !x.all || hides || x.room != room || x.model != c.model || f.Send-x.send > shareJoin || x.send <= c.join.send || x.send <= c.baselines.Floor() {
			continue
		}
		if pin == nil || pin.send == f.Send || x.send < f.Send && x.send > pin.send { // the newest of those that were there before
			pin = x
		}
	}
	if pin == nil {
		pin = &joinSnapshot{send: f.Send, model: c.model, late: uint8(f.Tick - f.Send*s.sends.steps), room: room, all: !s.config.Interest.Limits() && !hides}
		for n := range c.groups(f) {
			hidden, _ := c.baselines.World.At(uint32(n)).Hidden()
			pin.groups = append(pin.groups, without(&f.Groups[max(c.Group(n), 0)], hidden))
		}
		pin.cut(d, wire.BlockHead{Count: uint32(len(pin.groups)), Slots: wire.AllSlots}, biggest)
		k.kept = append(k.kept, pin)
	}
	pin.users++
	for _, b := range pin.big {
		c.baselines.LeaveOut(b.First, f.Send, b.Slots)
		c.contest.big = true
	}
	j := &join{joinSnapshot: pin, chunks: slices.Clone(pin.chunks), left: len(pin.chunks), pending: make([]uint16, len(pin.groups))}
	for i := range j.chunks {
		x := &j.chunks[i]
		for g := x.First; g < x.First+x.Count; g++ {
			j.pending[g]++
			for m := x.Slots & pin.groups[g].Alive; m != 0; m &= m - 1 {
				x.important = max(x.important, k.importance(d, c.Group(int(g)), bits.TrailingZeros64(m)))
			}
		}
	}
	slices.SortStableFunc(j.chunks, func(a, b chunk) int { return -cmp.Compare(a.important, b.important) })
	for i := range j.chunks {
		j.chunks[i].chunk = i
	}
	c.join.stream, c.join.state = j, joinStream
}

// release lets go of the state with which a client was to join.
func (k *joins) release(c *Client) {
	if c.join.stream == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	pin := c.join.stream.joinSnapshot
	if pin.users--; pin.users == 0 {
		k.kept = slices.DeleteFunc(k.kept, func(x *joinSnapshot) bool { return x == pin })
	}
	c.join.stream = nil
}

// cut cuts a run of groups of a kept state into blocks.
func (pin *joinSnapshot) cut(d *draft, run wire.BlockHead, biggest int) {
	if run.Count == 0 {
		return
	}
	b := d.encoder.kept(&pin.arena, pin.model, &run, pin.groups[run.First:], nil, nil)
	alive := pin.groups[run.First].Alive
	alone := bits.OnesCount64(run.Slots&alive) <= 1
	switch {
	case len(b.body) <= pin.room || run.Count == 1 && alone && len(b.body) <= biggest:
		pin.chunks = append(pin.chunks, chunk{block: newBlock(run, b, pin.send)})
	case run.Count > 1:
		x, y := run.Halve()
		pin.cut(d, x, biggest)
		pin.cut(d, y, biggest)
	case alone:
		// Not even alone: it is told as empty, and the budget leaves it out from now on.
		pin.big = append(pin.big, wire.BlockHead{First: run.First, Slots: run.Slots & alive})
		pin.groups[run.First].Clear(bits.TrailingZeros64(run.Slots&alive), false)
		d.stats.Oversized++
		pin.cut(d, run, biggest)
	default:
		x, y := run, run
		x.Slots, y.Slots = wire.HalveSlots(run.Slots, alive)
		pin.cut(d, x, biggest)
		pin.cut(d, y, biggest)
	}
}

// importance says how soon a newcomer needs an entity: its own at once.
func (*joins) importance(d *draft, g, slot int) float32 {
	config := &d.sys.config
	switch e := d.f.Entity(g, slot); {
	case d.f.Owner(g, slot) == d.c.id:
		return 1e30
	case config.Priority == nil || !d.w.Alive(e):
		return 0
	default:
		return min(config.gain(d.w, d.f, d.c.id, g, slot), 1e29)
	}
}

// without is a copy of a group in which slots are empty.
func without(cur *delta.Group, hidden uint64) (seen delta.Group) {
	seen.Reset(cur.Send)
	for k := range delta.GroupSize {
		if bit := uint64(1) << k; cur.Alive&^hidden&bit != 0 {
			rec := cur.Record(k)
			copy(seen.Put(k, cur.IDs[k], cur.Masks[k], len(rec)), rec)
		} else {
			seen.Clear(k, false)
		}
	}
	return seen
}
