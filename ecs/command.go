package ecs

import (
	"unsafe"
)

// deferred holds the structural changes that systems requested until the end of the stage.
type deferred struct {
	depth    int // number of running stages
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

// command is a structural change, applied immediately or at the end of a stage.
type command struct {
	op     op
	entity Entity
	before int32 // 1 + index of the previous deferred command of the entity; 0 if none
	first  int32 // 1 + index of its first part in deferred.parts; 0 if none
	row    *spawnRow
	values unsafe.Pointer // the values of row if row is not nil; then there are no parts
}

// part is one component of a command. value is nil for a removal. Parts are a linked list, because an Add can append a part
// to a deferred spawn.
type part struct {
	component *Component
	value     unsafe.Pointer
	next      int32 // 1 + index; 0: none
}

// part adds a part in front of next and returns 1 + its index.
func (d *deferred) part(c *Component, value unsafe.Pointer, next int32) int32 {
	d.parts = append(d.parts, part{c, value, next})
	return int32(len(d.parts))
}

// find returns the value of a component in a command, which is nil for a removal.
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

// apply applies a command immediately, or defers it to the end of the stage if a system is running. A command on an entity
// that is not created yet is merged into its spawn command, so that [Get] sees the result.
func (w *World) apply(c command) {
	s := w.handles.at(c.entity)
	switch {
	case w.deferred.depth == 0:
		w.carryOut(&c)
		w.deferred.reclaim()
	case s.pending == 0:
		kept := w.deferred.deferCommand(s, c.entity, c.op)
		kept.first = c.first
		if c.op == opSpawn {
			s.pending = s.last
		}
	default:
		w.deferred.amend(&w.deferred.commands[s.pending-1], &c)
	}
}

// deferCommand defers a command on a stored entity, or the spawn of an entity, to the end of the stage. The caller sets the other
// fields in place, which is faster than copying a command just written.
func (d *deferred) deferCommand(s *slot, e Entity, o op) *command {
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

// amend merges a command into the spawn of the same entity.
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

// waiting returns the effect of the last deferred command on a component of a stored entity: opAdd, opRemove, or opNone.
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

// flush applies the commands from base on, which are those of the ending stage, in the order of the requests. predicted
// means that the stage was Simulate on a client, where the server decides which entities exist.
func (w *World) flush(base int, predicted bool) {
	batch := w.deferred.commands[base:]
	for i := len(batch) - 1; i >= 0; i-- {
		if s := w.handles.at(batch[i].entity); s != nil {
			s.last = batch[i].before // finally the newest command of an outer stage
		}
	}
	for i := range batch {
		if c := &batch[i]; !predicted || w.mayApply(c) {
			w.carryOut(c)
		}
	}
	w.deferred.commands = w.deferred.commands[:base]
	w.deferred.reclaim()
}

// reclaim reuses the memory of commands when none is deferred. Until then, parts of an outer stage may lie among those of
// an inner stage.
func (d *deferred) reclaim() {
	if len(d.commands) == 0 {
		d.parts = d.parts[:0]
		d.values.reset()
	}
}

// mayApply reports whether Simulate on a client may apply c. It may only change entities that it simulates. Spawns and
// despawns are recorded as predictions instead.
func (w *World) mayApply(c *command) bool {
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

// carryOut changes storage. It ignores commands on entities that died.
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

// target returns the table for a spawned entity.
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
