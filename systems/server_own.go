package systems

import (
	"encoding/binary"
	"slices"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// ownFrame is the state of a client's own entities at one send: their predicted
// and owner-only components at full precision.
type ownFrame struct {
	send   uint32
	groups []delta.Group
}

// ownSlot is an entity and its slot in its owner's frames, which it keeps for as
// long as it belongs to that client.
type ownSlot struct {
	id   uint32
	slot int
	seen uint32 // send in which it was the client's last
}

// ownAt returns the groups of a client's own state at a send, nil when it is no
// longer kept.
func (p *peer) ownAt(send uint32) []delta.Group {
	if f := &p.own.frames[send%baseline.OwnKept]; f.send == send && send != 0 {
		return f.groups
	}
	return nil
}

// captureOwn takes the own state of a client for a send.
func (s *Server) captureOwn(w *ecs.World, p *peer, f *capture.Frame) *ownFrame {
	mine := f.Owned(p.id)
	of := &p.own.frames[f.Send%baseline.OwnKept]
	of.send = f.Send
	slots, parts := 0, p.report.Parts(s.shape.predicted|s.private)
	for _, o := range mine {
		if ownMask(w, f, o)&parts == 0 {
			continue
		}
		id := f.Groups[o.Group].IDs[o.Slot]
		i := slices.IndexFunc(p.own.slots, func(x ownSlot) bool { return x.id == id })
		if i < 0 {
			i = p.freeOwnSlot()
			p.own.slots[i].id = id
		}
		p.own.slots[i].seen = f.Send
	}
	for i := range p.own.slots {
		if x := &p.own.slots[i]; x.seen != f.Send {
			x.id = 0
		} else {
			slots = max(slots, x.slot+1)
		}
	}
	if p.report.Emptied() {
		slots = max(slots, 1) // a correction may be that nothing is left
	}
	n := min(max((slots+63)/64, len(p.baselines.Own)), wire.MaxOwnGroups)
	p.baselines.GrowOwn(n)
	for len(of.groups) < n {
		of.groups = append(of.groups, delta.Group{})
	}
	for g := range of.groups {
		of.groups[g].Reset(f.Send)
		of.groups[g].Known = wire.AllSlots
	}
	for _, o := range mine {
		mask, id := ownMask(w, f, o)&parts, f.Groups[o.Group].IDs[o.Slot]
		i := slices.IndexFunc(p.own.slots, func(x ownSlot) bool { return x.id == id })
		if mask == 0 || i < 0 || p.own.slots[i].slot >= 64*n {
			continue
		}
		e := f.Entity(o.Group, o.Slot)
		slot := p.own.slots[i].slot
		rec := of.groups[slot/64].Put(slot%64, id, mask, s.codecs.rawLayout.RecordWords(mask))
		for m := mask; m != 0; m &= m - 1 {
			c := s.shape.replicated[trailing(m)]
			if c.Words == 0 {
				continue
			}
			s.encoder.raw = c.Schema.AppendRaw(s.encoder.raw[:0], s.model.own(p, e, c))
			rec = rec[packRaw(rec, s.encoder.raw):]
		}
	}
	return of
}

// ownMask is what an entity of a client has.
func ownMask(w *ecs.World, f *capture.Frame, o capture.Owned) uint64 {
	return w.Netcode().Mask(f.Entity(o.Group, o.Slot))
}

// freeOwnSlot returns the place of the lowest slot that is free.
func (p *peer) freeOwnSlot() int {
	if i := slices.IndexFunc(p.own.slots, func(x ownSlot) bool { return x.id == 0 }); i >= 0 {
		return i
	}
	p.own.slots = append(p.own.slots, ownSlot{slot: len(p.own.slots)})
	return len(p.own.slots) - 1
}

// packRaw puts raw bytes into words, little-endian, the last filled up with zeros,
// and returns how many those are.
func packRaw(words []int32, raw []byte) int {
	n := 0
	for ; len(raw) >= 4; raw = raw[4:] {
		words[n] = int32(binary.LittleEndian.Uint32(raw))
		n++
	}
	if len(raw) > 0 {
		var last [4]byte
		copy(last[:], raw)
		words[n] = int32(binary.LittleEndian.Uint32(last[:]))
		n++
	}
	return n
}
