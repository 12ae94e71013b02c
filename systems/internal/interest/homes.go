package interest

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/reuse"
)

// none is the home of what has none.
const none = 0

// homeKey is what entities of one home have in common: by Grid the cell, by Same the value.
type homeKey struct {
	at  [maxLeaves][3]int32
	has uint8 // of which of them they have something
}

// home is one of them, and how many groups have it.
type home struct {
	homeKey
	users int
	freed bool
}

// homes numbers the homes that there are. Numbers of those that no group has are given again.
type homes struct {
	byKey  map[homeKey]int32
	list   []home
	free   []int32
	unused []int32 // that may have no group: they were made, or lost one
}

func (h *homes) begin() {
	h.byKey = map[homeKey]int32{}
	h.list = make([]home, 1)
}

// number is the number of a home, which it gets where it has none.
func (h *homes) number(k *homeKey, sames []*same) int32 {
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
	for _, s := range sames {
		if k.has>>s.slot&1 != 0 {
			s.values[k.at[s.slot][0]].homes++
		}
	}
	return n
}

// use notes that a group has a home, or has it no more.
func (h *homes) use(n int32, by int) {
	if n == none {
		return
	}
	if h.list[n].users += by; h.list[n].users == 0 {
		h.unused = append(h.unused, n)
	}
}

// sweep forgets homes without groups.
func (h *homes) sweep(sames []*same) {
	for _, n := range h.unused {
		x := &h.list[n]
		if x.users > 0 || x.freed {
			continue
		}
		x.freed = true
		delete(h.byKey, x.homeKey)
		h.free = append(h.free, n)
		for _, s := range sames {
			if x.has>>s.slot&1 != 0 {
				s.release(x.at[s.slot][0])
			}
		}
	}
	h.unused = h.unused[:0]
}

// Table starts the entities of a table in a variant, while it is captured.
func (p *Program) Table(t ecs.Table, restricted uint8) {
	for _, g := range p.grids {
		if g.startTable(t, restricted); g.first && len(p.restrictions) > 0 {
			g.rows = reuse.Longer(g.rows, len(t.Entities))
		}
	}
	for _, s := range p.sames {
		s.startTable(t, restricted)
	}
}

// Home is the home of the entity in a row of the table, of which old is the one that it had;
// 0: none. It keeps its cell until it is a share of it beyond the border; all of its variants are in the same cell.
func (p *Program) Home(row int, old int32) int32 {
	was := &p.homes.list[old]
	k := homeKey{}
	for _, g := range p.grids {
		if g.column == nil {
			continue
		}
		k.has |= 1 << g.slot
		if !g.first {
			k.at[g.slot] = g.rows[row]
			continue
		}
		at := g.point(unsafe.Add(g.column, uintptr(row)*g.size))
		k.at[g.slot] = g.home(at, was.at[g.slot], was.has>>g.slot&1 != 0)
		if len(p.restrictions) > 0 {
			g.rows[row] = k.at[g.slot]
		}
	}
	for _, s := range p.sames {
		if s.column == nil {
			continue
		}
		k.has |= 1 << s.slot
		k.at[s.slot][0] = s.number(unsafe.Add(s.column, uintptr(row)*s.size))
	}
	if k == was.homeKey && old != none {
		return old
	}
	return p.homes.number(&k, p.sames)
}
