package mirror

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// OwnState is a send that said something of the client's own entities: their state after
// the server consumed an input, in full precision.
type OwnState struct {
	Sent
	Input     uint32
	Fresh     bool  // nobody has looked at it
	Predicted bool  // it also tells of what the client predicts
	Number    uint8 // of the correction that it is
}

// Own is what the server told of the client's own entities.
type Own struct {
	Newest OwnState

	told        uint32 // send with a block of own state, if only to say that there is none
	corrections bool   // it comes where a prediction was wrong
	store       *Store
	shape       *shape
	raw         []byte
	value       []uint64
	words       []int32
}

// OwnValue is a component of an own entity. It is good until the next.
type OwnValue struct {
	ID        uint32
	Component *ecs.Component
	Raw       []byte // valid for the component
	Value     unsafe.Pointer
}

// Look is the newest own state. Each that comes is fresh once.
func (o *Own) Look() OwnState {
	s := o.Newest
	o.Newest.Fresh = false
	return s
}

// LookAgain makes the newest own state fresh once more.
func (o *Own) LookAgain() { o.Newest.Fresh = true }

// hear notes that own state came. What does not fit one datagram comes in several of the
// same tick.
func (o *Own) hear(s Sent, h *wire.SnapshotHeader, newestInput uint32) {
	x := &o.Newest
	switch {
	case s.Tick > x.Tick:
		x.Sent, x.Input = s, codec.Lift(h.Input, max(x.Input, newestInput))
	case s.Send == x.Send && h.Input == uint16(x.Input):
	default:
		return
	}
	x.Fresh, x.Predicted, x.Number = true, h.Open || !o.corrections, h.Number
}

// Each visits the components of the own state of a send.
func (o *Own) Each(send uint32, visit func(OwnValue)) {
	for _, x := range o.store.Own {
		if st := x.At(send); st != nil {
			_ = o.read(st, st.Alive, visit) // it was checked when it came
		}
	}
}

// EachEntity visits the entities that it tells of.
func (o *Own) EachEntity(send uint32, visit func(id uint32)) {
	for _, x := range o.store.Own {
		if st := x.At(send); st != nil {
			for m := st.Alive; m != 0; m &= m - 1 {
				visit(st.IDs[trailing(m)])
			}
		}
	}
}

// read visits the components in some slots of a group, and checks them.
func (o *Own) read(st *State, slots uint64, visit func(OwnValue)) error {
	for m := slots; m != 0; m &= m - 1 {
		k := trailing(m)
		id, mask := st.IDs[k], st.Masks[k]
		if id == 0 || mask == 0 || mask&^(o.shape.predicted|o.shape.private) != 0 {
			return fmt.Errorf("%w: own state of entity %d with components %#x", wire.ErrMessage, id, mask)
		}
		rec := st.Record(k)
		for set := mask; set != 0; set &= set - 1 {
			comp := o.shape.replicated[trailing(set)]
			if comp.Words == 0 {
				continue
			}
			n := (comp.Schema.RawSize() + 3) / 4
			o.raw = o.raw[:0]
			for _, v := range rec[:n] {
				o.raw = binary.LittleEndian.AppendUint32(o.raw, uint32(v))
			}
			rec = rec[n:]
			raw := o.raw[:comp.Schema.RawSize()]
			for _, b := range o.raw[len(raw):] {
				if b != 0 {
					return fmt.Errorf("%w: own state with more behind %s", wire.ErrMessage, comp.Name)
				}
			}
			o.value = reuse.Slice(o.value, max(int(comp.Schema.Size+7)/8, 1))
			value := unsafe.Pointer(&o.value[0])
			if _, err := comp.Schema.ReadRaw(raw, value); err != nil {
				return fmt.Errorf("%w: own state: %w", wire.ErrMessage, err)
			}
			visit(OwnValue{id, comp, raw, value})
		}
	}
	return nil
}

// Whole reports whether own state of a send names all of the client's entities.
func (o *Own) Whole(send uint32) bool { return allTold(o.store.Own, send) }

// Kept reports whether own state of a send is still there.
func (o *Own) Kept(send uint32) bool {
	for _, x := range o.store.Own {
		if x.At(send) != nil {
			return true
		}
	}
	return false
}

// find returns where the newest own state of an entity is, a group and a slot; nil for none. Where the budget does not hold
// all of it, a send has own state of some entities only, and each slot has its own newest send.
func (o *Own) find(id uint32) (at *History, slot int) {
	newest := uint32(0)
	for _, x := range o.store.Own {
		if st := x.At(o.Newest.Send); st != nil { // as a rule it is this one
			if k := st.Find(id); k >= 0 && x.Told[k] == st.Send {
				return x, k
			}
		}
	}
	for _, x := range o.store.Own {
		for k, send := range x.Told {
			if send > newest && x.says(id, k) {
				at, slot, newest = x, k, send
			}
		}
	}
	return at, slot
}

// Told returns the newest send with own state of an entity that is kept, 0 for none.
func (o *Own) Told(id uint32) (send uint32) {
	if x, k := o.find(id); x != nil {
		send = x.Told[k]
	}
	return send
}

// forget drops the own state of an entity that belongs to another client since a send.
func (o *Own) forget(id, since uint32) {
	for _, x := range o.store.Own {
		for k, send := range x.Told {
			if send <= since && x.says(id, k) {
				x.Told[k], x.Here[k], x.Fresh = 0, nil, x.Fresh&^(1<<k)
			}
		}
	}
}

// upToDate reports whether own state of a send or later has told of every slot.
func (o *Own) upToDate(send uint32) bool {
	for _, x := range o.store.Own {
		for _, told := range x.Told {
			if told < send {
				return false
			}
		}
	}
	return o.told >= send
}

// SpawnKey returns the key under which the server spawned an entity, if own state has
// one: nobody else may know it.
func (o *Own) SpawnKey(p *ecs.Protocol, id uint32) (key ecs.SpawnKey, ok bool) {
	x, k := o.find(id)
	if x == nil {
		return key, false
	}
	comp := ecs.ComponentOf[ecs.SpawnKey](p)
	_ = o.read(x.At(x.Told[k]), 1<<k, func(v OwnValue) { // it was checked when it came
		if v.Component == comp {
			key, ok = *(*ecs.SpawnKey)(v.Value), true
		}
	})
	return key, ok
}

// disowns reports whether own state, which names all entities of this client, no longer names
// one that left its slot: to simulate it on would lead to what the server does not have.
func (o *Own) disowns(r *Replica) bool {
	if !r.Predicted() || o.told < r.Newest || !o.Whole(o.told) {
		return false
	}
	for _, x := range o.store.Own {
		if x.At(o.told).Find(r.ID) >= 0 {
			return false
		}
	}
	return true
}

// quantized is a value as all others are told of it, good until the next.
func (o *Own) quantized(v OwnValue) []int32 {
	n := v.Component.Words
	o.words = reuse.Slice(o.words, n)
	v.Component.Schema.Quantize(o.words, n, unsafe.Pointer(v.Value), 1)
	return o.words
}
