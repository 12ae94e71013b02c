package interest

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/reuse"
)

// A program with ByDistance priorities and without hidden entities puts only entities at the same place into a group, so that
// it can rank whole groups by distance. That place is the home of the group: one cell of each ByDistance.

// none is the number of no home.
const none = 0

// homeKey identifies a home.
type homeKey struct {
	at  [maxLeaves]cell // by ByDistance
	has uint8           // bits of the ByDistances whose component the entities have
}

// home is a home with the number of its groups.
type home struct {
	homeKey
	users int
	freed bool // the number is in free
}

// homes numbers the homes. It reuses the numbers of homes without groups.
type homes struct {
	byKey  map[homeKey]int32
	list   []home  // by number
	free   []int32 // numbers without a home
	unused []int32 // homes that may have no group: new ones, and those that have lost a group
}

func (h *homes) begin() {
	h.byKey = map[homeKey]int32{}
	h.list = make([]home, 1)
}

// number returns the number of a home. It assigns a number to a new home.
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

// use adds by, 1 or -1, to the number of groups of a home.
func (h *homes) use(n int32, by int) {
	if n == none {
		return
	}
	if h.list[n].users += by; h.list[n].users == 0 {
		h.unused = append(h.unused, n)
	}
}

// sweep removes homes without groups.
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

// Table prepares for calls of Home for the rows of a table. It ignores restricted sets: a program with homes has none.
func (p *Program) Table(t ecs.Table, _ uint8) {
	for _, g := range p.grids {
		g.column = t.Column(g.comp)
	}
}

// Home returns the home of the entity in a row of the table. old is its previous home, 0 for none. The entity keeps its
// previous cell until it is more than an eighth of the cell's length beyond the border.
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
