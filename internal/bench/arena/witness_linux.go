package main

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/swarm"
)

// witness decodes each distinct block of the world that blind clients open, once. What it decodes is a state that the
// server told somebody; so it is the baseline of blocks that stand on it, whoever gets them. All that is told of an
// entity and send must be the same, and what the server's process tells of it.
type witness struct {
	model      *delta.Model
	layout     *delta.Layout
	decoder    delta.Decoder
	components toldComponents
	truths     *truths
	groups     []states
	sums       [sumSends]sums
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
	Unknown    uint64 // that stand on a state nobody was told of here: not decoded
	Claims     uint64 // entities in what was decoded, compared with the truth
	Unclaimed  uint64 // of which the truth was not at hand any more
	Wrong      uint64 // blocks and entities that were not as told
	Difference string // the first
	MaxError   float64
}

// states are those of a group, by send.
type states [stateSends]*delta.Group

// stateSends is how many sends back states are kept: no server's baseline is older.
const stateSends = 128

// sums are the hashes of blocks of a send that have been decoded.
type sums struct {
	send  uint32
	known map[uint64]bool
}

// sumSends is how many sends may be heard of at once.
const sumSends = 64

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

// newWitness makes a witness of a server with so many ticks a second.
func newWitness(p *ecs.Protocol, hz int, t *truths) *witness {
	w := &witness{truths: t}
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

// sendRate is how many snapshots a second a server sends by default.
func sendRate(hz int) int {
	rate := min(systems.DefaultSendRate, hz)
	for hz%rate != 0 {
		rate--
	}
	return rate
}

// body takes in a snapshot that a blind client opened.
func (w *witness) body(b swarm.Body) {
	of := b.Send
	if b.Join {
		of -= b.Back
	}
	for i := range b.Blocks {
		x := &b.Blocks[i]
		if x.Own {
			w.Own++
			continue
		}
		w.Blocks++
		if !w.first(of, x.Sum()) {
			w.Matched++
			continue
		}
		switch err := w.decode(of, x); {
		case errors.Is(err, codec.ErrBaseline):
			w.Unknown++
		case err != nil:
			w.Distinct++
			w.differs("send %d, client %d: %v", of, b.Client, err)
		default:
			w.Distinct++
		}
	}
	w.settle(b.Send)
}

// first reports whether a block of a send is heard for the first time.
func (w *witness) first(send uint32, sum uint64) bool {
	s := &w.sums[send%sumSends]
	if s.send != send {
		if s.known == nil {
			s.known = make(map[uint64]bool)
		}
		s.send = send
		clear(s.known)
	}
	if s.known[sum] {
		return false
	}
	s.known[sum] = true
	return true
}

// at is the state of a group at a send, nil where nobody was told of it.
func (w *witness) at(g, send uint32) *delta.Group {
	if int(g) >= len(w.groups) {
		return nil
	}
	if x := w.groups[g][send%stateSends]; x != nil && x.Send == send && send != 0 {
		return x
	}
	return nil
}

// decode decodes a block, and compares it with what is known of the same send.
func (w *witness) decode(of uint32, b *swarm.Block) error {
	w.parts = w.parts[:0]
	for g := b.First; g < b.First+b.Count; g++ {
		p := delta.Part{Cur: new(delta.Group), Slots: b.Slots}
		p.Cur.Reset(of)
		if b.Age > 0 {
			if p.Base = w.at(g, of-b.Age); p.Base == nil {
				return codec.ErrBaseline
			}
		}
		if b.Two {
			if p.Base2 = w.at(g, of-b.Age-1); p.Base2 == nil {
				return codec.ErrBaseline
			}
		}
		w.parts = append(w.parts, p)
	}
	if err := w.decoder.Decode(b.Data, delta.Coder(b.Coder), w.model, w.parts); err != nil {
		return err
	}
	for i := range w.parts {
		if err := w.merge(b.First+uint32(i), w.parts[i].Cur); err != nil {
			return err
		}
	}
	return nil
}

// merge adds a state to what is known of a group.
func (w *witness) merge(g uint32, st *delta.Group) error {
	for int(g) >= len(w.groups) {
		w.groups = append(w.groups, states{})
	}
	known := w.at(g, st.Send)
	if known == nil {
		known = new(delta.Group)
		known.Reset(st.Send)
		w.groups[g][st.Send%stateSends] = known
	}
	for slots := st.Known; slots != 0; slots &= slots - 1 {
		k := bits.TrailingZeros64(slots)
		bit := uint64(1) << k
		switch {
		case st.Hidden&bit != 0: // somebody else may know more of it
		case known.Known&bit != 0:
			if !same(known, st, k) {
				return fmt.Errorf("group %d, slot %d is told of in two ways", g, k)
			}
		case st.Alive&bit == 0:
			known.Clear(k, false)
		default:
			rec := st.Record(k)
			copy(known.Put(k, st.IDs[k], st.Masks[k], len(rec)), rec)
			w.claim(st, k)
		}
	}
	return nil
}

// same reports whether two states say the same of a slot.
func same(a, b *delta.Group, k int) bool {
	if bit := uint64(1) << k; (a.Alive^b.Alive)&bit != 0 || a.Alive&bit == 0 {
		return (a.Alive^b.Alive)&bit == 0
	}
	return a.IDs[k] == b.IDs[k] && a.Masks[k] == b.Masks[k] && slices.Equal(a.Record(k), b.Record(k))
}

// claim notes what a state says of an entity, for the truth that may still be on its way.
func (w *witness) claim(st *delta.Group, k int) {
	mask, rec, t := st.Masks[k], st.Record(k), &w.components
	c := claim{send: st.Send, id: components.NetID(st.IDs[k])}
	var pos components.Position
	var head components.Heading
	var health components.Health
	t.read(w.layout, mask, rec, t.position, unsafe.Pointer(&pos))
	t.read(w.layout, mask, rec, t.heading, unsafe.Pointer(&head))
	t.read(w.layout, mask, rec, t.health, unsafe.Pointer(&health))
	c.row = row{pos.X, pos.Y, head.Angle, health.Points}
	w.claims = append(w.claims, c)
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
