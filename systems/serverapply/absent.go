package serverapply

import (
	"slices"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/saved"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// Save adds to the players of x the inputs that have arrived and were not consumed, and the number of the last consumed input. The
// tick of an input is the one that consumes it unless the buffer holds. Save returns the leaves and commands that wait for a tick.
func (s *System) Save(x *saved.State) []commands.Entry {
	for i := range x.Players {
		p := &x.Players[i]
		c := s.byID[p.Client]
		if c == nil {
			continue
		}
		for i := range uint32(c.in.waiting()) {
			if seq := c.in.expected + i; c.in.has(seq) {
				p.Inputs = append(p.Inputs, timeline.Input{Tick: s.config.Tick() + i, Words: slices.Clone(c.in.at(seq))})
				p.Input = c.in.expected - 1
			}
		}
	}
	return s.log.AppendPending(nil, s.config.Tick())
}

// Load adds the pending inputs of a player of a save, whose client is absent. Each of the next ticks consumes one of them. If the
// player returns earlier, the rest is dropped. Load sets p.Input to the number of the newest one, after which the player's next
// session continues. It leaves out inputs of another length or of other ticks, and returns no error.
func (s *System) Load(p *saved.Player) error {
	c := newClient(s.config, p.Client, nil, new(notice.Queue), new(notice.Once))
	in := &c.in
	in.follow(p.Input)
	for _, x := range p.Inputs {
		if ahead := x.Tick - s.config.Tick(); ahead < in.window && len(x.Words) == in.table.Words {
			seq := in.expected + ahead
			in.put(seq, in.expected, x.Words)
			in.newest, in.any = max(in.newest, seq), true
		}
	}
	if in.any {
		s.byID[p.Client] = c
		s.absent = append(s.absent, c)
	}
	p.Input = in.newest
	return nil
}

// stepAbsent steps the next pending input of each absent player. It removes players who have returned, have left, or have
// no more pending inputs.
func (s *System) stepAbsent(w *ecs.World) {
	kept := s.absent[:0]
	for _, c := range s.absent {
		here := s.byID[c.id] == c
		if here && c.in.waiting() > 0 {
			s.holdInput(w, c, c.in.consume())
			kept = append(kept, c)
			continue
		}
		if here {
			delete(s.byID, c.id)
		}
		s.departed.Add(c.in.stats)
	}
	clear(s.absent[len(kept):])
	s.absent = kept
}
