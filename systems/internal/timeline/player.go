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

// Errors of what players do.
var (
	// ErrFinal is returned by [Timeline.Join] and [Timeline.Leave] for a tick that
	// cannot be changed any more: take [Timeline.Next].
	ErrFinal = errors.New("that tick is final")
	// ErrFull is returned by [Timeline.Join] and [Timeline.Adopt] when there is no
	// room: raise Config.Players.
	ErrFull = errors.New("too many players")
	// ErrPlaying is returned by [Timeline.Join] and [Timeline.Adopt] for a player
	// that has not left: call [Timeline.Leave] first, or Join in a later tick.
	ErrPlaying = errors.New("the player plays already")
	// ErrAbsent is returned by [Timeline.Leave] for who does not play in the tick
	// before: there is nothing to leave.
	ErrAbsent = errors.New("the player does not play")
)

// never is a tick that does not come, and before one that never was.
const (
	never  = math.MaxInt64
	before = -1 << 40
)

// player is what the timeline knows of one player. Its inputs lie in rings by
// tick, long enough for the window, the repeats before it and what may come
// early.
type player struct {
	id     uint32
	spans  []span // of ticks in which it plays, oldest first
	slots  []slot
	real   []int32 // words of inputs that are there
	used   []int32 // words that ticks were simulated with
	newest int64   // latest tick whose input is there
	tokens int
	oldest int64 // tick that tokens for the next Step were paid back to
	counts Counts

	missing uint64 // inputs that were not there when their tick became final

	playing  bool
	held     int64    // while simulating: tick of the last input that is there
	value    []uint64 // the input as a component
	repeat   []int32  // the words of an input without its edges
	repeated int64    // its tick, or before
}

// span is a stretch of ticks in which a player plays.
type span struct {
	value    string // what the player asked to be
	from, to int64  // the first tick, and the one after the last
	first    int64  // the first tick whose input the player can send
	known    int64  // up to here all inputs are decided
	adopted  bool   // its entities were there before from
}

type slotKind uint8

const (
	open slotKind = iota // the input may still come
	real                 // it is there
	void                 // it was decided that none comes
)

type slot struct {
	tick int64
	kind slotKind
}

// at is the kind of the slot of a tick.
func (p *player) at(tick int64) slotKind {
	if tick < 0 {
		return open
	}
	if s := p.slots[tick%int64(len(p.slots))]; s.tick == tick {
		return s.kind
	}
	return open
}

func (p *player) set(tick int64, kind slotKind) {
	p.slots[tick%int64(len(p.slots))] = slot{tick, kind}
	p.repeated = before
}

// words is the place of a tick in a ring of words.
func (p *player) words(ring []int32, tick int64) []int32 {
	n := int64(len(ring) / len(p.slots))
	i := tick % int64(len(p.slots)) * n
	return ring[i : i+n]
}

// in is the span that a tick lies in, or nil.
func (p *player) in(tick int64) *span {
	for i := range p.spans {
		if s := &p.spans[i]; tick >= s.from && tick < s.to {
			return s
		}
	}
	return nil
}

// component is where the player's input lies as a component.
func (p *player) component() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(p.value)) }

func (t *Timeline) player(id uint32) *player {
	i, found := slices.BinarySearchFunc(t.players, id, func(p *player, id uint32) int { return cmp.Compare(p.id, id) })
	if !found {
		return nil
	}
	return t.players[i]
}

// Join lets a player play from tick on. At the begin of that tick it comes, as the
// protocol's [ecs.Join] says, as what value says, and Simulate sees its inputs. The first tick that it can send an input
// for is first, where that is later; until then it has the neutral input, which
// nobody waits for.
//
// It returns [ErrFinal], [ErrFull] or [ErrPlaying], wrapped.
func (t *Timeline) Join(player, tick, first uint32, value string) error {
	from := int64(tick)
	if from < t.horizon {
		return fmt.Errorf("timeline: Join of player %d in tick %d: %w", player, tick, ErrFinal)
	}
	return t.join(player, span{from: from, to: never, first: max(from, int64(first)), value: value}, "Join")
}

// Adopt lets a player play on who played before the timeline began, with the
// entities that it has in the world: it does not come again. The first
// tick that it can send an input for is first, where that is later than
// [Timeline.Next]. What it held last is words, from tick at; nil when it held
// nothing that is repeated any more. See [Timeline.Held].
//
// It returns [ErrFull] or [ErrPlaying], wrapped. It panics when the first Step is
// over or words has another length than the input.
func (t *Timeline) Adopt(player, first uint32, words []int32, at uint32) error {
	if t.now != t.start {
		panic("timeline: Adopt after the first Step; players come by Join then")
	}
	err := t.join(player, span{from: t.start, to: never, first: max(t.start, int64(first)), adopted: true}, "Adopt")
	if err != nil || words == nil || int64(at) >= t.start || int64(at) < t.start-int64(t.config.Fills) {
		return err
	}
	t.keep(t.player(player), int64(at), words)
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
		t.doings.Add(commands.Entry{Tick: uint32(s.from), Player: id, Kind: commands.Join, Value: s.value})
		t.changed = min(t.changed, s.from)
	}
	return nil
}

// newPlayer takes the rings of one who is gone, when there is one.
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
	p.id, p.newest, p.oldest, p.repeated = id, before, never, before
	p.tokens, p.counts, p.missing, p.playing, p.spans = t.config.Burst, Counts{}, 0, false, p.spans[:0]
	return p
}

// Leave ends a player's part in the game: the tick before is its last. At the
// begin of tick it goes, as the protocol's Leave says.
//
// It returns [ErrFinal] or [ErrAbsent], wrapped.
func (t *Timeline) Leave(player, tick uint32) error {
	to := int64(tick)
	p := t.player(player)
	switch {
	case p == nil || p.in(to-1) == nil || p.in(to-1).to != never:
		return fmt.Errorf("timeline: Leave of player %d in tick %d: %w", player, tick, ErrAbsent)
	case to < t.horizon:
		return fmt.Errorf("timeline: Leave of player %d in tick %d: %w", player, tick, ErrFinal)
	}
	p.in(to - 1).to = to
	t.doings.Add(commands.Entry{Tick: tick, Player: player, Kind: commands.Leave})
	for i := range p.slots { // what it sent ahead is no input of a player who comes again
		if p.slots[i].tick >= to {
			p.slots[i] = slot{}
		}
	}
	p.newest, p.repeated = min(p.newest, to-1), before
	t.changed = min(t.changed, to)
	return nil
}

// forget drops spans that nothing goes back to, and players without any.
func (t *Timeline) forget() {
	t.doings.Forget(uint32(t.oldest()))
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

// Presence is a stretch of ticks in which a player plays.
type Presence struct {
	Player uint32
	From   uint32 // the first tick
	First  uint32 // the first tick whose input it can send
	To     uint32 // the tick after the last, or Forever
	Value  string // what it asked to be; not for one that was adopted
}

// Forever is Presence.To of a player who has not left.
const Forever = math.MaxUint32

// AppendPresences appends to dst who plays when, by player and tick: those who play,
// those who will, and those who left within the window.
func (t *Timeline) AppendPresences(dst []Presence) []Presence {
	for _, p := range t.players {
		for _, s := range p.spans {
			dst = append(dst, Presence{p.id, uint32(s.from), uint32(s.first), uint32(min(s.to, Forever)), s.value})
		}
	}
	return dst
}
