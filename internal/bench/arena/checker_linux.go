package main

import (
	"fmt"
	"math"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// checker compares the clients' states with the server's.
type checker struct {
	truths *truths
	grid   bool                      // clients receive only entities near them
	has    map[components.NetID]bool // entities of the client being checked
	verified
}

// bot is a client that decodes every snapshot.
type bot struct {
	*systems.Client
	newest uint32                      // tick of the newest checked state
	waits  map[components.NetID]uint32 // entities whose arrival or departure the client does not know yet, and since which tick

	said, answered uint64    // reliable messages
	next           time.Time // of the next message
}

// toldRow holds the components that all clients receive.
type toldRow struct {
	Pos    components.Position
	Head   components.Heading
	Health components.Health
}

// verified is the result of the comparison.
type verified struct {
	States     uint64 // compared states of clients
	Entities   uint64 // compared entities
	Late       uint64 // states not compared, because the server's state had not arrived by the client's next tick
	Old        uint64 // entities not compared, because their state was older than the stored server states
	Waiting    uint64 // entities that the client had not received yet
	Gone       uint64 // entities shown at the place where they went out of sight, until the client knows
	MaxError   float64
	Different  uint64 // entities with a wrong state, or missing
	Difference string // the first difference
}

// check compares the newest state of a client, unless already compared, and returns its tick, or 0.
func (k *checker) check(b *bot) (tick uint32) {
	if tick = b.ServerTick(); tick == b.newest || b.World() == nil {
		return 0
	}
	b.newest = tick
	if _, loaded := b.Loaded(); !loaded {
		return 0
	}
	k.truths.mu.Lock()
	defer k.truths.mu.Unlock()
	t := k.truths.atTick(tick)
	if t == nil {
		k.Late++
		return 0
	}
	k.compareWorld(b, t)
	return tick
}

// compareWorld compares a client's world with the server's state of the same tick. Entities that did not fit into that snapshot are
// compared with the server's state at their own tick.
func (k *checker) compareWorld(b *bot, newest *told) {
	w, n := b.World(), 0
	k.States++
	clear(k.has)
	for e, r := range ecs.All[toldRow](w) {
		n++
		id, t := w.NetID(e), newest
		tick, ok := b.StateTick(id)
		if !ok {
			k.Gone++
			continue
		}
		k.has[id] = true
		if tick != newest.tick {
			if t = k.truths.atTick(tick); t == nil {
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

// longestWait is the largest number of send ticks that an entity may wait if snapshots are over budget or lost.
const longestWait = 100

// missing checks the entities that a client lacks. Recent ones are allowed.
func (k *checker) missing(b *bot, t *told) {
	for id := range t.at {
		if k.has[id] {
			continue
		}
		if t.tick-k.truths.came[id] > longestWait*k.truths.steps {
			k.differs("client %d, tick %d: entity %d is missing, and came long ago", b, t.tick, id)
			continue
		}
		k.Waiting++
	}
}

// near compares a client's entities with those near its own entity.
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

// nearWait is the largest number of send ticks until a client must know that an entity came near or went away.
const nearWait = 40

// waits checks an entity whose arrival or departure the client does not know.
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

// differs counts a difference.
func (k *checker) differs(format string, b *bot, tick, of any) {
	if k.Different++; k.Different == 1 {
		k.Difference = fmt.Sprintf(format, b.ID(), tick, of)
	}
}

// most is the largest accepted difference of a position, per axis.
const most = 1.0 / 16

// off returns the distance between the positions of two rows, per axis.
func (r *row) off(o *row) float64 {
	return max(math.Abs(float64(r.x-o.x)), math.Abs(float64(r.y-o.y)))
}

// same reports whether position, heading and health are equal to the precision in which they are sent.
func (r *row) same(o *row) bool {
	off := int16(r.heading - o.heading)
	return r.off(o) <= most && r.health == o.health && off >= -128 && off <= 128
}
