package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// moveSends is for how many sends an entity that left its slot stays in the world
// while it may turn up in another one, which has not been told of; and missSends for
// how many it then counts as missing, not as gone.
const (
	moveSends = 8
	missSends = 64
)

// startJoin begins to collect the state of a send with which this client joins.
func (c *Client) startJoin(send, tick uint32, groups int) {
	c.unpin()
	c.join.send, c.join.tick, c.join.groups = send, tick, groups
	for _, x := range c.mirror.groups {
		x.Pin(send)
	}
	for len(c.mirror.groups) < groups {
		c.mirror.groups = append(c.mirror.groups, &mirror.History{})
	}
}

// unpin puts the states of a join among all others.
func (c *Client) unpin() {
	for _, x := range c.mirror.groups {
		if st := x.First; st != nil {
			x.First = nil
			if !x.Put(&c.mirror.memory, st, c.baselines.floor) {
				c.mirror.memory.Release(st)
			}
		}
	}
}

// joinWhole reports whether all of the state with which this client joins is here.
func (c *Client) joinWhole() bool {
	return c.join.send != 0 && c.whole(c.join.send, c.join.groups)
}

// whole reports whether a send has told of all slots of so many groups.
func (c *Client) whole(send uint32, groups int) bool {
	if groups > len(c.mirror.groups) {
		return false
	}
	for _, x := range c.mirror.groups[:groups] {
		if st := x.At(send); st == nil || st.Known != wire.AllSlots {
			return false
		}
	}
	return true
}

// applyConfirmed writes news about entities into the world: all of it for
// entities of others, the components that are not predicted for own ones. It
// also makes and removes entities. Before this client has joined it does so for its
// own entities only.
func (c *Client) applyConfirmed() {
	if !c.join.loaded && c.joinWhole() {
		c.load()
	}
	for g, x := range c.mirror.groups {
		if x.Fresh != 0 {
			c.applyGroup(int32(g), x)
		}
	}
	c.applyPrivate()
	c.removeGone()
}

// load makes the world the one of the send with which this client joins, but for
// own entities, which may be ahead already.
func (c *Client) load() {
	c.join.loaded, c.join.loadedTick = true, c.join.tick
	for g, x := range c.mirror.groups[:c.join.groups] {
		st := x.At(c.join.send)
		for m := st.Alive; m != 0; m &= m - 1 {
			k := trailing(m)
			if old := x.Here[k]; old != nil && old.ID != st.IDs[k] && old.Newest > c.join.send {
				continue // an own entity, which did not wait, has come to stand there
			}
			if x.Told[k] > c.join.send && x.Fresh>>k&1 == 0 && x.Here[k] == nil {
				continue // nor did one that is gone by now
			}
			if r := c.stand(int32(g), x, k, st); r != nil && (r.Entity.IsZero() || !c.simulates(r.Entity)) {
				if !c.applyRecord(r, st, k) {
					continue
				}
			}
			if x.Told[k] == c.join.send {
				x.Fresh &^= 1 << k
			}
		}
	}
	c.unpin()
	if c.config.Loaded != nil {
		c.config.Loaded(c.world, c.join.tick)
	}
}

// Loaded returns the tick of the state with which this client joined, and whether
// all of that has arrived.
func (c *Client) Loaded() (tick uint32, ok bool) { return c.join.loadedTick, c.join.loaded }

// applyGroup brings the entities of a group up to date.
func (c *Client) applyGroup(g int32, x *mirror.History) {
	var waiting uint64
	for m := x.Fresh; m != 0; m &= m - 1 {
		k := trailing(m)
		st := x.At(x.Told[k])
		switch {
		case st == nil: // it was more than there is room for
		case st.Alive>>k&1 == 0:
			if c.join.loaded || x.Here[k] != nil {
				c.leave(x, k, st)
			} else {
				waiting |= 1 << k
			}
		case c.join.loaded || c.stages.predicting && c.owns(st, k):
			if r := c.stand(g, x, k, st); r != nil && !c.applyRecord(r, st, k) {
				waiting |= 1 << k
			}
		default:
			waiting |= 1 << k
			if old := x.Here[k]; old != nil && old.ID != st.IDs[k] {
				c.leave(x, k, st) // an own entity made room for one that has to wait
			}
		}
	}
	x.Fresh = waiting
}

// stand makes an entity the one in its slot and returns it; nil where newer news
// have it elsewhere, or gone.
func (c *Client) stand(g int32, x *mirror.History, k int, st *mirror.State) *mirror.Replica {
	id := st.IDs[k]
	if old := x.Here[k]; old != nil && old.ID != id {
		c.leave(x, k, st)
	}
	r := c.mirror.byID[id]
	if r == nil {
		r = &mirror.Replica{ID: id, Index: c.mirror.indexes.Take()}
		c.mirror.byID[id] = r
		c.mirror.replicas = append(c.mirror.replicas, r)
	} else if r.Newest > st.Send && (r.At != mirror.Location{Group: g, Slot: int32(k)} || r.Removed.Tick != 0) {
		return nil
	}
	x.Here[k] = r
	if at := (mirror.Location{Group: g, Slot: int32(k)}); r.At != at {
		r.Before, r.Moved, r.At = r.At, r.Newest != 0, at
	}
	r.Newest, r.Removed = max(r.Newest, st.Send), mirror.Removal{}
	return r
}

// leave takes an entity out of its slot. Where it does not turn up elsewhere, as it
// does when it has other components from now on, it is gone.
func (c *Client) leave(x *mirror.History, k int, st *mirror.State) {
	r := x.Here[k]
	x.Here[k] = nil
	if r == nil || r.At.Slot != int32(k) || c.mirror.groups[r.At.Group] != x || r.Newest > st.Send || r.Removed.Tick != 0 {
		return
	}
	r.Newest = st.Send
	r.Removed = mirror.Removal{Tick: max(st.Tick, 1), Hidden: st.Hidden>>k&1 != 0}
	r.WaitsSince = 0
}

// removeGone takes those out of the world that are gone.
func (c *Client) removeGone() {
	kept := c.mirror.replicas[:0]
	c.mirror.toldAll = 0
	c.reconciler.co.list = c.reconciler.co.list[:0]
	for _, r := range c.mirror.replicas {
		if r.Removed.Tick != 0 {
			if c.mirror.toldAll == 0 {
				c.mirror.toldAll = c.mirror.oldestTold()
			}
			if !r.Entity.IsZero() && (c.mirror.newestSend >= r.Newest+moveSends || c.mirror.decided(r) || c.disowned(r)) {
				c.reconciler.takeServerState = c.reconciler.takeServerState || r.Predicted() && !c.world.Netcode().Suspended(r.Entity) // its end was not foreseen
				c.lose(r)
				c.world.Netcode().Discard(netID(r.ID))
				r.Entity = ecs.Entity{}
			}
			if r.Entity.IsZero() && !c.interpolator.Shows(r) && c.mirror.newestSend > r.Newest+moveSends && c.mirror.decided(r) {
				c.mirror.tombstones.add(r.ID, r.Removed.Hidden)
				delete(c.mirror.byID, r.ID)
				c.mirror.indexes.Release(r.Index)
				continue
			}
		}
		c.listCoSimulated(r)
		kept = append(kept, r)
	}
	clear(c.mirror.replicas[len(kept):])
	c.mirror.replicas = kept
}

// decided reports whether an entity that left its slot would have been heard of if it
// were elsewhere.
func (m *mirrored) decided(r *mirror.Replica) bool {
	return r.Removed.Hidden || r.Newest <= m.toldAll || m.newestSend > r.Newest+missSends
}

// disowned reports whether own state, which names all entities of this client, no longer
// names one that left its slot: to simulate it on would lead to what the server does not
// have.
func (c *Client) disowned(r *mirror.Replica) bool {
	if !r.Predicted() || c.own.newest < r.Newest || !c.ownWhole(c.own.newest) {
		return false
	}
	for _, x := range c.mirror.ownGroups {
		if x.At(c.own.newest).Find(r.ID) >= 0 {
			return false
		}
	}
	return true
}

// oldestTold is the newest send such that all slots have been told of by it or later,
// those aside of which the newest was that they are out of sight, or nothing for long:
// an entity may stand there that this client never saw.
func (m *mirrored) oldestTold() uint32 {
	oldest := m.newestSend
	for _, x := range m.groups {
		for k, t := range x.Told {
			if x.Hidden>>k&1 == 0 && t+missSends >= m.newestSend {
				oldest = min(oldest, t)
			}
		}
	}
	return oldest
}

// applyRecord makes an entity what a state says. It reports false where that must
// wait for own state.
func (c *Client) applyRecord(r *mirror.Replica, st *mirror.State, k int) bool {
	now, again := c.place(r, st, k)
	if again {
		now, _ = c.place(r, st, k)
	}
	return now
}

// place is applyRecord; again says that the game, asked about what came of it, chose
// another scope.
func (c *Client) place(r *mirror.Replica, st *mirror.State, k int) (now, again bool) {
	mask, rec := st.Masks[k], st.Record(k)
	mine := c.owns(st, k)
	own := c.stages.predicting && mine
	if own && c.unnamed(r, st) {
		return false, false
	}
	c.match(r, st)
	if mine {
		r.Private = c.privateMask(r.ID)
	} else {
		r.Private = 0
	}
	simulated := c.inScope(r, own, mask)
	var had uint64 // components that were predicted here before
	if !r.Entity.IsZero() && simulated && c.simulates(r.Entity) {
		had = c.world.Netcode().Mask(r.Entity)
	}
	shaped := false
	if whole := mask | r.Private; r.Entity.IsZero() || c.simulates(r.Entity) != simulated || c.world.Netcode().Mask(r.Entity) != whole {
		if shaped = true; !r.Entity.IsZero() && c.simulates(r.Entity) != simulated {
			c.interpolator.Reshaped(r)
		}
		r.Entity = c.world.Netcode().Replica(netID(r.ID), whole, simulated)
		// There is no prediction to compare the newcomers with.
		if simulated && whole&^had&c.shape.predicted != 0 {
			c.reconciler.takeServerState = c.reconciler.takeServerState || own
			c.takeScope(r, own)
		}
		if r.Private != 0 {
			c.own.privateSend = 0 // to be written anew
		}
	}
	if r.Predicted() && !own {
		c.reconciler.takeServerState = true // what its inputs did there since is not so
	}
	if !simulated {
		c.lose(r)
	}
	r.Simulated, r.Own = simulated, own
	c.noteCoSimulated(r, st)
	at := 0
	for m := mask; m != 0; m &= m - 1 {
		comp := c.shape.replicated[trailing(m)]
		if comp.Words > 0 && had&c.shape.predicted&(m&-m) == 0 && !c.owned.Keeps(r.ID, r.Entity, comp, rec[at:at+comp.Words]) {
			comp.Schema.Dequantize(c.world.Netcode().Pointer(r.Entity, comp), rec[at:], comp.Words, 1)
		}
		at += comp.Words
	}
	return true, shaped && c.asks(r) && c.inScope(r, own, mask) != simulated
}

// applyPrivate writes what only this client may see of its entities, and what
// nobody predicts here, when own state came.
func (c *Client) applyPrivate() {
	if c.shape.private == 0 || c.own.privateSend == c.own.state.send {
		return
	}
	c.own.privateSend = c.own.state.send
	for _, x := range c.mirror.ownGroups {
		st := x.At(c.own.state.send)
		if st == nil {
			continue
		}
		for m := st.Alive; m != 0; m &= m - 1 {
			k := trailing(m)
			r := c.mirror.byID[st.IDs[k]]
			if r == nil || r.Entity.IsZero() || r.Removed.Tick != 0 {
				continue
			}
			if private := st.Masks[k]&c.shape.private | c.keptPrivate(r); private != r.Private {
				r.Private = private
				own := c.simulates(r.Entity)
				c.world.Netcode().Replica(netID(r.ID), c.world.Netcode().Mask(r.Entity)&^c.shape.private|private, own)
				c.reconciler.takeServerState = c.reconciler.takeServerState || own && private&c.shape.predicted != 0
			}
		}
	}
	c.eachOwn(c.own.state.send, func(id uint32, comp *ecs.Component, value unsafe.Pointer, raw []byte) {
		bit := uint64(1) << comp.Replicated()
		r := c.mirror.byID[id]
		if c.shape.private&bit == 0 || r == nil || r.Private&bit == 0 || r.Entity.IsZero() {
			return
		}
		if (c.shape.predicted&bit == 0 || !c.simulates(r.Entity)) && !c.owned.KeepsRaw(r.ID, r.Entity, comp, value) {
			if dst := c.world.Netcode().Pointer(r.Entity, comp); dst != nil {
				comp.Schema.ReadRaw(raw, dst)
			}
		}
	})
}

// owns reports whether a state names this client as owner of the entity in a slot.
func (c *Client) owns(st *mirror.State, k int) bool {
	ownerC := c.shape.replicated[0]
	if st.Masks[k]&1 == 0 {
		return false
	}
	var o components.Owner
	ownerC.Schema.Dequantize(unsafe.Pointer(&o), st.Record(k), 1, 1)
	return o.Client == c.link.id
}

func (c *Client) simulates(e ecs.Entity) bool {
	return c.model.everywhere || ecs.Has[components.Predicted](c.world, e)
}
