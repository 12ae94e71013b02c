package snapshot

import (
	"math/bits"
	"slices"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Where a snapshot does not hold all that there is to tell, groups take turns, whole, so that a client holds
// whole groups and blocks serve many clients. With each send a group accrues its weight, and loses what it has
// accrued when it is told of. It is due once that is a lap: the sends in which all groups had their turn.
//
// All clients go the same round, a part of it at each send, as far as they come on average. So they tell of the
// same groups at the same send, from baselines of the same ages. One that has less room leaves out what is not
// due for it by more laps than others; one that has more goes ahead, by an eighth of a lap at most before it
// tells again of what it was the first to tell. What matters half as much to a client is due every second lap, the same
// one for all clients, what matters a quarter every fourth, and so on: see interest.Client.Class. Where there are things that clients may not know each goes a round of its
// own. What a client already holds as it is comes last, until it is old.

// turns is where clients are on their round.
type turns struct {
	send    uint32   // that this is of; 0: nobody took turns at the last one
	at      uint32   // group whose turn it is
	began   uint32   // send at which the lap began
	count   uint32   // laps before
	lap     float32  // sends that the last one took, at least 1
	changed []uint32 // by group: newest send whose state is not that of the send before
}

// begin begins a send: it finds the groups of which there is news.
func (t *turns) begin(f, before *capture.Frame, on bool) {
	if !on {
		t.send = 0
		return
	}
	t.changed = reuse.Longer(t.changed, len(f.Groups))
	for g := range t.changed {
		if t.send == 0 || before == nil || before.Send != t.send || g >= len(before.Groups) || !alike(&f.Groups[g], &before.Groups[g]) {
			t.changed[g] = f.Send
		}
	}
	if t.send == 0 {
		t.began, t.lap = f.Send, 1
	}
	t.send = f.Send
}

// alike reports whether the entities of a group are the same, in the same state.
func alike(a, b *delta.Group) bool {
	if a.Alive != b.Alive || !slices.Equal(a.Words, b.Words) {
		return false
	}
	for m := a.Alive; m != 0; m &= m - 1 {
		if k := bits.TrailingZeros64(m); a.IDs[k] != b.IDs[k] || a.Masks[k] != b.Masks[k] {
			return false
		}
	}
	return true
}

// end goes on by as many groups as clients came on average.
func (t *turns) end(r reach, groups int) {
	if r.clients == 0 || groups == 0 || t.send == 0 {
		return
	}
	n := uint32(groups)
	t.at += uint32(min(max(r.groups/r.clients, 1), uint64(n)))
	if t.at >= n {
		t.at %= n
		t.lap, t.began = float32(max(t.send-t.began, 1)), t.send
		t.count++
	}
	// The lap at hand may take much longer than the last.
	t.lap = max(t.lap, float32(t.send-t.began))
}

// laps is how many laps a group of a weight has waited, rounded up where it is nearly a whole one.
func (t *turns) laps(accrued, weight float32) uint64 {
	return uint64(min(accrued/t.lap+weight/8, mostLaps))
}

// until is in how many laps from the one in which its turn comes next a group of a class is due.
func (t *turns) until(place uint32, class uint8) uint32 {
	lap := t.count
	if place < t.at {
		lap++
	}
	return -(lap + place) & (1<<class - 1)
}

// turn is that of a group that has accrued so much and stands in a place on the round.
func (t *turns) turn(accrued, weight float32, class uint8, g, place, groups uint32) turn {
	laps, distance := t.laps(accrued, weight), place-t.at
	if place < t.at {
		distance += groups
	}
	if class > 0 && laps == 0 {
		if later := t.until(place, class); later > 0 {
			distance += later * groups
		} else {
			laps = min(t.laps(accrued/weight, 1), 1)
		}
	}
	return newTurn(laps, uint64(min(distance, 1<<turnDistance-1)), g)
}

// mostLaps is how many laps tell groups apart that wait.
const mostLaps = 62

// reach is how far clients came at a send.
type reach struct {
	groups  uint64 // all of them together
	clients uint64 // that could not be told all
}

// turn is a group that waits for its turn. Those that come first are the least: by laps, then by how far it is to
// their turn.
type turn uint64

const (
	turnNumber   = 20 // bits of the group's number for the client
	turnDistance = 24 // and of how far it is
)

func newTurn(laps, distance uint64, number uint32) turn {
	return turn((mostLaps-laps)<<(turnNumber+turnDistance) | distance<<turnNumber | uint64(number))
}

func (t turn) number() uint32   { return uint32(t & (1<<turnNumber - 1)) }
func (t turn) distance() uint64 { return uint64(t>>turnNumber) & (1<<turnDistance - 1) }
func (t turn) due() bool        { return t>>(turnNumber+turnDistance) < mostLaps }

// idle is of groups of which there is nothing to tell: they come behind all others.
const idle turn = 1 << 63

// groups lays out groups of a source by turns, and reports whether that is all of them.
func (x *contest) groups(d *draft, src *source) (all bool) {
	t, pk := &d.sys.shared.turns, &d.pack
	x.turns = x.turns[:0]
	waiting := d.c.contest.grow(d.c.groups(d.f))
	for g := range src.list.each {
		if !d.c.join.has(g) {
			continue
		}
		h, place, class := src.held.At(uint32(g)), src.place(uint32(g)), d.class(src, g)
		weight := 1 / float32(uint32(1)<<class)
		if waiting[g] += weight; d.skips(src, g) {
			continue
		}
		u := t.turn(waiting[g], weight, class, uint32(g), place, uint32(len(src.groups)))
		if src.view != nil { // a round of all would say something of what the client may not see
			u = newTurn(uint64(min(waiting[g], mostLaps)), 0, uint32(g))
		}
		if t.send == src.send && (src.view == nil || h.Whole()) && waiting[g] < refreshed*weight && h.HeldSince(t.changed[place]) {
			u |= idle
		}
		x.turns = append(x.turns, u)
	}
	slices.Sort(x.turns)
	far, failed, laid := uint64(len(src.groups)), 0, false
	all = true
	for i, u := range x.turns {
		told, whole := false, false
		if failed < misfits && pk.room(src.kind) >= leastSpace {
			if told, whole = x.tell(d, src, u.number()); told {
				failed, laid = 0, true
			} else {
				failed++
				d.c.contest.starved = d.c.contest.starved || i == 0
			}
		}
		all = all && whole
		if !told && u&idle == 0 && u.due() {
			far = min(far, u.distance())
		}
	}
	if !laid && len(x.turns) > 0 {
		d.c.contest.starved = true
	}
	if !all && src.view == nil {
		d.notes.reach.groups += far
		d.notes.reach.clients++
	}
	return all
}

// tell lays out a group: all of it, or nothing where it does not fit any more; of one that fits no datagram as
// much as there is room for. It reports whether it told of it, and whether of all of it.
func (x *contest) tell(d *draft, src *source, g uint32) (told, whole bool) {
	pk, waiting := &d.pack, d.c.contest.groups
	mark, size := pk.load, 0
	fits := true
	for slots := src.shown(int(g)); slots != 0; {
		u := src.block(int(g), slots)
		slots &^= u.Slots
		b := d.encode(src, u)
		size += pk.size(&b)
		fits = fits && pk.add(b, src.kind)
	}
	if fits {
		x.last, waiting[g] = waiting[g], 0
		d.c.contest.world.clear(int(g))
		return true, true
	}
	pk.rollback(mark)
	if size <= pk.fresh()+wire.MaxBlockHead {
		return false, false
	}
	return x.part(d, src, g), false
}

// part lays out what there is room for of a group that fits no datagram, the entities first that were told of
// longest ago.
func (x *contest) part(d *draft, src *source, g uint32) bool {
	gained, waiting := &d.c.contest.world, d.c.contest.groups
	gained.grow(int(g) + 1)
	slots := gained.of(int(g))
	since := waiting[g] - slices.Max(slots[:]) // a part of it was told
	for m := src.group(g).Alive | src.held.At(g).EverSent(); m != 0; m &= m - 1 {
		slots[bits.TrailingZeros64(m)] += since
	}
	laid := d.pack.laid
	x.candidates = x.candidates[:0]
	x.group(d, src, int(g), *gained)
	x.fill(d, src, *gained, laid)
	waiting[g] = slices.Max(slots[:])
	return d.pack.laid > laid
}
