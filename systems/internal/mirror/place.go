package mirror

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// recentIntervals is the number of intervals for which a new own entity waits for its spawn key, and for which an entity that left is
// remembered. lateIntervals is the number of intervals for which it waits if owner state should contain it.
const (
	recentIntervals = 8
	lateIntervals   = 64
)

// Host is implemented by the rest of the client.
type Host interface {
	// Admits reports, before a state is placed, whether the client simulates the entity, own or not, with the
	// components of mask. If ready is false, the state waits.
	Admits(r *Replica, st *State, own bool, mask uint64) (simulated, ready bool)
	// Shaped is called before values are written, and before an entity leaves the world. r.Simulated and r.Own
	// still have their previous values.
	Shaped(r *Replica, c Change)
	// Replaced is called before an entity becomes another one with the same NetID, or leaves its handle to another one.
	Replaced(r *Replica)
	// Placed is called after the values of a state were written, if the components of an entity or whether it is
	// simulated have changed. It returns true to have the entity placed again because Admits would now answer
	// differently.
	Placed(r *Replica, own bool, mask uint64, simulated bool) (again bool)
	// Shows reports whether an entity that left the world is still drawn.
	Shows(r *Replica) bool
}

// Change describes how an entity changes.
type Change struct {
	State     *State // the placed state; nil if the entity leaves the world
	Own       bool   // the client owns and predicts it
	Simulated bool   // the client simulates it
	Switched  bool   // Simulated has changed
	News      bool   // it has predicted components without a prediction
}

// Place writes new states into the world: all components of other clients' entities, and those components of own
// entities that are not predicted. It also creates and removes entities. Before the client has joined it places
// only own entities. Place reports whether entities received predicted components without a prediction.
func (m *Mirror) Place() (news bool) {
	if !m.config.Predicts { // otherwise prediction sets the tick
		m.config.World.Netcode().SetTick(m.Newest.Tick)
	}
	if m.join.ready {
		m.load()
	}
	m.refreshRenamed()
	for g, x := range m.Store.World.Groups {
		if x.Fresh != 0 {
			m.placeGroup(int32(g), x)
		}
	}
	news = m.placePrivate()
	m.removeGone()
	m.known = m.Store.World.sets.known
	return news
}

// Refresh makes the next Place process an entity again without a new state.
func (m *Mirror) Refresh(r *Replica) { m.Store.World.Groups[r.At.Group].Fresh |= 1 << r.At.Slot }

// placeGroup places the entities of a group.
func (m *Mirror) placeGroup(g int32, x *History) {
	var waiting uint64
	fresh := x.Fresh
	x.Fresh = 0
	for s := fresh; s != 0; s &= s - 1 {
		k := trailing(s)
		st := x.At(x.Updated[k])
		switch {
		case x.Empty>>k&1 != 0:
			if m.join.loaded || x.Here[k] != nil {
				m.leave(x, k, x.Updated[k])
			} else {
				waiting |= 1 << k
			}
		case st == nil: // newer states took its place
		case m.join.loaded || m.config.Predicts && m.shape.owner(st, k) == m.config.Client:
			if r := m.assignSlot(g, x, k, st); r != nil && !m.placeRecord(r, st, k) {
				waiting |= 1 << k
			}
		default:
			waiting |= 1 << k
		}
	}
	x.Fresh |= waiting
}

// assignSlot assigns an entity to its slot and returns it. It returns nil if a newer state has removed the entity.
func (m *Mirror) assignSlot(g int32, x *History, k int, st *State) *Replica {
	r := m.Entities.Of(st.IDs[k])
	if r == nil {
		r = m.Entities.add(st.IDs[k])
	} else if r.Removed.Tick != 0 && r.Newest > st.Send {
		return nil
	}
	x.Here[k] = r
	r.At, r.Newest, r.Removed = Location{g, int32(k)}, max(r.Newest, st.Send), Removal{}
	return r
}

// leave removes an entity from its slot at a send.
func (m *Mirror) leave(x *History, k int, send uint32) {
	r := x.Here[k]
	x.Here[k] = nil
	if r == nil || r.Newest > send || r.Removed.Tick != 0 {
		return
	}
	tick := m.Newest.Tick // if newer states took the place of that of the send
	if st := x.At(send); st != nil {
		tick = st.Tick
	}
	r.Newest = send
	r.Removed = Removal{max(tick, 1), x.Hidden>>k&1 != 0}
	r.WaitsSince = 0
}

// refreshRenamed places own entities again whose spawn key in new owner state is another one than in the world. A server that
// simulates a tick again may give a NetID to another spawn, and an entity may be placed before its key arrives.
func (m *Mirror) refreshRenamed() {
	if !m.config.Predicts {
		return
	}
	for _, x := range m.Store.Own.Groups {
		for s := x.Fresh; s != 0; s &= s - 1 {
			k := trailing(s)
			st := x.At(x.Updated[k])
			if st == nil || st.Alive>>k&1 == 0 {
				continue
			}
			r := m.Entities.Of(st.IDs[k])
			if r == nil || r.Entity.IsZero() || !r.mine || r.Removed.Tick != 0 {
				continue
			}
			key, ok := m.Own.spawnKeyIn(m.config.World.Protocol(), st, k)
			if have := ecs.Get[ecs.SpawnKey](m.config.World, r.Entity); ok && (have == nil || *have != key) {
				m.Refresh(r)
			}
		}
	}
}

// Replace prepares an entity to become another one with the same NetID.
func (m *Mirror) Replace(r *Replica) {
	m.config.Host.Replaced(r)
	r.Entity = ecs.Entity{}
}

// Displace takes an entity out of the world whose handle is that of another one from now on, because the server has spawned
// the other one under its key. The entity is gone since a send, unless it belongs to another client: then the server has
// given its NetID to a new entity.
func (m *Mirror) Displace(r *Replica, send uint32) {
	m.Replace(r)
	if !r.mine {
		m.Refresh(r)
		return
	}
	if x := m.Store.World.Groups[r.At.Group]; x.Here[r.At.Slot] == r {
		x.Here[r.At.Slot] = nil
	}
	r.Newest, r.Removed, r.WaitsSince = max(r.Newest, send), Removal{Tick: max(m.Newest.Tick, 1)}, 0
}

// removeGone removes entities from the world that are gone.
func (m *Mirror) removeGone() {
	e, newest := &m.Entities, m.Newest.Send
	kept := e.list[:0]
	for _, r := range e.list {
		if r.Removed.Tick != 0 {
			if r.announced {
				went(m, r)
			}
			if !r.Entity.IsZero() && !(r.Own && m.Own.isBehind(r.Newest, newest)) {
				m.config.Host.Shaped(r, Change{})
				m.config.World.Netcode().Discard(components.NetID(r.ID))
				r.Entity = ecs.Entity{}
			}
			if r.Entity.IsZero() && newest > r.Newest+recentIntervals*m.interval() && !m.config.Host.Shows(r) {
				e.forget(r)
				continue
			}
		}
		kept = append(kept, r)
	}
	clear(e.list[len(kept):])
	e.list = kept
}

// placeRecord writes a state of an entity into the world. It returns false if it has to wait for owner state.
func (m *Mirror) placeRecord(r *Replica, st *State, k int) bool {
	now, again := m.tryPlace(r, st, k)
	if again {
		now, _ = m.tryPlace(r, st, k)
	}
	return now
}

// tryPlace implements placeRecord. again reports that the Host chose another scope after seeing the result.
func (m *Mirror) tryPlace(r *Replica, st *State, k int) (now, again bool) {
	w, host := m.config.World.Netcode(), m.config.Host
	mask, rec := st.Masks[k], st.Record(k)
	mine := m.shape.owner(st, k) == m.config.Client
	own := m.config.Predicts && mine
	if own && m.awaitsName(r, st, mask) {
		return false, false
	}
	simulated, ready := host.Admits(r, st, own, mask)
	if !ready {
		return false, false
	}
	switch {
	case mine:
		r.Private = m.PrivateMask(r)
	case r.mine:
		r.Private = 0
		m.Own.forget(r.ID, st.Send)
	}
	r.mine = mine
	c := Change{State: st, Own: own, Simulated: simulated}
	var had uint64 // components that were already predicted
	if there := !r.Entity.IsZero(); there && m.simulates(r.Entity) != simulated {
		c.Switched = true
	} else if there && simulated {
		had = w.Mask(r.Entity)
	}
	shaped := false
	if whole := mask | r.Private; r.Entity.IsZero() || c.Switched || w.Mask(r.Entity) != whole {
		shaped = true
		r.Entity = w.Replica(components.NetID(r.ID), whole, simulated)
		c.News = simulated && whole&^had&m.shape.predicted != 0
		if own, slot := m.Own.find(r.ID); own != nil && r.Private != 0 {
			own.Fresh |= 1 << slot // write it again
		}
	}
	host.Shaped(r, c)
	r.Simulated, r.Own = simulated, own
	at := 0
	for s := mask; s != 0; s &= s - 1 {
		comp := m.shape.replicated[trailing(s)]
		if comp.Words > 0 && had&m.shape.predicted&(s&-s) == 0 {
			comp.Schema.Dequantize(w.Pointer(r.Entity, comp), rec[at:], comp.Words, 1)
		}
		at += comp.Words
	}
	if !r.announced {
		came(m, r, st, k)
	}
	return true, shaped && host.Placed(r, own, mask, simulated)
}

// awaitsName reports whether a new own entity has to wait for its spawn key. Owner state contains the key and may
// arrive later, or be lost and repeated. If it arrives without the entity, the entity is gone, and a newer state will say so.
func (m *Mirror) awaitsName(r *Replica, st *State, mask uint64) bool {
	if !r.Entity.IsZero() {
		return false
	}
	if r.WaitsSince == 0 {
		r.WaitsSince = st.Send
	}
	if named, _ := m.Own.find(r.ID); named != nil {
		return false
	}
	predicted, waits := mask&m.shape.predicted != 0, m.Newest.Send-r.WaitsSince
	switch {
	case predicted && m.Own.lacks(r.ID, st.Send):
		return waits < lateIntervals*m.interval()
	case waits >= recentIntervals*m.interval():
		return false
	case predicted && !m.Own.corrections:
		return true
	}
	// An entity without components of owner state has no name. One that complete owner state contains had one and is gone.
	nameless := r.WaitsSince <= m.Own.whole && m.Own.whole <= st.Send && !m.Own.contains(r.ID, m.Own.whole)
	return !nameless
}

// placePrivate writes components that only the owner sees, except predicted ones, from new owner state. It reports
// whether entities received predicted components without a prediction.
func (m *Mirror) placePrivate() (news bool) {
	if m.shape.private == 0 {
		return false
	}
	for _, x := range m.Store.Own.Groups {
		var waiting uint64
		for s := x.Fresh; s != 0; s &= s - 1 {
			k := trailing(s)
			st := x.At(x.Updated[k])
			if st == nil {
				continue
			}
			old := x.Here[k]
			if old != nil && m.Entities.Of(old.ID) == old && !st.Says(old.ID, int32(k)) {
				if old.Newest < st.Send || old.Removed.Tick != 0 {
					waiting |= 1 << k // it may be destroyed or owned by another client: wait for world state
				} else if other, _ := m.Own.find(old.ID); other == nil {
					news = m.setPrivate(old, m.privateIn(old, st, k)) || news
				}
			}
			if waiting>>k&1 == 0 {
				x.Here[k] = nil
			}
			if st.Alive>>k&1 == 0 {
				continue
			}
			r := m.Entities.Of(st.IDs[k])
			if r == nil || r.Entity.IsZero() || r.Removed.Tick != 0 || !r.mine {
				waiting |= 1 << k // wait for world state
				continue
			}
			if waiting>>k&1 == 0 {
				x.Here[k] = r
			}
			news = m.setPrivate(r, m.privateIn(r, st, k)) || news
			m.writePrivate(r, st, k)
		}
		x.Fresh = waiting
	}
	return news
}

// setPrivate sets the private components of an entity. It reports whether the entity now has predicted components
// without a prediction.
func (m *Mirror) setPrivate(r *Replica, has uint64) (news bool) {
	if has == r.Private {
		return false
	}
	r.Private = has
	if r.Entity.IsZero() {
		return false
	}
	w, simulated := m.config.World.Netcode(), m.simulates(r.Entity)
	w.Replica(components.NetID(r.ID), w.Mask(r.Entity)&^m.shape.private|has, simulated)
	return simulated && has&m.shape.predicted != 0
}

// writePrivate writes the private components of an entity from owner state.
func (m *Mirror) writePrivate(r *Replica, st *State, k int) {
	_ = m.Own.read(st, 1<<k, func(v OwnValue) { // validated on arrival
		comp, bit := v.Component, uint64(1)<<v.Component.Replicated()
		if r.Private&bit == 0 || m.shape.predicted&bit != 0 && m.simulates(r.Entity) {
			return
		}
		if dst := m.config.World.Netcode().Pointer(r.Entity, comp); dst != nil {
			comp.Schema.ReadRaw(v.Raw, dst)
		}
	})
}

// PrivateMask returns the private components of an entity according to its newest owner state, or the previous ones
// if none is stored.
func (m *Mirror) PrivateMask(r *Replica) (mask uint64) {
	if m.shape.private == 0 {
		return 0
	}
	own, k := m.Own.find(r.ID)
	if own == nil {
		return r.Private
	}
	return m.privateIn(r, own.At(own.Updated[k]), k)
}

// privateIn returns the private components of an entity after the owner state of its slot. If that state leaves out
// predicted components because there is nothing to correct, the entity keeps its own.
func (m *Mirror) privateIn(r *Replica, st *State, k int) (mask uint64) {
	if st.Secrets {
		mask = r.Private & m.shape.predicted
	}
	if st.Says(r.ID, int32(k)) {
		mask |= st.Masks[k] & m.shape.private
	}
	return mask
}

func (m *Mirror) simulates(e ecs.Entity) bool {
	return ecs.Has[components.Predicted](m.config.World, e)
}
