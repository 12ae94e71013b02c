package campaign

import (
	"slices"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// past is what the server's world was, tick by tick, so that what a client has at any time can be
// compared with what was when its states are from.
type past struct {
	moments  [1024]moment           // by tick
	turns    map[[2]uint32][]uint32 // by client and entity: the ticks after which the one sees the other, or no longer
	last     map[components.NetID]sight
	compared int
}

// sight is the last tick with an entity, and its owner.
type sight struct{ tick, owner uint32 }

// moment is the world at a tick, by entity in their order.
type moment struct {
	tick   uint32
	ids    []components.NetID
	seals  []seal
	owners []uint32
}

func newPast() *past {
	return &past{turns: map[[2]uint32][]uint32{}, last: map[components.NetID]sight{}}
}

// at is a tick, nil where it is not known any more.
func (p *past) at(tick uint32) *moment {
	if x := &p.moments[tick%uint32(len(p.moments))]; x.tick == tick {
		return x
	}
	return nil
}

// note keeps what the world is.
func (p *past) note(s *systems.Server) {
	tick := s.Tick()
	x := &p.moments[tick%uint32(len(p.moments))]
	*x = moment{tick, x.ids[:0], x.seals[:0], x.owners[:0]}
	for e, r := range ecs.EachInOrder[struct {
		Seal  *seal
		Owner *components.Owner `ecs:"optional"`
	}](s.World()) {
		id, owner := s.World().NetID(e), uint32(0)
		if r.Owner != nil {
			owner = r.Owner.Client
		}
		x.ids, x.seals, x.owners = append(x.ids, id), append(x.seals, *r.Seal), append(x.owners, owner)
		p.last[id] = sight{tick, owner}
	}
}

// turn notes that a client sees an entity from now on, or no longer.
func (p *past) turn(s *systems.Server, key [2]uint32) { p.turns[key] = append(p.turns[key], s.Tick()) }

// hid reports whether a client might not see an entity at a tick, unless it owned it.
func (p *past) hid(m *match, client uint32, id components.NetID, tick uint32) bool {
	hidden := m.never(client, id)
	for _, turn := range p.turns[[2]uint32{client, uint32(id)}] {
		if turn < tick {
			hidden = !hidden
		}
	}
	return hidden
}

// compare demands that all that a client has was so when its states are from, and that it might see
// it then.
func (p *past) compare(a *audit, k *player) {
	if _, loaded := k.Loaded(); !loaded {
		return // what was its own and is no longer waits for all the others
	}
	w := k.World()
	for e, r := range ecs.All[struct{ Seal seal }](w) {
		id := w.NetID(e)
		tick, told := k.StateTick(id)
		x := p.at(tick)
		if !told || x == nil {
			continue
		}
		p.compared++
		i, there := slices.BinarySearch(x.ids, id)
		own := there && x.owners[i] == k.ID() // and may wait for its own state, which may come later
		if !there || x.seals[i] != r.Seal && !(own && p.was(id, tick, r.Seal)) {
			a.fail("%v has of entity %d at tick %d: %+v; on the server it was there: %v", k, id, tick, r.Seal, there)
		} else if !own && p.hid(a.m, k.ID(), id, tick) {
			a.fail("%v was told of entity %d at tick %d, which it might not see", k, id, tick)
		}
	}
	p.whereabouts(a, k)
}

// was reports whether an entity had a seal at a tick or before.
func (p *past) was(id components.NetID, tick uint32, s seal) bool {
	for n := range uint32(len(p.moments)) {
		if x := p.at(tick - n); x != nil {
			if i, there := slices.BinarySearch(x.ids, id); there && x.seals[i] == s {
				return true
			}
		}
	}
	return false
}

// whereabouts demands that a client says of entities where they are, of some at a time.
func (p *past) whereabouts(a *audit, k *player) {
	for id, last := range p.last {
		if (uint32(id)-k.Input()/4)%8 != 0 {
			continue
		}
		at := k.Presence(id)
		_, there := k.World().ByNetID(id)
		switch died := last.tick < k.ServerTick(); {
		case there != (at == systems.Present || at == systems.Stale):
			a.fail("%v: entity %d is %v, in its world: %v", k, id, at, there)
		case at == systems.Present && died:
			a.fail("%v: entity %d is %v at tick %d, but died after tick %d", k, id, at, k.ServerTick(), last.tick)
		case at == systems.OutOfInterest && !died && a.m.server.Interest == nil:
			a.fail("%v: entity %d is %v, though nothing is hidden", k, id, at)
		case at != systems.NotLoaded && a.m.handover == 0 && last.owner != k.ID() && a.m.never(k.ID(), id) && len(p.turns[[2]uint32{k.ID(), uint32(id)}]) == 0:
			a.fail("%v: entity %d is %v, though it never may be seen", k, id, at)
		}
	}
}
