package systems

import (
	"cmp"
	"log/slog"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
)

// frameRing is how many sends back a baseline may lie: six seconds at 20 a
// second.
const frameRing = 128

// maxAge is the oldest baseline used, in sends. It leaves the client room for
// packets that overtake each other.
const maxAge = 120

// frame is the replicated state of one send: for each entity, in order of
// NetID, a record of quantized words. It is made once for all clients.
type frame struct {
	send   uint32
	tick   uint32
	ids    []uint32
	masks  []uint64
	owners []uint32
	start  []int32 // of the record in words; len(ids)+1 entries
	words  []int32
}

// find returns the place of an entity, or -1.
func (f *frame) find(id uint32) int {
	if i, ok := slices.BinarySearch(f.ids, id); ok {
		return i
	}
	return -1
}

func (f *frame) record(i int) []int32 { return f.words[f.start[i]:f.start[i+1]] }

// captures is the ring of the newest frames of a world.
type captures struct {
	w      *ecs.World
	layout *codec.Layout
	ring   [frameRing]frame
	newest uint32 // number of the newest send; the first is 1
	rows   []captureRow
	block  []int32 // of one column while it is quantized
	// Clamped counts values that were outside their range, by replicated
	// component.
	clamped []uint64
	told    clampLog

	private uint64  // components that only the owner may see
	packed  []int32 // records without them, for the client at hand
}

// captureRow is a row of a table on its way into a frame.
type captureRow struct {
	id    uint32
	owner uint32
	mask  uint64
	from  int32 // its words in scratch
}

func newCaptures(w *ecs.World, l *slog.Logger) *captures {
	var widths []int
	for _, c := range w.Protocol().Replicated() {
		widths = append(widths, c.Words)
	}
	c := &captures{w: w, layout: codec.NewLayout(widths), clamped: make([]uint64, len(widths)), told: newClampLog(w.Protocol(), l)}
	for _, comp := range w.Protocol().Replicated() {
		if comp.Mode&ecs.OwnerOnly != 0 {
			c.private |= 1 << comp.Replicated()
		}
	}
	return c
}

// seen is what a client may know of an entity in a frame: all of it when it is
// the owner, and otherwise what is not for the owner alone. Records without
// private components are packed anew and good until packed is emptied.
func (c *captures) seen(f *frame, at int, client uint32) (mask uint64, words []int32) {
	mask, words = f.masks[at], f.record(at)
	if mask&c.private == 0 || f.owners[at] == client {
		return mask, words
	}
	start := len(c.packed)
	for i := range c.layout.Components() {
		if bit := uint64(1) << i; mask&bit != 0 && c.private&bit == 0 {
			from := c.layout.Offset(mask, i)
			c.packed = append(c.packed, words[from:from+c.layout.Words(i)]...)
		}
	}
	return mask &^ c.private, c.packed[start:len(c.packed):len(c.packed)]
}

// at returns the frame of a send, or nil when it is no longer kept.
func (c *captures) at(send uint32) *frame {
	f := &c.ring[send%frameRing]
	if send == 0 || f.send != send {
		return nil
	}
	return f
}

// take captures the world as the next send.
func (c *captures) take(tick uint32) *frame {
	c.newest++
	f := &c.ring[c.newest%frameRing]
	f.send, f.tick = c.newest, tick
	f.ids, f.masks, f.owners = f.ids[:0], f.masks[:0], f.owners[:0]
	f.start, f.words = f.start[:0], f.words[:0]
	c.rows, c.block = c.rows[:0], c.block[:0]

	comps := c.w.Protocol().Replicated()
	owner := comps[0]
	for t := range c.w.Tables {
		n := len(t.Entities)
		width := c.layout.RecordWords(t.Mask)
		base := len(c.block)
		c.block = slices.Grow(c.block, n*width)[:base+n*width] // keeps the tables before
		for _, comp := range comps {
			if comp.Words > 0 && t.Mask&(1<<comp.Replicated()) != 0 {
				at := base + c.layout.Offset(t.Mask, comp.Replicated())
				if clamped := comp.Schema.Quantize(c.block[at:], width, t.Column(comp), n); clamped > 0 {
					c.clamped[comp.Replicated()] += uint64(clamped)
					c.told.column(comp, t)
				}
			}
		}
		var owners []uint32
		if col := t.Column(owner); col != nil {
			owners = unsafe.Slice((*uint32)(col), n)
		}
		for i, id := range t.NetIDs {
			row := captureRow{id: uint32(id), mask: t.Mask, from: int32(base + i*width)}
			if owners != nil {
				row.owner = owners[i]
			}
			c.rows = append(c.rows, row)
		}
	}
	slices.SortFunc(c.rows, func(a, b captureRow) int { return cmp.Compare(a.id, b.id) })
	for _, r := range c.rows {
		f.ids = append(f.ids, r.id)
		f.masks = append(f.masks, r.mask)
		f.owners = append(f.owners, r.owner)
		f.start = append(f.start, int32(len(f.words)))
		f.words = append(f.words, c.block[r.from:int(r.from)+c.layout.RecordWords(r.mask)]...)
	}
	f.start = append(f.start, int32(len(f.words)))
	return f
}
