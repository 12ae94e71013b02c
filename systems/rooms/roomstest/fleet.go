package roomstest

import (
	"context"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Fleet connects the servers of one test, so that players travel between their rooms. It publishes nothing and loses no messages.
type Fleet struct {
	mu        sync.Mutex
	servers   []*rooms.Server
	transfers map[uint64]transfer
	changes   uint64
}

type transfer struct {
	state    rooms.TransferState
	revision uint64
}

// NewFleet returns a fleet without servers.
func NewFleet() *Fleet { return &Fleet{transfers: make(map[uint64]transfer)} }

// Connect adds a server, before it runs.
func (f *Fleet) Connect(s *rooms.Server) *rooms.Link {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.servers = append(f.servers, s)
	return s.Connect(&member{Seats: rooms.Here(s), fleet: f})
}

// Load implements rooms.TransferStore.
func (f *Fleet) Load(_ context.Context, id uint64) (rooms.TransferState, uint64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.transfers[id].state, f.transfers[id].revision, nil
}

// Save implements rooms.TransferStore.
func (f *Fleet) Save(_ context.Context, id uint64, state rooms.TransferState, revision uint64) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.transfers[id].revision != revision {
		return false, nil
	}
	f.changes++
	f.transfers[id] = transfer{state, f.changes}
	return true, nil
}

// Remove implements rooms.TransferStore.
func (f *Fleet) Remove(_ context.Context, id, revision uint64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.transfers[id].revision == revision {
		delete(f.transfers, id)
	}
	return nil
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

func (m *member) Transfers() rooms.TransferStore { return m.fleet }
func (m *member) RoomChanged(*rooms.Room)        {}
func (m *member) PlayerChanged(uint64)           {}
func (m *member) ProcessChanged()                {}
func (m *member) Orphaned(*rooms.Room) bool      { return false }
func (m *member) MayAdmit() error                { return nil }
func (m *member) Membership() rooms.Membership   { return rooms.Membership{Member: true} }
func (m *member) Advance(time.Time)              {}
func (m *member) Withdraw()                      {}

func (m *member) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}
