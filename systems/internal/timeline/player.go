package timeline

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/commands"
)

var (
	// ErrFinal is returned by [Timeline.Join], [Timeline.Leave] and [Timeline.AddCommand] for a tick that can no
	// longer change. Use [Timeline.Next].
	ErrFinal = errors.New("that tick is final")
	// ErrFull is returned by [Timeline.Join] and [Timeline.Adopt] when Config.Players players are present.
	ErrFull = errors.New("too many players")
	// ErrPlaying is returned by [Timeline.Join] and [Timeline.Adopt] for a player who is in the game. Call
	// [Timeline.Leave] first, or Join in a later tick.
	ErrPlaying = errors.New("the player is already in the game")
	// ErrAbsent is returned by [Timeline.Leave] for a player who is not in the game in the previous tick.
	ErrAbsent = errors.New("the player is not in the game")
)

// never is a tick that does not occur; noTick is before all ticks.
const (
	never  = math.MaxInt64
	noTick = -1 << 40
)

// player is the timeline's record of a player. Its inputs lie in rings by tick. The rings are long enough for the
// window, the repetitions before the window, and early inputs.
type player struct {
	id     uint32
	spans  []span // spans of ticks in which it is in the game, oldest first
	slots  []slot
	real   []int32 // words of the inputs that arrived
	used   []int32 // words that the ticks were simulated with
	newest int64   // latest tick whose input arrived
	tokens int
	oldest int64 // tick back to which tokens were paid since the last tick
	counts Counts

	missing uint64 // inputs that were missing when their tick became final

	playing  bool
	held     int64    // while simulating: tick of the last input that arrived
	value    []uint64 // the input as a component
	repeat   []int32  // the words of an input without its edge fields
	repeated int64    // tick of that input, or noTick
}

// span is a stretch of ticks in which a player is in the game.
type span struct {
	value    string // the player's join request
	from, to int64  // the first tick, and the tick after the last
	first    int64  // the first tick for which the player can send an input
	known    int64  // all inputs up to this tick are decided
	adopted  bool   // its entities existed before from
}

type slotKind uint8

const (
	inputUnknown slotKind = iota // the input may still arrive
	inputKnown                   // the input arrived
	inputAbsent                  // final: there is no input
)

type slot struct {
	tick int64
	kind slotKind
}

// at returns the kind of the input of a tick.
func (p *player) at(tick int64) slotKind {
	if tick < 0 {
		return inputUnknown
	}
	if s := p.slots[tick%int64(len(p.slots))]; s.tick == tick {
		return s.kind
	}
	return inputUnknown
}

func (p *player) set(tick int64, kind slotKind) {
	p.slots[tick%int64(len(p.slots))] = slot{tick, kind}
	p.repeated = noTick
}

// words returns the words of a tick in a ring.
func (p *player) words(ring []int32, tick int64) []int32 {
	n := int64(len(ring) / len(p.slots))
	i := tick % int64(len(p.slots)) * n
	return ring[i : i+n]
}

// spanAt returns the span that contains tick, or nil.
func (p *player) spanAt(tick int64) *span {
	for i := range p.spans {
		if s := &p.spans[i]; tick >= s.from && tick < s.to {
			return s
		}
	}
	return nil
}

// spanBefore returns the span of a player that is in the game before tick, or nil. An adopted player is in the game before
// its first tick.
func (p *player) spanBefore(tick int64) *span {
	if s := p.spanAt(tick); s != nil && s.adopted && s.from == tick {
		return s
	}
	return p.spanAt(tick - 1)
}

// component returns a pointer to the player's input as a component.
func (p *player) component() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(p.value)) }

func (t *Timeline) player(id uint32) *player {
	i, found := slices.BinarySearchFunc(t.players, id, func(p *player, id uint32) int { return cmp.Compare(p.id, id) })
	if !found {
		return nil
	}
	return t.players[i]
}

// Join adds a player to the game from tick on. At the start of that tick the protocol's [ecs.Join] handler runs
// with value, the join request, and from then on Simulate reads the player's inputs. first is the first tick for
// which the player can send an input, at least tick. Until then it has the neutral input, and no peer waits for it.
//
// Join returns [ErrFinal], [ErrFull] or [ErrPlaying], wrapped.
func (t *Timeline) Join(player, tick, first uint32, value string) error {
	from := int64(tick)
	if from < t.horizon {
		return fmt.Errorf("timeline: Join of player %d in tick %d: %w", player, tick, ErrFinal)
	}
	return t.join(player, span{from: from, to: never, first: max(from, int64(first)), value: value}, "Join")
}

// Adopt adds a player who was in the game before the timeline started and has entities in the world. The Join
// handler does not run. first is the first tick for which the player can send an input, at least [Timeline.Next].
// words is the player's last input, of tick at; nil if that input is no longer repeated. See [Timeline.Held].
//
// Adopt returns [ErrFull] or [ErrPlaying], wrapped. It panics after the first tick, and if words has another length
// than an input.
func (t *Timeline) Adopt(player, first uint32, words []int32, at uint32) error {
	if t.now != t.start {
		panic("timeline: Adopt after the first tick: call Join instead")
	}
	err := t.join(player, span{from: t.start, to: never, first: max(t.start, int64(first)), adopted: true}, "Adopt")
	if err != nil || words == nil || int64(at) >= t.start || int64(at) < t.start-int64(t.config.Fills) {
		return err
	}
	t.storeInput(t.player(player), int64(at), words)
	return nil
}

func (t *Timeline) join(id uint32, s span, call string) error {
	p := t.player(id)
	switch {
	case p == nil && len(t.players) == t.config.Players:
		return fmt.Errorf("timeline: %s of player %d, there are %d: %w", call, id, len(t.players), ErrFull)
	case p == nil:
		p = t.newPlayer(id)
		i, _ := slices.BinarySearchFunc(t.players, id, func(p *player, id uint32) int { return cmp.Compare(p.id, id) })
		t.players = reuse.Insert(t.players, i, p)
	case s.from < p.spans[len(p.spans)-1].to:
		return fmt.Errorf("timeline: %s of player %d in tick %d: %w", call, id, s.from, ErrPlaying)
	}
	s.known = s.first - 1
	p.spans = append(p.spans, s)
	for tick := s.from; tick < t.now; tick++ {
		copy(p.words(p.used, tick), t.neutral)
	}
	if !s.adopted {
		t.log.Add(commands.Entry{Tick: uint32(s.from), Player: id, Kind: commands.Join, Value: s.value})
		t.changed = min(t.changed, s.from)
	}
	return nil
}

// newPlayer returns a player, with the memory of a removed one if there is one.
func (t *Timeline) newPlayer(id uint32) *player {
	n := t.config.Window + t.config.Fills + t.config.Early + 2
	p := &player{}
	if k := len(t.spare); k > 0 {
		p, t.spare = t.spare[k-1], t.spare[:k-1]
		clear(p.slots)
	} else {
		p.slots = make([]slot, n)
		p.real = make([]int32, n*t.table.Words)
		p.used = make([]int32, n*t.table.Words)
		p.repeat = make([]int32, t.table.Words)
		p.value = make([]uint64, (t.table.Size+7)/8)
	}
	p.id, p.newest, p.oldest, p.repeated = id, noTick, never, noTick
	p.tokens, p.counts, p.missing, p.playing, p.spans = t.config.Burst, Counts{}, 0, false, p.spans[:0]
	return p
}

// Leave removes a player from the game. The tick before tick is the player's last; at the start of tick the
// protocol's Leave handler runs.
//
// Leave returns [ErrFinal] or [ErrAbsent], wrapped.
func (t *Timeline) Leave(player, tick uint32) error {
	to := int64(tick)
	p := t.player(player)
	switch {
	case p == nil || p.spanBefore(to) == nil || p.spanBefore(to).to != never:
		return fmt.Errorf("timeline: Leave of player %d in tick %d: %w", player, tick, ErrAbsent)
	case to < t.horizon:
		return fmt.Errorf("timeline: Leave of player %d in tick %d: %w", player, tick, ErrFinal)
	}
	p.spanBefore(to).to = to
	t.log.Add(commands.Entry{Tick: tick, Player: player, Kind: commands.Leave})
	for i := range p.slots { // drop early inputs, so that they do not count if the player joins again
		if p.slots[i].tick >= to {
			p.slots[i] = slot{}
		}
	}
	p.newest, p.repeated = min(p.newest, to-1), noTick
	t.changed = min(t.changed, to)
	return nil
}

// dropOldSpans removes spans before the window, and players without any.
func (t *Timeline) dropOldSpans() {
	t.log.Forget(uint32(t.oldest()))
	kept := t.players[:0]
	for _, p := range t.players {
		p.spans = slices.DeleteFunc(p.spans, func(s span) bool { return s.to < t.oldest() })
		if len(p.spans) == 0 {
			t.spare = append(t.spare, p)
			continue
		}
		kept = append(kept, p)
	}
	clear(t.players[len(kept):])
	t.players = kept
}

// Presence is a stretch of ticks in which a player is in the game.
type Presence struct {
	Player uint32
	From   uint32 // the first tick
	First  uint32 // the first tick for which it can send an input
	To     uint32 // the tick after the last, or Forever
	Value  string // join request; empty after Adopt
}

// Forever is the value of Presence.To while the player has not left.
const Forever = math.MaxUint32

// AppendPresences appends to dst the presences of all players, by player and tick: current ones, future ones, and
// those that ended within the window.
func (t *Timeline) AppendPresences(dst []Presence) []Presence {
	for _, p := range t.players {
		for _, s := range p.spans {
			dst = append(dst, Presence{p.id, uint32(s.from), uint32(s.first), uint32(min(s.to, Forever)), s.value})
		}
	}
	return dst
}
