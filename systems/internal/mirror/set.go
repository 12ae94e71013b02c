package mirror

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// The server names the entities of a block by their positions in the set of an earlier send, see wire.Set. The client gives each
// entity a slot of its own choice, stores the states by slot, and keeps the sets of sends. An entity that goes out of sight keeps its
// slot until no state in it is needed any more.

// setMember is an entity of the set of a send.
type setMember struct {
	mask uint64
	id   uint32
	at   Location
}

func (m setMember) compare(o setMember) int {
	return cmp.Or(cmp.Compare(m.mask, o.mask), cmp.Compare(m.id, o.id))
}

// setOf is the set of a send, as far as its datagrams have arrived.
type setOf struct {
	send    uint32
	list    *memberList
	pieces  []bool // of the state of a join: those that have arrived
	missing int    // number of the others
}

// memberList holds the members of a set in the order of masks and ids. Sends with equal sets share a list.
type memberList struct {
	members []setMember
	users   int
}

// sets holds the sets of sends, and the slots of entities.
type sets struct {
	keep   uint32 // sends before the floor whose sets are kept, because datagrams can overtake each other
	sends  []setOf
	recent *memberList // of the newest set, for the next one if it is equal
	spare  []*memberList
	slots  map[uint32]entitySlot
	left   []leftSlot        // oldest first
	absent map[uint32]uint32 // newest send at which a datagram said that an entity without a slot is out of sight, by id
	last   Location          // the last slot that was ever used
	newest uint32            // newest send with a block of the world
	known  uint32            // newest send of whose entities none is missing on the client
	used   int               // bytes of the lists
}

// entitySlot is the slot of an entity.
type entitySlot struct {
	at    Location
	left  uint32 // send since which the entity is out of sight; 0: it is in sight
	quiet bool   // it came into sight in a late datagram, and is not placed: see State.Quiet
}

// leftSlot is an entity that went out of sight at a send.
type leftSlot struct{ id, send uint32 }

// of returns the set of a send, or nil if it is no longer kept.
func (s *sets) of(send uint32) *setOf {
	for i := range s.sends {
		if s.sends[i].send == send {
			return &s.sends[i]
		}
	}
	return nil
}

// maxSets is the maximum number of sends whose sets are kept, whatever the floor is.
const maxSets = 2 * MaxStates

// at returns the set of a send, which is added if there is none. It forgets sets that are no longer needed.
func (s *sets) at(send, floor uint32) *setOf {
	s.newest = max(s.newest, send)
	s.sends = slices.DeleteFunc(s.sends, func(x setOf) bool {
		if x.send+s.keep >= floor {
			return false
		}
		s.release(x.list)
		return true
	})
	if x := s.of(send); x != nil {
		return x
	}
	if len(s.sends) == maxSets {
		s.release(s.sends[0].list)
		s.sends = slices.Delete(s.sends, 0, 1)
	}
	s.sends = append(s.sends, setOf{send: send, list: s.empty()})
	return &s.sends[len(s.sends)-1]
}

// empty returns an empty list.
func (s *sets) empty() *memberList {
	if n := len(s.spare); n > 0 {
		l := s.spare[n-1]
		s.spare = s.spare[:n-1]
		l.users = 1
		return l
	}
	return &memberList{users: 1}
}

// release ends the use of a list.
func (s *sets) release(l *memberList) {
	if l.users--; l.users == 0 {
		l.members = l.members[:0]
		s.spare = append(s.spare, l)
	}
}

// add adds members to a set. It reports false if an entity is in the set twice.
func (s *sets) add(x *setOf, members []setMember) bool {
	if r := s.recent; len(x.list.members) == 0 && r != nil && r.users > 0 && r != x.list && slices.Equal(r.members, members) {
		s.release(x.list)
		x.list = r
		r.users++
		return true
	}
	for _, m := range members {
		if _, twice := slices.BinarySearchFunc(x.list.members, m, setMember.compare); twice {
			return false
		}
	}
	l := s.own(x)
	s.recent = l
	room, from := cap(l.members), len(l.members)
	l.members = append(l.members, members...)
	s.used += (cap(l.members) - room) * int(unsafe.Sizeof(setMember{}))
	for i := max(from, 1); i < len(l.members); i++ {
		if l.members[i].compare(l.members[i-1]) <= 0 { // datagrams can overtake each other
			slices.SortFunc(l.members, setMember.compare)
			break
		}
	}
	return true
}

// own makes the list of a set one of its own, and returns it.
func (s *sets) own(x *setOf) *memberList {
	if old := x.list; old.users > 1 {
		x.list = s.empty()
		room := cap(x.list.members)
		x.list.members = append(x.list.members, old.members...)
		s.used += (cap(x.list.members) - room) * int(unsafe.Sizeof(setMember{}))
		old.users--
	}
	return x.list
}

// remove removes entities that the server does not count as part of a set.
func (s *sets) remove(x *setOf, ids []uint32) {
	l := s.own(x)
	l.members = slices.DeleteFunc(l.members, func(m setMember) bool {
		_, is := slices.BinarySearch(ids, m.id)
		return is
	})
}

// has reports whether a piece of the state of a send has arrived.
func (s *sets) has(send, piece uint32) bool {
	x := s.of(send)
	return x != nil && int(piece) < len(x.pieces) && x.pieces[piece]
}

// decoding decodes the blocks of a datagram that belong to a region.
type decoding struct {
	wire.Set
	to      *Region
	memory  *Memory
	model   *delta.Model
	decoder delta.Decoder

	// Of the current datagram.
	Sent
	every   uint32   // numbers of sends until the next snapshot is due
	joins   bool     // its blocks are pieces of the state of a join
	count   uint32   // of these pieces
	groups  []uint32 // groups with an open state
	any     bool
	known   uint32
	pieces  []uint32
	members []setMember // in sight

	in, others       []uint32    // scratch
	included         []setMember // members of the baseline that are in the block
	union            []setMember // of the block; id 0: new
	cur, base, base2 []delta.Group
	parts            []delta.Part
}

// start prepares for decoding a datagram.
func (d *decoding) start(s Sent) {
	d.Sent, d.joins, d.count, d.groups = s, false, 0, d.groups[:0]
	d.any, d.known, d.pieces, d.members = false, 0, d.pieces[:0], d.members[:0]
}

// decode decodes a block.
func (d *decoding) decode(h *wire.BlockHead, body []byte, floor uint32) error {
	send, sets := d.Send, &d.to.sets
	switch {
	case h.Piece != d.joins || h.Piece && h.Number >= d.count || slices.Contains(d.pieces, h.Number) && h.Piece:
		return fmt.Errorf("%w: piece %d of %d", wire.ErrMessage, h.Number, d.count)
	case h.Piece:
		if d.any, d.pieces = true, append(d.pieces, h.Number); sets.has(send, h.Number) {
			return nil // it was sent again
		}
	}
	if h.Age >= send || h.Two && h.Age+1 >= send {
		return fmt.Errorf("%w: send %d has a baseline %d sends before", wire.ErrMessage, send, h.Age)
	}
	var base, before *setOf
	entities := -1
	if h.Age > 0 {
		if base = sets.of(send - h.Age); h.Two {
			before = sets.of(send - h.Age - d.every)
		}
		if base == nil || h.Two && before == nil {
			return fmt.Errorf("%w: set %d sends before %d", codec.ErrBaseline, h.Age, send)
		}
		entities = len(base.list.members)
	}
	rest, err := body, error(nil)
	if d.Set.Reset(); h.Set {
		rest, err = d.Set.Read(body, entities)
	}
	if err == nil {
		if len(d.Less) > 0 {
			sets.remove(base, d.Less)
		}
		err = d.unite(base)
	}
	if err == nil {
		err = d.gather(base, before)
	}
	switch {
	case err != nil:
	case len(d.union) > 0:
		err = d.decoder.Decode(rest, h.Coder, d.model, d.parts)
	case len(rest) > 0:
		err = fmt.Errorf("%d bytes for no entity", len(rest))
	}
	switch {
	case errors.Is(err, codec.ErrBaseline):
		return err
	case err != nil:
		return fmt.Errorf("%w: %w", wire.ErrMessage, err)
	}
	d.any = true
	if !h.Piece && send >= sets.newest { // new entities of late blocks are not placed
		d.known = max(d.known, send-min(send, h.Missing))
	}
	if err := d.scatter(floor, base); err != nil {
		return err
	}
	for _, g := range d.Gone {
		if _, known := sets.slots[g.ID]; !known {
			sets.noteAbsent(g.ID, send)
		}
		d.clearSlot(g.ID, g.Hidden)
	}
	return nil
}

// clearOthers records that all entities are out of sight that are not in the set of the current send.
func (d *decoding) clearOthers(hidden bool) {
	d.in, d.others = d.in[:0], d.others[:0]
	for _, m := range d.to.sets.of(d.Send).list.members {
		d.in = append(d.in, m.id)
	}
	slices.Sort(d.in)
	for id, x := range d.to.sets.slots {
		// No datagram is so late that it could bring an entity back that left long ago.
		if _, is := slices.BinarySearch(d.in, id); !is && (x.left == 0 || d.Send-min(d.Send, x.left) < 2*d.to.sets.keep) {
			d.others = append(d.others, id)
		}
	}
	slices.Sort(d.others)
	for _, id := range d.others {
		d.clearSlot(id, hidden)
	}
}

// unite sets d.union to the entities of the block in order: the included members of the baseline, and the new entities, whose ids
// are not decoded yet.
func (d *decoding) unite(base *setOf) error {
	var included []setMember
	if base != nil {
		included = base.list.members
	}
	if len(d.Runs) > 0 {
		all, in := included, true
		d.included = d.included[:0]
		for _, n := range d.Runs {
			if int(n) > len(all) {
				return fmt.Errorf("%w: a run of %d of %d entities", wire.ErrMessage, n, len(all))
			}
			if in {
				d.included = append(d.included, all[:n]...)
			}
			all, in = all[n:], !in
		}
		if in {
			d.included = append(d.included, all...)
		}
		included = d.included
	}
	d.union = d.union[:0]
	for _, n := range d.News {
		if int(n.After) > len(included) {
			return fmt.Errorf("%w: a new entity after %d of %d", wire.ErrMessage, n.After, len(included))
		}
		d.union = append(append(d.union, included[:n.After]...), setMember{})
		included = included[n.After:]
	}
	d.union = append(d.union, included...)
	return nil
}

// gather copies the states of the entities at the baselines next to each other.
func (d *decoding) gather(base, before *setOf) error {
	groups := (len(d.union) + delta.GroupSize - 1) / delta.GroupSize
	prepare := func(all *[]delta.Group, send uint32) {
		*all = reuse.Longer(*all, max(len(*all), groups))
		for g := range groups {
			(*all)[g].Reset(send)
		}
	}
	prepare(&d.cur, d.Send)
	if base != nil {
		prepare(&d.base, base.send)
	}
	if before != nil {
		prepare(&d.base2, before.send)
	}
	d.parts = d.parts[:0]
	for i, m := range d.union {
		g, k := i/delta.GroupSize, i%delta.GroupSize
		if k == 0 {
			p := delta.Part{Cur: &d.cur[g]}
			if base != nil {
				p.Base = &d.base[g]
			}
			if before != nil {
				p.Base2 = &d.base2[g]
			}
			d.parts = append(d.parts, p)
		}
		p := &d.parts[g]
		p.Slots |= 1 << k
		if base != nil && !copyState(p.Base, k, d.to, base.send, m) && m.id != 0 {
			return fmt.Errorf("%w: entity %d at send %d", codec.ErrBaseline, m.id, base.send)
		}
		if before == nil {
			continue
		}
		at, ok := slices.BinarySearchFunc(before.list.members, m, setMember.compare)
		if !ok {
			p.Base2.Clear(k, false)
		} else if !copyState(p.Base2, k, d.to, before.send, before.list.members[at]) {
			return fmt.Errorf("%w: entity %d at send %d", codec.ErrBaseline, m.id, before.send)
		}
	}
	return nil
}

// copyState copies the state of a member at a send to a slot of a group. Without a state the slot is empty, and copyState
// reports false.
func copyState(to *delta.Group, k int, r *Region, send uint32, m setMember) bool {
	if m.id != 0 {
		if st := r.Groups[m.at.Group].At(send); st != nil && st.Says(m.id, m.at.Slot) && st.Masks[m.at.Slot] == m.mask {
			rec := st.Record(int(m.at.Slot))
			copy(to.Put(k, m.id, m.mask, len(rec)), rec)
			return true
		}
	}
	to.Clear(k, false)
	return false
}

// scatter copies the decoded states to the slots of the entities.
func (d *decoding) scatter(floor uint32, base *setOf) error {
	s, news := &d.to.sets, d.News
	for i, m := range d.union {
		cur, k := &d.cur[i/delta.GroupSize], i%delta.GroupSize
		alive, isNew := cur.Alive>>k&1 != 0, m.id == 0
		switch {
		case isNew && !alive || !isNew && alive && (cur.IDs[k] != m.id || cur.Masks[k] != m.mask):
			return fmt.Errorf("%w: set of send %d with entity %d for %d", wire.ErrMessage, d.Send, cur.IDs[k], m.id)
		case !alive:
			d.clearSlot(m.id, cur.Hidden>>k&1 != 0)
			continue
		}
		born := false
		if isNew {
			m.id, m.mask = cur.IDs[k], cur.Masks[k]
			born = news[0].Spawned
			news = news[1:]
		} else {
			if st := d.to.Groups[m.at.Group].At(base.send); st != nil {
				born = st.Born>>m.at.Slot&1 != 0
			}
		}
		ok := false
		if m.at, ok = d.slotFor(m.id, floor); !ok {
			return ErrMemory
		}
		open := d.open(m.at.Group)
		bit := uint64(1) << m.at.Slot
		if open.Known&bit != 0 {
			return fmt.Errorf("%w: entity %d is in the snapshot of send %d twice", wire.ErrMessage, m.id, d.Send)
		}
		rec := cur.Record(k)
		copy(open.Put(int(m.at.Slot), m.id, m.mask, len(rec)), rec)
		if born {
			open.Born |= bit
		}
		if isNew && d.Send < s.newest && (d.joins || s.removes(m.id, d.Send)) {
			open.Quiet |= bit
			if s.slots[m.id].left > 0 {
				d.leave(m.id, m.at, true)
			}
		} else if s.slots[m.id].left <= d.Send {
			s.slots[m.id] = entitySlot{at: m.at}
		}
		d.members = append(d.members, m)
	}
	return nil
}

// maxAbsent is the maximum length of sets.absent. A client that does not remember all of them places no late entities.
const maxAbsent = 1 << 10

// noteAbsent records that an entity without a slot is out of sight at a send. The datagram that brings the entity may be late.
func (s *sets) noteAbsent(id, send uint32) {
	if len(s.absent) == maxAbsent {
		maps.DeleteFunc(s.absent, func(_, at uint32) bool { return at+s.keep < s.newest })
	}
	if s.absent == nil {
		s.absent = map[uint32]uint32{}
	}
	if len(s.absent) < maxAbsent {
		s.absent[id] = max(s.absent[id], send)
	}
}

// removes reports whether a send after the given one, of which a datagram has arrived, may have removed an entity that is new at the
// given send: it said so, or the client then lacked no entity that was in sight, and this one is not among them.
func (s *sets) removes(id, send uint32) bool {
	x := s.slots[id]
	if x.left == 0 {
		return false // it is in sight
	}
	return x.left > send && !x.quiet || s.known >= send || s.absent[id] > send || len(s.absent) == maxAbsent
}

// open returns the state of a group to which the current datagram adds.
func (d *decoding) open(group int32) *State {
	x := d.to.Groups[group]
	if x.Open == nil {
		x.Open = d.memory.Get(d.Send, d.Tick)
		d.groups = append(d.groups, uint32(group))
	}
	return x.Open
}

// clearSlot records that an entity is out of sight. A newer state of the entity, or of its absence, counts more.
func (d *decoding) clearSlot(id uint32, hidden bool) {
	slot, ok := d.to.sets.slots[id]
	if !ok {
		return
	}
	at := slot.at
	x := d.to.Groups[at.Group]
	if x.Open != nil && x.Open.Known>>at.Slot&1 != 0 {
		return
	}
	d.open(at.Group).Clear(int(at.Slot), hidden)
	if (slot.left == 0 || slot.quiet) && x.Updated[at.Slot] < d.Send {
		d.leave(id, at, false)
	}
}

// leave notes that an entity is out of sight, or may be.
func (d *decoding) leave(id uint32, at Location, quiet bool) {
	d.to.sets.slots[id] = entitySlot{at, d.Send, quiet}
	d.to.sets.left = append(d.to.sets.left, leftSlot{id, d.Send})
}

// slotFor returns the slot of an entity. An entity without one gets one, and is out of sight. No baseline is older than floor. slotFor
// returns false if all slots are in use.
func (d *decoding) slotFor(id, floor uint32) (at Location, ok bool) {
	s := &d.to.sets
	if x, ok := s.slots[id]; ok {
		return x.at, true
	}
	if s.slots == nil {
		s.slots = map[uint32]entitySlot{}
		s.last.Slot = -1
	}
	for i := 0; i < len(s.left) && s.left[i].send+s.keep < floor; i++ {
		u := s.left[i]
		at := s.slots[u.id].at
		x, bit := d.to.Groups[at.Group], uint64(1)<<at.Slot
		switch {
		case s.slots[u.id].left != u.send: // it came back
			s.left = slices.Delete(s.left, i, i+1)
			i--
		case x.Here[at.Slot] == nil && x.Fresh&bit == 0 && (x.Open == nil || x.Open.Known&bit == 0):
			s.left = slices.Delete(s.left, i, i+1)
			delete(s.slots, u.id)
			s.slots[id] = entitySlot{at: at, left: d.Send}
			return at, true
		}
	}
	at = s.last
	if at.Slot++; at.Slot == delta.GroupSize {
		at = Location{Group: at.Group + 1}
	}
	if at.Group >= d.to.most {
		return at, false
	}
	d.to.grow(int(at.Group) + 1)
	s.last, s.slots[id] = at, entitySlot{at: at, left: d.Send}
	return at, true
}

// storeSet stores the set of the current datagram. It reports whether all pieces of a state with which the client joins have arrived.
func (d *decoding) storeSet(floor uint32) (joined bool, err error) {
	s := &d.to.sets
	of := s.at(d.Send, floor)
	if !s.add(of, d.members) {
		return false, fmt.Errorf("%w: an entity is in the snapshot of send %d twice", wire.ErrMessage, of.send)
	}
	s.known = max(s.known, d.known)
	if !d.joins {
		return false, nil
	}
	if of.pieces == nil {
		of.pieces = make([]bool, d.count)
		of.missing = len(of.pieces)
	}
	for _, i := range d.pieces {
		if int(i) < len(of.pieces) && !of.pieces[i] {
			of.pieces[i] = true
			of.missing--
		}
	}
	if of.missing == 0 && of.send == s.newest {
		s.known = max(s.known, of.send)
	}
	return of.missing == 0, nil
}
