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

// Stage 4, if the whole view does not fit: a part of it. The members with the highest priority, times the sends that they have waited,
// go first, each against the youngest send of which the client holds it. Without a game's priorities members take
// turns in chunks instead, in an order that all clients of a view share: clients then need the same blocks.

// leastPriority keeps entities without priority from waiting forever.
const leastPriority = 1.0 / 16

// bucketCount is the number of buckets of members. Those in higher buckets are sent first.
const (
	bucketCount = 128
	noBucket    = 0               // the bucket of members that are not to be sent
	news        = 96              // the first bucket of members that the client does not have, by sends that they waited
	gone        = bucketCount - 1 // the bucket of members out of sight
)

// Levels are logarithms of priorities in steps of about an eighth of an octave.
const (
	levelsPerOctave = 8
	leastLevel      = (127 - 4) * levelsPerOctave // the exponent of leastPriority
	evenLevel       = 4 * levelsPerOctave         // of priority 1
)

// levelOf returns the level of a priority.
func levelOf(priority float32) uint8 {
	return uint8(min(math.Float32bits(priority)>>20-leastLevel, math.MaxUint8))
}

// waitLevels holds the level of waiting for a number of sends, minus evenLevel. Longer waits count as the longest.
var waitLevels = func() (x [4096]uint8) {
	for i := range x {
		x[i] = levelOf(float32(max(i, 1))) - evenLevel
	}
	return x
}()

// bucketOf returns the bucket of a member: the level of its priority times the sends that it waited, in steps of a quarter of an
// octave.
func bucketOf(waited uint32, level uint8) uint8 {
	b := uint32(waitLevels[min(waited, uint32(len(waitLevels)-1))]) + uint32(level)
	return uint8(min(b/2+1, news-1))
}

// usualSize is the expected size of a member in bytes until a part of the view has been sent.
const usualSize = 6

// lastBit is the bit in part.covers of the newest whole view that the client holds, if it is older than the sends of the other bits.
const lastBit = 63

// chunkSize is the number of members that take turns together: those with neighbouring indexes.
const chunkSize = 64

// part is memory for choosing a part of a view.
type part struct {
	covers  []uint64         // by member: bit i: the client holds it as of its i-th snapshot before this one; lastBit: as of send whole
	buckets []uint8          // by member
	counts  [bucketCount]int // members by bucket
	chosen  []bool           // by member: it is in the current block
	picked  []int32          // members to pack
	list    []int32          // those of the current block
	rest    []int32          // those of them without a block
	wholes  uint64           // the snapshots of which the client holds the whole view: bit i for the i-th before this one
	parts   uint64           // the sends of which the client holds a part
	misfits int              // members that fit no snapshot
	wait    uint32           // sends until an acknowledgement can arrive
	held    uint64           // the bits of covers of which the client holds any member
	whole   base             // the send of lastBit
	turns   []turn           // by chunk
	order   []int32          // members by chunk
	missing uint32           // see [wire.BlockHead]
	late    bool             // a member has no other baseline than that of lastBit
	hash    uint64           // of the packed members
	sizes   int              // bytes of the blocks, packed or not
	tried   int              // members of the blocks, packed or not
	starved bool             // owner state left no room for the most urgent members
}

// turn is a chunk of members that take turns together.
type turn struct {
	from, to int32  // in part.order
	rank     uint32 // chunks with a lower rank go first
}

// leastLeft is the number of sends before a member out of sight is forgotten at which a client that does not know of it joins again.
const leastLeft = 8

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
		n := int(0.96*room/h.perSize) + 1
		n = min(n&^(1<<max(bits.Len(uint(n))-6, 0)-1), waiting) // rounded: clients with almost the same room need the same blocks
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
	y, v, h := &d.part, d.v, d.h
	ranked := h.ranked
	records := h.records(v, d.f.Send)
	d.weigh(records, ranked)
	y.covers, y.buckets = reuse.Slice(y.covers, len(v.members)), reuse.Slice(y.buckets, len(v.members))
	d.findHeldSends()
	y.wait = d.sys.roundTripSends(d.c)
	y.missing, y.misfits = 0, 0
	clear(y.counts[:])
	used := d.rankPlain(records)
	if y.counts[noBucket] > 0 {
		for i, b := range y.buckets {
			if b == noBucket {
				used |= d.rankOther(i, records)
				y.counts[y.buckets[i]]++
			}
		}
	}
	d.setOldest(used)
	for b, n := range y.counts[noBucket+1:] {
		if waiting += n; b+noBucket+1 >= news {
			unsent += n
		}
	}
	return waiting, unsent, y.misfits
}

// rankPlain ranks the members that are in sight, known to the client and not too big, if the client holds no whole view. All others
// get noBucket. It returns the bits of the youngest sends that hold the members. The loop runs for each member and each client that
// is over budget, so that what is rare is in rankOther.
func (d *draft) rankPlain(records []partial) (used uint64) {
	y, send, members := &d.part, d.f.Send, d.v.members
	covers, buckets := y.covers[:len(members)], y.buckets[:len(members)]
	if y.wholes != 0 || y.whole.send != 0 {
		clear(buckets)
		y.counts[noBucket] = len(members)
		return 0
	}
	parts, wait, recent, count := y.parts, y.wait, d.h.recent, d.h.recent.count-1
	for i := range members {
		m := &members[i]
		p := &records[m.index]
		if m.until != 0 || p.misfit != 0 || !p.held {
			buckets[i] = noBucket
			y.counts[noBucket]++
			continue
		}
		held := p.parts << (count - p.count) & parts
		covers[i] = held
		if held != 0 {
			used |= held & -held
			p.from = max(p.from, recent.before(bits.TrailingZeros64(held)))
		}
		b := bucketOf(p.waited(send, wait), p.level)
		buckets[i] = b
		y.counts[b%bucketCount]++
	}
	return used
}

// setOldest sets the oldest send that a member needs as a baseline, given the bits of the youngest sends that hold the members.
func (d *draft) setOldest(used uint64) {
	y, h := &d.part, d.h
	y.late, h.oldest = used>>lastBit != 0, 0
	if y.late {
		h.oldest = y.whole.send
	}
	if used &^= 1 << lastBit; used != 0 {
		if at := h.recent.before(bits.Len64(used) - 1); h.oldest == 0 || at < h.oldest {
			h.oldest = at
		}
	}
}

// rankOther ranks any member. It returns the bit of the youngest send that holds it, 0 if it cannot be sent or is out of sight.
func (d *draft) rankOther(i int, records []partial) (youngest uint64) {
	y, h, send := &d.part, d.h, d.f.Send
	m := &d.v.members[i]
	p := &records[m.index]
	parts, after := p.parts<<(h.recent.count-1-p.count)&y.parts, uint64(0) // after: the snapshots since the entity went out of sight
	if m.until != 0 {
		after = h.recent.from(m.until)
	}
	held := (parts | y.wholes) & h.recent.from(m.since) &^ after
	if y.whole.send != 0 && m.in(y.whole.send) && !h.skips(m, y.whole.send) {
		held |= 1 << lastBit
	}
	y.covers[i] = held
	switch {
	case m.replaced:
		return 0
	case m.until != 0:
		p.told = p.told || h.whole >= m.until || parts&after != 0
		if !p.told && (p.at != 0 || h.told >= m.since) {
			y.buckets[i] = gone
			h.lost = h.lost || send-m.ended+leastLeft+d.c.pace.skip > d.remembered()
		}
		return 0
	case p.misfit != 0 && uint8(send)-p.misfit < leaveOutFor:
		y.misfits++
		return 0
	}
	youngest = held & -held
	if youngest&^(1<<lastBit) != 0 {
		p.from = max(p.from, h.recent.before(bits.TrailingZeros64(held)))
	}
	p.misfit, p.held = 0, p.held || held != 0
	if !p.held {
		y.missing = max(y.missing, send-m.since+1)
	}
	if !p.held && (p.at == 0 || send-p.at > y.wait) {
		y.buckets[i] = uint8(min(news+send-max(p.from, p.at), gone-1))
	} else {
		y.buckets[i] = bucketOf(p.waited(send, y.wait), p.level)
	}
	return youngest
}

// askEvery is the number of snapshots over budget after which the game is asked for the priority of a member again.
const askEvery = 4

// weigh asks the game for the priorities of the members whose turn it is, and of those that came into sight after the newest ranked
// send.
func (d *draft) weigh(records []partial, ranked uint32) {
	c := &d.sys.config
	if c.Priority == nil || d.own {
		return
	}
	turn := d.f.Send / d.c.pace.skip
	for i := range d.v.members {
		if m := &d.v.members[i]; m.until == 0 && ((turn+uint32(m.index))%askEvery == 0 || m.since > ranked) {
			records[m.index].level = levelOf(c.gain(d.w, d.f, d.c.sight, m))
		}
	}
}

// gain returns the priority of a member for a client.
func (c *Config) gain(w *ecs.World, f *frames.Frame, client uint32, m *member) float32 {
	if c.Priority == nil {
		return 1
	}
	if v := c.Priority(w, f.Entity(int(m.group), int(m.slot)), client); v > leastPriority {
		return v // false for NaN
	}
	return leastPriority
}

// findHeldSends finds the sends of which the client holds the whole view, and those of which it holds a part.
func (d *draft) findHeldSends() {
	h, y, send, floor := d.h, &d.part, d.f.Send, d.c.floor
	wholes, parts := uint64(0), uint64(0)
	for i := range lastBit {
		at := h.recent.before(i)
		if at == 0 || send-at > d.oldestAge() || at < floor {
			break
		}
		if h.holdsWhole(at) && !h.isJoined(at) {
			wholes |= 1 << i
		} else if h.holdsPart(at) {
			parts |= 1 << i
		}
	}
	y.wholes, y.parts, y.held, y.whole = wholes, parts, wholes|parts, base{}
	if at := h.whole; h.wholeServes(send, floor, d.oldestAge()) && (h.isJoined(at) || at < h.recent.before(lastBit-1)) {
		y.whole = base{send: at, whole: true, bit: lastBit}
	}
}

// pick picks n members, those in the highest buckets.
func (d *draft) pick(n int) {
	y := &d.part
	least, left := threshold(&y.counts, n)
	y.picked = reuse.Slice(y.picked, len(y.buckets))
	picked := 0
	for i, b := range y.buckets {
		// Without branches, because the processor cannot predict them.
		y.picked[picked] = int32(i)
		above, equal := 0, 0
		if b > least {
			above = 1
		}
		if b == least {
			equal = 1
		}
		if left == 0 {
			equal = 0
		}
		left -= equal
		picked += above + equal
	}
	y.picked = y.picked[:picked]
}

// threshold returns the lowest bucket of the n members in the highest buckets, and how many of them are in it.
func threshold(counts *[bucketCount]int, n int) (least uint8, left int) {
	least, left = bucketCount-1, n
	for ; least > noBucket+1 && counts[least] < left; least-- {
		left -= counts[least]
	}
	return least, min(left, counts[least])
}

// mostUrgent returns those n of some members that are in the highest buckets, in the same order.
func (y *part) mostUrgent(list []int32, n int) []int32 {
	var counts [bucketCount]int
	for _, i := range list {
		counts[y.buckets[i]]++
	}
	least, left := threshold(&counts, n)
	kept := list[:0]
	for _, i := range list {
		switch b := y.buckets[i]; {
		case b < least, b == least && left == 0:
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
	y := &d.part
	if len(y.picked) == 0 {
		return 0
	}
	first := y.picked[0]
	for _, i := range y.picked {
		if y.buckets[i] > y.buckets[first] {
			first = i
		}
	}
	bit := d.mostCovered([]int32{first})
	y.split(y.picked, bit, false)
	if len(y.rest) == 0 { // there is nothing that it must precede
		return 0
	}
	if d.packList(bit) {
		y.picked = append(y.picked[:0], y.rest...)
		return len(y.list)
	}
	y.list = append(y.list[:0], first)
	packed := 0
	if d.packList(bit) {
		packed = 1
	}
	y.starved = packed == 0
	y.picked = slices.DeleteFunc(y.picked, func(i int32) bool { return y.buckets[i] == noBucket })
	return packed
}

// packPicked packs the picked members in equal parts, and returns how many of them it packed. Of a part that does not fit it packs
// the most urgent half, quarter and so on.
func (d *draft) packPicked(parts int) (taken int) {
	y := &d.part
	for i, n := 0, len(y.picked); i < parts; i++ {
		part, packed := y.picked[n*i/parts:n*(i+1)/parts], 0
		for ; packed == 0 && len(part) > 0; part = y.mostUrgent(part, len(part)/2) {
			packed = d.packEach(part)
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
		n := d.packEach(chunk)
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
		if n := d.packEach(chunk[:n]); n > 0 {
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
	take := func(i int) bool { return y.buckets[i] != noBucket && y.buckets[i] < news }
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
	round := uint32(2*chunks/max(v.perTurn, 1)) + 2 // snapshots
	for i := range v.members {
		if take(i) {
			m := &v.members[i]
			x := &y.turns[m.index/chunkSize]
			y.order[x.to] = int32(i)
			x.to++
			if p := &h.members[m.index]; p.at != 0 && h.recent.count-p.count > round {
				x.rank = 0
			}
		}
	}
	slices.SortStableFunc(y.turns, func(a, b turn) int { return cmp.Compare(a.rank, b.rank) })
}

// packEach packs some members, and returns how many of them it packed. Members with the same baseline form a block. A block that does
// not fit is left out.
func (d *draft) packEach(members []int32) (taken int) {
	y := &d.part
	for first := true; len(members) > 0; first, members = false, y.rest {
		bit := d.mostCovered(members)
		y.split(members, bit, first)
		if d.packList(bit) {
			taken += len(y.list)
		}
	}
	return taken
}

// split divides some members: those with the baseline with a bit become list, and all others rest. If bit is -1 list gets those
// without a baseline, and if news is true it gets those in sight without a baseline too.
func (y *part) split(members []int32, bit int, news bool) {
	y.list, y.rest = reuse.Slice(y.list, len(members)), reuse.Slice(y.rest, len(members))
	list, rest := y.list[:len(members)], y.rest[:len(members)]
	mask := uint64(0)
	if bit >= 0 {
		mask = 1 << bit
	}
	in, out := 0, 0
	for _, i := range members {
		list[in], rest[out] = i, i
		covers, n := y.covers[i], 0 // added instead of a branch, which the processor could not predict
		if covers&mask != 0 {
			n = 1
		}
		if covers == 0 && (bit < 0 || news && y.buckets[i] != gone) {
			n = 1
		}
		in, out = in+n, out+1-n
	}
	y.list, y.rest = list[:in], rest[:out]
}

// missing returns the field missing of the head of a block, in numbers of sends. A member came into sight after the update of the view
// before the send at which it is noted: there may have been sends in between without a snapshot for a client of the view.
func (d *draft) missing() uint32 {
	if d.part.missing == 0 {
		return 0
	}
	since := d.f.Send - d.part.missing + 1
	for send := since - 1; send > 0 && since-send < uint32(len(d.v.hashes)); send-- {
		if _, ok := d.v.hashAt(send); ok {
			return d.sys.back(d.f.Send - send)
		}
	}
	return d.f.Number
}

// packList packs the members in list as a block against the baseline with a bit, -1 for none. It reports whether it did.
func (d *draft) packList(bit int) bool {
	y, pk, v, h := &d.part, &d.pack, d.v, d.h
	b := setBlock{v: v, now: d.stateAt(d.f.Send), to: len(v.members), list: y.list, chosen: y.chosen}
	if bit >= 0 {
		b.base = d.baseOf(bit)
		if bit+1 < lastBit && d.layout().Second() && y.held>>(bit+1)&1 != 0 && h.recent.before(bit+1) == b.base.send-d.c.pace.skip && d.sys.pairs(d.c, b.base.send) {
			b.base2 = base{send: b.base.send - d.c.pace.skip, bit: bit + 1}
		}
	}
	key := piecesKey{hash: d.listHash(&b), model: d.c.model, part: true}
	if b.base2.send != 0 {
		key.two = d.c.pace.skip
	}
	if b.base.send != 0 {
		key.age = b.now.send - b.base.send
	}
	x := d.claim(key, &b)
	y.sizes, y.tried = y.sizes+x.size, y.tried+len(y.list)
	mark := pk.load
	for _, e := range x.pieces {
		if !pk.add(newBlock(wire.BlockHead{Own: d.own, Age: d.sys.back(key.age), Two: key.two > 0, Missing: d.missing()}, e, d.f.Send)) {
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
		h.members[m.index].sent(d.f.Send, h.recent.count)
		y.buckets[i] = noBucket
		y.hash ^= mix(uint64(m.id)<<32|uint64(m.since), uint64(m.until))
	}
	return true
}

// listHash returns a hash of the members in list, and of the baselines of their block.
func (d *draft) listHash(b *setBlock) uint64 {
	y, v := &d.part, d.v
	hash, mask, mask2 := mix(uint64(b.now.send), d.baseHash(&b.base)), uint64(0), uint64(0)
	if b.base.send != 0 {
		mask = 1 << b.base.bit
	}
	if b.base2.send != 0 {
		mask2 = 1 << b.base2.bit
		hash = mix(hash, d.baseHash(&b.base2))
	}
	for _, i := range y.list {
		m, covers := &v.members[i], y.covers[i]
		state := uint64(m.since)
		if m.until != 0 {
			state ^= m.departure().hash
		}
		if covers&mask != 0 {
			state ^= 1 << 40
		} else if m.spawned {
			state ^= 1 << 41
		}
		if covers&mask2 != 0 {
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
	return base{send: d.h.recent.before(bit), bit: bit}
}

// mostCovered returns the bit of a baseline that contains most of some members, -1 if none contains any.
func (d *draft) mostCovered(members []int32) (best int) {
	y := &d.part
	all, any := ^uint64(0), uint64(0)
	for _, i := range members {
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
	for _, i := range members {
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
	d.h.members[m.index].misfit = max(uint8(d.f.Send), 1)
	d.part.counts[d.part.buckets[i]]--
	d.part.buckets[i] = noBucket
	n := note{kind: noteBig, id: m.id, mask: m.mask}
	if d.own {
		d.tooBigOwn(n)
		return
	}
	d.stats.Oversized++
	d.notes.add(n)
}
