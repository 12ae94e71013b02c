package mirror

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// MoveSends is for how many sends an entity that left its slot stays in the world while it
// may turn up in another one, which has not been told of; and MissSends for how many it then
// counts as missing, not as gone.
const (
	MoveSends = 8
	MissSends = 64
)

// Host is what the rest of a client has to do with the entities that are placed in its world.
type Host interface {
	// Admits is asked before a state is placed whether the client simulates that entity, its
	// own or not, with the components of mask. Without ready the state waits.
	Admits(r *Replica, st *State, own bool, mask uint64) (simulated, ready bool)
	// Shaped hears what becomes of an entity, of which r.Simulated and r.Own say what was so
	// far, before values are written, or before it is taken out of the world.
	Shaped(r *Replica, c Change)
	// KeepsLocal is asked before a value is written whether what the client wrote stays.
	KeepsLocal(r *Replica, comp *ecs.Component, words []int32) bool
	// Placed hears that an entity has the values of a state and other components than before,
	// or is simulated or not as it was not. It reports whether it is to be placed again,
	// because that makes a difference to what Admits says.
	Placed(r *Replica, own bool, mask uint64, simulated bool) (again bool)
	// Shows is asked whether something of an entity that is gone is still drawn.
	Shows(r *Replica) bool
}

// Change is what becomes of an entity.
type Change struct {
	State     *State // that it is placed by; nil where it leaves the world
	Own       bool   // the client predicts, and owns it
	Simulated bool   // the client simulates it
	Switched  bool   // which it did not, or it did and does not
	News      bool   // it has predicted components of which there is no prediction
}

// Place writes news about entities into the world: all of it for entities of others, the
// components that are not predicted for own ones. It also makes and removes entities. Before
// the client has joined it does so for its own entities only. It reports whether own state
// gave entities predicted components of which there is no prediction.
func (m *Mirror) Place() (news bool) {
	if !m.config.Predicts { // nobody else says which tick the world stands at
		m.config.World.Netcode().SetTick(m.Newest.Tick)
	}
	if !m.join.loaded && m.join.whole(&m.Store) {
		m.load()
	}
	for g, x := range m.Store.World {
		if x.Fresh != 0 {
			m.placeGroup(int32(g), x)
		}
	}
	news = m.placePrivate()
	m.removeGone()
	return news
}

// Refresh makes Place look at an entity again, although there is no news of it.
func (m *Mirror) Refresh(r *Replica) { m.Store.World[r.At.Group].Fresh |= 1 << r.At.Slot }

// placeGroup brings the entities of a group up to date.
func (m *Mirror) placeGroup(g int32, x *History) {
	var waiting uint64
	for s := x.Fresh; s != 0; s &= s - 1 {
		k := trailing(s)
		st := x.At(x.Told[k])
		switch {
		case st == nil: // it was more than there is room for
		case st.Alive>>k&1 == 0:
			if m.join.loaded || x.Here[k] != nil {
				m.leave(x, k, st)
			} else {
				waiting |= 1 << k
			}
		case m.join.loaded || m.config.Predicts && m.shape.owner(st, k) == m.config.Client:
			if r := m.stand(g, x, k, st); r != nil && !m.placeRecord(r, st, k) {
				waiting |= 1 << k
			}
		default:
			waiting |= 1 << k
			if old := x.Here[k]; old != nil && old.ID != st.IDs[k] {
				m.leave(x, k, st) // an own entity made room for one that has to wait
			}
		}
	}
	x.Fresh = waiting
}

// stand makes an entity the one in its slot and returns it; nil where newer news had it
// elsewhere, or have it gone from there. That it is gone from another slot says nothing of this one.
func (m *Mirror) stand(g int32, x *History, k int, st *State) *Replica {
	id, at := st.IDs[k], Location{g, int32(k)}
	if old := x.Here[k]; old != nil && old.ID != id {
		m.leave(x, k, st)
	}
	r := m.Entities.Of(id)
	if r == nil {
		r = m.Entities.add(id)
	} else if r.At != at && r.stood > st.Send || r.At == at && r.Removed.Tick != 0 && r.Newest > st.Send {
		return nil
	}
	x.Here[k] = r
	if r.At != at {
		if r.Newest != 0 {
			r.Moves++
		}
		r.Before, r.At = r.At, at
	}
	r.stood = max(r.stood, st.Send)
	r.Newest, r.Removed = r.stood, Removal{}
	return r
}

// leave takes an entity out of its slot. Where it does not turn up elsewhere, as it does when
// it has other components from now on, it is gone.
func (m *Mirror) leave(x *History, k int, st *State) {
	r := x.Here[k]
	x.Here[k] = nil
	if r == nil || r.At.Slot != int32(k) || m.Store.World[r.At.Group] != x || r.Newest > st.Send || r.Removed.Tick != 0 {
		return
	}
	r.Newest = st.Send
	replaced := st.Alive>>k&1 != 0 // long ago, so that nobody knows what became of it where some is out of sight
	r.Removed = Removal{max(st.Tick, 1), st.Hidden>>k&1 != 0, st.Away>>k&1 != 0 || replaced && m.Decoder.limited}
	r.WaitsSince = 0
}

// removeGone takes those out of the world that are gone.
func (m *Mirror) removeGone() {
	e, newest := &m.Entities, m.Newest.Send
	kept := e.list[:0]
	e.toldAll, e.limited = 0, m.Decoder.limited
	for _, r := range e.list {
		if r.Removed.Tick != 0 {
			if e.toldAll == 0 {
				e.toldAll = m.Store.oldestTold(newest)
			}
			moved, decided := newest >= r.Newest+MoveSends, e.decided(r, newest)
			if r.announced && (decided || moved) {
				went(m, r)
			}
			if !r.Entity.IsZero() && (moved || decided || m.Own.disowns(r)) {
				m.config.Host.Shaped(r, Change{})
				m.config.World.Netcode().Discard(components.NetID(r.ID))
				r.Entity = ecs.Entity{}
			}
			if r.Entity.IsZero() && newest > r.Newest+MoveSends && decided && !m.config.Host.Shows(r) {
				e.forget(r)
				continue
			}
		}
		kept = append(kept, r)
	}
	clear(e.list[len(kept):])
	e.list = kept
}

// placeRecord makes an entity what a state says. It reports false where that must wait for
// own state.
func (m *Mirror) placeRecord(r *Replica, st *State, k int) bool {
	now, again := m.place(r, st, k)
	if again {
		now, _ = m.place(r, st, k)
	}
	return now
}

// place is placeRecord; again says that the game, asked about what came of it, chose another
// scope.
func (m *Mirror) place(r *Replica, st *State, k int) (now, again bool) {
	w, host := m.config.World.Netcode(), m.config.Host
	mask, rec := st.Masks[k], st.Record(k)
	mine := m.shape.owner(st, k) == m.config.Client
	own := m.config.Predicts && mine
	if own && m.unnamed(r, st) {
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
	var had uint64 // components that were predicted here before
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
			own.Fresh |= 1 << slot // to be written anew
		}
	}
	host.Shaped(r, c)
	r.Simulated, r.Own = simulated, own
	at := 0
	for s := mask; s != 0; s &= s - 1 {
		comp := m.shape.replicated[trailing(s)]
		if comp.Words > 0 && had&m.shape.predicted&(s&-s) == 0 && !host.KeepsLocal(r, comp, rec[at:at+comp.Words]) {
			comp.Schema.Dequantize(w.Pointer(r.Entity, comp), rec[at:], comp.Words, 1)
		}
		at += comp.Words
	}
	if !r.announced {
		came(m, r, st, k)
	}
	return true, shaped && host.Placed(r, own, mask, simulated)
}

// unnamed reports whether an own entity that is new here must wait: under which key it was
// spawned is told in own state, which may come later, or be lost and come with another send.
func (m *Mirror) unnamed(r *Replica, st *State) bool {
	if !r.Entity.IsZero() {
		return false
	}
	if r.WaitsSince == 0 {
		r.WaitsSince = st.Send
	}
	if named, _ := m.Own.find(r.ID); named != nil {
		return false
	}
	return !m.Own.upToDate(st.Send) && m.Newest.Send < r.WaitsSince+MoveSends
}

// placePrivate writes what only this client may see of its entities, and what nobody
// predicts here, when own state came. It reports whether that gave entities predicted
// components of which there is no prediction.
func (m *Mirror) placePrivate() (news bool) {
	if m.shape.private == 0 {
		return false
	}
	for _, x := range m.Store.Own {
		var waiting uint64
		for s := x.Fresh; s != 0; s &= s - 1 {
			k := trailing(s)
			st := x.At(x.Told[k])
			if st == nil {
				continue
			}
			old := x.Here[k]
			if old != nil && m.Entities.Of(old.ID) == old && !st.Says(old.ID, int32(k)) {
				if old.Newest < st.Send || old.Removed.Tick != 0 {
					waiting |= 1 << k // it may be dead, or another client's: that the world tells
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
				waiting |= 1 << k // for news from the world
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

// setPrivate gives an entity those private components, and takes the others away. It reports whether it then lacks
// predictions.
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

// writePrivate writes the private components of an entity from own state.
func (m *Mirror) writePrivate(r *Replica, st *State, k int) {
	_ = m.Own.read(st, 1<<k, func(v OwnValue) { // it was checked when it came
		comp, bit := v.Component, uint64(1)<<v.Component.Replicated()
		if r.Private&bit == 0 || m.shape.predicted&bit != 0 && m.simulates(r.Entity) || m.config.Host.KeepsLocal(r, comp, m.Own.quantized(v)) {
			return
		}
		if dst := m.config.World.Netcode().Pointer(r.Entity, comp); dst != nil {
			comp.Schema.ReadRaw(v.Raw, dst)
		}
	})
}

// PrivateMask returns the components of an entity that nobody else may see, by the newest own state of it; as before where
// none is kept.
func (m *Mirror) PrivateMask(r *Replica) (mask uint64) {
	if m.shape.private == 0 {
		return 0
	}
	own, k := m.Own.find(r.ID)
	if own == nil {
		return r.Private
	}
	return m.privateIn(r, own.At(own.Told[k]), k)
}

// privateIn returns the private components of an entity after own state of its slot. Where that leaves out what is
// predicted, since there is nothing to correct, the entity keeps what it has of it.
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
