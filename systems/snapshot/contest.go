package snapshot

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Where a snapshot does not hold all that there is to tell, and the game says what matters by entity, entities
// compete: with each send an entity accrues its priority, and loses what it has accrued when it is
// told of. The block with the entity of the highest accrued priority goes first. A block that
// does not fit is cut down to those that have accrued most. Else whole groups take turns (see turns.go), and
// entities compete for the room of a group only that no datagram holds.

// leastPriority keeps entities of no priority from waiting for ever.
const leastPriority = 1.0 / 16

// band is how many times less than the first entity of a block another one may have
// accrued to go with it. What has accrued less competes for itself.
const band = 4

// leastSpace is how many bytes a block must have room for to be worth trying, and
// misfits how many blocks in a row may fail to fit before the rest is left.
const (
	leastSpace = 24
	misfits    = 4
)

// candidate is a block that competes.
type candidate struct {
	wire.BlockHead
	priority float32
}

// gain is what an entity gains with each send.
func (c *Config) gain(w *ecs.World, f *capture.Frame, client uint32, g, k int) float32 {
	if c.Priority == nil {
		return 1
	}
	if v := c.Priority(w, f.Entity(g, k), client); v > leastPriority {
		return v // false for what is not a number
	}
	return leastPriority
}

// contest is room for sorting who goes first.
type contest struct {
	candidates []candidate
	order      []slotPriority
	turns      []turn
	last       float32 // what the last had accrued that was told of, where not all fits
}

// slotPriority is a slot and what its entity has accrued.
type slotPriority struct {
	slot    int
	accrued float32
}

// accrued is what entities have accrued of their priority, by group and slot; nil is nothing.
type accrued []*[64]float32

func (a *accrued) grow(groups int) {
	for len(*a) < groups {
		*a = append(*a, nil)
	}
}

// clear takes from those of a group what they have accrued.
func (a accrued) clear(g int) {
	if g < len(a) && a[g] != nil {
		clear(a[g][:])
	}
}

// of is what those of a group have accrued.
func (a accrued) of(g int) *[64]float32 {
	if a[g] == nil {
		a[g] = new([64]float32)
	}
	return a[g]
}

// clientContest is who goes first where there is no room for all.
type clientContest struct {
	budget  int // bytes of a snapshot
	over    bool
	starved bool      // own state left no room for anything else: it is left out next
	big     bool      // an entity was left out because no snapshot has room for it
	groups  []float32 // what groups have accrued of their weight since the client was told of them, where they take turns
	world   accrued
	own     accrued
}

// grow is what so many groups have accrued.
func (c *clientContest) grow(groups int) []float32 {
	for len(c.groups) < groups {
		c.groups = append(c.groups, 0)
	}
	return c.groups
}

// clear takes from a group and those in it what they have accrued.
func (c *clientContest) clear(g int) {
	if c.world.clear(g); g < len(c.groups) {
		c.groups[g] = 0
	}
}

// accrued is what a slot has accrued, with its group.
func (c *clientContest) accrued(g, slot int) (v float32) {
	if g < len(c.groups) {
		v = c.groups[g]
	}
	if g < len(c.world) && c.world[g] != nil {
		v += c.world[g][slot]
	}
	return v
}

// relax ends a competition: everything was told.
func (c *clientContest) relax() {
	if c.over {
		c.over = false
		for _, of := range c.world {
			if of != nil {
				clear(of[:])
			}
		}
	}
}

// world lays out as much as fits into limit bytes of a world that is more than that.
func (x *contest) world(d *draft, src *source, limit int) {
	s, c := d.sys, d.c
	whole := d.pack.limit
	d.pack.limit, x.last = limit, 0
	src.keep(d)
	if s.config.Priority == nil {
		c.contest.over = !x.groups(d, src)
	} else {
		c.contest.over = true
		x.entities(d, src)
	}
	d.pack.limit = whole
	if !c.contest.over {
		c.contest.relax()
		return
	}
	d.stats.OverBudget++
	if !c.logged {
		c.logged = true
		d.notes.add(note{kind: noteOverfull, bytes: limit})
	}
}

// entities lays out entities by their priorities.
func (x *contest) entities(d *draft, src *source) {
	s, c := d.sys, d.c
	gained := &c.contest.world
	gained.grow(c.groups(d.f))
	for g := range src.list.each {
		alive, at := src.group(uint32(g)).Alive, int(src.place(uint32(g)))
		for m := alive | src.held.At(uint32(g)).EverSent(); m != 0; m &= m - 1 {
			if k := bits.TrailingZeros64(m); m&-m&alive != 0 {
				gained.of(g)[k] += s.config.gain(d.w, d.f, c.id, at, k)
			} else {
				gained.of(g)[k]++ // that nobody is there any more may be news
			}
		}
	}
	x.compete(d, src, *gained)
}

// own lays out as much as fits of own state, which is more than that.
func (x *contest) own(d *draft, src *source, limit int) {
	gained := &d.c.contest.own
	gained.grow(len(src.groups))
	for g := range src.list.each {
		for m := src.groups[g].Alive; m != 0; m &= m - 1 {
			gained.of(g)[bits.TrailingZeros64(m)]++
		}
	}
	x.compete(d, src, *gained)
	if d.pack.limit = limit; !d.pack.has(contentOwn) {
		x.compete(d, src, *gained) // with all of it, where half is not enough for one
	}
}

// compete lays out blocks of a source by what its entities have accrued.
func (x *contest) compete(d *draft, src *source, gained accrued) {
	x.candidates = x.candidates[:0]
	for g := range src.list.each {
		switch {
		case !d.wants(src, g):
		case src.group(uint32(g)).Alive == 0 && src.held.At(uint32(g)).Whole() && src.keeps(g) == 0:
			x.empty(d, src, g, gained)
		default:
			x.group(d, src, g, gained)
		}
	}
	x.fill(d, src, gained, 0)
}

// fill lays out candidates, those first that have accrued most. What is laid out, of the blocks from one on, loses
// what it has accrued.
func (x *contest) fill(d *draft, src *source, gained accrued, first int) {
	pk, c := &d.pack, d.c
	slices.SortFunc(x.candidates, func(a, b candidate) int {
		return cmp.Or(-cmp.Compare(a.priority, b.priority), cmp.Compare(a.First, b.First), cmp.Compare(a.Age, b.Age), cmp.Compare(a.Slots, b.Slots))
	})
	failed, laid := 0, false
	for i := range x.candidates {
		u := &x.candidates[i]
		if pk.room(src.kind) < leastSpace || failed >= misfits {
			break
		}
		b := d.encode(src, u.BlockHead)
		if pk.add(b, src.kind) || x.cut(d, src, u.BlockHead, len(b.body), gained) {
			failed, laid = 0, true
			if !src.own {
				x.last = u.priority
			}
		} else {
			failed++
			// What waited longest would wait for ever beside own state.
			c.contest.starved = c.contest.starved || i == 0 && !src.own
		}
	}
	if !laid && !src.own && len(x.candidates) > 0 {
		c.contest.starved = true
	}
	for i := first; i < len(pk.blocks); i++ {
		if b := &pk.blocks[i]; b.Own == src.own && !b.hidden && b.chunk < 0 {
			for g := b.First; g < b.First+b.Count; g++ {
				for m := b.Slots; m != 0; m &= m - 1 {
					gained.of(int(g))[bits.TrailingZeros64(m)] = 0
				}
			}
		}
	}
}

// group lets the entities of a group compete, in blocks of those that have accrued about as much.
func (x *contest) group(d *draft, src *source, g int, gained accrued) {
	for slots := src.shown(g); slots != 0; {
		u := candidate{BlockHead: src.block(g, slots)}
		slots &^= u.Slots
		for rest := u.Slots; rest != 0; {
			u.Slots = rest
			u.priority = x.priority(d, src, &u, gained)
			for m := rest & src.group(uint32(g)).Alive; m != 0; m &= m - 1 {
				if gained.of(g)[bits.TrailingZeros64(m)]*band < u.priority {
					u.Slots &^= m & -m
				}
			}
			x.candidates = append(x.candidates, u)
			rest &^= u.Slots
		}
	}
}

// refreshed is after how many sends a group without entities is told of again.
const refreshed = 64

// empty lets a group without entities compete, in one block with those before
// it, where the client does not know that it is empty, or from long ago.
func (x *contest) empty(d *draft, src *source, g int, gained accrued) {
	age, _, _ := src.held.At(uint32(g)).Choose(src.send, src.floor, wire.AllSlots, false, src.oldest)
	if age > 0 && age < refreshed && d.at(src, src.send-age)[src.place(uint32(g))].Alive == 0 {
		clear(gained.of(g)[:])
		return
	}
	if src.held.At(uint32(g)).EverSent() == 0 {
		gained.of(g)[0]++ // nobody ever was there to accrue anything
	}
	most := slices.Max(gained.of(g)[:])
	if n := len(x.candidates) - 1; n >= 0 {
		if u := &x.candidates[n]; u.Age == 0 && u.Slots == wire.AllSlots && src.group(u.First).Alive == 0 && src.view == nil && u.First+u.Count == uint32(g) {
			u.Count++
			u.priority = max(u.priority, most)
			return
		}
	}
	x.candidates = append(x.candidates, candidate{src.full(g), most})
}

// priority is the most that an entity of a block has accrued. An entity that is gone
// is news like any other, until the client is known to have heard.
func (x *contest) priority(d *draft, src *source, u *candidate, gained accrued) (most float32) {
	g := u.First
	news := src.group(g).Alive
	if u.Age == 0 {
		news |= src.held.At(uint32(g)).EverSent()
	} else {
		news |= d.at(src, src.send-u.Age)[src.place(g)].Alive
	}
	for m := u.Slots & news; m != 0; m &= m - 1 {
		most = max(most, gained.of(int(g))[bits.TrailingZeros64(m)])
	}
	return most
}

// cut lays out those entities of a block that have accrued most, as many as fit, and
// with them all slots of it that are empty. It reports whether that was any.
func (x *contest) cut(d *draft, src *source, h wire.BlockHead, size int, gained accrued) bool {
	pk := &d.pack
	g := h.First
	alive := h.Slots & src.group(g).Alive
	n := bits.OnesCount64(alive)
	x.order = x.order[:0]
	for m := alive; m != 0; m &= m - 1 {
		x.order = append(x.order, slotPriority{bits.TrailingZeros64(m), gained.of(int(g))[bits.TrailingZeros64(m)]})
	}
	slices.SortFunc(x.order, func(a, b slotPriority) int {
		return cmp.Or(-cmp.Compare(a.accrued, b.accrued), cmp.Compare(a.slot, b.slot))
	})
	room := pk.room(src.kind)
	var best block
	fit, misfit := 0, n // of the order: how many fit, and how many do not
	for guess := n * room / max(size, 1); fit+1 < misfit; guess = (fit + misfit) / 2 {
		guess = min(max(guess, fit+1), misfit-1)
		part := h
		part.Slots = h.Slots &^ alive
		for _, o := range x.order[:guess] {
			part.Slots |= 1 << o.slot
		}
		if b := d.encode(src, part); len(b.body) <= room {
			best, fit = b, guess
		} else {
			misfit, size = guess, len(b.body)
		}
	}
	if fit == 0 && n > 0 && size > pk.fresh() {
		d.oversized(src, int(g), 1<<x.order[0].slot)
	}
	return fit > 0 && pk.add(best, src.kind)
}
