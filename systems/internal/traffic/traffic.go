package traffic

import (
	"slices"

	"github.com/tactusgo/tactus/internal/reuse"
)

// Traffic holds the contents of snapshots since the server started, in bytes without session overhead:
//
//	Bytes = Headers + Heads + Own + Presence.Sent + Sent of all Components
//
// Headers, Heads and Own are exact. The sizes of fields are measured in one delta of eight and in all full states. The other
// deltas count as if they had the same proportions, so figures of a few seconds are estimates. In a block of the range coder
// each value counts with an error of less than a tenth of a bit. In a block of zstd or raw bytes, values count in the
// proportions that they have with the range coder. Fields that are encoded together count for the first of them.
type Traffic struct {
	Bytes   uint64 // of all snapshot messages
	Headers uint64 // of the headers of datagrams
	Heads   uint64 // of the heads of blocks
	Own     uint64 // of the bodies of owner state
	Inputs  uint64 // of received input messages, not part of Bytes
	// Presence is the part that belongs to no field: which entities exist, which of them changed, and the ends of blocks.
	Presence Bytes
	// Components are the replicated components in order of registration.
	Components []Component
}

// Bytes is a size in the blocks of the world.
type Bytes struct {
	Sent    float64 // a block counts once for each client that received it
	Encoded float64 // a block counts once, whether it was sent or not
}

// Component is the size of a component, the sum over its fields.
type Component struct {
	Name string
	Bytes
	Fields []Field
}

// Field is the size of a field of a component.
type Field struct {
	Path string // within the component, like "Pos.X"
	Bytes
}

// Clone returns a copy that shares no memory with t.
func (t *Traffic) Clone() Traffic {
	c := *t
	c.Components = slices.Clone(t.Components)
	for i := range c.Components {
		c.Components[i].Fields = slices.Clone(c.Components[i].Fields)
	}
	return c
}

// Traffic writes the contents of snapshots to t and reuses its memory.
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
