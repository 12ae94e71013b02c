package main

import (
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/devtools/swarm"
)

// witness decodes each distinct block of the world that blind clients open, once. What it decodes is a state that the
// server told somebody; so it is the baseline of blocks that stand on it, of whoever has it. All that is told of an
// entity and send must be the same, and what the server's process tells of it.
type witness struct {
	model      *delta.Model
	layout     *delta.Layout
	decoder    delta.Decoder
	components toldComponents
	truths     *truths
	groups     groups
	views      []view // by client
	sends      [heardSends]heard
	bases      []*delta.Group
	parts      []delta.Part
	claims     []claim
	witnessed
}

// witnessed counts what came of it.
type witnessed struct {
	Blocks     uint64 // of the world, opened
	Distinct   uint64 // of these, decoded
	Matched    uint64 // the others, that were the same as one decoded before
	Own        uint64 // of own state, opened and not decoded
	Unknown    uint64 // that stand on a state of which the client was not told here: not decoded
	Claims     uint64 // entities in what was decoded, compared with the truth
	Unclaimed  uint64 // of which the truth was not at hand any more
	Wrong      uint64 // blocks and entities that were not as told
	Difference string // the first
	MaxError   float64
}

// view is what a client was told, by send.
type view [stateSends]struct {
	send   uint32
	pieces []piece
}

// stateSends is how many sends back views go: no server's baseline is older.
const stateSends = 128

// piece is what a block told of some groups, as the client numbers them.
type piece struct {
	first uint32
	*result
}

// result is what came of a block.
type result struct {
	slots  uint64
	groups []delta.Group
	sums   []uint64 // hash of each
}

// heard are the results of a send.
type heard struct {
	send     uint32
	results  map[uint64]*result // by hash of the block and of what it stands on
	entities map[uint32]uint64  // hash of the record, by id
}

// heardSends is how many sends may be heard of at once.
const heardSends = 64

// claim is what was decoded of an entity.
type claim struct {
	send uint32
	id   components.NetID
	row
}

// toldComponents are where a record has what is compared, by number of the replicated components.
type toldComponents struct {
	position, heading, health int
	schemas                   []*schema.Table
}

// newWitness makes a witness of a server with so many ticks a second, and of so many clients.
func newWitness(p *ecs.Protocol, hz, clients int, t *truths) *witness {
	w := &witness{truths: t, groups: make(groups), views: make([]view, clients)}
	var tables []*schema.Table
	for _, c := range p.Replicated() {
		w.components.schemas = append(w.components.schemas, c.Schema)
		if c.Words > 0 {
			tables = append(tables, c.Schema)
		} else {
			tables = append(tables, nil)
		}
	}
	w.components.position = ecs.ComponentOf[components.Position](p).Replicated()
	w.components.heading = ecs.ComponentOf[components.Heading](p).Replicated()
	w.components.health = ecs.ComponentOf[components.Health](p).Replicated()
	rate := sendRate(hz)
	w.layout = delta.NewLayout(tables, hz/rate, rate)
	w.model = delta.NewModel(w.layout, nil)
	return w
}

// body takes in a snapshot that a blind client opened.
func (w *witness) body(b swarm.Body) {
	of := b.Send
	if b.Join {
		of -= b.Back
	}
	v, h := &w.views[b.Client], w.heard(of)
	for i := range b.Blocks {
		x := b.Blocks[i]
		if x.Own {
			w.Own++
			continue
		}
		w.Blocks++
		first := x.First
		x.First = 0 // which is the client's own affair
		key, ok := w.stand(v, of, first, &x, x.Sum())
		if !ok {
			w.Unknown++
			continue
		}
		r := h.results[key]
		if r == nil {
			w.Distinct++
			var err error
			if r, err = w.decode(of, &x); err == nil {
				err = w.note(h, first, r)
			}
			if err != nil {
				w.differs("send %d, client %d: %v", of, b.Client, err)
				continue
			}
			h.results[key] = r
		} else {
			w.Matched++
		}
		v.add(of, piece{first, r})
	}
	w.settle(b.Send)
}

// heard are the results of a send.
func (w *witness) heard(send uint32) *heard {
	h := &w.sends[send%heardSends]
	if h.results == nil {
		h.results, h.entities = make(map[uint64]*result), make(map[uint32]uint64)
	}
	if h.send != send {
		h.send = send
		clear(h.results)
		clear(h.entities)
	}
	return h
}

// add notes that the client was told something of a send.
func (v *view) add(send uint32, p piece) {
	at := &v[send%stateSends]
	if at.send != send {
		at.send, at.pieces = send, at.pieces[:0]
	}
	at.pieces = append(at.pieces, p)
}

// stand finds what a block stands on, first the baselines of its groups, then the second ones, and takes that into the
// hash of the block. It is false where the client was not told of it.
func (w *witness) stand(v *view, of, first uint32, b *swarm.Block, sum uint64) (key uint64, ok bool) {
	w.bases = w.bases[:0]
	key = mix(sum, uint64(of))
	for _, x := range [2]struct {
		is   bool
		back uint32
	}{{b.Age > 0, b.Age}, {b.Two, b.Age + 1}} {
		if !x.is {
			continue
		}
		at := &v[(of-x.back)%stateSends]
		if x.back >= of || at.send != of-x.back {
			return 0, false
		}
		for g := first; g < first+b.Count; g++ {
			base, is := saidOf(at.pieces, g, b.Slots)
			if base == nil {
				return 0, false
			}
			w.bases, key = append(w.bases, base), mix(key, is)
		}
	}
	return key, true
}

// saidOf is what pieces say of slots of a group, and a hash of it; nil where that is not all of them.
func saidOf(pieces []piece, g uint32, slots uint64) (base *delta.Group, sum uint64) {
	var merged *delta.Group
	for _, p := range pieces {
		if g < p.first || int(g-p.first) >= len(p.groups) || p.slots&slots == 0 {
			continue
		}
		st := &p.groups[g-p.first]
		if sum = mix(sum, p.sums[g-p.first]); p.slots&slots == slots && merged == nil {
			return st, sum
		}
		if merged == nil {
			merged = new(delta.Group)
			merged.Reset(st.Send)
		}
		adopt(merged, st)
	}
	if merged == nil || merged.Known&slots != slots {
		return nil, 0
	}
	return merged, sum
}

// adopt adds to a state what another one knows more.
func adopt(to, from *delta.Group) {
	for slots := from.Known &^ to.Known; slots != 0; slots &= slots - 1 {
		k := bits.TrailingZeros64(slots)
		if bit := uint64(1) << k; from.Alive&bit == 0 {
			to.Clear(k, from.Hidden&bit != 0)
			continue
		}
		rec := from.Record(k)
		copy(to.Put(k, from.IDs[k], from.Masks[k], len(rec)), rec)
	}
}

// decode decodes a block that stands on w.bases.
func (w *witness) decode(of uint32, b *swarm.Block) (*result, error) {
	r := &result{slots: b.Slots, groups: make([]delta.Group, b.Count), sums: make([]uint64, b.Count)}
	w.parts = w.parts[:0]
	for i := range r.groups {
		p := delta.Part{Cur: &r.groups[i], Slots: b.Slots}
		p.Cur.Reset(of)
		if b.Age > 0 {
			p.Base = w.bases[i]
		}
		if b.Two {
			p.Base2 = w.bases[int(b.Count)+i]
		}
		w.parts = append(w.parts, p)
	}
	return r, w.decoder.Decode(b.Data, delta.Coder(b.Coder), w.model, w.parts)
}

// note compares what a block says of groups from the first-th on with what others of the same send say, and makes claims
// of what is said first.
func (w *witness) note(h *heard, first uint32, r *result) error {
	for g := range r.groups {
		st := &r.groups[g]
		r.sums[g] = mix(mix(r.slots, st.Alive), st.Hidden)
		for slots := st.Alive; slots != 0; slots &= slots - 1 {
			k := bits.TrailingZeros64(slots)
			sum := mix(uint64(st.IDs[k]), st.Masks[k])
			for _, v := range st.Record(k) {
				sum = mix(sum, uint64(uint32(v)))
			}
			r.sums[g] = mix(r.sums[g], sum^uint64(k))
			switch known, ok := h.entities[st.IDs[k]]; {
			case !ok:
				h.entities[st.IDs[k]] = sum
				w.claims = append(w.claims, w.read(st, k))
				w.groups[components.NetID(st.IDs[k])] = first + uint32(g)
			case known != sum:
				return fmt.Errorf("entity %d is told of in two ways", st.IDs[k])
			}
		}
	}
	return nil
}

// mix takes another word into a hash.
func mix(h, v uint64) uint64 {
	hi, lo := bits.Mul64(h^v^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return hi ^ lo ^ bits.RotateLeft64(v, 29)
}

// read is what a state says of an entity.
func (w *witness) read(st *delta.Group, k int) claim {
	mask, rec, t := st.Masks[k], st.Record(k), &w.components
	var pos components.Position
	var head components.Heading
	var health components.Health
	t.read(w.layout, mask, rec, t.position, unsafe.Pointer(&pos))
	t.read(w.layout, mask, rec, t.heading, unsafe.Pointer(&head))
	t.read(w.layout, mask, rec, t.health, unsafe.Pointer(&health))
	return claim{st.Send, components.NetID(st.IDs[k]), row{pos.X, pos.Y, head.Angle, health.Points}}
}

// read reads a component of a record.
func (t *toldComponents) read(l *delta.Layout, mask uint64, rec []int32, c int, dst unsafe.Pointer) {
	if mask>>c&1 != 0 {
		t.schemas[c].Dequantize(dst, rec[l.Offset(mask, c):], 1, 1)
	}
}

// patience is for how many sends claims wait for the truth.
const patience = 16

// settle compares claims with the truth of their sends, as far as that is there.
func (w *witness) settle(newest uint32) {
	if len(w.claims) == 0 {
		return
	}
	w.truths.mu.Lock()
	defer w.truths.mu.Unlock()
	kept := w.claims[:0]
	var t *told
	for _, c := range w.claims {
		if t == nil || t.send != c.send {
			t = w.truths.sent(c.send)
		}
		switch {
		case t != nil:
			w.compare(&c, t)
		case c.send+patience > newest:
			kept = append(kept, c)
		default:
			w.Unclaimed++
		}
	}
	w.claims = kept
}

// compare compares what was decoded of an entity with the truth.
func (w *witness) compare(c *claim, t *told) {
	w.Claims++
	was, ok := t.at[c.id]
	if !ok {
		w.differs("send %d: entity %d is not there%s", c.send, c.id, "")
		return
	}
	err := was.off(&c.row)
	w.MaxError = max(w.MaxError, err)
	if err > most || !was.same(&c.row) {
		w.differs("send %d: entity %d is not as it was: off by %v", c.send, c.id, err)
	}
}

// most is how far a position may be from the truth, by axis.
const most = 1.0 / 16

// off is how far two rows' positions are apart, by axis.
func (r *row) off(o *row) float64 {
	return max(math.Abs(float64(r.x-o.x)), math.Abs(float64(r.y-o.y)))
}

// same reports whether the rest is the same, as precisely as it is told.
func (r *row) same(o *row) bool {
	off := int16(r.heading - o.heading)
	return r.health == o.health && off >= -128 && off <= 128
}

// differs counts what is wrong.
func (w *witness) differs(format string, args ...any) {
	if w.Wrong++; w.Wrong == 1 {
		w.Difference = fmt.Sprintf(format, args...)
	}
}
