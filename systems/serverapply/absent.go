package serverapply

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// Pending returns the inputs of a player that have arrived and were not consumed, and the sequence number of the last
// consumed input. The tick of an input is the one that consumes it unless the buffer holds.
func (s *System) Pending(player uint32) (inputs []timeline.Input, consumed uint32) {
	c := s.byID[player]
	if c == nil {
		return nil, 0
	}
	in := &c.in
	for i := range uint32(in.waiting()) {
		if seq := in.expected + i; in.has(seq) {
			inputs = append(inputs, timeline.Input{Tick: s.config.Tick() + i, Words: append([]int32(nil), in.at(seq)...)})
		}
	}
	return inputs, in.expected - 1
}

// Restore adds the pending inputs of a player of a saved server, whose client is absent. Each of the next ticks consumes
// one of them. If the player returns earlier, the rest is dropped. Restore returns the sequence number of the newest one,
// after which the player's next session continues. It leaves out inputs of another length or of other ticks.
func (s *System) Restore(player, consumed uint32, inputs []timeline.Input) (newest uint32) {
	c := newClient(s.config, player, nil, new(notice.Queue), new(notice.Once))
	in := &c.in
	in.follow(consumed)
	for _, x := range inputs {
		if ahead := x.Tick - s.config.Tick(); ahead < in.window && len(x.Words) == in.table.Words {
			seq := in.expected + ahead
			in.put(seq, in.expected, x.Words)
			in.newest, in.any = max(in.newest, seq), true
		}
	}
	if in.any {
		s.byID[player] = c
		s.absent = append(s.absent, c)
	}
	return in.newest
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
