package rooms

import (
	"fmt"
)

// These limits refuse no player. A player who asks repeatedly loses its own unused seats and rooms, and so takes none from
// others.

// releaseSeats frees the oldest promised seats of a player beyond [Config].MaxPromised.
func (s *Server) releaseSeats(player uint64) {
	var promised []*Room // the newest promise last
	for _, id := range s.roomsOf(player) {
		if r := s.Room(id); r != nil && r.promises(player) {
			promised = append(promised, r)
		}
	}
	for _, r := range beyond(promised, s.config.MaxPromised) {
		if r.release(player) {
			r.changed()
			r.rouse() // so that the directory and the senders of the player learn of it
		}
	}
}

// promises reports whether a player has a promised seat in the room.
func (r *Room) promises(player uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, s, ok := r.held.book.seatOf(player)
	return ok && s.state() == seatPromised
}

// release frees the promised seat of a player, and reports whether there was one.
func (r *Room) release(player uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, s, ok := r.held.book.seatOf(player); !ok || s.state() != seatPromised {
		return false
	}
	_, err := r.held.book.kick(player)
	return err == nil
}

// endUnused ends the oldest unused rooms created for a player beyond [Config].MaxUnused.
func (s *Server) endUnused(player uint64) {
	var unused []*Room // in the order of creation
	for _, r := range s.Rooms() {
		if r.about.creator == player && r.kind.Linger >= 0 && r.unused() {
			unused = append(unused, r)
		}
	}
	for _, r := range beyond(unused, s.config.MaxUnused) {
		r.End(fmt.Errorf("%w: another room was made for its player", ErrEmpty))
	}
}

// unused reports whether the room is empty and no other player than its creator has a promised seat.
func (r *Room) unused() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held.life.state() == Ended {
		return false
	}
	for _, s := range r.held.book.all() {
		if st := s.state(); st != seatFree && (st != seatPromised || s.player != r.about.creator) {
			return false
		}
	}
	return true
}

// beyond returns the oldest rooms above the limit most. A negative limit means none.
func beyond(all []*Room, most int) []*Room {
	if most < 0 || len(all) <= most {
		return nil
	}
	return all[:len(all)-most]
}
