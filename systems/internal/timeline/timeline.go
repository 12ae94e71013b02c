package timeline

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/commands"
)

// Timeline steps a world by the inputs of its players and goes back when one
// comes late. It belongs to the goroutine of its world.
type Timeline struct {
	world     *ecs.World
	config    Config
	table     *schema.Table
	edges     bool // the input has fields that are not repeated
	history   *ecs.WorldHistory
	authority *ecs.Stage
	doings    *commands.Log // who leaves and joins in a tick
	listeners Listeners
	players   []*player // by number
	spare     []*player

	start   int64 // the first tick
	now     int64 // the next tick
	changed int64 // the first tick that was simulated otherwise than is known now, or now
	horizon int64 // no tick before this one can change
	told    int64 // for followers: see Told
	recent  int   // ticks simulated again since the last Open

	awaited []uint32
	neutral []int32
	scratch []uint64 // an input as a component
	hashes  []hash   // by tick
	stats   Stats
}

// none stands for the input of a protocol that has none.
var none = &schema.Table{Name: "none"}

// New makes a timeline for a world in the state before tick Config.First. What is
// in the world by the first Step stays; from then on only ticks change the world.
// The world must be one that simulates everything: not made with
// ecs.Config.Client.
//
// It panics when c, with its defaults, is not valid.
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
	t.doings = commands.New(w)
	t.history = ecs.NewWorldHistory(w, c.Window+1)
	t.neutral = make([]int32, t.table.Words)
	t.scratch = make([]uint64, (t.table.Size+7)/8)
	if at := unsafe.Pointer(unsafe.SliceData(t.scratch)); t.table.Words > 0 {
		t.table.Snap(at)
		t.table.Quantize(t.neutral, t.table.Words, at, 1)
		clear(t.scratch)
	}
	t.hashes = make([]hash, max(c.Hashes, 0))
	t.begin(c.First)
	return t
}

// Restart begins anew at tick first with the world as it is, without players: for
// a peer that was given a new state of the world. Listeners are told that all that
// was not final is undone, as it followed from what this peer assumed, and that what
// comes before first is final. Counts go on.
func (t *Timeline) Restart(first uint32) {
	t.begin(first)
	t.listeners.Rewind(0)
	t.listeners.Settle(first)
}

func (t *Timeline) begin(first uint32) {
	t.spare = append(t.spare, t.players...)
	clear(t.players)
	t.players = t.players[:0]
	t.history.Forget()
	t.doings.Clear()
	clear(t.hashes)
	t.start = int64(first)
	t.now, t.changed, t.horizon, t.told = t.start, t.start, t.start, t.start
	t.recent = 0
}

// oldest is the first tick that can be simulated again.
func (t *Timeline) oldest() int64 { return max(t.start, t.now-int64(t.config.Window)) }

// rewrite notes that the inputs from tick on are not what they were.
func (t *Timeline) rewrite(tick int64) {
	t.changed = min(t.changed, tick)
	if t.config.Unmerged {
		t.Pass()
	}
}

// Step is all that a tick is: [Timeline.Ready], [Timeline.Pass], [Timeline.Open], Simulate and
// Authority, [Timeline.Close]. It reports false, and does nothing, where Ready does.
func (t *Timeline) Step() bool {
	if !t.Ready() {
		return false
	}
	t.Pass()
	t.Open()
	t.world.Netcode().SimulateStage().Run(t.world)
	t.authority.Run(t.world)
	t.Close()
	return true
}

// Ready reports whether the next tick can be simulated. With Config.Wait it cannot, which is
// counted, while an input for it is missing; see [Timeline.AppendMissing].
func (t *Timeline) Ready() bool {
	if t.config.Wait {
		if t.awaited = t.AppendMissing(t.awaited[:0]); len(t.awaited) > 0 {
			t.stats.Waits++
			return false
		}
	}
	return true
}

// Pass brings the ticks that have changed up to date, in one pass from the oldest.
func (t *Timeline) Pass() {
	if t.changed >= t.now {
		return
	}
	t.world.Netcode().SetTick(uint32(t.now)) // what comes before it is simulated again
	from := t.changed
	t.listeners.Rewind(uint32(from))
	if err := t.history.Restore(uint32(from)); err != nil {
		panic(fmt.Errorf("timeline: the history lacks a tick of the window: %w", err))
	}
	for tick := from; tick < t.now; tick++ {
		if tick > from {
			t.history.Capture(uint32(tick))
		}
		t.open(tick, tick == from)
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

// Open begins the next tick: who leaves and joins in it has, and its inputs are on their
// entities. Simulate and Authority follow, and [Timeline.Close]. What has changed since
// [Timeline.Pass] is simulated again before.
func (t *Timeline) Open() {
	t.Pass()
	t.stats.Last, t.recent = t.recent, 0
	t.world.Netcode().SetTick(uint32(t.now))
	t.history.Capture(uint32(t.now))
	t.open(t.now, true)
}

// Close ends the tick that [Timeline.Open] began.
func (t *Timeline) Close() {
	t.listeners.Done()
	t.now++
	t.changed = t.now
	t.settle()
	t.stats.Ticks++
	for _, p := range t.players {
		p.tokens = min(p.tokens+t.config.Refill, t.config.Burst)
		p.oldest = never
	}
	t.forget()
}

// open begins a tick: who leaves, who joins, inputs.
func (t *Timeline) open(tick int64, rewound bool) {
	w := t.world
	w.Netcode().SetTick(uint32(tick))
	t.listeners.Start(uint32(tick))
	t.doings.Run(uint32(tick))
	t.aim(tick, rewound)
}

// awaits reports whether a tick waits for a player's input.
func (p *player) awaits(tick int64) bool {
	s := p.in(tick)
	return s != nil && tick >= s.first && p.at(tick) == open
}

// AppendMissing appends to dst the players whose input for the next tick is not
// there, in ascending order.
func (t *Timeline) AppendMissing(dst []uint32) []uint32 {
	for _, p := range t.players {
		if p.awaits(t.now) {
			dst = append(dst, p.id)
		}
	}
	return dst
}

// World is the world that is stepped.
func (t *Timeline) World() *ecs.World { return t.world }

// History holds the states before the ticks of the window, for looking: the
// state after a tick is that before the next. Between Steps the newest one is
// before the last tick simulated; what came after that is the world.
func (t *Timeline) History() *ecs.WorldHistory { return t.history }

// Next is the tick that the next Step simulates first.
func (t *Timeline) Next() uint32 { return uint32(t.now) }

// Stats are the counts so far.
func (t *Timeline) Stats() Stats { return t.stats }

// Inputs counts what became of a player's inputs; all zero for one who is not
// there.
func (t *Timeline) Inputs(player uint32) Counts {
	if p := t.player(player); p != nil {
		return p.counts
	}
	return Counts{}
}
