package main

import (
	"fmt"
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// checker compares what clients have read with the truth.
type checker struct {
	truths *truths
	groups groups
	grid   bool                      // clients are told of what is near
	has    map[components.NetID]bool // what the client at hand has
	heard  []uint32                  // the newest tick of which it was told of a group, by group
	verified
}

// groups are the groups in which clients are told of entities, as far as they are known: those of a group are told of
// together.
type groups map[components.NetID]uint32

// toldRow is what clients know of anybody.
type toldRow struct {
	Pos    components.Position
	Head   components.Heading
	Health components.Health
}

// verified is what came of comparing.
type verified struct {
	States     uint64 // of clients that were compared
	Entities   uint64 // in them
	Late       uint64 // states for which the truth had not come by the client's next tick, not compared
	Old        uint64 // entities whose state was older than the truths that are kept, not compared
	Waiting    uint64 // entities of which a client was not told yet since they came
	Gone       uint64 // entities that stand where they went out of sight, until the client knows that they did
	MaxError   float64
	Different  uint64 // entities that were not as told, or not there
	Difference string // the first
}

// note looks whether a client has read another state.
func (k *checker) note(b *bot) {
	if tick := b.ServerTick(); tick != b.newest && b.World() != nil {
		b.newest, b.pending = tick, tick
	}
}

// compare compares the state that a client has read in its last tick.
func (k *checker) compare(b *bot) {
	tick := b.pending
	if b.pending = 0; tick == 0 {
		return
	}
	if _, loaded := b.Loaded(); !loaded {
		return
	}
	k.truths.mu.Lock()
	defer k.truths.mu.Unlock()
	if t := k.truths.at(tick); t != nil {
		k.look(b, t)
	} else {
		k.Late++
	}
}

// look compares a client's world with the truth of its newest state; what that has not told of, as it did not
// fit, with the truth of the state that did.
func (k *checker) look(b *bot, newest *told) {
	w, n := b.World(), 0
	k.States++
	clear(k.has)
	clear(k.heard)
	for e, r := range ecs.All[toldRow](w) {
		n++
		id, t := w.NetID(e), newest
		tick, ok := b.StateTick(id)
		if !ok {
			k.Gone++
			continue
		}
		k.has[id] = true
		k.hear(id, tick)
		if tick != newest.tick {
			if t = k.truths.at(tick); t == nil {
				k.Old++
				continue
			}
		}
		was, ok := t.at[id]
		if !ok {
			k.differs("client %d, tick %d: entity %d is not there", b, t.tick, id)
			continue
		}
		is := row{r.Pos.X, r.Pos.Y, r.Head.Angle, r.Health.Points}
		k.MaxError = max(k.MaxError, was.off(&is))
		if !was.same(&is) {
			k.differs("client %d, tick %d: entity %d is not as it was", b, t.tick, id)
		}
	}
	k.Entities += uint64(n)
	if k.grid {
		k.near(b, newest)
	} else if len(k.has) < len(newest.at) {
		k.missing(b, newest)
	}
}

// hear notes that a client was told of an entity, and so of its group.
func (k *checker) hear(id components.NetID, tick uint32) {
	if g, known := k.groups[id]; known {
		k.heard = append(k.heard, make([]uint32, max(int(g)+1-len(k.heard), 0))...)
		k.heard[g] = max(k.heard[g], tick)
	}
}

// longestWait is for how many sends an entity that has come may wait until a client is told of it: where snapshots do not
// hold all, or one was lost, its group waits for its turn.
const longestWait = 100

// missing looks at what a client lacks. That is right as long as it was not told of the group since the entity came.
func (k *checker) missing(b *bot, t *told) {
	for id := range t.at {
		if k.has[id] {
			continue
		}
		came := k.truths.came[id]
		g, known := k.groups[id]
		switch {
		case known && int(g) < len(k.heard) && k.heard[g] >= came:
			k.differs("client %d, tick %d: entity %d is missing, and was told of", b, t.tick, id)
		case t.tick-came > longestWait*k.truths.steps:
			k.differs("client %d, tick %d: entity %d is missing, and came long ago", b, t.tick, id)
		default:
			k.Waiting++
		}
	}
}

// near compares what a client has with what is near its own entity.
func (k *checker) near(b *bot, t *told) {
	own, ok := b.Own(b.World())
	if !ok {
		return
	}
	me, ok := t.at[b.World().NetID(own)]
	if !ok {
		return
	}
	for id, r := range t.at {
		switch far := math.Hypot(float64(r.x-me.x), float64(r.y-me.y)); {
		case far <= gridRadius && !k.has[id]:
			k.waits(b, t, id, "client %d, tick %d: entity %d is near, and is missing")
		case far > gridEnd && k.has[id]:
			k.waits(b, t, id, "client %d, tick %d: entity %d is far away")
		default:
			delete(b.waits, id)
		}
	}
}

// nearWait is for how many sends a client may wait until it is told that an entity has come near, or has gone, likewise.
const nearWait = 40

// waits looks at an entity that has come or gone, of which a client does not know that.
func (k *checker) waits(b *bot, t *told, id components.NetID, format string) {
	if b.waits == nil {
		b.waits = make(map[components.NetID]uint32)
	}
	since, before := b.waits[id]
	if !before {
		since, b.waits[id] = t.tick, t.tick
	}
	if t.tick-since > nearWait*k.truths.steps {
		k.differs(format, b, t.tick, id)
		return
	}
	k.Waiting++
}

// differs counts what is wrong.
func (k *checker) differs(format string, b *bot, tick, of any) {
	if k.Different++; k.Different == 1 {
		k.Difference = fmt.Sprintf(format, b.ID(), tick, of)
	}
}
