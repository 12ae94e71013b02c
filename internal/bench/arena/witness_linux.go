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
	interest   bool // clients see different things
	groups     []states
	sums       [sumSends]sums
	parts      []delta.Part
	claims     []claim
	doubtful   []doubt
	witnessed
}

// witnessed counts what came of it.
type witnessed struct {
	Blocks     uint64 // of the world, opened
	Distinct   uint64 // of these, decoded
	Matched    uint64 // the others, that were the same as one decoded before
	Own        uint64 // of own state, opened and not decoded
	Unknown    uint64 // that stand on a state nobody was told of here, or several were: not decoded
	Claims     uint64 // entities in what was decoded, compared with the truth
	Unclaimed  uint64 // of which the truth was not at hand any more
	Wrong      uint64 // blocks and entities that were not as told
	Difference string // the first
	MaxError   float64
}

// states are those of a group, by send.
type states [stateSends]*state

// state is what clients were told of a group. What some may not see they were told of as hidden or empty; others
// see it.
type state struct {
	delta.Group
	hidden, empty uint64
}

// without is the state as those have it who may not see some of it.
func (s *state) without() *delta.Group {
	g := new(delta.Group)
	g.Reset(s.Send)
	for slots := s.Known | s.hidden | s.empty; slots != 0; slots &= slots - 1 {
		k := bits.TrailingZeros64(slots)
		if bit := uint64(1) << k; (s.hidden|s.empty)&bit != 0 || s.Alive&bit == 0 {
			g.Clear(k, s.hidden&bit != 0)
			continue
		}
		rec := s.Record(k)
		copy(g.Put(k, s.IDs[k], s.Masks[k], len(rec)), rec)
	}
	return g
}

// doubt is a block that stands on a state which clients may have been told of in different ways, as they see different
// things: which one is meant shows in what comes of it.
type doubt struct {
	of, newest uint32
	client     int
	block      swarm.Block
}

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
func newWitness(p *ecs.Protocol, hz int, interest bool, t *truths) *witness {
	w := &witness{truths: t, interest: interest}
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
		if !w.first(of, x.Sum()) {
			w.Blocks++
			w.Matched++
			continue
		}
		if w.interest && x.Age > 0 {
			x := *x
			x.Data = slices.Clone(x.Data)
			w.doubtful = append(w.doubtful, doubt{of, b.Send, b.Client, x})
			continue
		}
		err := w.decode(of, x, (*state).told)
		if err == nil {
			err = w.merge(x.First)
		}
		w.count(of, b.Client, err)
	}
	w.settle(b.Send)
}

// count counts what came of decoding a block.
func (w *witness) count(of uint32, client int, err error) {
	w.Blocks++
	if errors.Is(err, codec.ErrBaseline) {
		w.Unknown++
		return
	}
	if w.Distinct++; err != nil {
		w.differs("send %d, client %d: %v", of, client, err)
	}
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
func (w *witness) at(g, send uint32) *state {
	if int(g) >= len(w.groups) {
		return nil
	}
	if x := w.groups[g][send%stateSends]; x != nil && x.Send == send && send != 0 {
		return x
	}
	return nil
}

// told is the state as those have it who see all of it.
func (s *state) told() *delta.Group { return &s.Group }

// decode decodes a block into parts, against the states of one way to be told.
func (w *witness) decode(of uint32, b *swarm.Block, way func(*state) *delta.Group) error {
	w.parts = w.parts[:0]
	for g := b.First; g < b.First+b.Count; g++ {
		p := delta.Part{Cur: new(delta.Group), Slots: b.Slots}
		p.Cur.Reset(of)
		for _, base := range [2]struct {
			to   **delta.Group
			back uint32
			is   bool
		}{{&p.Base, b.Age, b.Age > 0}, {&p.Base2, b.Age + 1, b.Two}} {
			if !base.is {
				continue
			}
			x := w.at(g, of-base.back)
			if x == nil {
				return codec.ErrBaseline
			}
			*base.to = way(x)
		}
		w.parts = append(w.parts, p)
	}
	return w.decoder.Decode(b.Data, delta.Coder(b.Coder), w.model, w.parts)
}

// resolve decodes the blocks in doubt whose truth is there: the way that is meant is the one of which the truth comes.
// Where that is neither, some saw one thing and some another.
func (w *witness) resolve(newest uint32) {
	kept := w.doubtful[:0]
	for _, d := range w.doubtful {
		t := w.truths.sent(d.of)
		if t == nil && d.newest+patience > newest {
			kept = append(kept, d)
			continue
		}
		err := error(codec.ErrBaseline)
		for _, way := range []func(*state) *delta.Group{(*state).told, (*state).without} {
			if t != nil && w.decode(d.of, &d.block, way) == nil && w.right(t) {
				err = w.merge(d.block.First)
				break
			}
		}
		w.count(d.of, d.client, err)
	}
	w.doubtful = kept
}

// right reports whether what was decoded is the truth.
func (w *witness) right(t *told) bool {
	for i := range w.parts {
		st := w.parts[i].Cur
		for slots := st.Alive; slots != 0; slots &= slots - 1 {
			c := w.read(st, bits.TrailingZeros64(slots))
			if was, ok := t.at[c.id]; !ok || was.off(&c.row) > most || !was.same(&c.row) {
				return false
			}
		}
	}
	return true
}

// merge adds what was decoded to what is known of groups.
func (w *witness) merge(first uint32) error {
	for i := range w.parts {
		if err := w.mergeGroup(first+uint32(i), w.parts[i].Cur); err != nil {
			return err
		}
	}
	return nil
}

func (w *witness) mergeGroup(g uint32, st *delta.Group) error {
	for int(g) >= len(w.groups) {
		w.groups = append(w.groups, states{})
	}
	known := w.at(g, st.Send)
	if known == nil {
		known = new(state)
		known.Reset(st.Send)
		w.groups[g][st.Send%stateSends] = known
	}
	for slots := st.Known; slots != 0; slots &= slots - 1 {
		k := bits.TrailingZeros64(slots)
		bit := uint64(1) << k
		alive := st.Alive&bit != 0
		switch {
		case st.Hidden&bit != 0:
			known.hidden |= bit
		case known.Known&bit == 0 && !alive:
			known.Clear(k, false)
		case alive && (known.Known&bit == 0 || known.Alive&bit == 0 && w.interest):
			if known.Known&bit != 0 {
				known.empty |= bit // that somebody was told of who may not see what is there
			}
			rec := st.Record(k)
			copy(known.Put(k, st.IDs[k], st.Masks[k], len(rec)), rec)
			w.claims = append(w.claims, w.read(st, k))
		case !alive && w.interest:
			if known.Alive&bit != 0 {
				known.empty |= bit
			}
		case !same(&known.Group, st, k):
			return fmt.Errorf("group %d, slot %d is told of in two ways", g, k)
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
	if len(w.claims)+len(w.doubtful) == 0 {
		return
	}
	w.truths.mu.Lock()
	defer w.truths.mu.Unlock()
	w.resolve(newest)
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
