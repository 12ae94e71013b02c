package ecs

import (
	"cmp"
	"encoding"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
)

// A save is a state of a world with the names of its components and fields, so that another version of the protocol can read
// it. Fixed numbers are little-endian, the others uvarints; a text is its length and its bytes:
//
//	name of the protocol | seed u64 | components n | each: name | flags u8 | values n | each: path | kind u8
//	resources n | each: type | length | bytes
//	the world, as in a state, without the layout
//
// The components are those of [Protocol], in order, with the built-in and the local ones.

// savedSingleton is the flag of a component that is a singleton.
const savedSingleton = 1

// Save captures the world, and its resources that implement [encoding.BinaryMarshaler] and [encoding.BinaryUnmarshaler]. It
// returns a function that encodes the capture. Any goroutine may call that function once, while the world continues. Call Save
// between ticks. Its error is that of a resource. It panics for a world with Config.Client, which is incomplete.
func (n *Netcode) Save() (encode func(dst []byte) []byte, err error) {
	h := NewWorldHistory((*World)(n), 1)
	h.Capture(0)
	return h.saved()
}

// Save is [Netcode.Save] for the state captured under tick, with the resources that the world has now. It returns
// [ErrNoHistory] if the tick is not in the ring.
func (h *WorldHistory) Save(tick uint32) (encode func(dst []byte) []byte, err error) {
	p, err := h.At(tick)
	if err != nil {
		return nil, err
	}
	one := *h
	one.places, one.states, one.gone = []capture{h.clone(p.c)}, []worldState{p.s.clone()}, nil
	return one.saved()
}

// saved returns a function that encodes the first capture of a history that nothing else uses.
func (h *WorldHistory) saved() (encode func(dst []byte) []byte, err error) {
	w := h.w
	if w.setup.config.Client {
		panic("ecs: Save of a client's world; take that of a peer that simulates everything")
	}
	resources, err := w.appendResources()
	if err != nil {
		return nil, err
	}
	seed := w.Seed()
	return func(dst []byte) []byte {
		dst = binary.LittleEndian.AppendUint64(codec.AppendBytes(dst, w.setup.protocol.name), seed)
		dst = append(w.setup.protocol.appendNames(dst), resources...)
		return h.appendWorld(dst, Past{h, &h.places[0], &h.states[0], h.states[0].serial})
	}, nil
}

// Load replaces the contents of the world by a save of the same protocol or of another version of it. The names of the two
// protocols may differ after the last slash only. Entities keep their handles and NetIDs, and later spawns get those that
// they would have got in the saved world. The seed becomes that of the save. The first [SetResource] of a saved resource
// gives it the saved value. Call Load between ticks.
//
// Load finds components and their fields by name. Fields that the save lacks become zero, or the default of the field's tag
// save. Load leaves out the values of fields and components that the protocol lacks: see [Netcode.Loaded]. A field has its old value if its kind
// became wider (such as int8 to int32, uint8 to int16, or float32 to float64), or if its tag gives its old name:
//
//	Hull  int32 `net:"0..100" save:"was Health"`
//	Lives uint8 `net:"0..9" save:"default 3"`
//
// The same tag on a blank field gives the old name of the component. If another field has the old name now, a save without
// the new name still gives its value to the field with the tag. For any other change Load returns an error that wraps
// [ErrState] and names component, field and both kinds, and the world is unchanged.
//
// If a component that was local is replicated now, its entities get new NetIDs. Singletons have the NetIDs that the protocol
// gives them. If a new singleton needs the NetID of an entity, that entity gets a new one, and fields that refer to it
// change too.
//
// The bytes may be untrusted, as for [Netcode.ReadState].
func (n *Netcode) Load(src []byte) error {
	w := (*World)(n)
	r := newStateReader(w, "Load", src)
	name, own := r.text("the name of the protocol"), w.setup.protocol.name
	if gameOf(name) != gameOf(own) {
		r.fail(fmt.Sprintf("it is of %.40q, and this is %q", name, own))
	}
	seed := r.Uint64()
	r.saved, r.adapt = r.names(w.setup.protocol), r.adaptSave
	resources := r.resources()
	if err := r.err(); err != nil {
		return err
	}
	if err := r.load(); err != nil {
		return err
	}
	w.setup.config.Seed, w.restored, w.loaded = seed, resources, loaded{name, r.leftOut()}
	return nil
}

// loaded is what a world knows of the save that it was loaded from.
type loaded struct {
	protocol string
	leftOut  []string
}

// Loaded returns the name of the protocol of the save that the world was loaded from by [Netcode.Load], and what Load has left out,
// each with the number of its entities: "Bag (12 entities)" is a component that the protocol lacks, "Hull.Paint (3 entities)" a
// field. protocol is "" if the world was not loaded.
func (n *Netcode) Loaded() (protocol string, leftOut []string) {
	return n.loaded.protocol, n.loaded.leftOut
}

// leftOut returns the components and fields of a save that the protocol lacks and that entities had.
func (r *stateReader) leftOut() (list []string) {
	add := func(rows int, name string, path ...string) {
		if rows > 0 {
			list = append(list, fmt.Sprintf("%.80s (%d entities)", strings.Join(append([]string{name}, path...), "."), rows))
		}
	}
	for i := range r.saved {
		x := &r.saved[i]
		if x.to == nil {
			add(x.rows, x.name)
			continue
		}
		for _, v := range x.values {
			if !x.same && v.to == nil {
				add(x.rows, x.name, v.path)
			}
		}
	}
	return list
}

// gameOf returns the name of a protocol without the version after the last slash.
func gameOf(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[:i]
	}
	return name
}

// uniqueNames returns the names of components in saves: the names of their types. Types with the same name are numbered from
// the second on.
func (p *Protocol) uniqueNames() (names []string) {
	count := make(map[string]int)
	for _, c := range p.all {
		name := c.Name
		if count[c.Name]++; count[c.Name] > 1 {
			name = fmt.Sprintf("%s#%d", name, count[c.Name])
		}
		names = append(names, name)
	}
	return names
}

// appendNames appends the components of the protocol and their fields.
func (p *Protocol) appendNames(dst []byte) []byte {
	dst = codec.AppendUvarint(dst, uint64(len(p.all)))
	names := p.uniqueNames()
	for i, c := range p.all {
		flags := byte(0)
		if slices.Contains(p.singletons, c) {
			flags |= savedSingleton
		}
		dst = append(codec.AppendBytes(dst, names[i]), flags)
		dst = codec.AppendUvarint(dst, uint64(len(c.values.leaves)))
		for k := range c.values.leaves {
			l := &c.values.leaves[k]
			dst = append(codec.AppendBytes(dst, l.path), byte(savedKindOf(l.typ)))
		}
	}
	return dst
}

// savedComponent is a component of a state or a save, and where its values go.
type savedComponent struct {
	name    string
	to      *Component // nil: the protocol no longer has it
	size    int        // of its values
	same    bool       // it has the same values as to
	retired bool       // a singleton that the protocol no longer has
	single  bool       // a singleton of the save
	rows    int        // entities that have it
	values  []savedValue
	presets []*valueLeaf // leaves of to that the save lacks and that have a default
}

// savedValue is a value of a component of a save.
type savedValue struct {
	path string
	kind savedKind
	to   *valueLeaf // nil: left out
}

// sameComponents returns how to read the components of a state of the protocol itself.
func sameComponents(p *Protocol) (list []savedComponent) {
	for _, c := range p.all {
		list = append(list, savedComponent{to: c, size: c.values.size(), same: true})
	}
	return list
}

// read reads a component. It returns a description of the first dangerous value.
func (x *savedComponent) read(r *codec.ByteReader, p unsafe.Pointer) (wrong string) {
	if x.same {
		return x.to.values.read(r, p)
	}
	for i := range x.values {
		v := &x.values[i]
		value := r.Next(v.kind.size())
		switch {
		case v.to == nil || len(value) == 0:
		case reflect.Kind(v.kind) == reflect.Bool && value[0] > 1:
			return "neither true nor false"
		default:
			v.kind.widen(v.to.memory(p), savedKindOf(v.to.typ), value)
		}
	}
	for _, l := range x.presets {
		copy(l.memory(p), l.preset)
	}
	if x.to.values.table != nil && x.to.values.overfull(p) {
		return fmt.Sprintf("component %s: a list longer than its array", x.to.Name)
	}
	return ""
}

// text reads a text.
func (r *stateReader) text(what string) string { return string(r.Next(r.count(1, what))) }

// names reads the components of a save and finds those of the protocol.
func (r *stateReader) names(p *Protocol) []savedComponent {
	n := r.count(3, "components")
	if n > maxComponents {
		r.fail("too many components")
		return nil
	}
	saved := make([]savedComponent, n)
	byName := make(map[string]*savedComponent)
	for i := range saved {
		x := &saved[i]
		x.name = r.text("the name of a component")
		x.single = r.Byte()&savedSingleton != 0
		x.values = make([]savedValue, r.count(2, "fields"))
		for k := range x.values {
			v := &x.values[k]
			v.path, v.kind = r.text("the name of a field"), savedKind(r.Byte())
			if x.size += v.kind.size(); v.kind.size() == 0 {
				r.fail(fmt.Sprintf("component %.40q, field %.40q: kind %d", x.name, v.path, v.kind))
			}
		}
		if byName[x.name] != nil {
			r.fail(fmt.Sprintf("two components %.40q", x.name))
		}
		if byName[x.name] = x; r.failed() {
			return nil
		}
	}
	names := p.uniqueNames()
	match(names, func(i int) []string { return p.all[i].was }, func(name string) bool { return byName[name] != nil }, func(i int, name string) {
		byName[name].to = p.all[i]
	})
	for i := range saved {
		if x := &saved[i]; x.to != nil {
			r.matchValues(x)
		} else {
			x.retired = x.single
		}
	}
	return saved
}

// match calls found for each of names with the name by which a save has it: an earlier name if the save lacks the name, and
// no other of names has that earlier name now.
func match(names []string, was func(i int) []string, saved func(name string) bool, found func(i int, name string)) {
	claimed := make(map[string]bool)
	for i, name := range names {
		if saved(name) {
			continue
		}
		for _, earlier := range was(i) {
			if saved(earlier) && !claimed[earlier] {
				claimed[earlier] = true
				found(i, earlier)
				break
			}
		}
	}
	for i, name := range names {
		if saved(name) && !claimed[name] {
			found(i, name)
		}
	}
}

// matchValues finds the leaves of the values of a component.
func (r *stateReader) matchValues(x *savedComponent) {
	leaves := x.to.values.leaves
	byPath := make(map[string]*savedValue, len(x.values))
	for i := range x.values {
		v := &x.values[i]
		if byPath[v.path] != nil {
			r.fail(fmt.Sprintf("component %s: two fields %.40q", x.name, v.path))
		}
		byPath[v.path] = v
	}
	paths, there := make([]string, len(leaves)), make([]bool, len(leaves))
	for i := range leaves {
		paths[i] = leaves[i].path
	}
	match(paths, func(i int) []string { return leaves[i].was }, func(path string) bool { return byPath[path] != nil }, func(i int, path string) {
		v, l := byPath[path], &leaves[i]
		if to := savedKindOf(l.typ); !v.kind.widensTo(to) {
			r.fail(fmt.Sprintf("component %s, field %s: %s in the save, %s in this protocol", x.to.Name, cmp.Or(l.path, "(value)"), v.kind, to))
			return
		}
		v.to, there[i] = l, true
	})
	x.same = len(x.values) == len(leaves)
	for i := range leaves {
		x.same = x.same && x.values[i].to == &leaves[i] && x.values[i].kind == savedKindOf(leaves[i].typ)
		if !there[i] && leaves[i].preset != nil {
			x.presets = append(x.presets, &leaves[i])
		}
	}
}

// adaptSave returns the tables of a save as a world of the protocol has them. It merges tables that now have the same components,
// gives singletons their NetIDs, and gives each entity with a replicated component a NetID.
func (r *stateReader) adaptSave(tables []*stateTable, s *worldState) []*stateTable {
	p, self, netID := r.w.setup.protocol, r.w.setup.protocol.core.self, r.w.setup.protocol.core.netID
	s.handles.nextNet = max(s.handles.nextNet, components.NetID(len(p.singletons)+1))
	var kept, added []*stateTable
	byMask := make(map[mask]*stateTable)
	moved := make(map[components.NetID]components.NetID)
	for _, t := range tables {
		if t.retired {
			for _, e := range t.entities {
				s.handles.free = append(s.handles.free, e.id)
			}
			continue
		}
		if !t.mask.has(netID.index) && slices.ContainsFunc(p.replicated, func(c *Component) bool { return t.mask.has(c.index) }) {
			t.mask.set(netID.index)
			for range t.entities {
				t.names = append(t.names, r.nextNetID(s))
			}
		}
		if into := byMask[t.mask]; into != nil {
			into.append(t)
			continue
		}
		byMask[t.mask] = t
		kept = append(kept, t)
	}
	for i, c := range p.singletons {
		id, found := components.NetID(1+i), 0
		for _, t := range kept {
			if t.mask.has(c.index) {
				found += len(t.entities)
				if t.single {
					r.fail("two singletons are one entity")
				}
				if t.single = true; t.names[0] != id {
					moved[t.names[0]] = id
				}
			}
		}
		if found > 1 {
			r.fail(fmt.Sprintf("component %s: it is a singleton in this protocol, and the save has %d", c.Name, found))
			return nil
		}
		if found == 0 {
			t := &stateTable{entities: []Entity{s.handles.allocate()}, names: []components.NetID{id}}
			t.mask.set(self.index)
			t.mask.set(netID.index)
			t.mask.set(c.index)
			if c.size > 0 {
				t.columns = []stateColumn{r.newColumn(c, 1)}
				if r.failed() {
					return nil
				}
				x := savedComponent{to: c}
				r.matchValues(&x)
				x.read(new(codec.ByteReader), t.columns[0].value(0))
			}
			added = append(added, t)
		}
	}
	for _, t := range kept {
		for _, id := range t.names {
			if !t.single && int(id) <= len(p.singletons) {
				moved[id] = r.nextNetID(s)
			}
		}
	}
	if len(moved) > 0 && !r.failed() {
		for _, t := range kept {
			t.rename(moved)
		}
	}
	return append(kept, added...)
}

// nextNetID returns the NetID of the next entity.
func (r *stateReader) nextNetID(s *worldState) components.NetID {
	if s.handles.nextNet == math.MaxUint32 {
		r.fail("no NetID is left")
		return s.handles.nextNet
	}
	s.handles.nextNet++
	return s.handles.nextNet - 1
}

// allocate returns the next handle.
func (s *handleState) allocate() Entity {
	if n := len(s.free); n > 0 {
		id := s.free[n-1]
		s.free = s.free[:n-1]
		s.gens[id]++
		return Entity{id, s.gens[id]}
	}
	s.gens = append(s.gens, 1)
	return Entity{uint32(len(s.gens) - 1), 1}
}

// append appends the rows of a table with the same components.
func (t *stateTable) append(o *stateTable) {
	n := len(t.entities)
	t.entities, t.names = append(t.entities, o.entities...), append(t.names, o.names...)
	for i := range t.columns {
		x := &t.columns[i]
		k := slices.IndexFunc(o.columns, func(y stateColumn) bool { return y.c == x.c })
		words := (len(t.entities)*int(x.c.size) + 7) / 8
		x.words = slices.Grow(x.words, words-len(x.words))[:words]
		added := uintptr(len(o.entities)) * x.c.size
		copy(unsafe.Slice((*byte)(x.value(n)), added), unsafe.Slice((*byte)(o.columns[k].value(0)), added))
	}
}

// rename changes the NetIDs of the entities, and the fields that refer to them.
func (t *stateTable) rename(moved map[components.NetID]components.NetID) {
	for i, id := range t.names {
		if to, ok := moved[id]; ok {
			t.names[i] = to
		}
	}
	for k := range t.columns {
		x := &t.columns[k]
		for _, l := range x.c.values.leaves {
			if !x.c.values.refers(&l) {
				continue
			}
			for i := range t.entities {
				at := (*components.NetID)(unsafe.Add(x.value(i), l.offset))
				if to, ok := moved[*at]; ok {
					*at = to
				}
			}
		}
	}
}

// refers reports whether a leaf is the NetID of an entity.
func (t *valueLayout) refers(l *valueLeaf) bool {
	if l.typ == reflect.TypeFor[components.NetID]() {
		return true
	}
	return l.typ.Kind() == reflect.Uint32 && t.table != nil && slices.ContainsFunc(t.table.Fields, func(f schema.Field) bool {
		return f.Form == schema.FormRef && f.Offset == l.offset
	})
}

// savedResource is a resource of a save.
type savedResource interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// appendResources appends the resources that a save contains, by type: those of the world, and those of the save that the
// world was loaded from, if they have not been set yet.
func (w *World) appendResources() ([]byte, error) {
	all := make(map[string][]byte)
	maps.Copy(all, w.restored)
	for t, v := range w.resources {
		if x, ok := v.(savedResource); ok {
			b, err := x.MarshalBinary()
			if err != nil {
				return nil, fmt.Errorf("ecs: resource %s: %w", t, err)
			}
			all[t.String()] = b
		}
	}
	dst := codec.AppendUvarint(nil, uint64(len(all)))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		dst = codec.AppendBytes(codec.AppendBytes(dst, name), all[name])
	}
	return dst, nil
}

// resources reads the resources of a save.
func (r *stateReader) resources() map[string][]byte {
	all := make(map[string][]byte)
	for range r.count(2, "resources") {
		name := r.text("the type of a resource")
		all[name] = []byte(r.text("a resource"))
	}
	return all
}

// restore sets a resource to its value in the save from which the world was loaded, if it has not been set yet.
func (w *World) restore(t reflect.Type, v any) {
	b, saved := w.restored[t.String()]
	x, ok := v.(savedResource)
	if !saved || !ok {
		return
	}
	delete(w.restored, t.String())
	if err := x.UnmarshalBinary(b); err != nil {
		panic(fmt.Errorf("ecs: SetResource: the saved %s: %w", t, err))
	}
}
