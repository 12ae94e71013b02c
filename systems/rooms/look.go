package rooms

import (
	"maps"
	"net/netip"
	"slices"
	"strings"
)

// Process is the name of this process in the directory.
func (s *Server) Process() string { return s.config.Process }

// Directory is where processes, rooms and players are looked up.
func (s *Server) Directory() Directory { return s.config.Directory }

// Fingerprint is [Fingerprint] of the key and the protocol id of this process.
func (s *Server) Fingerprint() string { return Fingerprint(s.config.Key, s.config.ProtocolID) }

// Addresses are where players reach this process, as tokens name them.
func (s *Server) Addresses() []netip.AddrPort { return slices.Clone(s.config.Addresses) }

// Local reports whether players reach this process from this machine alone. Where they do not, nobody may be given a seat
// whom the game has not authenticated.
func (s *Server) Local() bool {
	return !slices.ContainsFunc(s.config.Addresses, func(at netip.AddrPort) bool { return !at.Addr().IsLoopback() })
}

// Kinds are the kinds of rooms, by name.
func (s *Server) Kinds() (all []Kind) {
	for _, k := range s.kinds {
		all = append(all, *k)
	}
	slices.SortFunc(all, func(a, b Kind) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Rooms are the rooms that have not ended, in the order of their creation. The list must not be changed.
func (s *Server) Rooms() []*Room {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.table.list
}

// Room is the room of that id, nil where it is not, or no longer, here.
func (s *Server) Room(id ID) *Room {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.table.byID[id]
}

// ByCode is the room of that code, in capitals or not; nil where there is none.
func (s *Server) ByCode(code string) *Room {
	if len(code) != codeLength {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.table.byCode[strings.ToLower(code)]
}

// Drain makes the process end: no more rooms, nobody new in those that there are, and each ends when the last has left.
func (s *Server) Drain() {
	s.mu.Lock()
	s.table.draining = true
	s.table.settle()
	list := s.table.list
	s.mu.Unlock()
	s.notes.Stir()
	for _, r := range list {
		r.Drain()
	}
}

// Elsewhere says who gives seats in rooms that are not here, for [Room.Travel]: a lobby.Lobby. Without one, players travel within
// the process.
func (s *Server) Elsewhere(seats Seats) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.table.elsewhere = seats
}

// Draining reports whether Drain was called.
func (s *Server) Draining() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.table.draining
}

// Drained is closed when all rooms of a process that drains have ended.
func (s *Server) Drained() <-chan struct{} { return s.table.drained }

// Tallies are what the rooms of each kind have done since the server was made, by name of the kind.
func (s *Server) Tallies() (all []Tally) {
	for _, name := range slices.Sorted(maps.Keys(s.counts)) {
		all = append(all, s.counts[name].tally(name))
	}
	return all
}

// Drops counts datagrams that no room was given.
func (s *Server) Drops() Drops { return s.router.readDrops() }
