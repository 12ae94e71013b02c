package relay

import "github.com/tactusgo/tactus/systems/internal/timeline"

// kind is the status of a player's input for a tick.
type kind uint8

const (
	inputUnknown kind = iota // not received yet
	inputKnown               // received
	inputAbsent              // final: there is no input
	inputLate                // final: there is no input; it arrived later
)

// lane holds one presence of a player and its inputs, in a ring by tick. The status of all inputs before end is
// known. A lane has the same slot on all peers, and messages refer to the lane by this slot.
type lane struct {
	timeline.Presence
	end     uint32 // the first tick, from First on, whose input is unknown
	start   uint32 // client: the first tick whose input the server sends
	retired bool   // client: the player left so long ago that no rollback reaches it
	fed     uint32 // client: the first tick that was not passed to the timeline
	ring    []entry
	words   []int32
	size    int // words per input

	counts Inputs // server
	ahead  uint32 // server: the tick after the newest input
}

type entry struct {
	tick uint32
	kind kind
}

func newLane(keep, words int) *lane {
	return &lane{ring: make([]entry, keep), words: make([]int32, keep*words), size: words}
}

// reset assigns the lane to another presence. The inputs before start are not needed.
func (l *lane) reset(p timeline.Presence, start uint32) {
	l.Presence, l.retired = p, false
	l.start = max(start, p.First)
	l.end, l.fed = l.start, l.start
	l.counts, l.ahead = Inputs{}, 0
	clear(l.ring)
}

func (l *lane) at(tick uint32) kind {
	if e := l.ring[int(tick)%len(l.ring)]; e.tick == tick {
		return e.kind
	}
	return inputUnknown
}

// input returns the words of a tick. They are valid only if the tick is inputKnown.
func (l *lane) input(tick uint32) []int32 {
	i := int(tick) % len(l.ring) * l.size
	return l.words[i : i+l.size]
}

// set stores the status of a tick and advances end.
func (l *lane) set(tick uint32, k kind, words []int32) {
	l.ring[int(tick)%len(l.ring)] = entry{tick, k}
	if k == inputKnown {
		copy(l.input(tick), words)
	}
	for l.end < l.To && l.at(l.end) != inputUnknown {
		l.end++
	}
}

// expire marks missing inputs before tick as absent.
func (l *lane) expire(tick uint32) {
	for l.end < min(tick, l.To) {
		l.counts.Missing++
		l.set(l.end, inputAbsent, nil)
	}
}

// previousInput returns the input before a tick, from which the next input is encoded as a difference. nil stands
// for the neutral input.
func (l *lane) previousInput(tick, start uint32) []int32 {
	if tick <= start || l.at(tick-1) != inputKnown {
		return nil
	}
	return l.input(tick - 1)
}
