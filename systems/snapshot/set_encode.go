package snapshot

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Stages 3 to 5 for a client with a set. Usually the whole set is one block against the youngest acknowledged snapshot of the
// whole set. If the block does not fit, or if the client has no such snapshot, the members with the highest priorities are
// sent, in blocks with different baselines.

const (
	setTries = 5  // maximum number of attempts to encode a part of the set that fits
	setAges  = 64 // number of baselines to choose from for a part of the set
)

// Values of setPacking.chosen.
const (
	setSkip  = iota // the member is not in the snapshot
	setTake         // it is in the next block
	setTaken        // it is in a packed block
)

// setPacking is memory for encoding the set of one client.
type setPacking struct {
	setScratch
	chosen []uint8  // by member
	known  bool     // chosen is of this snapshot
	order  []int32  // members by priority
	covers []uint64 // by member: baselines that contain it, bit i for bases[i]
	bases  []uint32
	block  setBlock
	rest   []int32 // scratch
	needed int     // size of the snapshot with the largest block that did not fit, undivided
	big    bool    // a member was left out because it fits no datagram
}

// setBlock is a block of a set: members against the snapshot of one send.
type setBlock struct {
	wire.Set
	age  uint32
	two  bool
	from int // members from one index to another
	to   int

	cur, base, base2 []delta.Group
	n                int // members in the block
	hash             uint64
}

// fitSet packs the set of the client.
func (d *draft) fitSet() {
	c, pk := d.c, &d.pack
	x, y := &c.set, &d.sets
	s := setSend{send: d.f.Send, hash: x.hash}
	mark := pk.load
	skipFar := d.skipsFar()
	wanted := !skipFar
	y.big, y.known = false, false
	second := d.sys.codecs.layout.Second()
	age, two := x.choose(d.f.Send, c.baselines.Floor(), d.oldestSet(), second)
	switch room := pk.limit - pk.used(); {
	case wanted && (age != 0 || !x.anyComplete()) && float32(x.seen)*x.perSize <= 1.25*float32(room) && d.packWhole(age, two):
		s.whole = true
	default:
		pk.rollback(mark)
		wanted = d.chooseMembers(skipFar)
		s.whole = d.packPart() && wanted && !y.big
	}
	s.all = s.whole || wanted && d.holdsAll()
	if s.whole {
		if c.over {
			c.over = false
			for i := range x.members {
				x.members[i].priority = 0
			}
		}
		x.perSize = 0
	} else {
		for i := range y.chosen {
			if y.chosen[i] == setTaken {
				x.members[i].sent(d.f.Send)
				x.members[i].priority = 0
			}
		}
		if wanted {
			d.noteOver()
		}
	}
	x.sends[s.send%capture.Kept] = s
}

// oldestSet returns the greatest age of a baseline.
func (d *draft) oldestSet() uint32 { return min(baseline.MaxAge, d.sys.frames.Depth()) }

// skipsFar reports whether far members are part of another snapshot, see [System.Divide].
func (d *draft) skipsFar() bool {
	s := &d.sys.sends
	return s.far != 1 && d.c.join.state == joinNone && d.f.Send/s.all%s.far != 0
}

// chooseMembers chooses the members of the snapshot: all, or all but the far ones. It reports whether it chose all.
func (d *draft) chooseMembers(skipFar bool) (all bool) {
	x, y := &d.c.set, &d.sets
	y.chosen = reuse.Slice(y.chosen, len(x.members))
	y.known, all = true, true
	for i := range x.members {
		m := &x.members[i]
		y.chosen[i] = setTake
		if m.replaced {
			y.chosen[i] = setSkip
		} else if skipFar && m.until == 0 && x.Far(d.sys.config.Interest, int(m.group), int(m.slot)) {
			y.chosen[i], all = setSkip, false
		}
	}
	return all
}

// holdsAll reports whether the client has acknowledged every entity in sight or receives it with this snapshot.
func (d *draft) holdsAll() bool {
	x := &d.c.set
	if d.c.join.state == joinNone {
		return true
	}
	for i := range x.members {
		if m := &x.members[i]; m.until == 0 && d.sets.chosen[i] != setTaken && x.newestHeld(m) == 0 {
			return false
		}
	}
	return true
}

// noteOver records that the snapshot does not contain the whole set.
func (d *draft) noteOver() {
	c := d.c
	c.over = true
	d.stats.OverBudget++
	if !c.logged {
		c.logged = true
		d.notes.add(note{kind: noteOverfull, bytes: d.pack.limit})
	}
}

// packWhole packs all chosen members against one baseline. It returns false if that is not possible.
func (d *draft) packWhole(age uint32, two bool) bool {
	b := &d.sets.block
	b.age, b.two = age, two
	return d.packRange(0, len(d.c.set.members), true)
}

// packRange packs the chosen members from one index to another in a block. If the block is too long for a datagram it is
// halved.
func (d *draft) packRange(from, to int, all bool) bool {
	pk, b := &d.pack, &d.sets.block
	b.from, b.to = from, to
	e, ok := d.encodeSetBlock(all)
	if !ok {
		return true
	}
	if pk.add(e) {
		return true
	}
	d.sets.needed = max(d.sets.needed, pk.used()+len(e.body))
	if len(e.body) <= pk.maxBody() {
		return false
	}
	if !d.sets.known {
		d.chooseMembers(false)
	}
	half := d.halfOf(from, to)
	if half == to {
		return d.leaveOutMember(from, to)
	}
	return d.packRange(from, half, false) && d.packRange(half, to, false)
}

// halfOf returns the index that divides the members of the current block in two halves, or to if there are fewer than two.
func (d *draft) halfOf(from, to int) int {
	n := 0
	for i := from; i < to; i++ {
		if d.inBlock(i) {
			n++
		}
	}
	if n < 2 {
		return to
	}
	half := from
	for before := n / 2; before > 0 || !d.inBlock(half); half++ {
		if d.inBlock(half) {
			before--
		}
	}
	return half
}

// leaveOutMember leaves out the only member of a block, which fits no datagram.
func (d *draft) leaveOutMember(from, to int) bool {
	x, y := &d.c.set, &d.sets
	for i := from; i < to; i++ {
		m := &x.members[i]
		if !d.inBlock(i) || m.until != 0 {
			continue
		}
		y.chosen[i] = setSkip
		x.tooBig = append(x.tooBig, tooBig{m.id, d.f.Send})
		y.big = true
		d.stats.Oversized++
		if !d.sys.shared.bigLogged[m.mask] {
			d.notes.add(note{kind: noteBig, id: m.id, mask: m.mask})
		}
	}
	return false
}

// inBlock reports whether the current block contains a member, with its state or as gone.
func (d *draft) inBlock(i int) bool {
	x, b := &d.c.set, &d.sets.block
	if d.sets.chosen[i] != setTake {
		return false
	}
	m := &x.members[i]
	var base *setSend
	if b.age > 0 {
		base = x.of(d.f.Send - b.age)
	}
	return m.until == 0 || base != nil && x.based(m, base) || m.goneSince(base)
}

// goneSince reports whether the block must contain a member as gone: the member is out of sight and not part of a baseline.
func (m *member) goneSince(base *setSend) bool {
	return m.until != 0 && (base == nil || m.since > base.send)
}

// encodeSetBlock encodes the chosen members of a range against the baseline of the current block. all reports that these are
// all members of the set, so that clients with an equal set share the result. ok is false if there is nothing to encode.
func (d *draft) encodeSetBlock(all bool) (e block, ok bool) {
	b, enc := &d.sets.block, &d.encoder
	head := wire.BlockHead{Set: true, Slots: wire.AllSlots, Age: b.age, Two: b.two}
	key := blockKey{age: b.age, two: b.two, model: d.c.model}
	var base *setSend
	if b.age > 0 {
		base = d.c.set.of(d.f.Send - b.age)
	}
	whole := all && base != nil
	switch {
	case whole:
		key.slots = d.wholeHash(base)
	case !d.gatherSet(base) && !all:
		return e, false
	default:
		key.slots = b.hash
	}
	shared, first := enc.shared.blocks.claim(key)
	if !first {
		enc.stats.Reused++
		return newBlock(head, shared.wait(), d.f.Send), true
	}
	defer enc.shared.blocks.done(key, shared)
	if whole {
		d.gatherSet(base)
	}
	shared.encoded = d.encodeGathered(&enc.arena, base != nil)
	return newBlock(head, shared.encoded, d.f.Send), true
}

// wholeHash returns a hash of the whole set, of the set at the baseline of the current block, and of all changes between them.
func (d *draft) wholeHash(base *setSend) uint64 {
	x, b := &d.c.set, &d.sets.block
	h := mix(mix(x.hash, uint64(b.age)), base.hash)
	for _, v := range x.events {
		if v.send > base.send {
			h += v.hash
		}
	}
	if b.two {
		h = mix(h, x.of(base.send-1).hash)
	}
	return h
}

// gatherSet copies the states of the members of the current block next to each other, and finds which members of the
// baseline they are. It reports whether there is anything to encode.
func (d *draft) gatherSet(base *setSend) bool {
	x, b, f := &d.c.set, &d.sets.block, d.f
	if !d.sets.known {
		d.chooseMembers(false)
	}
	b.Set.Reset()
	b.n, b.hash = 0, mix(uint64(f.Send), uint64(b.age))
	var old, older *capture.Frame
	var before *setSend
	if base != nil {
		if old = d.sys.frames.At(base.send); b.two {
			older, before = d.sys.frames.At(base.send-1), x.of(base.send-1)
		}
	}
	run, included, after := uint32(0), true, uint32(0)
	for i := range x.members {
		m := &x.members[i]
		based := base != nil && x.based(m, base)
		chosen := i >= b.from && i < b.to && d.sets.chosen[i] == setTake
		if chosen && !based && m.goneSince(base) {
			b.Gone = append(b.Gone, wire.GoneEntity{ID: m.id, Hidden: m.hidden})
			b.hash = mix(b.hash, m.departure().hash)
		}
		in := chosen && (based || m.until == 0)
		if based {
			if in != included {
				b.Runs = append(b.Runs, run)
				b.hash = mix(b.hash, uint64(run))
				run, included = 0, in
			}
			run++
		}
		if !in {
			continue
		}
		g, k := b.n/delta.GroupSize, b.n%delta.GroupSize
		if k == 0 {
			b.startGroup(g, f, old, older)
		}
		b.n++
		if b.hash = mix(b.hash, m.hash()); based {
			b.hash++
		} else if m.spawned {
			b.hash += 2
		}
		if m.until == 0 {
			copySlot(&b.cur[g], k, f, m)
		} else {
			b.hash = mix(b.hash, m.departure().hash)
			b.cur[g].Clear(k, m.hidden)
		}
		if !based {
			b.News = append(b.News, wire.NewEntity{After: after, Spawned: m.spawned})
			after = 0
		} else {
			after++
		}
		if base != nil {
			copyBase(&b.base[g], k, old, m, based)
		}
		if before != nil {
			twice := based && x.based(m, before)
			if copyBase(&b.base2[g], k, older, m, twice); twice {
				b.hash += 3
			}
		}
	}
	slices.SortFunc(b.Gone, func(a, b wire.GoneEntity) int { return cmp.Compare(a.ID, b.ID) })
	b.Gone = slices.CompactFunc(b.Gone, func(a, b wire.GoneEntity) bool { return a.ID == b.ID })
	return b.n > 0 || len(b.Gone) > 0
}

// startGroup prepares the groups with a number for up to 64 members.
func (b *setBlock) startGroup(g int, f, old, older *capture.Frame) {
	for _, x := range [...]struct {
		groups *[]delta.Group
		f      *capture.Frame
	}{{&b.cur, f}, {&b.base, old}, {&b.base2, older}} {
		if x.f == nil {
			continue
		}
		*x.groups = reuse.Longer(*x.groups, max(len(*x.groups), g+1))
		(*x.groups)[g].Reset(x.f.Send)
	}
}

// copySlot copies the state of a member in a frame to a slot of a group.
func copySlot(to *delta.Group, k int, f *capture.Frame, m *member) {
	from := &f.Groups[m.group]
	rec := from.Record(int(m.slot))
	copy(to.Put(k, m.id, m.mask, len(rec)), rec)
}

// copyBase copies the state of a member in the frame of a baseline to a slot of a group. If the baseline does not hold the member
// the slot is empty.
func copyBase(to *delta.Group, k int, f *capture.Frame, m *member, held bool) {
	if held {
		copySlot(to, k, f, m)
	} else {
		to.Clear(k, false)
	}
}

// encodeGathered appends the gathered members as the body of a set block to an arena.
func (d *draft) encodeGathered(arena *[]byte, based bool) encoded {
	b, enc := &d.sets.block, &d.encoder
	enc.parts = enc.parts[:0]
	for g := 0; g*delta.GroupSize < b.n; g++ {
		p := delta.Part{Cur: &b.cur[g], Slots: b.cur[g].Known}
		if based {
			p.Base = &b.base[g]
			if b.two {
				p.Base2 = &b.base2[g]
			}
		}
		enc.parts = append(enc.parts, p)
	}
	enc.stats.Blocks++
	enc.stats.Entities += uint64(b.n)
	at := len(*arena)
	*arena = b.Set.Append(*arena)
	if b.n == 0 {
		return encoded{body: (*arena)[at:len(*arena):len(*arena)]}
	}
	body := len(*arena)
	e := enc.measure(arena, d.c.model, b.hash)
	(*arena)[at] |= byte(e.coder)
	e.body = (*arena)[at : body+len(e.body) : body+len(e.body)]
	return e
}

// packPart packs the chosen members with the highest priorities, as many as fit, each against the youngest of a few baselines
// that contain it. It reports whether all fitted.
func (d *draft) packPart() (all bool) {
	pk := &d.pack
	x, y := &d.c.set, &d.sets
	d.orderSet()
	d.coverSet()
	if x.perSize == 0 {
		x.perSize = usualSize
	}
	mark, before, room := pk.load, pk.used(), pk.limit-pk.used()
	n := min(int(float32(room)/x.perSize)+1, len(y.order))
	best, bestTaken, packed := 0, 0, -1
	low, high := 0, len(y.order)+1 // the first low members fit, the first high do not
	for try := 0; try < setTries && n > low && n < high; try++ {
		pk.rollback(mark)
		y.big, packed = false, n
		taken := d.packMembers(n)
		if y.big {
			y.order = slices.DeleteFunc(y.order, func(i int32) bool { return x.isTooBig(x.members[i].id) })
			n, packed, high = min(n, len(y.order)), -1, len(y.order)+1
			continue
		}
		if taken > bestTaken {
			best, bestTaken = n, taken
		}
		used := pk.used() - before
		if taken == len(y.order) || used*8 > room*7 {
			break
		}
		if taken == n {
			low = n
			n = min(max(n*room*9/max(used*10, 1), n+1), high-1)
		} else {
			high = n
			n = max(min(n*room*9/max((y.needed-before)*10, 1), low+(n-low)*3/4), min(low+1, n-1))
		}
	}
	if packed != best {
		pk.rollback(mark)
		d.packMembers(best)
	}
	if bestTaken > 0 {
		x.perSize = max(float32(pk.used()-before)/float32(bestTaken), 0.1)
	} else if len(y.order) > 0 {
		x.perSize = max(x.perSize, 2*float32(room)/float32(high)) // the next snapshot starts with half as many
		d.c.starved = true
	}
	return bestTaken == len(y.order)
}

// usualSize is the expected size of a member in bytes until a part of the set has been sent.
const usualSize = 6

// orderSet sorts the chosen members by priority. Members that must be sent as out of sight come first, because they need few
// bits.
func (d *draft) orderSet() {
	x, y, s := &d.c.set, &d.sets, d.sys
	y.order = y.order[:0]
	for i := range x.members {
		m := &x.members[i]
		switch {
		case m.until != 0:
			m.priority = firstPriority
			if m.replaced || x.told(m) {
				y.chosen[i] = setSkip
			}
		case s.config.Priority != nil:
			m.priority += s.config.gain(d.w, d.f, d.c.sight, int(m.group), int(m.slot))
		default:
			m.priority += 1 / float32(uint32(1)<<x.Class(s.config.Interest, int(m.group), int(m.slot)))
		}
		if y.chosen[i] == setTake {
			y.order = append(y.order, int32(i))
		}
	}
	slices.SortFunc(y.order, func(a, b int32) int {
		return cmp.Or(-cmp.Compare(x.members[a].priority, x.members[b].priority), cmp.Compare(a, b))
	})
}

// coverSet finds which of the youngest acknowledged snapshots contain which members.
func (d *draft) coverSet() {
	x, y := &d.c.set, &d.sets
	y.bases = y.bases[:0]
	for age := uint32(1); age <= d.oldestSet() && age < d.f.Send && d.f.Send-age >= d.c.baselines.Floor() && len(y.bases) < setAges; age++ {
		if x.canBase(d.f.Send-age, d.f.Send) {
			y.bases = append(y.bases, age)
		}
	}
	y.covers = reuse.Slice(y.covers, len(x.members))
	x.oldest = 0
	for i := range x.members {
		m := &x.members[i]
		y.covers[i] = 0
		for k, age := range y.bases {
			if x.based(m, x.of(d.f.Send-age)) {
				y.covers[i] |= 1 << k
			}
		}
		if m.until == 0 && y.covers[i] != 0 {
			newest := d.f.Send - y.bases[bits.TrailingZeros64(y.covers[i])]
			if x.oldest == 0 || newest < x.oldest {
				x.oldest = newest
			}
		}
	}
}

// packMembers packs the first members of the order, and returns how many of them it packed. Members with the same baseline form a
// block. A block that does not fit is left out.
func (d *draft) packMembers(n int) (taken int) {
	x, y := &d.c.set, &d.sets
	clear(y.chosen)
	y.needed = 0
	y.rest = append(y.rest[:0], y.order[:n]...)
	b := &y.block
	for first := true; len(y.rest) > 0; first = false {
		best := d.mostCovered(y.rest)
		b.age, b.two = 0, false
		if best >= 0 {
			b.age, b.two = y.bases[best], d.hasSecond(y.bases[best])
		}
		kept := y.rest[:0]
		for _, i := range y.rest {
			if best < 0 || y.covers[i]>>best&1 != 0 || first && y.covers[i] == 0 && x.members[i].until == 0 {
				y.chosen[i] = setTake
			} else {
				kept = append(kept, i)
			}
		}
		y.rest = kept
		mark, end := d.pack.load, uint8(setTaken)
		if !d.packRange(0, len(x.members), false) {
			d.pack.rollback(mark)
			end = setSkip
		}
		for i := range y.chosen {
			if y.chosen[i] == setTake {
				if y.chosen[i] = end; end == setTaken {
					taken++
				}
			}
		}
	}
	return taken
}

// mostCovered returns the index of the baseline that contains most of some members, -1 if none contains any.
func (d *draft) mostCovered(members []int32) (best int) {
	y := &d.sets
	var counts [setAges]int
	for _, i := range members {
		for m := y.covers[i]; m != 0; m &= m - 1 {
			counts[bits.TrailingZeros64(m)]++
		}
	}
	best = -1
	for k := range y.bases {
		if counts[k] > 0 && (best < 0 || counts[k] > counts[best]) {
			best = k
		}
	}
	return best
}

// hasSecond reports whether the send before a baseline can be a second one.
func (d *draft) hasSecond(age uint32) bool {
	send := d.f.Send - age
	return d.sys.codecs.layout.Second() && age < d.oldestSet() && send > d.c.baselines.Floor() && d.c.set.canBase(send-1, d.f.Send)
}

// exists reports whether the world of the send has an entity.
func (d *draft) exists(id uint32) bool {
	_, _, ok := d.sys.frames.Slot(components.NetID(id))
	return ok
}
