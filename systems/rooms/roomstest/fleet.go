package roomstest

import (
	"context"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Fleet connects the servers of one test, so that players travel between their rooms. It publishes nothing and loses no messages.
// The zero value has no servers.
type Fleet struct {
	mu      sync.Mutex
	servers []*rooms.Server
}

// Connect adds a server, before it runs.
func (f *Fleet) Connect(s *rooms.Server) *rooms.Link {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.servers = append(f.servers, s)
	return s.Connect(&member{Seats: rooms.Here(s), fleet: f})
}

// member is one server of a fleet.
type member struct {
	rooms.Seats
	fleet *Fleet
}

var _ rooms.Fleet = (*member)(nil)

// Reserve implements rooms.Seats for the rooms of all servers.
func (m *member) Reserve(_ context.Context, room rooms.ID, who ...rooms.Player) ([]rooms.Admission, error) {
	m.fleet.mu.Lock()
	servers := m.fleet.servers
	m.fleet.mu.Unlock()
	for _, s := range servers {
		if r := s.Room(room); r != nil {
			return r.Reserve(who...)
		}
	}
	return nil, rooms.ErrRoom
}

func (m *member) RoomChanged(*rooms.Room)   {}
func (m *member) ProcessChanged()           {}
func (m *member) Orphaned(*rooms.Room) bool { return false }
func (m *member) MayAdmit() error           { return nil }
func (m *member) HandOver(context.Context, *rooms.Room, uint32, []rooms.Player) ([]rooms.Admission, error) {
	return nil, rooms.ErrUnavailable
}
func (m *member) Membership() rooms.Membership { return rooms.Membership{Member: true} }
func (m *member) Advance(time.Time)            {}
func (m *member) Withdraw()                    {}

func (m *member) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}
