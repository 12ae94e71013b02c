package ecs

import (
	"unsafe"
)

// deferred is what systems asked for and the end of the stage carries out.
type deferred struct {
	depth    int // stages running
	commands []command
	parts    []part // of commands
	values   arena  // of parts
}

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

// command is a structural change, carried out at once or at the end of a stage.
type command struct {
	op     op
	entity Entity
	before int32 // 1 + index of the entity's waiting command before this one; 0: none
	first  int32 // 1 + index of its first part of what is deferred; 0: none
	row    *spawnRow
	values unsafe.Pointer // of row, when that is not nil; then there are no parts
}

// part is one component of a command; value is nil for a removal. Parts are
// chained, because an Add can give one more to a spawn that waits.
type part struct {
	component *Component
	value     unsafe.Pointer
	next      int32 // 1 + index; 0: none
}

// part makes a part in front of another and returns 1 + its index.
func (d *deferred) part(c *Component, value unsafe.Pointer, next int32) int32 {
	d.parts = append(d.parts, part{c, value, next})
	return int32(len(d.parts))
}

// find is where a command holds the value of a component; nil for a removal.
func (d *deferred) find(c *command, comp *Component) (value unsafe.Pointer, found bool) {
	if c.row != nil {
		return c.row.find(c.values, comp)
	}
	for i := c.first; i > 0; i = d.parts[i-1].next {
		if p := &d.parts[i-1]; p.component == comp {
			return p.value, true
		}
	}
	return nil, false
}

// do carries out a command now, or keeps it for the end of the stage when a
// system is running. What happens to an entity that waits to be created is
// worked into the command that creates it, so that [Get] sees it.
func (w *World) do(c command) {
	s := w.handles.at(c.entity)
	switch {
	case w.deferred.depth == 0:
		w.carryOut(&c)
		w.deferred.settle()
	case s.pending == 0:
		kept := w.deferred.keep(s, c.entity, c.op)
		kept.first = c.first
		if c.op == opSpawn {
			s.pending = s.last
		}
	default:
		w.deferred.amend(&w.deferred.commands[s.pending-1], &c)
	}
}

// keep makes a command on a stored entity, or the spawn of one, wait for the end
// of the stage. The caller fills in the rest; in place, because the copy of a
// command that was just written has to wait for the writes.
func (d *deferred) keep(s *slot, e Entity, o op) *command {
	n := len(d.commands)
	if n < cap(d.commands) {
		d.commands = d.commands[:n+1]
	} else {
		d.commands = append(d.commands, command{})
	}
	c := &d.commands[n]
	c.op, c.entity, c.before, c.first, c.row = o, e, s.last, 0, nil
	s.last = int32(n + 1)
	return c
}

// amend works a command into the spawn of the same entity.
func (d *deferred) amend(spawn, c *command) {
	if spawn.row != nil && c.op != opDespawn {
		for i := range spawn.row.fields {
			f := &spawn.row.fields[i]
			spawn.first = d.part(f.component, f.in(spawn.values), spawn.first)
		}
		spawn.row = nil
	}
	switch c.op {
	case opAdd:
		d.parts[c.first-1].next = spawn.first
		spawn.first = c.first
	case opRemove:
		gone := d.parts[c.first-1].component
		link := &spawn.first
		for d.parts[*link-1].component != gone {
			link = &d.parts[*link-1].next
		}
		*link = d.parts[*link-1].next
	case opDespawn:
		spawn.op = opCancelled
	}
}

// waiting is what the last waiting command on a stored entity does to a
// component: opAdd, opRemove or, when none concerns it, opNone.
func (d *deferred) waiting(s *slot, comp *Component) op {
	if s.pending > 0 {
		return opNone
	}
	for i := s.last; i > 0; i = d.commands[i-1].before {
		c := &d.commands[i-1]
		if _, found := d.find(c, comp); found {
			return c.op
		}
	}
	return opNone
}

// flush carries out the commands from base on, those of the stage that ends, in
// the order in which they were asked for. predicted says that the stage was
// Simulate on a client, where existence is the server's to decide.
func (w *World) flush(base int, predicted bool) {
	batch := w.deferred.commands[base:]
	for i := len(batch) - 1; i >= 0; i-- {
		if s := w.handles.at(batch[i].entity); s != nil {
			s.last = batch[i].before // at the end: the newest of an outer stage
		}
	}
	for i := range batch {
		if c := &batch[i]; !predicted || w.ours(c) {
			w.carryOut(c)
		}
	}
	w.deferred.commands = w.deferred.commands[:base]
	w.deferred.settle()
}

// settle takes back the memory of commands when none waits any more. Until then
// those of an outer stage may have parts among those of an inner one.
func (d *deferred) settle() {
	if len(d.commands) == 0 {
		d.parts = d.parts[:0]
		d.values.reset()
	}
}

// ours reports whether Simulate on a client may carry out c: it reshapes only
// what it simulates, and what it creates and ends is but a prediction.
func (w *World) ours(c *command) bool {
	s := w.handles.at(c.entity)
	switch {
	case s == nil:
		return false
	case c.op == opSpawn, c.op == opCancelled:
		w.predicted.spawn(c, s)
		return false
	case s.suspended:
		return false
	case s.table == nil || !w.predicted.awaitsServer(s):
		return true
	case !w.simulates(s.table):
		return false
	case c.op == opDespawn:
		w.predicted.despawn(c.entity, s)
		return false
	default:
		return true
	}
}

// carryOut changes storage. Commands on entities that died meanwhile are void.
func (w *World) carryOut(c *command) {
	s := w.handles.at(c.entity)
	if s == nil {
		return
	}
	switch c.op {
	case opSpawn:
		w.place(c.entity, s, w.target(s, c))
		w.write(s, c)
	case opCancelled:
		w.handles.release(c.entity)
	case opDespawn:
		t := s.table
		w.storage.arche.RemoveEntity(s.stored)
		w.storage.touch(t)
		w.handles.release(c.entity)
	case opAdd:
		m := s.table.mask
		for i := c.first; i > 0; i = w.deferred.parts[i-1].next {
			m.set(w.deferred.parts[i-1].component.index)
		}
		w.move(s, m)
		w.write(s, c)
	case opRemove:
		m := s.table.mask
		for i := c.first; i > 0; i = w.deferred.parts[i-1].next {
			m.clear(w.deferred.parts[i-1].component.index)
		}
		w.move(s, m)
	}
}

// target is the table that a spawned entity belongs in.
func (w *World) target(s *slot, c *command) *table {
	if c.row != nil {
		return w.tableFor(c.row)
	}
	var m mask
	m.set(w.setup.protocol.core.self.index)
	if s.netID != 0 {
		m.set(w.setup.protocol.core.netID.index)
	}
	for i := c.first; i > 0; i = w.deferred.parts[i-1].next {
		m.set(w.deferred.parts[i-1].component.index)
	}
	return w.tableOf(m)
}
