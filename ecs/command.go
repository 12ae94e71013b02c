package ecs

import (
	"unsafe"
)

// op is a kind of structural change.
type op uint8

const (
	opNone op = iota
	opSpawn
	opCancelled // a spawn of this stage whose entity was despawned in it
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
	before int32 // 1 + index of the entity's waiting command before this one; 0: none
}

func (c *command) find(comp *Component) *part {
	for i := range c.parts {
		if c.parts[i].component == comp {
			return &c.parts[i]
		}
	}
	return nil
}

// do carries out a command now, or keeps it for the end of the stage when a
// system is running. What happens to an entity that waits to be created is
// worked into the command that creates it, so that [Get] sees it.
func (w *World) do(c command) {
	s := w.at(c.entity)
	switch {
	case w.depth == 0:
		w.carryOut(&c)
	case s.pending == 0:
		c.before = s.last
		w.commands = append(w.commands, c)
		s.last = int32(len(w.commands))
		if c.op == opSpawn {
			s.pending = s.last
		}
	default:
		spawn := &w.commands[s.pending-1]
		switch c.op {
		case opAdd:
			spawn.parts = append(spawn.parts, c.parts...)
		case opRemove:
			p := spawn.find(c.parts[0].component)
			*p = spawn.parts[len(spawn.parts)-1]
			spawn.parts = spawn.parts[:len(spawn.parts)-1]
		case opDespawn:
			spawn.op = opCancelled
		}
	}
}

// waiting is what the last waiting command on a stored entity does to a
// component: opAdd, opRemove or, when none concerns it, opNone.
func (w *World) waiting(s *slot, comp *Component) op {
	if s.pending > 0 {
		return opNone
	}
	for i := s.last; i > 0; i = w.commands[i-1].before {
		if c := &w.commands[i-1]; c.find(comp) != nil {
			return c.op
		}
	}
	return opNone
}

// flush carries out the commands from base on, those of the stage that ends, in
// the order in which they were asked for. predicted says that the stage was
// Simulate on a client, where existence is the server's to decide.
func (w *World) flush(base int, predicted bool) {
	batch := w.commands[base:]
	for i := len(batch) - 1; i >= 0; i-- {
		if s := w.at(batch[i].entity); s != nil {
			s.last = batch[i].before // at the end: the newest of an outer stage
		}
	}
	for i := range batch {
		if c := &batch[i]; !predicted || w.ours(c) {
			w.carryOut(c)
		}
	}
	clear(batch)
	w.commands = w.commands[:base]
}

// ours reports whether Simulate on a client may carry out c: it creates nothing,
// ends nothing that has a NetID, and reshapes only what it simulates. Handles of
// entities that will not come are taken out of use.
func (w *World) ours(c *command) bool {
	s := w.at(c.entity)
	switch {
	case s == nil:
		return false
	case c.op == opSpawn, c.op == opCancelled:
		w.release(c.entity)
		return false
	case s.netID == 0 || s.table == nil:
		return true
	default:
		return c.op != opDespawn && w.simulates(s.table)
	}
}

// carryOut changes storage. Commands on entities that died meanwhile are void.
func (w *World) carryOut(c *command) {
	s := w.at(c.entity)
	if s == nil {
		return
	}
	switch c.op {
	case opSpawn:
		var m mask
		m.set(w.protocol.selfC.index)
		for _, p := range c.parts {
			m.set(p.component.index)
		}
		w.place(c.entity, s, m)
		w.write(s, c.parts)
	case opCancelled:
		w.release(c.entity)
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

// place stores a new entity in the table of m, all components zero but those
// that name it.
func (w *World) place(e Entity, s *slot, m mask) {
	if s.netID != 0 {
		m.set(w.protocol.netIDC.index)
	}
	t := w.tableOf(m)
	s.stored, s.table, s.pending = w.store.NewEntity(t.ids...), t, 0
	for _, c := range t.comps {
		w.zero(s, c)
	}
	(*self)(w.pointer(s, w.protocol.selfC)).entity = e
	w.writeNetID(s)
	w.touch(t)
}

// move takes a stored entity to the table of m; components that are new to it
// are zero. An entity that was given a NetID carries it from then on.
func (w *World) move(s *slot, m mask) {
	if s.netID != 0 {
		m.set(w.protocol.netIDC.index)
	}
	if m == s.table.mask {
		return
	}
	from, to := s.table, w.tableOf(m)
	w.gained, w.lost = w.gained[:0], w.lost[:0]
	for _, c := range to.comps {
		if !from.mask.has(c.index) {
			w.gained = append(w.gained, w.ids[c.index])
		}
	}
	for _, c := range from.comps {
		if !to.mask.has(c.index) {
			w.lost = append(w.lost, w.ids[c.index])
		}
	}
	w.store.Exchange(s.stored, w.gained, w.lost)
	s.table = to
	for _, c := range to.comps {
		if !from.mask.has(c.index) {
			w.zero(s, c)
		}
	}
	w.writeNetID(s)
	w.touch(from)
	w.touch(to)
}

// zero clears a component of a stored entity: storage may hand out used memory.
func (w *World) zero(s *slot, c *Component) {
	if c.size > 0 {
		clear(unsafe.Slice((*byte)(w.store.GetUnchecked(s.stored, w.ids[c.index])), c.size))
	}
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
