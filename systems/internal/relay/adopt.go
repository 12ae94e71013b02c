package relay

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/order"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// arriving is a state of which parts have come.
type arriving struct {
	number uint8
	next   int
	bytes  []byte
}

// part takes in a part of a state of at most so many bytes; whole reports that it was the last.
func (a *arriving) part(msg []byte, most int) (whole bool, err error) {
	if len(msg) < partHead {
		return false, fmt.Errorf("%w: part of %d bytes", ErrMessage, len(msg))
	}
	number, part, parts := msg[1], int(binary.LittleEndian.Uint16(msg[2:])), int(binary.LittleEndian.Uint16(msg[4:]))
	if part == 0 {
		a.number, a.next, a.bytes = number, 0, a.bytes[:0]
	}
	switch {
	case number == 0 || number != a.number || part != a.next || part >= parts:
		return false, fmt.Errorf("%w: part %d of %d of state %d", ErrMessage, part, parts, number)
	case len(a.bytes)+len(msg)-partHead > most:
		return false, fmt.Errorf("%w: state of more than %d bytes; see ClientConfig.MaxState", ErrMessage, most)
	}
	a.bytes = append(a.bytes, msg[partHead:]...)
	a.next++
	return a.next == parts, nil
}

// maxTick bounds the ticks that a server may speak of: inputs are for some behind the one
// that it has come to.
const maxTick = ecs.MaxTick + 1<<15

// seat is the presence of a player in a state.
type seat struct {
	slot int
	timeline.Presence
	adopted bool
	words   []int32
	at      uint32
}

// adopt makes the world what the state is that has come.
func (c *Client) adopt() error {
	var r codec.ByteReader
	r.Reset(c.arriving.bytes)
	keep, tick, events := r.Uvarint(), r.Uint32(), r.Uvarint()
	n := r.Uvarint()
	if r.Err() != nil || keep < 2 || keep > maxKeep || tick == 0 || tick > maxTick || events > math.MaxInt32 || n > uint64(r.Len()/6) {
		return fmt.Errorf("%w: head of a state", ErrMessage)
	}
	var seats []seat
	for range n {
		var v [5]uint32
		for i := range v {
			u := r.Uvarint()
			if v[i] = uint32(u); u > math.MaxUint32 {
				return fmt.Errorf("%w: player of a state", ErrMessage)
			}
		}
		s := seat{slot: int(v[0]), Presence: timeline.Presence{Player: v[1], From: v[2], First: v[3], To: v[4]}}
		if s.To == 0 {
			s.To = timeline.Forever
		}
		flag := r.Byte()
		if s.adopted = flag == 1; s.adopted {
			if at := r.Uvarint(); at > 0 {
				s.at = uint32(at - 1)
				s.words = make([]int32, min(len(c.coder.neutral), r.Len()/4))
				for i := range s.words {
					s.words[i] = int32(r.Uint32())
				}
			}
		}
		if flag == 0 && c.coder.asks != nil {
			value := r.Next(int(min(r.Uvarint(), ecs.MaxRequest+1)))
			if !c.coder.good(value) {
				return fmt.Errorf("%w: what a player of a state asks to be", ErrMessage)
			}
			s.Value = string(value)
		}
		if r.Err() != nil || flag > 1 || s.slot >= maxSlots || s.From > maxTick || s.First > maxTick || s.First < s.From || s.To <= tick || s.adopted != (s.From < tick) ||
			s.words != nil && len(s.words) != len(c.coder.neutral) {
			return fmt.Errorf("%w: player of a state", ErrMessage)
		}
		seats = append(seats, s)
	}
	rest, doings := r.Next(r.Len()), []commands.Entry(nil)
	if c.coder.commands != nil {
		var err error
		if doings, rest, err = c.coder.readDoings(rest, tick); err != nil {
			return fmt.Errorf("%w: commands of a state: %w", ErrMessage, err)
		}
	}
	if err := c.world.Netcode().ReadState(rest); err != nil {
		return fmt.Errorf("%w: %w", ErrMessage, err)
	}
	return c.resume(int(keep), tick, int(events), seats, doings)
}

// readDoings reads the commands of a state of the world before a tick, and returns what is behind them.
func (c *coder) readDoings(b []byte, tick uint32) (list []commands.Entry, rest []byte, err error) {
	var r codec.ByteReader
	r.Reset(b)
	n := r.Uvarint()
	if r.Err() != nil || n > uint64(r.Len()/9) {
		return nil, nil, fmt.Errorf("%w: %d of them", codec.ErrMalformed, n)
	}
	rest = r.Next(r.Len())
	for range n {
		if len(rest) < 8 {
			return nil, nil, codec.ErrMalformed
		}
		le, d := binary.LittleEndian, commands.Entry{Kind: commands.Command}
		d.Tick, d.Player = le.Uint32(rest), le.Uint32(rest[4:])
		if d.Tick < tick || d.Tick > maxTick {
			return nil, nil, fmt.Errorf("%w: tick %d", codec.ErrMalformed, d.Tick)
		}
		command, behind, err := c.commands.Next(rest[8:])
		if err != nil {
			return nil, nil, err
		}
		d.Value, rest = string(command), behind
		list = append(list, d)
	}
	return list, rest, nil
}

// resume begins the timeline anew with a state.
func (c *Client) resume(keep int, tick uint32, events int, seats []seat, doings []commands.Entry) error {
	t := c.timeline
	t.Restart(tick)
	c.slots.clear(keep)
	c.heard.resume(tick, events)
	c.checks.agreed = tick - 1
	// A player may have left after that tick and come again in another slot.
	order.By(new(order.Scratch), seats, func(s *seat) uint64 { return uint64(s.From) })
	for i := range seats {
		s := &seats[i]
		var err error
		if s.adopted {
			err = t.Adopt(s.Player, s.First, s.words, s.at)
		} else {
			err = t.Join(s.Player, s.From, s.First, s.Value)
		}
		if err == nil && s.To != timeline.Forever {
			err = t.Leave(s.Player, s.To)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrMessage, err)
		}
		c.seat(s.slot, s.Presence, tick)
	}
	for _, d := range doings {
		if err := timeline.CommandsOf(t).Add(d.Player, d.Tick, d.Value); err != nil {
			return fmt.Errorf("%w: %w", ErrMessage, err)
		}
	}
	c.state = c.arriving.number
	c.stats.States++
	return nil
}
