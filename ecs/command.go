package ecs

import (
	"unsafe"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/tactusgo/tactus/components"
)

// op is a kind of structural change.
type op uint8

const (
	opNone op = iota // cancelled
	opSpawn
	opDespawn
	opAdd
	opRemove
)

// part is one component of a command; value is nil for a removal.
type part struct {
	component *Component
	value     unsafe.Pointer
}

// command is a structural change, carried out at once or at the end of a stage.
type command struct {
	op     op
	entity Entity
	parts  []part
}

func (c *command) find(comp *Component) unsafe.Pointer {
	for _, p := range c.parts {
		if p.component == comp {
			return p.value
		}
	}
	return nil
}

// do carries out a command now, or keeps it for the end of the stage when a
// system is running.
func (w *World) do(c command) {
	if w.depth == 0 {
		w.carryOut(&c)
		return
	}
	s := w.at(c.entity)
	switch {
	case c.op == opSpawn:
		w.commands = append(w.commands, c)
		s.pending = int32(len(w.commands))
	case s.pending > 0 && c.op == opAdd:
		spawn := &w.commands[s.pending-1]
		spawn.parts = append(spawn.parts, c.parts...)
	case s.pending > 0 && c.op == opRemove:
		spawn := &w.commands[s.pending-1]
		for i, p := range spawn.parts {
			if p.component == c.parts[0].component {
				spawn.parts = append(spawn.parts[:i], spawn.parts[i+1:]...)
				break
			}
		}
	case s.pending > 0 && c.op == opDespawn:
		w.commands[s.pending-1].op = opNone
		w.release(c.entity)
	default:
		w.commands = append(w.commands, c)
	}
}

// flush carries out what systems asked for, in the order they asked.
// predicted says that the stage was Simulate on a client, where the existence
// of entities is the server's to decide.
func (w *World) flush(predicted bool) {
	for i := 0; i < len(w.commands); i++ {
		c := &w.commands[i]
		if predicted {
			if c.op == opSpawn {
				w.release(c.entity)
				continue
			}
			if s := w.at(c.entity); c.op == opDespawn && s != nil && s.netID != 0 {
				continue
			}
		}
		w.carryOut(c)
	}
	clear(w.commands)
	w.commands = w.commands[:0]
}

// carryOut changes storage. Commands on entities that died meanwhile are void.
func (w *World) carryOut(c *command) {
	s := w.at(c.entity)
	if s == nil || c.op == opNone {
		return
	}
	switch c.op {
	case opSpawn:
		var m mask
		m.set(w.protocol.selfC.index)
		if s.netID != 0 {
			m.set(w.protocol.netIDC.index)
		}
		for _, p := range c.parts {
			m.set(p.component.index)
		}
		w.place(c.entity, m)
		w.write(s, c.parts)
	case opDespawn:
		t := s.table
		w.store.RemoveEntity(s.stored)
		w.touch(t)
		w.release(c.entity)
	case opAdd:
		m := s.table.mask
		for _, p := range c.parts {
			m.set(p.component.index)
		}
		w.move(s, m)
		w.write(s, c.parts)
	case opRemove:
		m := s.table.mask
		for _, p := range c.parts {
			m.clear(p.component.index)
		}
		w.move(s, m)
	}
}

// place stores a new entity in the table of m, all components zero.
func (w *World) place(e Entity, m mask) {
	t := w.tableOf(m)
	var buf [16]arche.ID
	ids := buf[:0]
	for _, c := range t.comps {
		ids = append(ids, w.ids[c.index])
	}
	stored := w.store.NewEntity(ids...)
	s := &w.slots[e.id]
	s.stored, s.table, s.pending = stored, t, 0
	for _, c := range t.comps {
		if c.size > 0 {
			clear(unsafe.Slice((*byte)(w.store.GetUnchecked(stored, w.ids[c.index])), c.size))
		}
	}
	(*self)(w.store.GetUnchecked(stored, w.ids[w.protocol.selfC.index])).entity = e
	if s.netID != 0 {
		*(*components.NetID)(w.store.GetUnchecked(stored, w.ids[w.protocol.netIDC.index])) = s.netID
	}
	w.touch(t)
}

// move takes a stored entity to the table of m.
func (w *World) move(s *slot, m mask) {
	if m == s.table.mask {
		return
	}
	from, to := s.table, w.tableOf(m)
	var addBuf, remBuf [16]arche.ID
	add, rem := addBuf[:0], remBuf[:0]
	for _, c := range to.comps {
		if !from.mask.has(c.index) {
			add = append(add, w.ids[c.index])
		}
	}
	for _, c := range from.comps {
		if !to.mask.has(c.index) {
			rem = append(rem, w.ids[c.index])
		}
	}
	w.store.Exchange(s.stored, add, rem)
	s.table = to
	for _, c := range to.comps {
		if c.size > 0 && !from.mask.has(c.index) {
			clear(unsafe.Slice((*byte)(w.store.GetUnchecked(s.stored, w.ids[c.index])), c.size))
		}
	}
	w.touch(from)
	w.touch(to)
}

// write copies component values into a stored entity.
func (w *World) write(s *slot, parts []part) {
	for _, p := range parts {
		if n := p.component.size; n > 0 {
			dst := w.store.GetUnchecked(s.stored, w.ids[p.component.index])
			copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(p.value), n))
		}
	}
}
