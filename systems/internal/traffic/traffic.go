package traffic

import (
	"slices"

	"github.com/tactusgo/tactus/internal/reuse"
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
	Presence Bytes
	// Components are those that are replicated, in order of registration.
	Components []Component
}

// Bytes is what something took in the blocks of the world.
type Bytes struct {
	Sent    float64 // a block counts for every client that it was sent to
	Encoded float64 // every block that was encoded counts once, sent or not
}

// Component is what a component took, the sum over its fields.
type Component struct {
	Name string
	Bytes
	Fields []Field
}

// Field is what a field of a component took.
type Field struct {
	Path string // within the component, like "Pos.X"
	Bytes
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

// Traffic writes what snapshots were made of to t, whose memory is used again.
func (a *Accounts) Traffic(t *Traffic) {
	t.Bytes, t.Headers, t.Heads, t.Own = a.stats.Bytes, a.stats.Headers, a.heads, a.own
	t.Components = reuse.Slice(t.Components, len(a.comps))
	t.Presence = Bytes{}
	var scale [len(a.lots)]Bytes
	for i := range a.lots {
		l := &a.lots[i]
		t.Presence.Sent += float64(l.sent.all)
		t.Presence.Encoded += float64(l.encoded.all)
		scale[i] = Bytes{l.sent.scale(), l.encoded.scale()}
	}
	at := 0
	for i, c := range a.comps {
		x := &t.Components[i]
		x.Name, x.Bytes = c.Name, Bytes{}
		x.Fields = reuse.Slice(x.Fields, a.fields[i])
		for k := range x.Fields {
			f := Field{Path: c.Schema.Fields[k].Path}
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
