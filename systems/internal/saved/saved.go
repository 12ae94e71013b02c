package saved

import (
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// mark begins a save, followed by the version of the format.
const (
	mark    = "tactus save "
	version = 3
)

// maxLead is the largest number of ticks until a player in the game can send an input.
const maxLead = 4096

// ErrSave is wrapped by the errors of [Parse].
var ErrSave = errors.New("not a save that this program can load")

// State is the state of a server between two ticks. Its bytes, after the mark and the version, are uvarints, and texts of
// their length and their bytes:
//
//	tick | numbers | returns | ticks a second, since version 2 | players n | each:
//	    player | client | input | from | first | 1 if connected, 2 if leaving | inputs n | each: tick | words n | the words
//	line of the input | commands n | each: client | line | value
//	until version 2: n | each: two numbers | outcomes | the world, as ecs.Netcode.Save encodes it, to the end
type State struct {
	// Tick is the next tick.
	Tick uint32
	// TickRate is the number of ticks a second, 0 if the save does not have it.
	TickRate uint32
	// Numbers is how many client numbers were assigned. Returns is the number of sessions of returning players.
	Numbers, Returns uint32
	// Players are the players in the game.
	Players []Player
	// InputLine is the line of the input component in the protocol.
	InputLine string
	// Commands wait for the next tick, in order.
	Commands []Command
	// Outcomes are those that are not final, as package outcome encodes them.
	Outcomes []byte
	// World is the world.
	World []byte
}

// Player is a player in the game.
type Player struct {
	Player      uint64 // client id of its tokens; 0 if it leaves
	Client      uint32 // client number
	Input       uint32 // newest consumed input
	From, First uint32 // first tick in the game, and first tick with an input
	Connected   bool
	Leaves      bool             // it leaves in the next tick
	Inputs      []timeline.Input // the one that the next tick may repeat, and those that have arrived for later ticks
}

// Command is a command of a player.
type Command struct {
	Client uint32
	Line   string // of the command's type in the protocol
	Value  string // without its kind
}

// KeepPresent removes the players who were not in the game in the last tick of a timeline, or who leave it in the next one. It adds
// the inputs of the others.
func (x *State) KeepPresent(line *timeline.Timeline) {
	present := make(map[uint32]timeline.Presence)
	for _, p := range line.AppendPresences(nil) {
		if p.From < line.Next() && p.To == timeline.Forever {
			present[p.Player] = p
		}
	}
	kept := x.Players[:0]
	for _, p := range x.Players {
		if at, is := present[p.Client]; is {
			p.From, p.First, p.Inputs = at.From, at.First, line.AppendInputs(nil, p.Client)
			kept = append(kept, p)
		}
	}
	x.Players = kept
}

// Append appends the encoded state.
func (x *State) Append(dst []byte) []byte {
	dst = append(append(dst, mark...), version)
	dst = codec.AppendUvarints(dst, x.Tick, x.Numbers, x.Returns, x.TickRate, uint32(len(x.Players)))
	for i := range x.Players {
		p := &x.Players[i]
		flags := uint32(0)
		if p.Connected {
			flags |= 1
		}
		if p.Leaves {
			flags |= 2
		}
		dst = codec.AppendUvarint(dst, p.Player)
		dst = codec.AppendUvarints(dst, p.Client, p.Input, p.From, p.First, flags, uint32(len(p.Inputs)))
		for _, in := range p.Inputs {
			dst = codec.AppendUvarints(dst, in.Tick, uint32(len(in.Words)))
			for _, w := range in.Words {
				dst = codec.AppendUvarints(dst, uint32(w))
			}
		}
	}
	dst = codec.AppendBytes(dst, x.InputLine)
	dst = codec.AppendUvarints(dst, uint32(len(x.Commands)))
	for _, c := range x.Commands {
		dst = codec.AppendUvarints(dst, c.Client)
		dst = codec.AppendBytes(dst, c.Line)
		dst = codec.AppendBytes(dst, c.Value)
	}
	dst = codec.AppendBytes(dst, x.Outcomes)
	return append(dst, x.World...)
}

// Parse decodes the output of [State.Append], which may be untrusted: it uses memory in proportion to the number of bytes,
// and the state refers to them. Only ecs.Netcode.Load can check the world.
func Parse(b []byte) (*State, error) {
	switch {
	case len(b) <= len(mark) || string(b[:len(mark)]) != mark:
		return nil, fmt.Errorf("%w: it is not a save", ErrSave)
	case b[len(mark)] == 0 || b[len(mark)] > version:
		return nil, fmt.Errorf("%w: it has version %d of the format, and this program reads versions up to %d", ErrSave, b[len(mark)], version)
	}
	var r codec.ByteReader
	r.Reset(b[len(mark)+1:])
	x := &State{Tick: r.Uvarint32(), Numbers: r.Uvarint32(), Returns: r.Uvarint32()}
	if b[len(mark)] >= 2 {
		x.TickRate = r.Uvarint32()
	}
	clients, players := make(map[uint32]bool), make(map[uint64]bool)
	for range r.Count(7) {
		p := Player{Player: r.Uvarint(), Client: r.Uvarint32(), Input: r.Uvarint32(), From: r.Uvarint32(), First: r.Uvarint32()}
		flags := r.Uvarint32()
		p.Connected, p.Leaves = flags&1 != 0, flags&2 != 0
		for range r.Count(2) {
			in := timeline.Input{Tick: r.Uvarint32(), Words: make([]int32, r.Count(1))}
			for i := range in.Words {
				in.Words[i] = int32(r.Uvarint32())
			}
			p.Inputs = append(p.Inputs, in)
		}
		if p.Client == 0 || clients[p.Client] || !p.Leaves && players[p.Player] || p.From > x.Tick || uint64(p.First) > uint64(x.Tick)+maxLead || flags > 3 {
			r.Reject()
		}
		if r.Err() != nil {
			break
		}
		clients[p.Client], players[p.Player] = true, true
		x.Numbers = max(x.Numbers, p.Client)
		x.Players = append(x.Players, p)
	}
	x.InputLine = string(r.Bytes())
	for range r.Count(3) {
		x.Commands = append(x.Commands, Command{r.Uvarint32(), string(r.Bytes()), string(r.Bytes())})
	}
	if b[len(mark)] < 3 {
		for range r.Count(2) {
			r.Uvarint32()
			r.Uvarint32()
		}
	}
	x.Outcomes = r.Bytes()
	x.World = r.Next(r.Len())
	switch {
	case r.Err() != nil:
		return nil, fmt.Errorf("%w: it is cut off or damaged", ErrSave)
	case x.Tick > ecs.MaxTick:
		return nil, fmt.Errorf("%w: tick %d is after ecs.MaxTick", ErrSave, x.Tick)
	}
	return x, nil
}
