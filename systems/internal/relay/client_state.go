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

// incomingState is a state of the world whose parts are arriving.
type incomingState struct {
	number uint8
	next   int
	bytes  []byte
}

// addPart appends a part. It returns an error if the state becomes larger than [MaxState]. complete reports
// whether the part was the last one.
func (a *incomingState) addPart(msg []byte) (complete bool, err error) {
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
	case len(a.bytes)+len(msg)-partHead > MaxState:
		return false, fmt.Errorf("%w: state of more than %d bytes", ErrMessage, MaxState)
	}
	a.bytes = append(a.bytes, msg[partHead:]...)
	a.next++
	return a.next == parts, nil
}

// maxTick is the largest tick that a server may send. Inputs may be for later ticks than the server's current one.
const maxTick = ecs.MaxTick + 1<<15

// presence is a player in a received state of the world.
type presence struct {
	slot int
	timeline.Presence
	adopted bool
	words   []int32
	at      uint32
}

// applyState decodes the received state into the world and restarts the timeline with it.
func (c *Client) applyState() error {
	var r codec.ByteReader
	r.Reset(c.incoming.bytes)
	keep, tick, events := r.Uvarint(), r.Uint32(), r.Uvarint()
	n := r.Uvarint()
	if r.Err() != nil || keep < 2 || keep > maxStored || tick == 0 || tick > maxTick || events > math.MaxInt32 || n > uint64(r.Len()/6) {
		return fmt.Errorf("%w: header of a state", ErrMessage)
	}
	var presences []presence
	for range n {
		var v [5]uint32
		for i := range v {
			u := r.Uvarint()
			if v[i] = uint32(u); u > math.MaxUint32 {
				return fmt.Errorf("%w: player in a state", ErrMessage)
			}
		}
		s := presence{slot: int(v[0]), Presence: timeline.Presence{Player: v[1], From: v[2], First: v[3], To: v[4]}}
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
		if flag == 0 && c.coder.joinRequest != nil {
			value := r.Next(int(min(r.Uvarint(), ecs.MaxRequest+1)))
			if !c.coder.validJoinValue(value) {
				return fmt.Errorf("%w: join request in a state", ErrMessage)
			}
			s.Value = string(value)
		}
		if r.Err() != nil || flag > 1 || s.slot >= maxSlots || s.From > maxTick || s.First > maxTick || s.First < s.From || s.To <= tick || s.adopted != (s.From < tick) ||
			s.words != nil && len(s.words) != len(c.coder.neutral) {
			return fmt.Errorf("%w: player in a state", ErrMessage)
		}
		presences = append(presences, s)
	}
	rest, commandList := r.Next(r.Len()), []commands.Entry(nil)
	if c.coder.commands != nil {
		var err error
		if commandList, rest, err = c.coder.readCommands(rest, tick); err != nil {
			return fmt.Errorf("%w: commands in a state: %w", ErrMessage, err)
		}
	}
	if err := c.world.Netcode().ReadState(rest); err != nil {
		return fmt.Errorf("%w: %w", ErrMessage, err)
	}
	return c.restart(int(keep), tick, int(events), presences, commandList)
}

// readCommands reads the commands in a state of the world before a tick. rest are the bytes after the commands.
func (c *coder) readCommands(b []byte, tick uint32) (list []commands.Entry, rest []byte, err error) {
	var r codec.ByteReader
	r.Reset(b)
	n := r.Uvarint()
	if r.Err() != nil || n > uint64(r.Len()/9) {
		return nil, nil, fmt.Errorf("%w: %d commands", codec.ErrMalformed, n)
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
		if err == nil {
			err = c.commands.Check(command)
		}
		if err != nil {
			return nil, nil, err
		}
		d.Value, rest = string(command), behind
		list = append(list, d)
	}
	return list, rest, nil
}

// restart restarts the timeline from a received state.
func (c *Client) restart(keep int, tick uint32, events int, presences []presence, commandList []commands.Entry) error {
	t := c.timeline
	t.Restart(tick)
	c.slots.clear(keep)
	c.server.restart(tick, events)
	c.checks.agreed = tick - 1
	// A player may have left after that tick and joined again in another slot.
	order.By(new(order.Scratch), presences, func(s *presence) uint64 { return uint64(s.From) })
	for i := range presences {
		s := &presences[i]
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
		c.assignSlot(s.slot, s.Presence, tick)
	}
	for _, d := range commandList {
		if err := t.AddCommand(d.Player, d.Tick, d.Value); err != nil {
			return fmt.Errorf("%w: %w", ErrMessage, err)
		}
	}
	c.recorder.restart()
	c.state = c.incoming.number
	c.stats.States++
	return nil
}
