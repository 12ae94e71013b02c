package ownership

import (
	"slices"

	"github.com/tactusgo/tactus/ecs"
)

// Grants holds which clients other than the owner may write the client-owned components of entities. It is a
// resource of the server's world.
type Grants struct {
	list    []grant
	by      map[ecs.Entity]int // index in list
	version uint32             // number of changes
}

type grant struct {
	entity ecs.Entity
	id     uint32 // NetID
	client uint32 // 0: none
	from   uint32 // tick
}

// Give makes client the one that may write an entity's components, from the coming tick on. 0 is no client. Give
// does nothing in a world that is not a server's.
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

// Each calls f for each grant.
func (g *Grants) Each(f func(id, client uint32)) {
	for _, x := range g.list {
		f(x.id, x.client)
	}
}

// Len returns the number of entities with grants.
func (g *Grants) Len() int { return len(g.list) }

// writer returns the client that may write an entity's components; 0: none.
func (g *Grants) writer(w *ecs.World, e ecs.Entity) uint32 {
	if i, ok := g.by[e]; ok {
		return g.list[i].client
	}
	return Owner(w, e)
}

// removeDead removes the grants of entities that are gone.
func (g *Grants) removeDead(w *ecs.World) {
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
