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

// Limits of the work for one request, per wake-up and in total. A request continues in the next wake-up until it is
// complete.
const (
	rowsPerTick   = 16384 // entities visited
	copiesPerTick = 50    // entities copied with their values
	mostRows      = 64 * rowsPerTick
)

// search visits the entities of a world in parts. It may miss entities that change their archetype in between.
type search struct {
	query
	mask  uint64 // required components
	table int    // position where the next step continues
	row   int
	seen  int // entities visited
	found []components.NetID
	total int // number of matches, including those that are not returned
}

// step visits up to rowsPerTick entities. It reports whether there are more.
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
			f.addMatches(part, owners)
		}
		if f.row += len(part); f.row < len(t.NetIDs) {
			return true
		}
		f.table, f.row = n+1, 0
	}
	return false
}

// addMatches adds the entities of a column part that match the query.
func (f *search) addMatches(ids []components.NetID, owners []components.Owner) {
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

// trim keeps the first limit+1 matches, in order.
func (f *search) trim() {
	slices.Sort(f.found)
	f.found = slices.Compact(f.found)
	f.found = f.found[:min(len(f.found), f.limit+1)]
}

// copied is a copy of a component at the end of a wake-up.
type copied struct {
	component *ecs.Component
	value     []uint64 // aligned for any component; nil for local components
}

// entityCopy is a copy of an entity.
type entityCopy struct {
	id         components.NetID
	owner      uint32
	components []copied
}

// copyEntity copies an entity. It reports false if there is none.
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

// entityLine is an entity in a response.
type entityLine struct {
	ID         components.NetID `json:"id"`
	Owner      uint32           `json:"owner"`
	Components []componentLine  `json:"components"`
}

// componentLine is a component of an entity. Values of local components are not included.
type componentLine struct {
	Name   string      `json:"name"`
	Local  bool        `json:"local,omitempty"`
	Fields []fieldLine `json:"fields,omitempty"`
}

type fieldLine struct {
	Path  string `json:"path"`
	Value string `json:"value"`
}

// line formats a copy, on the goroutine of the request.
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

// entitiesAnswer is the response of /api/entities, ordered by NetID. Next is the value of after for the next page, 0
// on the last page.
type entitiesAnswer struct {
	Tick       uint32           `json:"tick"`
	Total      int              `json:"total"`
	Next       components.NetID `json:"next"`
	Components []string         `json:"components"` // valid values of the parameter component
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
		if err := x.runInWakeup(ctx, func(s *systems.Server) { more = f.step(s.World()) }); err != nil {
			return nil, err
		}
		f.trim()
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

// copies returns copies of those entities that still exist.
func (x *Inspector) copies(ctx context.Context, ids []components.NetID) (all []entityCopy, tick uint32, err error) {
	known := x.protocol.Components()
	slices.SortStableFunc(known, func(a, b *ecs.Component) int { return cmp.Compare(rank(a), rank(b)) })
	err = x.runInWakeup(ctx, func(s *systems.Server) {
		tick = s.Tick()
		for _, id := range ids {
			if c, ok := copyEntity(s.World(), known, id); ok {
				all = append(all, c)
			}
		}
	})
	return all, tick, err
}

// rank sorts local components, which have no visible values, behind the others.
func rank(c *ecs.Component) int {
	if c.Schema == nil {
		return 1
	}
	return 0
}

// entity returns one entity with its values.
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
