package systems

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/tactusgo/tactus/internal/reuse"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
)

// Traffic is what snapshots were made of, since the server began, in bytes without
// what sessions add:
//
//	Bytes = Headers + Heads + Own + Presence.Sent + Sent of all Components
//
// Headers, Heads and Own are exact. What fields took is measured in one delta of
// eight, and in all full states; the other deltas count as if they were alike, so that
// figures of a few seconds are estimates. Within a block of the range coder the bytes
// are split where its interval stands between two values: each such place is off by
// less than a tenth of a bit. Within one of zstd or raw bytes they are split in the
// proportions in which the range coder would have. Fields that are coded together, as
// coordinates of lines are, count for the first of them.
type Traffic struct {
	Bytes   uint64 // of all snapshot messages
	Headers uint64 // of these
	Heads   uint64 // of blocks
	Own     uint64 // bodies of own state
	Inputs  uint64 // input messages read, not part of Bytes
	// Presence is what belongs to no field: which entities there are, which of them
	// have news, and what coders take to end a block.
	Presence TrafficBytes
	// Components are those that are replicated, in order of registration.
	Components []ComponentTraffic
}

// TrafficBytes is what something took in the blocks of the world.
type TrafficBytes struct {
	Sent    float64 // a block counts for every client that it was sent to
	Encoded float64 // every block that was encoded counts once, sent or not
}

// ComponentTraffic is what a component took, the sum over its fields.
type ComponentTraffic struct {
	Name string
	TrafficBytes
	Fields []FieldTraffic
}

// FieldTraffic is what a field of a component took.
type FieldTraffic struct {
	Path string // within the component, like "Pos.X"
	TrafficBytes
}

// EntityTraffic is what the fields of an entity took in blocks that were encoded,
// each block once, in bytes.
type EntityTraffic struct {
	ID    components.NetID
	Bytes float64
}

// Traffic writes what snapshots were made of to t, whose memory is used again.
func (s *Server) Traffic(t *Traffic) {
	a := &s.encoder.encodes.accounts
	st := &s.stats.Snapshots
	t.Bytes, t.Headers, t.Heads, t.Own, t.Inputs = st.Bytes, st.Headers, a.heads, a.own, s.stats.InputBytes
	t.Components = reuse.Slice(t.Components, len(s.shape.replicated))
	t.Presence = TrafficBytes{}
	var scale [len(a.lots)]TrafficBytes
	for i := range a.lots {
		l := &a.lots[i]
		t.Presence.Sent += float64(l.sent.all)
		t.Presence.Encoded += float64(l.encoded.all)
		scale[i] = TrafficBytes{l.sent.scale(), l.encoded.scale()}
	}
	at := 0
	for i, c := range s.shape.replicated {
		x := &t.Components[i]
		x.Name, x.TrafficBytes = c.Name, TrafficBytes{}
		x.Fields = reuse.Slice(x.Fields, a.fields[i])
		for k := range x.Fields {
			f := FieldTraffic{Path: c.Schema.Fields[k].Path}
			for i := range a.lots {
				spent := &a.lots[i].fields[at]
				f.Sent += float64(spent.sent) * scale[i].Sent
				f.Encoded += float64(spent.encoded) * scale[i].Encoded
			}
			x.Fields[k] = f
			x.Sent += f.Sent
			x.Encoded += f.Encoded
			at++
		}
		t.Presence.Sent -= x.Sent
		t.Presence.Encoded -= x.Encoded
	}
}

// Clone is a copy that shares no memory with t.
func (t *Traffic) Clone() Traffic {
	c := *t
	c.Components = slices.Clone(t.Components)
	for i := range c.Components {
		c.Components[i].Fields = slices.Clone(c.Components[i].Fields)
	}
	return c
}

// AccountEntities makes the server count what each entity takes too, from now on, or
// no longer. It takes memory for each entity that has news, measures every block, and
// counts nothing where zstd alone is to be used.
func (s *Server) AccountEntities(on bool) {
	for _, m := range s.encoder.encodes.meters() {
		m.all = on && m.Only == delta.AnyCoder
		m.AccountEntities(on)
	}
}

// TopEntities appends to dst the n entities of the newest send that took most since
// [Server.AccountEntities] was switched on, the first the most.
func (s *Server) TopEntities(dst []EntityTraffic, n int) []EntityTraffic {
	f := s.frames.At(s.sentAt)
	if f == nil {
		return dst
	}
	from := len(dst)
	for g := range f.Groups {
		for m := f.Groups[g].Alive; m != 0; m &= m - 1 {
			k := trailing(m)
			if bits := s.spentOn(&f.Groups[g], k); bits > 0 {
				dst = append(dst, EntityTraffic{netID(f.Groups[g].IDs[k]), bits / 8})
			}
		}
	}
	slices.SortFunc(dst[from:], func(a, b EntityTraffic) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.ID, b.ID))
	})
	return dst[:min(len(dst), from+n)]
}

// Costs are counted in parts of a byte: 256 of each bit, as [delta.Encoder.Spent]
// does.
const (
	bitParts  = 256
	byteParts = 8 * bitParts
)

// account is what a field took, in parts of a byte, in blocks that were measured.
type account struct{ sent, encoded int64 }

// bodies is how many bytes the bodies of blocks have.
type bodies struct{ all, measured int64 }

// scale makes parts of a byte in measured bodies bytes of all.
func (b bodies) scale() float64 {
	return float64(b.all) / (byteParts * float64(max(b.measured, 1)))
}

// lot is blocks that are measured as often as each other.
type lot struct {
	fields        []account // of all components, one behind the other
	sent, encoded bodies
}

// accounts sums what blocks took.
type accounts struct {
	fields []int  // of each component
	lots   [2]lot // full states, and deltas
	heads  uint64
	own    uint64
}

// init makes accounts for components with so many fields each.
func (a *accounts) init(l *delta.Layout, fields func(component int) int) {
	n := 0
	for c := range l.Components() {
		a.fields = append(a.fields, 0)
		if l.Words(c) > 0 {
			a.fields[c] = fields(c)
		}
		n += a.fields[c]
	}
	for i := range a.lots {
		a.lots[i].fields = make([]account, n)
	}
}

func (a *accounts) lot(delta bool) *lot {
	if delta {
		return &a.lots[1]
	}
	return &a.lots[0]
}

// sent counts a block that went to a client in so many bytes.
func (a *accounts) sent(b *planned, size int) {
	a.heads += uint64(size - len(b.body))
	if b.Own {
		a.own += uint64(len(b.body))
		return
	}
	l := a.lot(b.Age > 0)
	l.sent.all += int64(len(b.body))
	if b.costs == nil {
		return
	}
	l.sent.measured += int64(len(b.body))
	for costs := b.costs; len(costs) > 0; {
		at, n := binary.Uvarint(costs)
		v, m := binary.Uvarint(costs[n:])
		costs = costs[n+m:]
		l.fields[at].sent += int64(v)
	}
}
