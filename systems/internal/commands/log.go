package commands

import (
	"cmp"
	"slices"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/reuse"
)

// Kind is the kind of an entry. Within a tick, all entries of a kind run before those of the next kind.
type Kind uint8

const (
	Leave   Kind = iota // the player leaves for good
	Join                // the player joins
	Command             // a command of the protocol
)

// Entry is a join, leave or command of a player in a tick.
type Entry struct {
	Tick   uint32
	Player uint32
	Kind   Kind
	Value  string // join request, see [ecs.Request.Run]; for a command see [ecs.Players]
}

func compare(a, b Entry) int {
	return cmp.Or(cmp.Compare(a.Tick, b.Tick), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Player, b.Player))
}

// Log holds joins, leaves and commands of coming ticks and of ticks that may be simulated again. Use it only from
// the goroutine of its world.
type Log struct {
	world   *ecs.World
	players *ecs.Players
	list    []Entry // by tick, kind and player, then in the order of adding
	now     Entry   // the running entry
	leave   *ecs.Stage
	clear   *ecs.Stage
	join    *ecs.Stage
	command *ecs.Stage
}

// New returns a log for a world.
func New(w *ecs.World) *Log {
	l := &Log{world: w, players: w.Protocol().Players()}
	l.leave = ecs.NewStage("Players leave", ecs.System{Name: "Leave", Run: func(w *ecs.World) {
		if f := l.players.Leave; f != nil {
			f(w, l.now.Player)
		}
	}})
	l.clear = ecs.NewStage("What they leave", ecs.System{Name: "Clear", Run: func(w *ecs.World) { clear(w, l.now.Player) }})
	l.join = ecs.NewStage("Players come", ecs.System{Name: "Join", Run: func(w *ecs.World) {
		if r := l.players.Join; r != nil {
			r.Run(w, l.now.Player, []byte(l.now.Value))
		}
	}})
	l.command = ecs.NewStage("Commands", ecs.System{Name: "Command", Run: func(w *ecs.World) {
		l.players.Do(w, l.now.Player, l.now.Value)
	}})
	return l
}

// owned is the row of entities with an owner.
type owned struct{ Owner *components.Owner }

// clear despawns the entities that a player who left still owns, and removes its inputs.
func clear(w *ecs.World, player uint32) {
	for e, r := range ecs.EachInOrder[owned](w) { // the same order on all peers
		if r.Owner.Client == player {
			w.Despawn(e) // deferred until the end of the stage
		}
	}
	w.Netcode().ForgetInputs(player)
}

// Add adds an entry after those of the same tick, kind and player.
func (l *Log) Add(e Entry) {
	i, _ := slices.BinarySearchFunc(l.list, e, func(a, b Entry) int {
		if compare(a, b) <= 0 {
			return -1
		}
		return 1
	})
	l.list = reuse.Insert(l.list, i, e)
}

// HasJoin reports whether a player joins in a tick.
func (l *Log) HasJoin(player, tick uint32) bool {
	_, found := slices.BinarySearchFunc(l.list, Entry{Tick: tick, Player: player, Kind: Join}, compare)
	return found
}

// Run executes the entries of a tick, each in its own stage: entities spawned by one exist for the next.
func (l *Log) Run(tick uint32) {
	i, _ := slices.BinarySearchFunc(l.list, tick, func(e Entry, tick uint32) int { return cmp.Compare(e.Tick, tick) })
	for ; i < len(l.list) && l.list[i].Tick == tick; i++ {
		l.now = l.list[i]
		switch l.now.Kind {
		case Leave:
			l.leave.Run(l.world)
			l.clear.Run(l.world)
		case Join:
			l.join.Run(l.world)
		case Command:
			l.command.Run(l.world)
		}
	}
}

// Describe passes the entries of a tick to r, in running order.
func (l *Log) Describe(tick uint32, r interface{ Entry(e Entry) }) {
	i, _ := slices.BinarySearchFunc(l.list, tick, func(e Entry, tick uint32) int { return cmp.Compare(e.Tick, tick) })
	for ; i < len(l.list) && l.list[i].Tick == tick; i++ {
		r.Entry(l.list[i])
	}
}

// AppendCommands appends to dst the commands from a tick on, in running order.
func (l *Log) AppendCommands(dst []Entry, tick uint32) []Entry {
	for _, e := range l.list {
		if e.Kind == Command && e.Tick >= tick {
			dst = append(dst, e)
		}
	}
	return dst
}

// AppendPending appends to dst the leaves and commands from a tick on, in running order.
func (l *Log) AppendPending(dst []Entry, tick uint32) []Entry {
	for _, e := range l.list {
		if e.Kind != Join && e.Tick >= tick {
			dst = append(dst, e)
		}
	}
	return dst
}

// Forget removes the entries of all ticks before before.
func (l *Log) Forget(before uint32) {
	n := 0
	for n < len(l.list) && l.list[n].Tick < before {
		n++
	}
	if n > 0 {
		l.list = slices.Delete(l.list, 0, n)
	}
}

// Clear removes all entries.
func (l *Log) Clear() { l.Forget(^uint32(0)) }
