package relay

import "github.com/tactusgo/tactus/systems/internal/timeline"

// kind is what is known of a player's input for a tick.
type kind uint8

const (
	open kind = iota // nothing yet
	real             // it is there
	void             // it was decided that none comes
	late             // likewise, and then it came
)

// lane is one stretch of ticks in which a player plays, and what is known of its
// inputs: all before end, in a ring by tick. A lane has the same slot on all
// peers, which is what it goes by in messages.
type lane struct {
	timeline.Presence
	end     uint32 // the first tick, from First on, of which nothing is known
	start   uint32 // on clients: the first tick that is told
	retired bool   // there: its player left so long ago that nothing goes back there
	fed     uint32 // there: before end, the first tick that the timeline has not been given
	ring    []entry
	words   []int32
	size    int // words of an input

	counts Inputs // on the server
	ahead  uint32 // there: behind the newest that has come
}

type entry struct {
	tick uint32
	kind kind
}

func newLane(keep, words int) *lane {
	return &lane{ring: make([]entry, keep), words: make([]int32, keep*words), size: words}
}

// begin makes the lane that of another presence, of which all before start is
// settled.
func (l *lane) begin(p timeline.Presence, start uint32) {
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
	return open
}

// input is where the words of a tick are; they mean something when it is real.
func (l *lane) input(tick uint32) []int32 {
	i := int(tick) % len(l.ring) * l.size
	return l.words[i : i+l.size]
}

// set notes what became of a tick, and moves the end.
func (l *lane) set(tick uint32, k kind, words []int32) {
	l.ring[int(tick)%len(l.ring)] = entry{tick, k}
	if k == real {
		copy(l.input(tick), words)
	}
	for l.end < l.To && l.at(l.end) != open {
		l.end++
	}
}

// expire decides that what is missing before tick does not come.
func (l *lane) expire(tick uint32) {
	for l.end < min(tick, l.To) {
		l.counts.Missing++
		l.set(l.end, void, nil)
	}
}

// before is the input before a tick, for what a later one is told against; nil
// for the neutral one.
func (l *lane) before(tick, start uint32) []int32 {
	if tick <= start || l.at(tick-1) != real {
		return nil
	}
	return l.input(tick - 1)
}
