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

// OwnState describes the newest owner state: the state of the client's own entities after the server consumed an
// input, in full precision.
type OwnState struct {
	Sent
	Input     uint32
	Fresh     bool  // TakeNewest has not returned it yet
	Predicted bool  // it contains the predicted components
	Number    uint8 // number of the correction
}

// Own holds the owner state that the server sent.
type Own struct {
	Newest OwnState

	whole       uint32 // newest send whose owner state has arrived completely
	opened      uint32 // newest send at which a correction was open
	arrived     [ownSends]ownArrival
	corrections bool   // owner state arrives only after wrong predictions
	stamped     bool   // inputs have the numbers of ticks
	interval    uint32 // see Mirror.interval
	at          *Region
	shape       *shape
	raw         []byte
	value       []uint64
}

// OwnValue is a component of an own entity. It is valid until the next value.
type OwnValue struct {
	ID        uint32
	Component *ecs.Component
	Raw       []byte // validated for the component
	Value     unsafe.Pointer
}

// TakeNewest returns the newest owner state and clears its Fresh flag.
func (o *Own) TakeNewest() OwnState {
	s := o.Newest
	o.Newest.Fresh = false
	return s
}

// MarkFresh sets the Fresh flag of the newest owner state again.
func (o *Own) MarkFresh() { o.Newest.Fresh = true }

// ownArrival says which datagrams with owner state of a send have arrived.
type ownArrival struct {
	send  uint32
	parts uint8 // number of datagrams that have arrived
	whole bool
}

// ownSends is the number of recent sends for which arrivals are kept. patientIntervals is the number of intervals after the newest
// complete owner state from which on the client uses incomplete owner state: the budget does not suffice for more.
const (
	ownSends         = 256
	patientIntervals = 8
)

// arrive records the arrival of a datagram with owner state, and reports whether all of those of a send have arrived.
func (o *Own) arrive(send uint32, h *wire.SnapshotHeader) (whole bool) {
	a := &o.arrived[send%ownSends]
	if a.send != send {
		*a = ownArrival{send: send}
	}
	a.parts++
	if a.whole = !h.Divided || h.OwnParts > 0 && a.parts >= h.OwnParts; a.whole {
		o.whole = max(o.whole, send)
	}
	return a.whole
}

// adopt makes owner state the newest one. Owner state that does not fit into one datagram arrives in several datagrams of the same
// tick. It is used when all of them have arrived: an entity in a missing one would be taken for a wrong prediction. interval is
// that of the mirror.
func (o *Own) adopt(s Sent, interval uint32, h *wire.SnapshotHeader, newestInput uint32) {
	o.interval = interval
	if !o.Whole(s.Send) && s.Send <= o.whole+o.patientFor() {
		return
	}
	x := &o.Newest
	switch {
	case s.Tick > x.Tick:
		near := max(x.Input, newestInput)
		if o.stamped {
			near = s.Tick // the client's clock may have jumped
		}
		x.Sent, x.Input = s, codec.Lift(h.Input, near)
	case s.Send == x.Send && h.Input == uint16(x.Input):
	default:
		return
	}
	x.Fresh, x.Predicted, x.Number = true, h.Open || !o.corrections, h.Number
}

// patientFor returns the number of sends for which the client waits for complete owner state.
func (o *Own) patientFor() uint32 { return patientIntervals * o.interval }

// Each calls visit for each component in the owner state of a send.
func (o *Own) Each(send uint32, visit func(OwnValue)) {
	for _, x := range o.at.Groups {
		if st := x.At(send); st != nil {
			_ = o.read(st, st.Alive, visit) // validated on arrival
		}
	}
}

// EachEntity calls visit for each entity in the owner state of a send.
func (o *Own) EachEntity(send uint32, visit func(id uint32)) {
	for _, x := range o.at.Groups {
		if st := x.At(send); st != nil {
			for m := st.Alive; m != 0; m &= m - 1 {
				visit(st.IDs[trailing(m)])
			}
		}
	}
}

// read validates the components in some slots of a group and calls visit for each.
func (o *Own) read(st *State, slots uint64, visit func(OwnValue)) error {
	for m := slots; m != 0; m &= m - 1 {
		k := trailing(m)
		id, mask := st.IDs[k], st.Masks[k]
		if id == 0 || mask == 0 || mask&^(o.shape.predicted|o.shape.private) != 0 {
			return fmt.Errorf("%w: owner state of entity %d with components %#x", wire.ErrMessage, id, mask)
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
					return fmt.Errorf("%w: owner state with extra data after %s", wire.ErrMessage, comp.Name)
				}
			}
			o.value = reuse.Slice(o.value, max(int(comp.Schema.Size+7)/8, 1))
			value := unsafe.Pointer(&o.value[0])
			if _, err := comp.Schema.ReadRaw(raw, value); err != nil {
				return fmt.Errorf("%w: owner state: %w", wire.ErrMessage, err)
			}
			visit(OwnValue{id, comp, raw, value})
		}
	}
	return nil
}

// Whole reports whether the owner state of a recent send has arrived completely.
func (o *Own) Whole(send uint32) bool {
	a := &o.arrived[send%ownSends]
	return a.send == send && a.whole
}

// Kept reports whether owner state of a send is still stored.
func (o *Own) Kept(send uint32) bool {
	for _, x := range o.at.Groups {
		if x.At(send) != nil {
			return true
		}
	}
	return false
}

// find returns the group and the slot of the newest owner state of an entity, or nil.
func (o *Own) find(id uint32) (at *History, slot int) {
	if x, ok := o.at.sets.slots[id]; ok {
		if at, slot = o.at.Groups[x.at.Group], int(x.at.Slot); at.says(id, slot) {
			return at, slot
		}
	}
	return nil, 0
}

// NewestSend returns the newest stored send with owner state of an entity, or 0.
func (o *Own) NewestSend(id uint32) (send uint32) {
	if x, k := o.find(id); x != nil {
		send = x.Updated[k]
	}
	return send
}

// forget removes the owner state of an entity that belongs to another client since a send.
func (o *Own) forget(id, since uint32) {
	if x, k := o.find(id); x != nil && x.Updated[k] <= since {
		x.Updated[k], x.Here[k], x.Fresh = 0, nil, x.Fresh&^(1<<k)
	}
}

// lacks reports whether complete owner state that is newer than a send does not contain an entity with predicted components: it
// is gone, or belongs to another client.
func (o *Own) lacks(id, send uint32) bool {
	return o.whole > send && o.hasPredicted(o.whole) && !o.contains(id, o.whole)
}

// hasPredicted reports whether owner state of a send is stored and contains the predicted components.
func (o *Own) hasPredicted(send uint32) bool {
	for _, x := range o.at.Groups {
		if st := x.At(send); st != nil {
			return !st.Secrets
		}
	}
	return false
}

// contains reports whether stored owner state of a send contains an entity.
func (o *Own) contains(id, send uint32) bool {
	x, ok := o.at.sets.slots[id]
	if !ok {
		return false
	}
	st := o.at.Groups[x.at.Group].At(send)
	return st != nil && st.Says(id, x.at.Slot)
}

// isBehind reports whether the client still waits for complete owner state of a send, or of a later one. While it waits, an own
// entity that world state has removed stays, because the client may simulate inputs again in which the entity existed. newest is the
// newest send. Under models whose server sends owner state only after wrong predictions, the client waits while a correction is open.
func (o *Own) isBehind(send, newest uint32) bool {
	if o.corrections {
		return o.whole < send && o.opened == newest && newest <= send+o.patientFor()
	}
	return o.whole < send && send <= o.whole+o.patientFor()
}

// SpawnKey returns the key under which the server spawned an entity, if the owner state contains one. Only the
// owner receives the key.
func (o *Own) SpawnKey(p *ecs.Protocol, id uint32) (key ecs.SpawnKey, ok bool) {
	if x, k := o.find(id); x != nil {
		return o.spawnKeyIn(p, x.At(x.Updated[k]), k)
	}
	return key, false
}

// spawnKeyIn returns the key in a slot of owner state, if there is one.
func (o *Own) spawnKeyIn(p *ecs.Protocol, st *State, k int) (key ecs.SpawnKey, ok bool) {
	comp := ecs.ComponentOf[ecs.SpawnKey](p)
	if st.Masks[k]>>comp.Replicated()&1 == 0 {
		return key, false
	}
	_ = o.read(st, 1<<k, func(v OwnValue) { // validated on arrival
		if v.Component == comp {
			key, ok = *(*ecs.SpawnKey)(v.Value), true
		}
	})
	return key, ok
}
