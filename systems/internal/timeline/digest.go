package timeline

import (
	"hash/fnv"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// A digest tells two peers with different hashes where their worlds differ, in a few hundred bytes. It holds one
// number for the set of entities and their components, and for each replicated component one number for its values
// and one for each of its fields. Like the hash, each number is a sum over the entities, in any order.

// AppendDigest appends to dst the digest of the world after a tick. It allocates: call it only when hashes differ.
// It returns [ecs.ErrNoHistory], wrapped, for a tick that has left the window or was not simulated. Use a tick that
// both peers still have.
func (t *Timeline) AppendDigest(dst []uint64, tick uint32) ([]uint64, error) {
	d := newDigest(t, true)
	if err := t.addTables(&d, int64(tick)); err != nil {
		return dst, err
	}
	return append(dst, d.sums...), nil
}

type digest struct {
	components []*ecs.Component
	starts     []int // index of the first number of a component
	sums       []uint64
	fields     bool // with numbers for fields
	raw        []byte
}

// newDigest returns the digest of a world without entities.
func newDigest(t *Timeline, fields bool) digest {
	d := digest{components: t.world.Protocol().Replicated(), sums: []uint64{0}, fields: fields}
	for _, c := range d.components {
		d.starts = append(d.starts, len(d.sums))
		switch {
		case c.Words > 0 && fields:
			d.sums = append(d.sums, make([]uint64, 1+len(c.Schema.Fields))...)
		case c.Words > 0:
			d.sums = append(d.sums, 0)
		}
	}
	return d
}

// addTables adds the world after a tick.
func (t *Timeline) addTables(d *digest, tick int64) error {
	if tick+1 == t.now {
		for table := range t.world.Netcode().Tables {
			d.addTable(&table)
		}
		return nil
	}
	past, err := t.history.At(uint32(tick + 1))
	if err != nil {
		return err
	}
	for table := range past.Tables {
		d.addTable(&table)
	}
	return nil
}

// addTable adds the entities of a table.
func (d *digest) addTable(table *ecs.Table) {
	for i, id := range table.NetIDs {
		who := mix(uint64(id))
		d.sums[0] += mix(who ^ table.Mask)
		for k, c := range d.components {
			if c.Words > 0 && table.Mask&(1<<c.Replicated()) != 0 {
				d.addValues(d.sums[d.starts[k]:], who, c, componentAt(table, c, i))
			}
		}
	}
}

// addValues adds the values of a component.
func (d *digest) addValues(sums []uint64, who uint64, c *ecs.Component, at unsafe.Pointer) {
	if sums[0] += mix(who ^ c.Schema.Hash64(at)); !d.fields {
		return
	}
	// The raw form leaves out the memory after the end of a list, which may differ.
	d.raw = c.Schema.AppendRaw(d.raw[:0], at)
	plain := make([]uint64, (c.Schema.Size+7)/8)
	there := unsafe.Pointer(unsafe.SliceData(plain))
	if _, err := c.Schema.ReadRaw(d.raw, there); err != nil {
		return // the number of the whole component covers it
	}
	for f := range c.Schema.Fields {
		h := fnv.New64a()
		h.Write([]byte(c.Schema.Format(f, there)))
		sums[1+f] += mix(who ^ mix(h.Sum64()))
	}
}

// Divergence returns the first difference between two digests of the same tick: "Position.X" for a field,
// "Position" if only the number of the whole component differs, "entities" if the entities or their components
// differ, "protocol" if a digest has another length than those of this protocol, and "" if they are equal.
func (t *Timeline) Divergence(a, b []uint64) string {
	n := 1
	components := t.world.Protocol().Replicated()
	for _, c := range components {
		if c.Words > 0 {
			n += 1 + len(c.Schema.Fields)
		}
	}
	switch {
	case len(a) != n || len(b) != n:
		return "protocol"
	case a[0] != b[0]:
		return "entities"
	}
	k := 1
	for _, c := range components {
		if c.Words == 0 {
			continue
		}
		if a[k] != b[k] {
			for f := range c.Schema.Fields {
				if a[k+1+f] != b[k+1+f] {
					return c.Name + "." + c.Schema.Fields[f].Path
				}
			}
			return c.Name
		}
		k += 1 + len(c.Schema.Fields)
	}
	return ""
}
