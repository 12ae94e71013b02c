package interest

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/reuse"
)

// If nothing is hidden but some priorities go by distance, the entities of a group are of the same cells, so that near and
// far ones can be told apart by group. A home is one cell of each ByDistance.

// none is the home of entities without one.
const none = 0

// homeKey is the cells of a home.
type homeKey struct {
	at  [maxLeaves]cell
	has uint8 // ByDistances whose component the entities have, one bit each
}

// home is a home, and how many groups have it.
type home struct {
	homeKey
	users int
	freed bool
}

// homes numbers the homes. The numbers of homes without groups are used again.
type homes struct {
	byKey  map[homeKey]int32
	list   []home
	free   []int32
	unused []int32 // that may have no group: they are new, or lost one
}

func (h *homes) begin() {
	h.byKey = map[homeKey]int32{}
	h.list = make([]home, 1)
}

// number returns the number of a home. A new home gets one.
func (h *homes) number(k *homeKey) int32 {
	if n, ok := h.byKey[*k]; ok {
		return n
	}
	var n int32
	if last := len(h.free) - 1; last >= 0 {
		n, h.free = h.free[last], h.free[:last]
	} else {
		n = int32(len(h.list))
		h.list = reuse.Longer(h.list, int(n)+1)
	}
	h.list[n] = home{homeKey: *k}
	h.byKey[*k] = n
	h.unused = append(h.unused, n)
	return n
}

// use notes that a group has a home, or no longer has it.
func (h *homes) use(n int32, by int) {
	if n == none {
		return
	}
	if h.list[n].users += by; h.list[n].users == 0 {
		h.unused = append(h.unused, n)
	}
}

// sweep forgets homes without groups.
func (h *homes) sweep() {
	for _, n := range h.unused {
		x := &h.list[n]
		if x.users > 0 || x.freed {
			continue
		}
		x.freed = true
		delete(h.byKey, x.homeKey)
		h.free = append(h.free, n)
	}
	h.unused = h.unused[:0]
}

// Table starts the entities of a table, while it is captured. Nothing is hidden, so that there are no restricted sets.
func (p *Program) Table(t ecs.Table, _ uint8) {
	for _, g := range p.grids {
		g.column = t.Column(g.comp)
	}
}

// Home returns the home of the entity in a row of the table. old is its previous home, 0 for none. It keeps its cell until
// it is an eighth of the cell beyond the border.
func (p *Program) Home(row int, old int32) int32 {
	was := &p.homes.list[old]
	k := homeKey{}
	for i, g := range p.grids {
		if g.column != nil {
			k.has |= 1 << i
			at := g.point(unsafe.Add(g.column, uintptr(row)*g.size))
			k.at[i] = g.home(at, was.at[i], was.has>>i&1 != 0)
		}
	}
	if k == was.homeKey && old != none {
		return old
	}
	return p.homes.number(&k)
}
