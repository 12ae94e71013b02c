package systems

import (
	"log/slog"
	"math/bits"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/systems/internal/traffic"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

func trailing(set uint64) int { return bits.TrailingZeros64(set) }

// see brings what a client may see up to date: its own entities, and those of
// which the game's hook says so.
func (s *Server) see(w *ecs.World, p *peer, f *capture.Frame) {
	visible := s.config.Visible
	if visible == nil && !p.contest.big {
		return
	}
	p.contest.big = false
	before := s.frames.At(s.lastSend)
	for g := range f.Groups {
		cur, h := &f.Groups[g], &p.baselines.World[g]
		seen := wire.AllSlots
		if visible != nil {
			for m := cur.Alive; m != 0; m &= m - 1 {
				if k := trailing(m); f.Owner(g, k) != p.id && !visible(w, f.Entity(g, k), p.id) {
					seen &^= 1 << k
				}
			}
		}
		if big := h.StillLeftOut(f.Send, cur.Alive); big != 0 {
			seen &^= big
			p.contest.big = true
		}
		if seen == wire.AllSlots && h.Whole() {
			continue
		}
		if gone := p.baselines.Hide(g, f.Send, seen, sameSlots(before, cur, g)); gone != 0 && p.join.state == joinStream {
			s.censor(p.join.stream, g, gone)
		}
	}
}

// sameSlots are the slots of a group in which the entity was there a send before.
func sameSlots(before *capture.Frame, cur *delta.Group, g int) (same uint64) {
	if before == nil || g >= len(before.Groups) {
		return 0
	}
	old := &before.Groups[g]
	for m := cur.Alive & old.Alive; m != 0; m &= m - 1 {
		if k := trailing(m); cur.IDs[k] == old.IDs[k] {
			same |= 1 << k
		}
	}
	return same
}

// planHidden tells of slots that the client may not see any more: that they are
// out of its sight, or empty where what it knew there is gone. A client that joins
// is told of all of them, since it must know every slot.
func (s *Server) planHidden(p *peer, f *capture.Frame) {
	for g := range p.baselines.World {
		h := &p.baselines.World[g]
		hidden, slots := h.Hidden()
		if hidden == 0 || p.join.state == joinStream && slots == 0 {
			continue
		}
		if p.join.state != joinNone {
			slots = hidden
		}
		empty := slots & h.HiddenEmpty()
		for _, part := range [2]struct {
			slots uint64
			group []delta.Group
		}{{slots &^ empty, s.planner.unseen[:]}, {empty, s.planner.empty[:]}} {
			if part.slots == 0 {
				continue
			}
			h := wire.BlockHead{First: 0, Count: 1, Slots: part.slots}
			b := s.encoder.encodes.fresh(&s.encoder.ownArena, p.snap.model, &h, part.group, nil, nil)
			h.First, h.Coder = uint32(g), b.coder
			s.planner.packing.add(planned{BlockHead: h, body: b.body, costs: b.costs, send: f.Send, chunk: -1, hidden: true}, contentWorld)
		}
	}
}

// oversized leaves out the entity in a slot because no snapshot of this client has
// room for it.
func (s *Server) oversized(p *peer, src *source, g int, slots uint64) {
	cur := &src.groups[g]
	k := trailing(slots & cur.Alive)
	s.stats.Oversized++
	if mask := cur.Masks[k]; !s.planner.bigTold[mask] {
		s.planner.bigTold[mask] = true
		s.config.Logger.Error("entity left out: it does not fit a client's snapshot; more with its components are only counted",
			"entity", cur.IDs[k], "client", p.id, "budget", p.contest.budget, slog.Any("components", traffic.Names(s.shape.replicated, mask)))
	}
	if src.own {
		return
	}
	p.baselines.LeaveOut(g, src.send, 1<<k)
	p.contest.big = true
}
