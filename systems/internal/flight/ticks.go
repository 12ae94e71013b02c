package flight

import (
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/compression"
	"github.com/tactusgo/tactus/systems/internal/commands"
)

// Player is a player with an input.
type Player struct {
	Client, Sequence uint32
	Words            []int32
	Skipped          bool // its entities take no step in this tick
}

// Handler repeats happenings in their order. Within a tick, the calls of Entry come first, then Alone, and then Run.
type Handler interface {
	// Message repeats a message of a client.
	Message(client uint32, channel int, message []byte)
	// Claim passes an input to lag compensation between ticks.
	Claim(kind ClaimKind, client, number uint32)
	// Outside runs a system of the game outside of ticks. It returns an error if there is none of that index.
	Outside(index int) error
	// Hash compares the hash of the world before the coming tick. It returns false to stop.
	Hash(sum uint64) (ok bool)
	// Entry adds a join, a leave or a command to the coming tick. Its Tick is not set.
	Entry(e commands.Entry)
	// Alone runs Simulate for the entities of a client alone, with an input that precedes the one of Run. p is valid during the
	// call.
	Alone(p *Player)
	// Run simulates the tick. cut reports that the tick was not complete when the flight was written. It returns false to stop.
	Run(players []Player, cut bool) (ok bool)
}

// Ticks repeats the happenings of a segment. ok is false if h has stopped. cut reports that the flight was written within its
// last tick.
func (s *Segment) Ticks(cut bool, h Handler) (ok bool, err error) {
	b, err := compression.Decompress(s.events, maxEvents)
	if err != nil {
		return false, fmt.Errorf("%w: what happened after tick %d: %w", ErrFlight, s.Tick, err)
	}
	r := ticks{words: s.words}
	r.Reset(b)
	ok, err = r.run(cut, h)
	if r.Err() != nil || err != nil {
		return false, fmt.Errorf("%w: what happened after tick %d is damaged", ErrFlight, s.Tick)
	}
	return ok, nil
}

// ticks reads happenings.
type ticks struct {
	codec.ByteReader
	words   int
	players []Player
	due     []bool // by index: the tick has an input of its own for the player
	open    bool   // something of the coming tick was read
}

// run reads all happenings.
func (t *ticks) run(cut bool, h Handler) (ok bool, err error) {
	for t.Len() > 0 && t.Err() == nil {
		switch op := t.Byte(); op {
		case opEnd:
			if t.open && cut && t.Len() == 0 {
				return h.Run(t.tick(), true), nil
			}
		case opTick:
			t.open = false
			if !h.Run(t.tick(), false) {
				return false, nil
			}
			t.end()
		case opHash:
			if sum := t.Uint64(); t.Err() == nil && !h.Hash(sum) {
				return false, nil
			}
		case opMessage:
			client, channel, message := t.Uvarint32(), t.Uvarint32(), t.Bytes()
			if t.Err() == nil {
				h.Message(client, int(channel), message)
			}
		case opClaim:
			kind, client, number := ClaimKind(t.Uvarint32()), t.Uvarint32(), t.Uvarint32()
			if kind > Recorded {
				t.Reject()
			}
			if t.Err() == nil {
				h.Claim(kind, client, number)
			}
		case opOutside:
			if i := t.Uvarint32(); t.Err() == nil {
				if err := h.Outside(int(i)); err != nil {
					return false, err
				}
			}
		default:
			t.open = true
			t.happening(op, h)
		}
	}
	return true, nil
}

// happening reads something of the coming tick.
func (t *ticks) happening(op byte, h Handler) {
	if op == opEntry {
		e := commands.Entry{Kind: commands.Kind(t.Uvarint32()), Player: t.Uvarint32(), Value: string(t.Bytes())}
		if e.Kind > commands.Command {
			t.Reject()
		}
		if t.Err() == nil {
			h.Entry(e)
		}
		return
	}
	i := int(t.Uvarint32())
	if t.Err() != nil || i > len(t.players) || i == len(t.players) && op != opEnter {
		t.Reject()
		return
	}
	switch op {
	case opEnter:
		if t.words > t.Len()*8 || (len(t.players)+1)*max(t.words, 1) > maxPlayers {
			t.Reject()
			return
		}
		p := Player{Client: t.Uvarint32(), Sequence: t.Uvarint32(), Words: make([]int32, t.words)}
		readChange(&t.ByteReader, p.Words)
		t.players, t.due = slices.Insert(t.players, i, p), slices.Insert(t.due, i, false)
	case opLeave:
		t.players, t.due = slices.Delete(t.players, i, i+1), slices.Delete(t.due, i, i+1)
	case opHold:
		p := &t.players[i]
		p.Sequence += t.Uvarint32() + 1
		readChange(&t.ByteReader, p.Words)
		t.due[i] = true
	case opAlone:
		if !t.due[i] { // the expected input
			t.players[i].Sequence++
			t.due[i] = true
		}
		h.Alone(&t.players[i])
	case opSkip:
		t.players[i].Skipped, t.due[i] = true, true
	default:
		t.Reject()
	}
}

// maxPlayers is the maximum number of players with inputs, times the words of an input.
const maxPlayers = 1 << 22

// tick returns the players with their inputs of the tick.
func (t *ticks) tick() []Player {
	for i := range t.players {
		if !t.due[i] {
			t.players[i].Sequence++
		}
	}
	return t.players
}

// end ends a tick.
func (t *ticks) end() {
	clear(t.due)
	for i := range t.players {
		t.players[i].Skipped = false
	}
}
