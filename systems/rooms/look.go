package rooms

import (
	"maps"
	"net/netip"
	"slices"
	"strings"
)

// Process returns the name of this process.
func (s *Server) Process() string { return s.config.Process }

// Addresses returns the public addresses of this process, as tokens name them.
func (s *Server) Addresses() []netip.AddrPort { return slices.Clone(s.config.Addresses) }

// Local reports whether this process can be reached from this machine only. Otherwise the game must authenticate players before it
// gives them seats.
func (s *Server) Local() bool {
	return !slices.ContainsFunc(s.config.Addresses, func(at netip.AddrPort) bool { return !at.Addr().IsLoopback() })
}

// Kinds returns the kinds of rooms by name.
func (s *Server) Kinds() (all []Kind) {
	for _, k := range s.kinds {
		all = append(all, *k)
	}
	slices.SortFunc(all, func(a, b Kind) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Rooms returns the rooms that have not ended, in the order of their creation. The caller must not change the list.
func (s *Server) Rooms() []*Room {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.table.list
}

// Room returns the room with that id, nil if this process has none.
func (s *Server) Room(id ID) *Room {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.table.byID[id]
}

// ByCode returns the room with that code, in any case, nil if there is none.
func (s *Server) ByCode(code string) *Room {
	if len(code) != codeLength {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.table.byCode[strings.ToLower(code)]
}

// Drain makes the process refuse new rooms and new players. In a fleet with a Store, other processes continue the rooms: a room
// stands still for a moment, is saved and claimed, its clients follow, and it ends here with [ErrMoved]. Clients of another
// schema are told to update. A room that no other process can continue drains: it ends when its last player has left, or when another
// process continues it after all.
func (s *Server) Drain() {
	s.mu.Lock()
	s.table.draining = true
	s.table.closeIfDrained()
	list := s.table.list
	s.mu.Unlock()
	if s.fleet != nil {
		s.fleet.ProcessChanged()
	}
	for _, r := range list {
		if s.fleet != nil && s.config.Store != nil {
			s.tasks.add(r.handOver)
		} else {
			r.Drain()
		}
	}
}

// Draining reports whether Drain was called.
func (s *Server) Draining() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.table.draining
}

// Drained returns a channel that is closed when the process drains and all rooms have ended.
func (s *Server) Drained() <-chan struct{} { return s.table.drained }

// Tallies returns the counts of each kind since the server was created, by name of the kind.
func (s *Server) Tallies() (all []Tally) {
	for _, name := range slices.Sorted(maps.Keys(s.counts)) {
		all = append(all, s.counts[name].tally(name))
	}
	return all
}

// AcceptErrors returns how often a transport could not accept a connection, such as without a free file descriptor.
func (s *Server) AcceptErrors() (n uint64) {
	for _, w := range s.router.config.wires {
		if w, ok := w.(interface{ AcceptErrors() uint64 }); ok {
			n += w.AcceptErrors()
		}
	}
	return n
}

// Drops returns the counts of datagrams that no room received.
func (s *Server) Drops() Drops { return s.router.readDrops() }
