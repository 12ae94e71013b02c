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
	privateSend uint32 // of own state, what is private in it is in the world
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
			_ = o.read(st, visit) // it was checked when it came
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

// read visits what one group says, and checks it.
func (o *Own) read(st *State, visit func(OwnValue)) error {
	for m := st.Alive; m != 0; m &= m - 1 {
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

// mask is the components that own state of a send has of an entity, and whether it names it.
func (o *Own) mask(send, id uint32) (mask uint64, named bool) {
	for _, x := range o.store.Own {
		if st := x.At(send); st != nil {
			if k := st.Find(id); k >= 0 {
				return st.Masks[k], true
			}
		}
	}
	return 0, false
}

// SpawnKey is the key under which the server spawned an entity, if the newest own state has
// one: nobody else may know it.
func (o *Own) SpawnKey(p *ecs.Protocol, id uint32) (key ecs.SpawnKey, ok bool) {
	comp := ecs.ComponentOf[ecs.SpawnKey](p)
	o.Each(o.Newest.Send, func(v OwnValue) {
		if v.ID == id && v.Component == comp {
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
	_, named := o.mask(o.told, r.ID)
	return !named
}

// quantized is a value as all others are told of it, good until the next.
func (o *Own) quantized(v OwnValue) []int32 {
	n := v.Component.Words
	o.words = reuse.Slice(o.words, n)
	v.Component.Schema.Quantize(o.words, n, unsafe.Pointer(v.Value), 1)
	return o.words
}
