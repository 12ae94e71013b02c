package ownership

import (
	"slices"

	"github.com/tactusgo/tactus/ecs"
)

// Grants says which client may write the client-owned components of which entity,
// where that is not its owner. It is a resource of the server's world.
type Grants struct {
	list    []grant
	by      map[ecs.Entity]int // index in list
	version uint32             // counts changes
}

type grant struct {
	entity ecs.Entity
	id     uint32 // NetID
	client uint32 // 0: nobody
	from   uint32 // tick
}

// Give makes a client the one that may write an entity's components, from the coming tick
// on; 0 is nobody. In a world that is no server's it does nothing.
func Give(w *ecs.World, e ecs.Entity, client uint32) {
	g := ecs.Resource[Grants](w)
	if g == nil || !w.Alive(e) {
		return
	}
	from := w.Tick() + 1
	if i, ok := g.by[e]; ok {
		if x := &g.list[i]; x.client != client {
			x.client, x.from = client, from
			g.version++
		}
		return
	}
	g.version++
	g.by[e] = len(g.list)
	g.list = append(g.list, grant{entity: e, id: uint32(w.NetID(e)), client: client, from: from})
}

// Len is of how many entities another than the owner has the say.
func (g *Grants) Len() int { return len(g.list) }

// writer is the client that may write an entity's components; 0: none.
func (g *Grants) writer(w *ecs.World, e ecs.Entity) uint32 {
	if i, ok := g.by[e]; ok {
		return g.list[i].client
	}
	return Owner(w, e)
}

// sweep forgets entities that are gone.
func (g *Grants) sweep(w *ecs.World) {
	dead := func(x grant) bool { return !w.Alive(x.entity) }
	if !slices.ContainsFunc(g.list, dead) {
		return
	}
	g.version++
	g.list = slices.DeleteFunc(g.list, dead)
	clear(g.by)
	for i, x := range g.list {
		g.by[x.entity] = i
	}
}
