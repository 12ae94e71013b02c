package lagcomp

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
)

// ErrState is wrapped by the errors of [Compensator.Load].
var ErrState = errors.New("lagcomp: not a state of this compensator")

// NewHistory returns an empty history for [Compensator.Save].
func (c *Compensator) NewHistory() *ecs.WorldHistory {
	return ecs.NewWorldHistory(c.w, c.history.Len())
}

// Len returns the number of ticks whose states are kept.
func (c *Compensator) Len() uint32 { return uint32(c.history.Len()) }

// Save captures the compensator for [Compensator.Load], so that claims get the same views as here. states, from NewHistory, has
// captured the last states of the world: each directly after [Compensator.Record] with the same tick. It has as many as fit into
// it, or all since the first. Save returns a function that encodes the capture. Any goroutine may call it once; until it
// returns, states must not change.
func (c *Compensator) Save(states *ecs.WorldHistory) (encode func(dst []byte) []byte) {
	newest, n := c.newest, c.Len()
	ids := slices.Sorted(maps.Keys(c.players))
	players := make([]player, len(ids))
	for i, id := range ids {
		players[i] = *c.players[id]
		players[i].inputs = slices.Clone(players[i].inputs)
	}
	return func(dst []byte) []byte {
		dst = codec.AppendUvarints(dst, newest, n, uint32(len(ids)))
		for i, id := range ids {
			p := &players[i]
			dst = codec.AppendUvarints(dst, id, p.acked, p.at, p.input)
			dst = codec.AppendUvarint(codec.AppendUvarint(dst, uint64(p.head)), uint64(p.floor))
			dst = codec.AppendUvarints(dst, p.inputs...)
		}
		for tick := newest - min(newest, n-1); tick <= newest; tick++ {
			if b, err := states.AppendState(nil, tick); err == nil {
				dst = codec.AppendUvarints(dst, tick)
				dst = codec.AppendBytes(dst, b)
			}
		}
		return dst
	}
}

// Load continues with the output of Save, of a compensator with the same configuration and protocol. The world keeps its
// contents. Call Load between ticks. The bytes may be untrusted. It returns an error that wraps [ErrState] if they are not
// valid.
func (c *Compensator) Load(b []byte) error {
	var r codec.ByteReader
	r.Reset(b)
	newest, n := r.Uvarint32(), r.Uvarint32()
	if r.Err() != nil || n != c.Len() {
		return fmt.Errorf("%w: MaxRewind or the tick rate differs", ErrState)
	}
	players := make(map[uint32]*player)
	for left := r.Uvarint32(); left > 0 && r.Err() == nil; left-- {
		id := r.Uvarint32()
		p := &player{acked: r.Uvarint32(), at: r.Uvarint32(), input: r.Uvarint32(), head: moment(r.Uvarint()), floor: moment(r.Uvarint()), inputs: make([]uint32, n)}
		for i := range p.inputs {
			p.inputs[i] = r.Uvarint32()
		}
		players[id] = p
	}
	if r.Err() != nil {
		return fmt.Errorf("%w: it is cut off", ErrState)
	}
	now := ecs.NewWorldHistory(c.w, 1)
	now.Capture(0)
	present, err := now.AppendState(nil, 0)
	for err == nil && r.Len() > 0 && r.Err() == nil {
		tick := r.Uvarint32()
		if err = c.w.Netcode().ReadState(r.Bytes()); err == nil {
			c.history.Capture(tick)
		}
	}
	if err = errors.Join(err, r.Err()); err != nil {
		err = fmt.Errorf("%w: %w", ErrState, err)
	}
	if back := c.w.Netcode().ReadState(present); back != nil {
		return errors.Join(err, back)
	}
	c.newest, c.players = newest, players
	c.serial++
	return err
}
