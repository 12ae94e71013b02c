package snapshot

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/frames"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Stage 4, if the whole view does not fit: a part of it. Members accumulate priority with each send until they are sent, and those
// with the most go first, each against the youngest send of which the client holds it. Without a game's priorities members take
// turns in chunks instead, in an order that all clients of a view share: clients then need the same blocks.

// leastPriority keeps entities without priority from waiting forever, and firstPriority puts an entity before all others.
const (
	leastPriority = 1.0 / 16
	firstPriority = 1 << 20
)

// bucketCount is the number of buckets of members by priority.
const (
	bucketCount = 128
	news        = 96              // the first bucket of members that the client does not have, by sends that they waited
	gone        = bucketCount - 1 // the bucket of members out of sight
)

// usualSize is the expected size of a member in bytes until a part of the view has been sent.
const usualSize = 6

// lastBit is the bit in part.covers of the newest whole view that the client holds, if it is older than the sends of the other bits.
const lastBit = 63

// chunkSize is the number of members that take turns together: those with neighbouring indexes.
const chunkSize = 64

// part is memory for choosing a part of a view.
type part struct {
	covers  []uint64 // by member: bit i: the client holds it as of send f.Send-1-i; lastBit: as of send whole
	buckets []uint8  // by member; noBucket: it is not to be sent
	chosen  []bool   // by member: it is in the current block
	picked  []int32  // members to pack
	rest    []int32  // those of them without a block
	list    []int32  // those of the current block
	held    uint64   // the bits of covers of which the client holds any member
	whole   base     // the send of lastBit
	turns   []turn   // by chunk
	order   []int32  // members by chunk
	missing uint32   // see [wire.BlockHead]
	late    bool     // a member has no other baseline than that of lastBit
	hash    uint64   // of the packed members
	sizes   int      // bytes of the blocks, packed or not
	tried   int      // members of the blocks, packed or not
	starved bool     // owner state left no room for the most urgent members
}

// turn is a chunk of members that take turns together.
type turn struct {
	from, to int32  // in part.order
	rank     uint32 // chunks with a lower rank go first
}

// leastLeft is the number of sends before a member out of sight is forgotten at which a client that does not know of it joins again.
const leastLeft = 8

const noBucket = 255

// bucketOf returns the bucket of a priority: four for each power of two.
func bucketOf(priority float32) uint8 {
	b := int(math.Float32bits(priority)>>21) - (127-5)*4 // 1/32 and less: 0
	return uint8(min(max(b, 0), news-1))
}

// fitPart packs as many members as fit. It reports whether these are all.
func (d *draft) fitPart() (all bool) {
	y, h, v := &d.part, d.h, d.v
	waiting, unsent, misfits := d.rank()
	if h.perSize == 0 {
		h.perSize = usualSize
	}
	y.hash, y.sizes, y.tried, y.starved = 0, 0, 0, false
	y.chosen = reuse.Slice(y.chosen, len(v.members))
	clear(y.chosen)
	room := float32(d.pack.limit - d.pack.used())
	taken := 0
	if d.sys.config.Priority == nil && v.users > 1 && chunkSize*h.perSize <= room/2 {
		taken = d.packTurns(unsent)
	}
	if taken == 0 {
		n := min(int(0.96*room/h.perSize)+1, waiting)
		d.pick(n)
		taken = d.packUrgent()
		taken += d.packPicked(max(1, int(float32(n)*h.perSize/(0.93*pieceRoom)+0.99)))
	}
	if !y.late {
		h.releaseJoined(d.sys)
	}
	all = taken == waiting && misfits == 0
	*h.place(d.f.Send) = sentSend{send: d.f.Send, whole: all, hash: y.hash}
	switch {
	case all:
		h.perSize, h.told = 0, d.f.Send
	case taken > 0:
		h.part = d.f.Send
		h.perSize = max(float32(y.sizes)/float32(y.tried), 0.1)
	case waiting > 0:
		h.perSize *= 2
		y.starved = true
	}
	return all
}

// noteOver records that the snapshot does not contain the whole view.
func (d *draft) noteOver() {
	d.stats.OverBudget++
	if !d.c.logged {
		d.c.logged = true
		d.notes.add(note{kind: noteOverfull, bytes: d.pack.limit})
	}
}

// rank puts the members that may be sent into buckets, and finds which sends hold them. It returns their number, the number of those
// that the client does not know as they are, and the number of members that fit no snapshot.
func (d *draft) rank() (waiting, unsent, misfits int) {
	y, v, h, send := &d.part, d.v, d.h, d.f.Send
	y.covers, y.buckets = reuse.Slice(y.covers, len(v.members)), reuse.Slice(y.buckets, len(v.members))
	wholes, parts := d.heldSends()
	wait := d.c.roundTripSends(d.sys.config.SendRate)
	h.oldest, y.missing = 0, 0
	late := false
	for i := range v.members {
		m := &v.members[i]
		p := h.record(m)
		before := uint64(1)<<min(send-m.since, 63) - 1 // sends at which the entity was in sight
		if m.until != 0 {
			before &^= uint64(1)<<min(send-m.until, 63) - 1
		}
		aligned := p.parts << (send - 1 - p.at)
		covers := (aligned&parts | wholes) & before
		if y.whole.send != 0 && m.in(y.whole.send) && !h.skips(m, y.whole.send) {
			covers |= 1 << lastBit
		}
		y.covers[i], y.buckets[i] = covers, noBucket
		switch {
		case m.replaced:
			continue
		case p.misfit != 0 && send-p.misfit < leaveOutFor && m.until == 0:
			misfits++
			continue
		case m.until != 0:
			after := uint64(1)<<min(send-m.until, 63) - 1
			p.told = p.told || h.whole >= m.until || aligned&parts&after != 0
			if p.told || p.at == 0 && h.told < m.since {
				continue
			}
			y.buckets[i] = gone
			h.lost = h.lost || send-m.ended+leastLeft+d.sys.sends.all > d.remembered()
		default:
			p.held = p.held || covers != 0 || m.since <= h.whole
			if !p.held {
				y.missing = max(y.missing, send-m.since+1)
			}
			if p.risked > 0 && send-p.at > wait {
				if !h.holdsAny(p.at) { // it was lost
					p.priority += p.risked
				}
				p.risked = 0
			}
			if p.priority += d.gain(m); !p.held && (p.at == 0 || send-p.at > wait) {
				y.buckets[i] = uint8(min(news+send-max(p.from, p.at), gone-1))
			} else {
				y.buckets[i] = bucketOf(p.priority)
			}
			if covers == 1<<lastBit {
				late = true
			}
			if covers != 0 {
				if at := d.baseOf(bits.TrailingZeros64(covers)).send; h.oldest == 0 || at < h.oldest {
					h.oldest = at
				}
			}
		}
		if waiting++; y.buckets[i] >= news {
			unsent++
		}
	}
	y.late = late
	return waiting, unsent, misfits
}

// gain returns the priority that a member of the view accumulates per send.
func (d *draft) gain(m *member) float32 {
	if d.own {
		return 1
	}
	return d.sys.config.gain(d.w, d.f, d.c.sight, m)
}

// gain returns the priority that a member accumulates per send.
func (c *Config) gain(w *ecs.World, f *frames.Frame, client uint32, m *member) float32 {
	if c.Priority == nil {
		return 1
	}
	if v := c.Priority(w, f.Entity(int(m.group), int(m.slot)), client); v > leastPriority {
		return v // false for NaN
	}
	return leastPriority
}

// heldSends returns the sends of which the client holds the whole view, and those of which it holds a part: bit i for f.Send-1-i.
func (d *draft) heldSends() (wholes, parts uint64) {
	h, y, send, floor := d.h, &d.part, d.f.Send, d.c.floor
	for i := uint32(0); i < lastBit && i+1 < send && i+1 <= d.oldestAge() && send-1-i >= floor; i++ {
		if at := send - 1 - i; h.holdsWhole(at) && !h.isJoined(at) {
			wholes |= 1 << i
		} else if h.holdsPart(at) {
			parts |= 1 << i
		}
	}
	y.held, y.whole = wholes|parts, base{}
	if at := h.whole; h.wholeServes(send, floor, d.oldestAge()) && (h.isJoined(at) || send-at > lastBit) {
		y.whole = base{send: at, whole: true, bit: lastBit}
	}
	return wholes, parts
}

// pick picks n members, those in the highest buckets.
func (d *draft) pick(n int) {
	y := &d.part
	y.picked = y.picked[:0]
	for i, b := range y.buckets {
		if b != noBucket {
			y.picked = append(y.picked, int32(i))
		}
	}
	y.picked = y.mostUrgent(y.picked, n)
}

// mostUrgent returns those n of some members that are in the highest buckets, in the same order. It uses the memory of list.
func (y *part) mostUrgent(list []int32, n int) []int32 {
	var counts [bucketCount]int
	for _, i := range list {
		if b := y.buckets[i]; b != noBucket { // otherwise it turned out to fit nothing
			counts[b]++
		}
	}
	least, left := bucketCount-1, n
	for ; least > 0 && counts[least] < left; least-- {
		left -= counts[least]
	}
	kept := list[:0]
	for _, i := range list {
		switch b := int(y.buckets[i]); {
		case b == noBucket, b < least, b == least && left == 0:
			continue
		case b == least:
			left--
		}
		kept = append(kept, i)
	}
	return kept
}

// packUrgent packs the most urgent of the picked members, with those that have the same baseline or, if they do not fit, alone. It
// returns how many members it packed. If owner state leaves no room for it, the next snapshot is without owner state.
func (d *draft) packUrgent() int {
	y, first := &d.part, int32(-1)
	for _, i := range y.picked {
		if first < 0 || d.waits(i) > d.waits(first) {
			first = i
		}
	}
	if first < 0 {
		return 0
	}
	y.rest = append(y.rest[:0], first)
	bit := d.mostCovered()
	y.rest = y.rest[:0]
	for _, i := range y.picked {
		if bit < 0 && y.covers[i] == 0 || bit >= 0 && y.covers[i]>>bit&1 != 0 {
			y.rest = append(y.rest, i)
		}
	}
	n := 0
	if len(y.rest) < len(y.picked) { // otherwise there is nothing that it must precede
		if n = d.packRest(); n == 0 {
			y.rest = append(y.rest[:0], first)
			n = d.packRest()
		}
		y.starved = n == 0
		y.picked = slices.DeleteFunc(y.picked, func(i int32) bool { return d.isPacked(i) })
	}
	return n
}

// waits returns the priority of a member that is to be sent.
func (d *draft) waits(i int32) float32 {
	if b := d.part.buckets[i]; b >= news {
		return firstPriority * float32(b)
	}
	return d.h.members[d.v.members[i].index].priority
}

// isPacked reports whether the current snapshot contains a member.
func (d *draft) isPacked(i int32) bool {
	return d.h.members[d.v.members[i].index].at == d.f.Send
}

// packPicked packs the picked members in equal parts, and returns how many of them it packed. Of a part that does not fit it packs
// the most urgent half, quarter and so on.
func (d *draft) packPicked(parts int) (taken int) {
	y := &d.part
	for i, n := 0, len(y.picked); i < parts; i++ {
		part, packed := y.picked[n*i/parts:n*(i+1)/parts], 0
		for ; packed == 0 && len(part) > 0; part = y.mostUrgent(part, len(part)/2) {
			y.rest = append(y.rest[:0], part...)
			packed = d.packRest()
		}
		taken += packed
	}
	return taken
}

// packTurns packs the members that the client does not know as they are, and then chunks until the room is used up. It returns the
// number of packed members.
func (d *draft) packTurns(unsent int) (taken int) {
	y, v, pk := &d.part, d.v, &d.pack
	d.pick(min(unsent, (pk.limit-pk.used())/usualSize+1))
	taken = d.packPicked(1)
	y.starved = y.starved || taken == 0 && unsent > 0
	d.takeTurns()
	failed, packed := 0, 0
	for i := range y.turns {
		x := &y.turns[i]
		if x.from == x.to {
			continue
		}
		if failed >= misfitChunks || pk.room(contentWorld) < leastSpace {
			break
		}
		chunk := y.order[x.from:x.to]
		y.rest = append(y.rest[:0], chunk...)
		n := d.packRest()
		if n == 0 && failed+packed == 0 {
			n = d.packOldest(chunk)
		}
		if failed++; n > 0 {
			failed = 0
			packed++
		}
		taken += n
	}
	d.notes.add(note{kind: noteTurns, view: v, bytes: packed})
	return taken
}

// packOldest packs as many members of a chunk as fit, those that were sent longest ago. It returns their number. If owner state leaves
// no room for any, the next snapshot is without owner state.
func (d *draft) packOldest(chunk []int32) int {
	y, h, v := &d.part, d.h, d.v
	slices.SortStableFunc(chunk, func(a, b int32) int {
		return cmp.Compare(h.members[v.members[a].index].at, h.members[v.members[b].index].at)
	})
	for n := len(chunk) / 2; n > 0; n /= 2 {
		y.rest = append(y.rest[:0], chunk[:n]...)
		if n := d.packRest(); n > 0 {
			return n
		}
	}
	y.starved = true
	return 0
}

// misfitChunks is the number of chunks in a row that do not fit, after which no others are tried.
const misfitChunks = 3

// takeTurns sorts the members into chunks, and the chunks by turn: first those that have waited for much longer than a round takes,
// then the others, from the chunk on whose turn it is.
func (d *draft) takeTurns() {
	y, v, h := &d.part, d.v, d.h
	chunks := (v.indexes + chunkSize - 1) / chunkSize
	y.turns = reuse.Slice(y.turns, chunks)
	clear(y.turns)
	take := func(i int) bool { return y.buckets[i] < news }
	for i := range v.members {
		if take(i) {
			y.turns[v.members[i].index/chunkSize].to++
		}
	}
	at := int32(0)
	for k := range y.turns {
		n := y.turns[k].to
		y.turns[k] = turn{from: at, to: at, rank: uint32((k - v.turn%chunks + chunks) % chunks)}
		at += n
	}
	y.order = reuse.Slice(y.order, int(at))
	round := uint32(2*chunks/max(v.perTurn, 1)) + 2 // sends
	for i := range v.members {
		if take(i) {
			m := &v.members[i]
			x := &y.turns[m.index/chunkSize]
			y.order[x.to] = int32(i)
			x.to++
			if p := &h.members[m.index]; p.at != 0 && d.f.Send-p.at > round {
				x.rank = 0
			}
		}
	}
	slices.SortStableFunc(y.turns, func(a, b turn) int { return cmp.Compare(a.rank, b.rank) })
}

// packRest packs the members in rest, and returns how many of them it packed. Members with the same baseline form a block. A block
// that does not fit is left out.
func (d *draft) packRest() (taken int) {
	y, v := &d.part, d.v
	for first := true; len(y.rest) > 0; first = false {
		b := setBlock{v: v, now: d.stateAt(d.f.Send), to: len(v.members), chosen: y.chosen}
		bit := d.mostCovered()
		if bit >= 0 {
			b.base = d.baseOf(bit)
			if bit+1 < lastBit && d.layout().Second() && y.held>>(bit+1)&1 != 0 {
				b.base2 = base{send: b.base.send - 1, bit: bit + 1}
			}
		}
		kept := y.rest[:0]
		y.list = y.list[:0]
		for _, i := range y.rest {
			if bit < 0 || y.covers[i]>>bit&1 != 0 || first && y.covers[i] == 0 && v.members[i].until == 0 {
				y.list = append(y.list, i)
			} else {
				kept = append(kept, i)
			}
		}
		y.rest = kept
		if d.packList(&b) {
			taken += len(y.list)
		}
	}
	return taken
}

// packList packs the members in list as a block. It reports whether it did.
func (d *draft) packList(b *setBlock) bool {
	y, pk, v, h := &d.part, &d.pack, d.v, d.h
	key := piecesKey{hash: d.listHash(b), two: b.base2.send != 0, model: d.c.model, part: true}
	if b.base.send != 0 {
		key.age = b.now.send - b.base.send
	}
	for _, i := range y.list {
		y.chosen[i] = true
	}
	x := d.claim(key, b)
	for _, i := range y.list {
		y.chosen[i] = false
	}
	y.sizes, y.tried = y.sizes+x.size, y.tried+len(y.list)
	mark := pk.load
	for _, e := range x.pieces {
		if !pk.add(newBlock(wire.BlockHead{Own: d.own, Age: key.age, Two: key.two, Missing: y.missing}, e, d.f.Send)) {
			pk.rollback(mark)
			if len(y.list) == 1 && len(e.body) > pk.maxBody() {
				d.leaveOutMember(int(y.list[0]))
			}
			return false
		}
	}
	if len(x.big) > 0 {
		pk.rollback(mark)
		if len(y.list) == 1 {
			d.leaveOutMember(int(y.list[0]))
		}
		return false
	}
	for _, i := range y.list {
		m := &v.members[i]
		h.members[m.index].sent(d.f.Send)
		y.hash ^= mix(uint64(m.id)<<32|uint64(m.since), uint64(m.until))
	}
	return true
}

// listHash returns a hash of the members in list, and of the baselines of their block.
func (d *draft) listHash(b *setBlock) uint64 {
	y, v := &d.part, d.v
	hash := mix(uint64(b.now.send), d.baseHash(&b.base))
	if b.base2.send != 0 {
		hash = mix(hash, d.baseHash(&b.base2))
	}
	for _, i := range y.list {
		m := &v.members[i]
		state := uint64(m.since)
		if m.until != 0 {
			state ^= m.departure().hash
		}
		if b.base.send != 0 && d.based(int(i), m, &b.base) {
			state ^= 1 << 40
		} else if m.spawned {
			state ^= 1 << 41
		}
		if b.base2.send != 0 && d.based(int(i), m, &b.base2) {
			state ^= 1 << 42
		}
		hash = mix(hash^m.hash(), state)
	}
	return hash
}

// baseHash returns a hash of the members that a client holds as of a send.
func (d *draft) baseHash(b *base) uint64 {
	h := d.h
	if b.send == 0 {
		return 0
	}
	if s := h.of(b.send); s != nil && !s.whole {
		return s.hash
	}
	hash, _ := d.v.hashAt(b.send)
	return mix(hash, h.lateHash(b.send))
}

// baseOf returns the baseline with a bit.
func (d *draft) baseOf(bit int) base {
	if bit == lastBit {
		return d.part.whole
	}
	return base{send: d.f.Send - 1 - uint32(bit), bit: bit}
}

// mostCovered returns the bit of a baseline that contains most of the members in rest, -1 if none contains any.
func (d *draft) mostCovered() (best int) {
	y := &d.part
	all, any := ^uint64(0), uint64(0)
	for _, i := range y.rest {
		if m := y.covers[i]; m != 0 {
			all &= m
			any |= m
		}
	}
	switch {
	case any == 0:
		return -1
	case all != 0:
		return bits.TrailingZeros64(all)
	}
	var counts [64]int32
	for _, i := range y.rest {
		for m := y.covers[i]; m != 0; m &= m - 1 {
			counts[bits.TrailingZeros64(m)]++
		}
	}
	for k := range counts {
		if counts[k] > counts[best] {
			best = k
		}
	}
	return best
}

// leaveOutMember leaves a member out for a while, because no snapshot of the client has room for it.
func (d *draft) leaveOutMember(i int) {
	m := &d.v.members[i]
	d.h.record(m).misfit = d.f.Send
	d.part.buckets[i] = noBucket
	n := note{kind: noteBig, id: m.id, mask: m.mask}
	if d.own {
		d.tooBigOwn(n)
		return
	}
	d.stats.Oversized++
	d.notes.add(n)
}
