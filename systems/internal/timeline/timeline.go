package timeline

import (
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/commands"
)

// Timeline advances a world with the inputs of its players and goes back when an input arrives late. Use it only
// from the goroutine of its world.
type Timeline struct {
	world     *ecs.World
	config    Config
	table     *schema.Table
	edges     bool // the input has edge fields, which are not repeated
	history   *ecs.WorldHistory
	authority *ecs.Stage
	log       *commands.Log // leaves, joins and commands by tick
	listeners Listeners
	players   []*player // sorted by player
	spare     []*player

	start         int64 // the first tick
	now           int64 // the next tick
	changed       int64 // the first tick that was simulated with other inputs than those known now, or now
	horizon       int64 // no tick before this one can change
	serverHorizon int64 // for followers: see SetServerHorizon
	recent        int   // ticks simulated again since the last BeginTick

	awaited []uint32
	neutral []int32
	scratch []uint64 // room for an input as a component
	hashes  []hash   // by tick
	sums    sums
	stats   Stats
}

// none is the input table of a protocol without inputs.
var none = &schema.Table{Name: "none"}

// New returns a timeline for a world in the state before tick Config.First. The contents of the world at the first
// tick stay; from then on only ticks may change the world. The world must simulate everything: create it without
// ecs.Config.Client.
//
// New panics if c with its defaults is invalid.
func New(w *ecs.World, c Config, listeners ...Listener) *Timeline {
	for _, filled := range []Config{c, c.defaulted(w.TickRate())} {
		if err := filled.Validate(); err != nil {
			panic(err)
		}
	}
	c = c.defaulted(w.TickRate())
	t := &Timeline{world: w, config: c, table: none, authority: c.Authority, listeners: listeners}
	if in := w.Protocol().Input(); in != nil {
		t.table = in.Schema
	}
	t.edges = slices.ContainsFunc(t.table.Fields, func(f schema.Field) bool { return f.Edge })
	if t.authority == nil {
		t.authority = w.Protocol().AuthorityStage()
	}
	t.log = commands.New(w)
	t.history = ecs.NewWorldHistory(w, c.Window+1)
	t.neutral = t.table.NeutralWords()
	t.scratch = make([]uint64, (t.table.Size+7)/8)
	t.hashes = make([]hash, max(c.Hashes, 0))
	t.reset(c.First)
	return t
}

// Restart starts over at tick first with the current world, without players. A peer calls it after receiving a new
// state of the world. Listeners learn that all ticks that were not final are undone, and that all ticks before
// first are final. Counters continue.
func (t *Timeline) Restart(first uint32) {
	t.reset(first)
	t.listeners.Rewind(0)
	t.listeners.Settle(first)
}

func (t *Timeline) reset(first uint32) {
	t.spare = append(t.spare, t.players...)
	clear(t.players)
	t.players = t.players[:0]
	t.history.Forget()
	t.log.Clear()
	clear(t.hashes)
	t.start = int64(first)
	t.now, t.changed, t.horizon, t.serverHorizon = t.start, t.start, t.start, t.start
	t.recent = 0
}

// oldest returns the first tick that can be simulated again.
func (t *Timeline) oldest() int64 { return max(t.start, t.now-int64(t.config.Window)) }

// markChanged records that inputs from tick on have changed.
func (t *Timeline) markChanged(tick int64) {
	t.changed = min(t.changed, tick)
	if t.config.Unmerged {
		t.Resimulate()
	}
}

// Step runs a whole tick: [Timeline.Ready], [Timeline.Resimulate], [Timeline.BeginTick], Simulate, Authority,
// [Timeline.EndTick]. If Ready returns false, Step does nothing and returns false.
func (t *Timeline) Step() bool {
	if !t.Ready() {
		return false
	}
	t.Resimulate()
	t.BeginTick()
	t.world.Netcode().SimulateStage().Run(t.world)
	t.authority.Run(t.world)
	t.EndTick()
	return true
}

// Ready reports whether the next tick can be simulated. With Config.Wait, it returns false while an input for that
// tick is missing, and counts the call; see [Timeline.AppendMissing].
func (t *Timeline) Ready() bool {
	if t.config.Wait {
		if t.awaited = t.AppendMissing(t.awaited[:0]); len(t.awaited) > 0 {
			t.stats.Waits++
			return false
		}
	}
	return true
}

// Resimulate simulates the changed ticks again, in one pass from the oldest.
func (t *Timeline) Resimulate() {
	if t.changed >= t.now {
		return
	}
	t.world.Netcode().SetTick(uint32(t.now)) // the listeners' Rewind sees the tick up to which ticks are simulated again
	from := t.changed
	t.listeners.Rewind(uint32(from))
	if err := t.history.Restore(uint32(from)); err != nil {
		panic(fmt.Errorf("timeline: the history lacks a tick of the window: %w", err))
	}
	for tick := from; tick < t.now; tick++ {
		if tick > from {
			t.history.Capture(uint32(tick))
		}
		t.startTick(tick, tick == from)
		t.world.Netcode().SimulateStage().Run(t.world)
		t.authority.Run(t.world)
		t.listeners.Done()
	}
	t.changed = t.now
	n := int(t.now - from)
	t.recent += n
	t.stats.Resimulated += uint64(n)
	t.stats.Longest = max(t.stats.Longest, n)
	t.stats.Passes++
}

// BeginTick starts the next tick: it runs the leaves, joins and commands of the tick and puts the inputs on their
// entities. The caller then runs Simulate and Authority, and calls [Timeline.EndTick]. Ticks that changed since
// [Timeline.Resimulate] are simulated again first.
func (t *Timeline) BeginTick() {
	t.Resimulate()
	t.stats.Last, t.recent = t.recent, 0
	t.world.Netcode().SetTick(uint32(t.now))
	t.history.Capture(uint32(t.now))
	t.startTick(t.now, true)
}

// EndTick ends the tick that [Timeline.BeginTick] started.
func (t *Timeline) EndTick() {
	t.listeners.Done()
	t.now++
	t.changed = t.now
	t.advanceHorizon()
	t.stats.Ticks++
	for _, p := range t.players {
		p.tokens = min(p.tokens+t.config.Refill, t.config.Burst)
		p.oldest = never
	}
	t.dropOldSpans()
}

// startTick runs the leaves, joins and commands of a tick and sets its inputs.
func (t *Timeline) startTick(tick int64, rewound bool) {
	w := t.world
	w.Netcode().SetTick(uint32(tick))
	t.listeners.Start(uint32(tick))
	t.log.Run(uint32(tick))
	t.prepareInputs(tick, rewound)
}

// isMissing reports whether the player's input for a tick has not arrived.
func (p *player) isMissing(tick int64) bool {
	s := p.spanAt(tick)
	return s != nil && tick >= s.first && p.at(tick) == inputUnknown
}

// AppendMissing appends to dst the players whose input for the next tick is missing, in ascending order.
func (t *Timeline) AppendMissing(dst []uint32) []uint32 {
	for _, p := range t.players {
		if p.isMissing(t.now) {
			dst = append(dst, p.id)
		}
	}
	return dst
}

// World returns the world.
func (t *Timeline) World() *ecs.World { return t.world }

// History returns the states before the ticks of the window, for inspection. The state after a tick is the state
// before the next. Between ticks the newest captured state is the one before the last simulated tick; the state
// after it is the world itself.
func (t *Timeline) History() *ecs.WorldHistory { return t.history }

// Next returns the next tick that will be simulated for the first time.
func (t *Timeline) Next() uint32 { return uint32(t.now) }

// Stats returns the counters.
func (t *Timeline) Stats() Stats { return t.stats }

// Inputs counts the inputs of a player by verdict. The counts are zero for an unknown player.
func (t *Timeline) Inputs(player uint32) Counts {
	if p := t.player(player); p != nil {
		return p.counts
	}
	return Counts{}
}
