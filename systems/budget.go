package systems

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/capture"
	"github.com/tactusgo/tactus/systems/internal/notice"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Where a snapshot does not hold all that there is to tell, entities compete: with
// each send an entity gains its priority, and loses what it has gained when it is
// told of. The block with the most eager entity goes first. A block that does not
// fit is cut down to its most eager entities.

// leastPriority keeps entities of no priority from waiting for ever.
const leastPriority = 1.0 / 16

// band is how many times less than the most eager entity of a block another one may
// have gained to go with it. What has gained less competes for itself.
const band = 4

// leastSpace is how many bytes a block must have room for to be worth trying, and
// misfits how many blocks in a row may fail to fit before the rest is left.
const (
	leastSpace = 24
	misfits    = 4
)

// candidate is a block that competes.
type candidate struct {
	wire.BlockHead
	priority float32
}

// gain is what an entity gains with each send.
func (s *Server) gain(w *ecs.World, p *peer, f *capture.Frame, g, k int) float32 {
	if s.config.Priority == nil {
		return 1
	}
	if v := s.config.Priority(w, f.Entity(g, k), p.id); v > leastPriority {
		return v // false for what is not a number
	}
	return leastPriority
}

// relax ends a competition: everything was told.
func (p *peer) relax() {
	if p.contest.over {
		p.contest.over = false
		for g := range p.contest.accruedPriority {
			clear(p.contest.accruedPriority[g][:])
		}
	}
}

// compete lays out as much as fits into limit bytes of a world that is more than
// that.
func (s *Server) compete(w *ecs.World, p *peer, f *capture.Frame, src *source, limit int) {
	pk := &s.planner.packing
	whole := pk.limit
	pk.limit = limit
	p.contest.over = true
	if p.logged.First(notice.Budget) {
		s.config.Logger.Info("budget exhausted: entities take turns; from now on that is only counted", "client", p.id, "budget", p.contest.budget, "allowed", limit)
	}
	for len(p.contest.accruedPriority) < len(src.groups) {
		p.contest.accruedPriority = append(p.contest.accruedPriority, [64]float32{})
	}
	for g := range src.groups {
		alive := src.groups[g].Alive
		for m := alive | src.held[g].EverSent(); m != 0; m &= m - 1 {
			if k := trailing(m); m&-m&alive != 0 {
				p.contest.accruedPriority[g][k] += s.gain(w, p, f, g, k)
			} else {
				p.contest.accruedPriority[g][k]++ // that nobody is there any more may be news
			}
		}
	}
	s.competeFor(p, src, p.contest.accruedPriority)
	pk.limit = whole
	s.stats.OverBudget++
}

// competeFor lays out blocks of a source by what its entities have gained.
func (s *Server) competeFor(p *peer, src *source, gained [][64]float32) {
	pk := &s.planner.packing
	s.contest.candidates = s.contest.candidates[:0]
	for g := range src.groups {
		hidden, _ := src.held[g].Hidden()
		slots := wire.AllSlots &^ hidden
		if !p.wants(src, g) {
			continue
		}
		if src.groups[g].Alive == 0 && src.held[g].Whole() {
			s.competeEmpty(p, src, g, gained)
			continue
		}
		for slots != 0 {
			u := candidate{BlockHead: s.part(src, g, slots)}
			slots &^= u.Slots
			for rest := u.Slots; rest != 0; {
				u.Slots = rest
				u.priority = s.priorityOf(p, src, &u, gained)
				for m := rest & src.groups[g].Alive; m != 0; m &= m - 1 {
					if gained[g][trailing(m)]*band < u.priority {
						u.Slots &^= m & -m
					}
				}
				s.contest.candidates = append(s.contest.candidates, u)
				rest &^= u.Slots
			}
		}
	}
	slices.SortFunc(s.contest.candidates, func(a, b candidate) int {
		return cmp.Or(-cmp.Compare(a.priority, b.priority), cmp.Compare(a.First, b.First), cmp.Compare(a.Age, b.Age), cmp.Compare(a.Slots, b.Slots))
	})
	failed, laid := 0, false
	for i := range s.contest.candidates {
		u := &s.contest.candidates[i]
		if pk.room(src.kind) < leastSpace || failed >= misfits {
			break
		}
		b := s.encodeBlock(p, src, u.BlockHead)
		if pk.add(b, src.kind) || s.cut(p, src, u.BlockHead, len(b.body), gained) {
			failed, laid = 0, true
		} else {
			failed++
			// What waited longest would wait for ever beside own state.
			p.contest.starved = p.contest.starved || i == 0 && !src.own
		}
	}
	if !laid && !src.own && len(s.contest.candidates) > 0 {
		p.contest.starved = true
	}
	for i := range pk.blocks {
		if b := &pk.blocks[i]; b.Own == src.own && !b.hidden && b.chunk < 0 {
			for g := b.First; g < b.First+b.Count; g++ {
				for m := b.Slots; m != 0; m &= m - 1 {
					gained[g][trailing(m)] = 0
				}
			}
		}
	}
}

// refreshed is after how many sends a group without entities is told of again.
const refreshed = 64

// competeEmpty lets a group without entities compete, in one block with those before
// it, where the client does not know that it is empty, or from long ago.
func (s *Server) competeEmpty(p *peer, src *source, g int, gained [][64]float32) {
	age, _, _ := src.held[g].Choose(src.send, src.floor, wire.AllSlots, false, src.oldest)
	if age > 0 && age < refreshed && s.at(p, src, src.send-age)[g].Alive == 0 {
		clear(gained[g][:])
		return
	}
	if src.held[g].EverSent() == 0 {
		gained[g][0]++ // nobody ever was there to gain anything
	}
	eager := slices.Max(gained[g][:])
	if n := len(s.contest.candidates) - 1; n >= 0 {
		if u := &s.contest.candidates[n]; u.Age == 0 && u.Slots == wire.AllSlots && src.groups[u.First].Alive == 0 && u.First+u.Count == uint32(g) {
			u.Count++
			u.priority = max(u.priority, eager)
			return
		}
	}
	s.contest.candidates = append(s.contest.candidates, candidate{wire.BlockHead{Own: src.own, First: uint32(g), Count: 1, Slots: wire.AllSlots}, eager})
}

// priorityOf is the most that an entity of a block has gained. An entity that is gone
// is news like any other, until the client is known to have heard.
func (s *Server) priorityOf(p *peer, src *source, u *candidate, gained [][64]float32) (most float32) {
	g := u.First
	news := src.groups[g].Alive
	if u.Age == 0 {
		news |= src.held[g].EverSent()
	} else {
		news |= s.at(p, src, src.send-u.Age)[g].Alive
	}
	for m := u.Slots & news; m != 0; m &= m - 1 {
		most = max(most, gained[g][trailing(m)])
	}
	return most
}

// cut lays out those entities of a block that have gained most, as many as fit, and
// with them all slots of it that are empty. It reports whether that was any.
func (s *Server) cut(p *peer, src *source, h wire.BlockHead, size int, gained [][64]float32) bool {
	pk := &s.planner.packing
	g := h.First
	alive := h.Slots & src.groups[g].Alive
	n := onesIn(alive)
	s.contest.order = s.contest.order[:0]
	for m := alive; m != 0; m &= m - 1 {
		s.contest.order = append(s.contest.order, slotPriority{trailing(m), gained[g][trailing(m)]})
	}
	slices.SortFunc(s.contest.order, func(a, b slotPriority) int {
		return cmp.Or(-cmp.Compare(a.accrued, b.accrued), cmp.Compare(a.slot, b.slot))
	})
	room := pk.room(src.kind)
	var best planned
	fit, misfit := 0, n // of the order: how many fit, and how many do not
	for guess := n * room / max(size, 1); fit+1 < misfit; guess = (fit + misfit) / 2 {
		guess = min(max(guess, fit+1), misfit-1)
		part := h
		part.Slots = h.Slots &^ alive
		for _, o := range s.contest.order[:guess] {
			part.Slots |= 1 << o.slot
		}
		if b := s.encodeBlock(p, src, part); len(b.body) <= room {
			best, fit = b, guess
		} else {
			misfit, size = guess, len(b.body)
		}
	}
	if fit == 0 && n > 0 && size > pk.fresh() {
		s.oversized(p, src, int(g), 1<<s.contest.order[0].slot)
	}
	return fit > 0 && pk.add(best, src.kind)
}

// slotPriority is a slot and what its entity has gained.
type slotPriority struct {
	slot    int
	accrued float32
}

// SetBudget bounds the snapshots of one client to that many bytes each, from the
// next on; see ServerConfig.Budget. It returns an error that wraps [ErrConfig]
// below 200 bytes and when there is no such client.
func (s *Server) SetBudget(client uint32, bytes int) error {
	if bytes < minBudget {
		return fmt.Errorf("%w: Budget %d is less than %d bytes", ErrConfig, bytes, minBudget)
	}
	for _, p := range s.sessions.peers {
		if p.id == client {
			if bytes < p.contest.budget && p.join.state == joinStream { // in blocks that may be too long now
				s.unpin(p)
				p.join.state = joinNow
			}
			p.contest.budget = bytes
			return nil
		}
	}
	return fmt.Errorf("%w: SetBudget: no client %d", ErrConfig, client)
}
