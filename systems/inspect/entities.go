package inspect

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// What a wake-up does for one request at most, and a request in all: it goes on with the
// next wake-up until it has what it wants.
const (
	rowsPerTick   = 16384 // entities looked through
	copiesPerTick = 50    // entities copied with their values
	mostRows      = 64 * rowsPerTick
)

// search looks through the entities of a world, a part of them at a time. Entities that
// change their archetype meanwhile may be missed.
type search struct {
	query
	mask  uint64 // of components that they must have
	table int    // where it goes on
	row   int
	seen  int // entities looked through
	found []components.NetID
	total int // found in all
}

// step looks through up to rowsPerTick entities; it reports whether there are more.
func (f *search) step(w *ecs.World) (more bool) {
	owner := ecs.ComponentOf[components.Owner](w.Protocol())
	room, n := rowsPerTick, -1
	for t := range w.Netcode().Tables {
		if n++; n < f.table {
			continue
		}
		f.table = n
		if room == 0 {
			return true
		}
		part := t.NetIDs[min(f.row, len(t.NetIDs)):]
		part = part[:min(room, len(part))]
		room -= len(part)
		f.seen += len(part)
		if t.Mask&f.mask == f.mask {
			var owners []components.Owner
			if p := t.Column(owner); p != nil {
				owners = unsafe.Slice((*components.Owner)(p), len(t.NetIDs))[min(f.row, len(t.NetIDs)):]
			}
			f.take(part, owners)
		}
		if f.row += len(part); f.row < len(t.NetIDs) {
			return true
		}
		f.table, f.row = n+1, 0
	}
	return false
}

// take adds those of a column that are asked for.
func (f *search) take(ids []components.NetID, owners []components.Owner) {
	for i, id := range ids {
		var owner uint32
		if owners != nil {
			owner = owners[i].Client
		}
		if f.owned && owner != f.owner {
			continue
		}
		f.total++
		if id > f.after {
			f.found = append(f.found, id)
		}
	}
}

// settle keeps the first of what was found, in order, and one more.
func (f *search) settle() {
	slices.Sort(f.found)
	f.found = slices.Compact(f.found)
	f.found = f.found[:min(len(f.found), f.limit+1)]
}

// copied is a component of an entity as it was at the end of a wake-up.
type copied struct {
	component *ecs.Component
	value     []uint64 // as aligned as any component; nil where values stay on the server
}

// entityCopy is an entity as it was.
type entityCopy struct {
	id         components.NetID
	owner      uint32
	components []copied
}

// copyEntity copies an entity; it reports false where there is none.
func copyEntity(w *ecs.World, known []*ecs.Component, id components.NetID) (c entityCopy, ok bool) {
	e, ok := w.ByNetID(id)
	if !ok || !w.Alive(e) {
		return c, false
	}
	c.id = id
	if o := ecs.Get[components.Owner](w, e); o != nil {
		c.owner = o.Client
	}
	for _, comp := range known {
		p := w.Netcode().Pointer(e, comp)
		if p == nil {
			continue
		}
		x := copied{component: comp}
		if comp.Schema != nil {
			size := comp.Schema.Size
			x.value = make([]uint64, size/8+1)
			copy(unsafe.Slice((*byte)(unsafe.Pointer(&x.value[0])), size), unsafe.Slice((*byte)(p), size))
		}
		c.components = append(c.components, x)
	}
	return c, true
}

// entityLine is an entity in an answer.
type entityLine struct {
	ID         components.NetID `json:"id"`
	Owner      uint32           `json:"owner"`
	Components []componentLine  `json:"components"`
}

// componentLine is a component of it. Values of local ones stay on the server.
type componentLine struct {
	Name   string      `json:"name"`
	Local  bool        `json:"local,omitempty"`
	Fields []fieldLine `json:"fields,omitempty"`
}

type fieldLine struct {
	Path  string `json:"path"`
	Value string `json:"value"`
}

// line makes text of a copy, on the goroutine of the request.
func (c *entityCopy) line() entityLine {
	l := entityLine{ID: c.id, Owner: c.owner, Components: []componentLine{}}
	for _, x := range c.components {
		part := componentLine{Name: x.component.Name, Local: x.value == nil}
		if x.value != nil {
			s := x.component.Schema
			for i := range s.Fields {
				part.Fields = append(part.Fields, fieldLine{s.Fields[i].Path, s.Format(i, unsafe.Pointer(&x.value[0]))})
			}
		}
		l.Components = append(l.Components, part)
	}
	return l
}

// entitiesAnswer is what /api/entities says, in order of NetIDs. Next is what to ask for
// with after, 0 where there is no more.
type entitiesAnswer struct {
	Tick       uint32           `json:"tick"`
	Total      int              `json:"total"`
	Next       components.NetID `json:"next"`
	Components []string         `json:"components"` // that may be asked for
	Entities   []entityLine     `json:"entities"`
}

func (x *Inspector) entities(ctx context.Context, q query) (any, error) {
	f := search{query: q}
	a := entitiesAnswer{Components: []string{}, Entities: []entityLine{}}
	for i, c := range x.protocol.Replicated() {
		a.Components = append(a.Components, c.Name)
		if c.Name == q.component {
			f.mask = 1 << i
		}
	}
	if q.component != "" && f.mask == 0 {
		return nil, fmt.Errorf("%w: a replicated component %q", errNone, q.component)
	}
	for more := true; more && f.seen < mostRows; {
		if err := x.ask(ctx, func(s *systems.Server) { more = f.step(s.World()) }); err != nil {
			return nil, err
		}
		f.settle()
	}
	a.Total = f.total
	if len(f.found) > q.limit {
		f.found = f.found[:q.limit]
		a.Next = f.found[q.limit-1]
	}
	for part := range slices.Chunk(f.found, copiesPerTick) {
		copies, tick, err := x.copies(ctx, part)
		if err != nil {
			return nil, err
		}
		a.Tick = tick
		for i := range copies {
			a.Entities = append(a.Entities, copies[i].line())
		}
	}
	return a, nil
}

// copies are those of entities that are still there.
func (x *Inspector) copies(ctx context.Context, ids []components.NetID) (all []entityCopy, tick uint32, err error) {
	known := x.protocol.Components()
	slices.SortStableFunc(known, func(a, b *ecs.Component) int { return cmp.Compare(rank(a), rank(b)) })
	err = x.ask(ctx, func(s *systems.Server) {
		tick = s.Tick()
		for _, id := range ids {
			if c, ok := copyEntity(s.World(), known, id); ok {
				all = append(all, c)
			}
		}
	})
	return all, tick, err
}

// rank puts local components behind those of which there is something to see.
func rank(c *ecs.Component) int {
	if c.Schema == nil {
		return 1
	}
	return 0
}

// entity is one with its values.
func (x *Inspector) entity(ctx context.Context, q query) (any, error) {
	if q.id == 0 {
		return nil, fmt.Errorf("%w: id=ID says which entity", errQuery)
	}
	all, tick, err := x.copies(ctx, []components.NetID{q.id})
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: entity %d", errNone, q.id)
	}
	return struct {
		Tick uint32 `json:"tick"`
		entityLine
	}{tick, all[0].line()}, nil
}
