package ecs

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Spawn creates an entity with the component values of the row struct R. Each field of R is a value of a registered type:
//
//	type bullet struct {
//		Owner components.Owner
//		Pos   Position
//		Vel   Velocity
//		_     ecs.With[Deadly] // a component without a value
//	}
//	e := ecs.Spawn(w, bullet{Owner: o, Pos: at, Vel: v})
//
// The same struct is a row for [All]. Use this function for entities that appear often: it allocates nothing in steady
// state, inside systems and outside. [World.Spawn] takes a list of values instead; its documentation applies here too.
//
// Spawn panics if R is not such a struct.
func Spawn[R any](w *World, row R) Entity {
	w.check.handlers.refuseWrite("Spawn")
	t := reflect.TypeFor[R]()
	r := w.rows.spawned
	if r == nil || r.typ != t {
		r = w.spawnRowOf(t)
	}
	if w.clock.simulating > 0 {
		if e, keyed := w.spawnKeyed(r, unsafe.Pointer(&row)); keyed {
			return e
		}
	}
	e := w.handles.allocate()
	if r.named {
		w.handles.assignNetID(e, w.handles.nextNet)
	}
	r.spawn(w, e, unsafe.Pointer(&row))
	return e
}

// Spawn creates an entity with the given component values, each of a registered type. The function [Spawn] is the typed
// form. On a server, an entity gets its NetID with its first replicated component: here or in [Add].
//
// Inside a system, the entity is created at the end of the stage. Its handle is usable immediately: [Get] returns pointers
// to its values, which can be changed. Iterations include the entity from the next stage on. On a client, the server
// decides about entities that Simulate spawns. A spawn with a components.Owner that this client simulates is predicted, see
// [SpawnKey]. For other spawns in Simulate no entity is created, and the handle dies at the end of the stage.
//
// Spawn panics if the type of a value is not registered, occurs twice, or is NetID.
func (w *World) Spawn(values ...any) Entity {
	w.check.handlers.refuseWrite("World.Spawn")
	cmd := command{op: opSpawn}
	for _, v := range values {
		c := w.setup.protocol.needAddable(reflect.TypeOf(v), "Spawn")
		if _, found := w.deferred.find(&cmd, c); found {
			panic(fmt.Sprintf("ecs: Spawn: %s is given twice", c.Name))
		}
		held := w.deferred.values.allocate(c.size)
		reflect.NewAt(c.typ, held).Elem().Set(reflect.ValueOf(v))
		cmd.first = w.deferred.part(c, held, cmd.first)
	}
	cmd.entity = w.claim(&cmd)
	for i := cmd.first; i > 0; i = w.deferred.parts[i-1].next {
		w.assignNetIDFor(cmd.entity, w.deferred.parts[i-1].component)
	}
	w.apply(cmd)
	return cmd.entity
}

// spawnRow is a compiled row struct of values to spawn in one world.
type spawnRow struct {
	typ    reflect.Type
	mask   mask
	fields []spawnField // the fields of the struct, then the components of With
	own    int          // number of fields of the struct
	size   uintptr      // of the struct plus the values of the other fields
	named  bool         // its entities get a NetID
	table  *table       // nil until the first is stored
	keyed  *spawnRow    // the row with a key; nil until one is needed
	keyAt  uintptr      // offset of the key in its values
}

type spawnField struct {
	component *Component
	offset    uintptr
}

// in returns the pointer to the field in the values of a row.
func (f *spawnField) in(values unsafe.Pointer) unsafe.Pointer {
	if f.component.size == 0 {
		return unsafe.Pointer(&nothing)
	}
	return unsafe.Add(values, f.offset)
}

func (r *spawnRow) find(values unsafe.Pointer, comp *Component) (value unsafe.Pointer, found bool) {
	for i := range r.fields {
		if f := &r.fields[i]; f.component == comp {
			return f.in(values), true
		}
	}
	return nil, false
}

// spawnRowOf returns the compiled row struct, compiling it once per world.
func (w *World) spawnRowOf(t reflect.Type) *spawnRow {
	r := w.rows.spawns[t]
	if r == nil {
		r = w.setup.compileSpawn(t)
		w.rows.spawns[t] = r
	}
	w.rows.spawned = r
	return r
}

// compileSpawn compiles a row struct for Spawn.
func (s *setup) compileSpawn(t reflect.Type) *spawnRow {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("ecs: Spawn takes a struct of component values, not %s", t))
	}
	if s.protocol.byType[t] != nil {
		panic(fmt.Sprintf("ecs: Spawn takes a struct of component values, and %s is a component: make it a field of one, or call World.Spawn", t))
	}
	r := &spawnRow{typ: t, size: t.Size()}
	var marks []*Component
	r.mask.set(s.protocol.core.self.index)
	for sf := range t.Fields() {
		ct := sf.Type
		flt, mark := reflect.Zero(ct).Interface().(rowFilter)
		if mark = mark && ct.Size() == 0; mark {
			var with bool
			if ct, with = flt.rowFilter(); !with {
				panic(fmt.Sprintf("ecs: field %s.%s: Without has no meaning for Spawn", t, sf.Name))
			}
		}
		if sf.Tag.Get("ecs") == "optional" {
			panic(fmt.Sprintf("ecs: field %s.%s: an optional component has no meaning for Spawn: add it to those that shall have it", t, sf.Name))
		}
		c := s.protocol.needAddable(ct, "Spawn")
		if r.mask.has(c.index) {
			panic(fmt.Sprintf("ecs: Spawn: %s is in %s twice", c.Name, t))
		}
		r.mask.set(c.index)
		if mark {
			marks = append(marks, c)
		} else {
			r.fields = append(r.fields, spawnField{c, sf.Offset})
		}
		r.named = r.named || c.replicated >= 0 && !s.config.Client
	}
	if r.named {
		r.mask.set(s.protocol.core.netID.index)
	}
	r.own = len(r.fields)
	for _, c := range marks {
		at := (r.size + 7) &^ 7
		r.fields = append(r.fields, spawnField{c, at})
		r.size = at + c.size
	}
	return r
}

// tableFor returns the table of the entities of r.
func (w *World) tableFor(r *spawnRow) *table {
	if r.table == nil {
		r.table = w.tableOf(r.mask)
	}
	return r.table
}

// spawn creates e with the values of the row struct at src. If a system is running, it copies the values and creates e at
// the end of the stage.
func (r *spawnRow) spawn(w *World, e Entity, src unsafe.Pointer) {
	if w.deferred.depth == 0 {
		s := &w.handles.slots[e.id]
		w.place(e, s, w.tableFor(r))
		for i := range r.fields {
			f := &r.fields[i]
			switch n := f.component.size; {
			case n == 0:
			case i < r.own:
				move(w.storage.stored(s, f.component), unsafe.Add(src, f.offset), n)
			default:
				w.storage.zero(s, f.component)
			}
		}
		return
	}
	values, own := w.deferred.values.allocate(r.size), r.typ.Size()
	if own > 0 {
		move(values, src, own)
	}
	if rest := r.size - own; rest > 0 {
		clear(unsafe.Slice((*byte)(unsafe.Add(values, own)), rest))
	}
	s := &w.handles.slots[e.id]
	c := w.deferred.deferCommand(s, e, opSpawn)
	c.row, c.values = r, values
	s.pending = s.last
}
