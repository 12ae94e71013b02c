package lagcomp

import (
	"fmt"
	"reflect"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Compensator keeps what a server's world was over the last MaxRewind, and shows it
// as one player saw it. It costs one copy of the world a tick and as much memory as
// the world takes for each tick kept, which is what [ecs.WorldHistory] costs. It
// belongs to the world's goroutine.
type Compensator struct {
	w       *ecs.World
	config  Config
	rewind  uint32 // ticks
	every   uint32 // ticks a send
	history *ecs.WorldHistory
	sends   []uint32 // by tick: that tick, where a send took its state
	newest  uint32   // tick recorded; 0: none
	serial  uint64   // raised by each record
	sent    uint32   // newest tick that a send took
	players map[uint32]*player
	stats   Stats // of players that are forgotten

	owner   *ecs.Component
	jumps   *ecs.Component // nil where nothing tells of them
	private uint64         // components that only the owner may see
	comps   map[reflect.Type]*ecs.Component
	rows    map[reflect.Type][]field
	seen    []*seen // views of this tick, and behind them some to come
	views   int
	own     []ecs.Entity // of the views of this tick
	single  [1]field     // scratch of Get
	value   []uint64     // a row, or a value, being made
	later   []uint64     // a value of the later state
	speeds  [2][]uint64  // those at the ends of a curve
	words   []int32
	carried carried
}

// player is what is known of a client.
type player struct {
	acked  uint32   // newest tick that it acknowledged; 0: it was not said
	at     uint32   // tick of the newest claim
	head   moment   // latest one granted
	floor  moment   // latest one granted before tick at
	input  uint32   // newest one consumed
	inputs []uint32 // by tick: the newest one consumed then
	stats  Stats
}

// New makes a compensator for the world of a server. It returns an error that wraps
// [ErrConfig] when c is wrong.
func New(w *ecs.World, c Config) (*Compensator, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.filled(w.TickRate())
	if w.TickRate()%c.SendRate != 0 {
		return nil, fmt.Errorf("%w: SendRate %d must divide the tick rate %d", ErrConfig, c.SendRate, w.TickRate())
	}
	ticks := uint32((c.MaxRewind*time.Duration(w.TickRate()) + time.Second - 1) / time.Second)
	s := &Compensator{
		w: w, config: c, rewind: ticks, every: uint32(w.TickRate() / c.SendRate),
		// The tick recorded may be the one ahead of the tick simulated.
		history: ecs.NewWorldHistory(w, int(ticks)+2),
		players: make(map[uint32]*player),
		owner:   ecs.ComponentOf[components.Owner](w.Protocol()),
		comps:   make(map[reflect.Type]*ecs.Component),
		rows:    make(map[reflect.Type][]field),
		carried: newCarried(w.Protocol()),
	}
	s.sends = make([]uint32, s.history.Len())
	if j := ecs.ComponentOf[components.Teleports](w.Protocol()); j != nil && j.Words > 0 && j.Mode&ecs.OwnerOnly == 0 {
		s.jumps = j
	}
	for _, comp := range w.Protocol().Replicated() {
		switch {
		case comp.Mode&ecs.OwnerOnly != 0:
			s.private |= 1 << comp.Replicated()
		case comp.Words > 0:
			s.comps[comp.Schema.Type] = comp
			s.words = grown(s.words, comp.Words)
			s.later = grown(s.later, int(comp.Schema.Size+7)/8)
			s.speeds[0], s.speeds[1] = grown(s.speeds[0], len(s.later)), grown(s.speeds[1], len(s.later))
		}
	}
	return s, nil
}

// grown is s with at least n elements.
func grown[T any](s []T, n int) []T {
	if n > len(s) {
		return make([]T, n)
	}
	return s
}

// Record keeps the state of the world after tick ticks, which snapshots name so. It
// is called once after each tick, and where a server wakes for several ticks after
// the last of them; ticks only go up. It panics in the middle of a tick, as
// [ecs.WorldHistory.Capture] does.
func (c *Compensator) Record(tick uint32) {
	if c.config.Off {
		return
	}
	c.history.Capture(tick)
	place := tick % uint32(len(c.sends))
	c.sends[place] = 0
	if tick/c.every != c.newest/c.every {
		c.sends[place], c.sent = tick, tick
	}
	c.newest = tick
	c.serial++
	c.own, c.views = c.own[:0], 0
	for _, p := range c.players {
		p.inputs[place] = p.input
	}
}

// Consume notes the newest input of a client that the tick recorded next has consumed.
// Only [Compensator.AsAfter] needs to know.
func (c *Compensator) Consume(client, input uint32) {
	if p := c.player(client); input > p.input {
		p.input = input
	}
}

// Acknowledge notes the newest tick whose state a client is known to have. Claims of
// anything newer are moved back to it. Without it the bound is the newest state sent.
func (c *Compensator) Acknowledge(client, tick uint32) {
	p := c.player(client)
	p.acked = max(p.acked, tick)
}

// Forget drops what is known of a client that is gone, so that a later one with its
// number begins anew.
func (c *Compensator) Forget(client uint32) {
	if p := c.players[client]; p != nil {
		c.stats.add(p.stats)
		delete(c.players, client)
	}
}

func (c *Compensator) player(client uint32) *player {
	p := c.players[client]
	if p == nil {
		p = &player{inputs: make([]uint32, len(c.sends))}
		c.players[client] = p
	}
	return p
}

// recorded reports whether the state of a tick is there to be looked at.
func (c *Compensator) recorded(tick uint32) bool { return c.history.Has(tick) }

// send reports whether the state of a tick was sent and is still there.
func (c *Compensator) send(tick uint32) bool {
	return tick != 0 && c.sends[tick%uint32(len(c.sends))] == tick && c.recorded(tick)
}
