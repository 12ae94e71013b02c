package lagcomp

import (
	"fmt"
	"reflect"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Compensator stores the states of a server's world over the last MaxRewind, and shows them as a player saw them.
// Each tick costs one copy of the world, and each stored tick the memory of the world, as in [ecs.WorldHistory]. Only
// the goroutine of the world may use it.
type Compensator struct {
	w       *ecs.World
	config  Config
	rewind  uint32 // in ticks
	every   uint32 // ticks between sends, at the usual rate
	history *ecs.WorldHistory
	newest  uint32 // newest recorded tick, 0 if there is none
	serial  uint64 // incremented by each Record
	players map[uint32]*player
	stats   Stats // of forgotten clients

	owner   *ecs.Component
	jumps   *ecs.Component // nil if components.Teleports is not replicated to all
	private uint64         // mask of owner-only components
	comps   map[reflect.Type]*ecs.Component
	rows    map[reflect.Type][]field
	seen    []*seen // views of this tick, followed by unused ones
	views   int
	own     []ecs.Entity // own entities of the views of this tick
	single  [1]field     // scratch of Get
	value   []uint64     // scratch: a row or a value
	later   []uint64     // scratch: a value of the later state
	speeds  [2][]uint64  // scratch: speeds at the ends of a curve
	words   []int32
	carried carried
}

// player is the state of one client.
type player struct {
	acked  uint32   // newest tick that it acknowledged; 0: unknown
	at     uint32   // tick of the newest claim
	head   moment   // latest granted moment
	floor  moment   // latest moment granted before tick at
	input  uint32   // newest consumed input
	inputs []uint32 // by tick: newest input consumed then
	stats  Stats
}

// New creates a compensator for the world of a server. It returns an error that wraps [ErrConfig] if c is not valid.
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
		// The recorded tick may be one ahead of the simulated tick.
		history: ecs.NewWorldHistory(w, int(ticks)+2),
		players: make(map[uint32]*player),
		owner:   ecs.ComponentOf[components.Owner](w.Protocol()),
		comps:   make(map[reflect.Type]*ecs.Component),
		rows:    make(map[reflect.Type][]field),
		carried: newCarried(w.Protocol()),
	}
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

// grown returns s, or a new slice if s has fewer than n elements.
func grown[T any](s []T, n int) []T {
	if n > len(s) {
		return make([]T, n)
	}
	return s
}

// Record stores the state of the world under the number tick, the number that snapshots use. Call it once after each
// tick. If the server simulates several ticks per wake-up, call it after the last of them. tick must increase. It
// panics in the middle of a tick, like [ecs.WorldHistory.Capture].
func (c *Compensator) Record(tick uint32) {
	if c.config.Off {
		return
	}
	c.history.Capture(tick)
	c.newest = tick
	c.serial++
	c.own, c.views = c.own[:0], 0
	for _, p := range c.players {
		p.inputs[tick%uint32(len(p.inputs))] = p.input
	}
}

// Consume records the newest input of a client that the next recorded tick has consumed. Only [Compensator.AsAfter]
// needs it.
func (c *Compensator) Consume(client, input uint32) {
	if p := c.player(client); input > p.input {
		p.input = input
	}
}

// Acknowledge records the newest tick whose state a client is known to have. Later claims are clamped to this tick.
// Without it the limit is the newest recorded state.
func (c *Compensator) Acknowledge(client, tick uint32) {
	p := c.player(client)
	p.acked = max(p.acked, tick)
}

// Forget removes the state of a client that has left. A later client with the same number starts anew.
func (c *Compensator) Forget(client uint32) {
	if p := c.players[client]; p != nil {
		c.stats.add(p.stats)
		delete(c.players, client)
	}
}

func (c *Compensator) player(client uint32) *player {
	p := c.players[client]
	if p == nil {
		p = &player{inputs: make([]uint32, c.history.Len())}
		c.players[client] = p
	}
	return p
}

// recorded reports whether the state of a tick is stored.
func (c *Compensator) recorded(tick uint32) bool { return c.history.Has(tick) }
