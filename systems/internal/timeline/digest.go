package timeline

import (
	"hash/fnv"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// A digest tells two peers with different hashes where their worlds differ, in a
// few hundred bytes: one number for who lives with which components, and for each
// replicated component one for its values and one for each of its fields. Like the
// hash, each is summed over the entities, whatever their order.

// AppendDigest appends to dst the digest of the world after a tick. It allocates:
// make it when hashes differ. It returns [ecs.ErrNoHistory], wrapped, for a tick
// that has left the window or has not been simulated; take one that both peers
// still have.
func (t *Timeline) AppendDigest(dst []uint64, tick uint32) ([]uint64, error) {
	d := digest{components: t.world.Protocol().Replicated(), sums: []uint64{0}}
	for _, c := range d.components {
		d.at = append(d.at, len(d.sums))
		if c.Words > 0 {
			d.sums = append(d.sums, make([]uint64, 1+len(c.Schema.Fields))...)
		}
	}
	if int64(tick)+1 == t.now {
		for table := range t.world.Netcode().Tables {
			d.add(&table)
		}
		return append(dst, d.sums...), nil
	}
	past, err := t.history.At(tick + 1)
	if err != nil {
		return dst, err
	}
	for table := range past.Tables {
		d.add(&table)
	}
	return append(dst, d.sums...), nil
}

type digest struct {
	components []*ecs.Component
	at         []int // where a component's numbers begin
	sums       []uint64
	raw        []byte
}

// add takes in the entities of a table.
func (d *digest) add(table *ecs.Table) {
	for i, id := range table.NetIDs {
		who := mix(uint64(id))
		d.sums[0] += mix(who ^ table.Mask)
		for k, c := range d.components {
			if c.Words > 0 && table.Mask&(1<<c.Replicated()) != 0 {
				d.values(d.sums[d.at[k]:], who, c, value(table, c, i))
			}
		}
	}
}

// values takes in a component.
func (d *digest) values(sums []uint64, who uint64, c *ecs.Component, at unsafe.Pointer) {
	sums[0] += mix(who ^ c.Schema.Hash64(at))
	// What lies past the end of a list is no value: the raw form leaves it out.
	d.raw = c.Schema.AppendRaw(d.raw[:0], at)
	plain := make([]uint64, (c.Schema.Size+7)/8)
	there := unsafe.Pointer(unsafe.SliceData(plain))
	if _, err := c.Schema.ReadRaw(d.raw, there); err != nil {
		return // the component's own number has it
	}
	for f := range c.Schema.Fields {
		h := fnv.New64a()
		h.Write([]byte(c.Schema.Format(f, there)))
		sums[1+f] += mix(who ^ mix(h.Sum64()))
	}
}

// Divergence is the first place at which two digests of the same tick differ:
// "Position.X" for a field, "Position" where only the values as a whole differ,
// "entities" for who lives with which components; empty when they are equal. One
// that is not of this protocol differs in its "protocol".
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
