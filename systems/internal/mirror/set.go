package mirror

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// A server that hides parts of the world sends sets of entities instead of groups, see wire.Set. The client gives each entity of
// its set a slot of its own choice. From then on the states of sets are stored and placed like those of groups. A set block
// names its entities by their positions in the set of an earlier send, so that the sets of sends are kept as well.

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
	members []setMember // in the order of masks and ids
}

// sets holds the sets of sends, and the slots of the entities in sight.
type sets struct {
	sends  []setOf
	spare  [][]setMember
	slots  map[uint32]Location
	unused []unusedSlot // oldest first
	last   Location     // the last slot that was ever used
	newest uint32       // newest send with a set block
	used   int          // bytes of the sets
}

// unusedSlot is a slot whose entity went out of sight at a send.
type unusedSlot struct {
	at   Location
	send uint32
}

// of returns the set of a send, or nil if it is no longer kept.
func (s *sets) of(send uint32) *setOf {
	for i := range s.sends {
		if s.sends[i].send == send {
			return &s.sends[i]
		}
	}
	return nil
}

// keepSets is the number of sends before the floor whose sets are kept, because datagrams can overtake each other.
const keepSets = 128

// add adds members to the set of a send, and forgets sets that are no longer needed. It reports false if an entity is in the set twice.
func (s *sets) add(send, floor uint32, members []setMember) bool {
	s.newest = max(s.newest, send)
	s.sends = slices.DeleteFunc(s.sends, func(x setOf) bool {
		if x.send+keepSets >= floor && s.newest-x.send < MaxStates {
			return false
		}
		s.spare = append(s.spare, x.members[:0])
		return true
	})
	x := s.of(send)
	if x == nil {
		var room []setMember
		if n := len(s.spare); n > 0 {
			room, s.spare = s.spare[n-1], s.spare[:n-1]
		}
		s.sends = append(s.sends, setOf{send, room})
		x = &s.sends[len(s.sends)-1]
	}
	room := cap(x.members)
	x.members = append(x.members, members...)
	s.used += (cap(x.members) - room) * int(unsafe.Sizeof(setMember{}))
	slices.SortFunc(x.members, setMember.compare)
	for i := 1; i < len(x.members); i++ {
		if x.members[i].compare(x.members[i-1]) == 0 {
			return false
		}
	}
	return true
}

// setIncoming is the part of a set in the datagram that is being decoded.
type setIncoming struct {
	wire.Set
	any     bool
	members []setMember  // in sight
	left    []unusedSlot // out of sight
	ids     []uint32     // of left

	included         []setMember // members of the baseline that are in the block
	union            []setMember // of the block; id 0: new
	cur, base, base2 []delta.Group
	parts            []delta.Part
}

func (x *setIncoming) reset() {
	x.any, x.members, x.left, x.ids = false, x.members[:0], x.left[:0], x.ids[:0]
}

// decodeSet decodes a set block.
func (d *Decoder) decodeSet(h *wire.BlockHead, body []byte, s *Store, floor uint32) error {
	send, x := d.current.send.Send, &d.set
	if h.Age >= send || h.Two && h.Age+1 >= send {
		return fmt.Errorf("%w: send %d has a baseline %d sends before", wire.ErrMessage, send, h.Age)
	}
	var base, before *setOf
	entities := -1
	if h.Age > 0 {
		if base = s.sets.of(send - h.Age); h.Two {
			before = s.sets.of(send - h.Age - 1)
		}
		if base == nil || h.Two && before == nil {
			return fmt.Errorf("%w: set %d sends before %d", codec.ErrBaseline, h.Age, send)
		}
		entities = len(base.members)
	}
	rest, err := x.Read(body, entities)
	if err == nil {
		err = x.unite(base)
	}
	if err == nil {
		err = x.gather(s, send, base, before)
	}
	switch {
	case err != nil:
	case len(x.union) > 0:
		err = d.world.Decode(rest, x.Coder, d.model, x.parts)
	case len(rest) > 0:
		err = fmt.Errorf("%d bytes for no entity", len(rest))
	}
	switch {
	case errors.Is(err, codec.ErrBaseline):
		return err
	case err != nil:
		return fmt.Errorf("%w: %w", wire.ErrMessage, err)
	}
	x.any = true
	if err := d.scatter(s, send, floor, base); err != nil {
		return err
	}
	for _, g := range x.Gone {
		if at, ok := s.sets.slots[g.ID]; ok {
			d.clearSlot(s, at, g.ID, g.Hidden)
		}
	}
	return nil
}

// unite sets x.union to the entities of the block in order: the included members of the baseline, and the new entities, whose ids
// are not decoded yet.
func (x *setIncoming) unite(base *setOf) error {
	var included []setMember
	if base != nil {
		included = base.members
	}
	if len(x.Runs) > 0 {
		all, in := included, true
		x.included = x.included[:0]
		for _, n := range x.Runs {
			if in {
				x.included = append(x.included, all[:n]...)
			}
			all, in = all[n:], !in
		}
		if in {
			x.included = append(x.included, all...)
		}
		included = x.included
	}
	x.union = x.union[:0]
	for _, n := range x.News {
		if int(n.After) > len(included) {
			return fmt.Errorf("%w: a new entity after %d of %d", wire.ErrMessage, n.After, len(included))
		}
		x.union = append(append(x.union, included[:n.After]...), setMember{})
		included = included[n.After:]
	}
	x.union = append(x.union, included...)
	return nil
}

// gather copies the states of the entities at the baselines next to each other.
func (x *setIncoming) gather(s *Store, send uint32, base, before *setOf) error {
	groups := (len(x.union) + delta.GroupSize - 1) / delta.GroupSize
	prepare := func(all *[]delta.Group, send uint32) {
		*all = reuse.Longer(*all, max(len(*all), groups))
		for g := range groups {
			(*all)[g].Reset(send)
		}
	}
	prepare(&x.cur, send)
	if base != nil {
		prepare(&x.base, base.send)
	}
	if before != nil {
		prepare(&x.base2, before.send)
	}
	x.parts = x.parts[:0]
	for i, m := range x.union {
		g, k := i/delta.GroupSize, i%delta.GroupSize
		if k == 0 {
			p := delta.Part{Cur: &x.cur[g]}
			if base != nil {
				p.Base = &x.base[g]
			}
			if before != nil {
				p.Base2 = &x.base2[g]
			}
			x.parts = append(x.parts, p)
		}
		p := &x.parts[g]
		p.Slots |= 1 << k
		if base != nil && !copyState(p.Base, k, s, base.send, m) && m.id != 0 {
			return fmt.Errorf("%w: entity %d at send %d", codec.ErrBaseline, m.id, base.send)
		}
		if before == nil {
			continue
		}
		at, ok := slices.BinarySearchFunc(before.members, m, setMember.compare)
		if !ok {
			p.Base2.Clear(k, false)
		} else if !copyState(p.Base2, k, s, before.send, before.members[at]) {
			return fmt.Errorf("%w: entity %d at send %d", codec.ErrBaseline, m.id, before.send)
		}
	}
	return nil
}

// copyState copies the state of a member at a send to a slot of a group. Without a state the slot is empty, and copyState
// reports false.
func copyState(to *delta.Group, k int, s *Store, send uint32, m setMember) bool {
	if m.id != 0 {
		if st := s.World[m.at.Group].At(send); st != nil && st.Says(m.id, m.at.Slot) && st.Masks[m.at.Slot] == m.mask {
			rec := st.Record(int(m.at.Slot))
			copy(to.Put(k, m.id, m.mask, len(rec)), rec)
			return true
		}
	}
	to.Clear(k, false)
	return false
}

// scatter copies the decoded states to the slots of the entities.
func (d *Decoder) scatter(s *Store, send, floor uint32, base *setOf) error {
	x, news := &d.set, d.set.News
	for i, m := range x.union {
		cur, k := &x.cur[i/delta.GroupSize], i%delta.GroupSize
		alive, isNew := cur.Alive>>k&1 != 0, m.id == 0
		switch {
		case isNew && !alive || !isNew && alive && (cur.IDs[k] != m.id || cur.Masks[k] != m.mask):
			return fmt.Errorf("%w: set of send %d with entity %d for %d", wire.ErrMessage, send, cur.IDs[k], m.id)
		case !alive:
			if at, ok := s.sets.slots[m.id]; ok {
				d.clearSlot(s, at, m.id, cur.Hidden>>k&1 != 0)
			}
			continue
		}
		born := false
		if isNew {
			m.id, m.mask = cur.IDs[k], cur.Masks[k]
			born = news[0].Spawned
			news = news[1:]
		} else if st := s.World[m.at.Group].At(base.send); st != nil {
			born = st.Born>>m.at.Slot&1 != 0
		}
		// An entity that went out of sight since the baseline, or whose datagrams overtook each other, may have another slot now.
		// A later send that has already arrived may have removed an entity without a slot.
		at, ok := s.sets.slots[m.id]
		late := send < s.sets.newest
		quiet := late && (isNew || !ok)
		if isNew || ok && at != m.at || !ok && !late {
			if m.at, ok = d.slotFor(s, m.id, floor); !ok {
				return ErrMemory
			}
		}
		open := d.open(s, m.at.Group)
		bit := uint64(1) << m.at.Slot
		if open.Known&bit != 0 {
			return fmt.Errorf("%w: entity %d is in the snapshot of send %d twice", wire.ErrMessage, m.id, send)
		}
		rec := cur.Record(k)
		copy(open.Put(int(m.at.Slot), m.id, m.mask, len(rec)), rec)
		if born {
			open.Born |= bit
		}
		if quiet {
			open.Quiet |= bit
		}
		x.members = append(x.members, m)
	}
	return nil
}

// open returns the state of a group to which the current datagram adds.
func (d *Decoder) open(s *Store, group int32) *State {
	x := s.World[group]
	if x.Open == nil {
		x.Open = s.Memory.Get(d.current.send.Send, d.current.send.Tick)
		d.current.groups = append(d.current.groups, uint32(group))
	}
	return x.Open
}

// clearSlot records that an entity is out of sight, unless a newer state of the entity has arrived.
func (d *Decoder) clearSlot(s *Store, at Location, id uint32, hidden bool) {
	x := s.World[at.Group]
	if x.Updated[at.Slot] >= d.current.send.Send || x.Open != nil && x.Open.Known>>at.Slot&1 != 0 {
		return
	}
	d.open(s, at.Group).Clear(int(at.Slot), hidden)
	d.set.left = append(d.set.left, unusedSlot{at, d.current.send.Send})
	d.set.ids = append(d.set.ids, id)
}

// slotFor returns the slot of an entity, or an unused slot for a new entity. No baseline is older than floor. It returns false if
// all slots are in use.
func (d *Decoder) slotFor(s *Store, id, floor uint32) (at Location, ok bool) {
	free := func(at Location) bool {
		x := s.World[at.Group]
		return x.Open == nil || x.Open.Known>>at.Slot&1 == 0
	}
	if at, ok := s.sets.slots[id]; ok && free(at) {
		return at, true
	}
	if s.sets.slots == nil {
		s.sets.slots = map[uint32]Location{}
		s.sets.last.Slot = -1
	}
	for i, u := range s.sets.unused {
		x := s.World[u.at.Group]
		if u.send+keepSets >= floor {
			break
		}
		if x.Here[u.at.Slot] == nil && x.Fresh>>u.at.Slot&1 == 0 && free(u.at) {
			s.sets.unused = slices.Delete(s.sets.unused, i, i+1)
			s.sets.slots[id] = u.at
			return u.at, true
		}
	}
	at = s.sets.last
	if at.Slot++; at.Slot == delta.GroupSize {
		at = Location{Group: at.Group + 1}
	}
	if at.Group >= wire.MaxGroups {
		return at, false
	}
	grow(&s.World, int(at.Group)+1)
	s.sets.last, s.sets.slots[id] = at, at
	return at, true
}

// storeSet stores the set of the current datagram.
func (m *Mirror) storeSet() error {
	x, s := &m.Decoder.set, &m.Store.sets
	if !x.any {
		return nil
	}
	for i, u := range x.left {
		if at, ok := s.slots[x.ids[i]]; ok && at == u.at {
			delete(s.slots, x.ids[i])
			s.unused = append(s.unused, u)
		}
	}
	if !s.add(m.Decoder.current.send.Send, m.baselines.floor, x.members) {
		return fmt.Errorf("%w: an entity is in the snapshot of send %d twice", wire.ErrMessage, m.Decoder.current.send.Send)
	}
	return nil
}
