package fleet_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
	"github.com/tactusgo/tactus/systems/rooms/roomstest"
)

// birth is where virtual time begins.
var birth = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

const step = 10 * time.Millisecond

type hat struct {
	Color int32 `net:"0..7"`
}

// hats returns a later version of the game.
func hats() *ecs.Protocol {
	p := roomstest.Field()
	ecs.Replicate[hat](p, ecs.Interpolated)
	return p
}

// store is the directory of a fleet, which can be made to refuse writes. It counts requests, except for seats that players have.
type store struct {
	fleet.Directory
	testbed *testbed
	mu      sync.Mutex
	down    bool
	asked   int
	queued  int // writes under other keys than those of processes, their epochs and rooms
}

// wrote counts a write of the queue.
func (s *store) wrote(key string) {
	if word, _, _ := strings.Cut(key, "."); word != "process" && word != "epoch" && word != "room" {
		s.queued++
	}
}

func (s *store) refuse(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

func (s *store) Save(ctx context.Context, key string, value []byte, revision uint64, lease time.Duration) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrote(key)
	if s.down {
		return 0, rooms.ErrUnavailable
	}
	return s.Directory.Save(ctx, key, value, revision, lease)
}

func (s *store) Remove(ctx context.Context, key string, revision uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrote(key)
	if s.down {
		return rooms.ErrUnavailable
	}
	return s.Directory.Remove(ctx, key, revision)
}

func (s *store) Request(ctx context.Context, address string, request []byte) ([]byte, error) {
	renews := bytes.Contains(request, []byte(`"renew"`))
	s.mu.Lock()
	if !renews {
		s.asked++
	}
	s.mu.Unlock()
	answer, err := s.Directory.Request(ctx, address, request)
	if err == nil && (answer == nil || s.testbed.lost && !renews) {
		return nil, rooms.ErrUnavailable
	}
	return answer, err
}

// memberStore is the directory of one process. It does not answer while it is stopped.
type memberStore struct {
	*store
	member *member
}

func (s *memberStore) Handle(address string, answer func(ctx context.Context, request []byte) []byte) (stop func(), err error) {
	return s.store.Handle(address, func(ctx context.Context, request []byte) []byte {
		if s.member.stopped {
			return nil
		}
		return answer(ctx, request)
	})
}

// member is a process of a fleet.
type member struct {
	name    string
	server  *rooms.Server // nil: it has no rooms
	fleet   *fleet.Fleet
	stopped bool // it does nothing, and may go on later
}

// testbed is the processes of a fleet in virtual time. Requests are answered at once.
type testbed struct {
	t        testing.TB
	now      time.Time
	net      *netsys.Network
	key      netcode.Key
	protocol uint64
	store    *store
	random   func([]byte)
	log      *slog.Logger // of the next process
	members  []*member
	clients  []*systems.Client
	lost     bool // answers are lost, except to requests for seats that players have
}

func newTestbed(t testing.TB, seed uint64) *testbed {
	f := &testbed{t: t, now: birth, net: netsys.NewNetwork(), random: netsys.SeededRandom(seed)}
	f.key = netcode.GenerateKey(f.random)
	f.store = &store{Directory: fleet.NewMemory(f.time), testbed: f}
	return f
}

func (f *testbed) time() time.Time { return f.now }

// add adds a process with rooms.
func (f *testbed) add(name string, c rooms.Config) *member {
	f.t.Helper()
	c.Process, c.Key, c.ProtocolID = name, f.key, f.protocol
	c.Now, c.Random = f.time, f.random
	s, err := rooms.New(c, f.net.Node(netip.AddrPort{}))
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = s.Close(f.now) })
	m := &member{name: name, server: s}
	f.open(m)
	f.now = f.now.Add(time.Millisecond) // a process that starts later is newer
	return m
}

// door adds a process without rooms.
func (f *testbed) door() *fleet.Fleet {
	m := &member{name: "door"}
	f.open(m)
	return m.fleet
}

func (f *testbed) open(m *member) {
	c := fleet.Config{Directory: &memberStore{f.store, m}, Here: m.server, Logger: f.log}
	if m.server == nil {
		c.Key, c.ProtocolID, c.Now, c.Random = f.key, f.protocol, f.time, f.random
	}
	var err error
	if m.fleet, err = fleet.New(c); err != nil {
		f.t.Fatal(err)
	}
	f.members = append(f.members, m)
}

// fields returns the configuration of a process with rooms.
func fields(capacity int) rooms.Config {
	return rooms.Config{Kinds: []rooms.Kind{{Name: "field", Protocol: roomstest.Field, Capacity: capacity, Server: systems.ServerConfig{TickRate: 20}}}}
}

// run lets time pass.
func (f *testbed) run(d time.Duration) {
	for end := f.now.Add(d); f.now.Before(end); {
		f.now = f.now.Add(step)
		for _, m := range f.members {
			switch {
			case m.stopped:
			case m.server != nil:
				m.server.Advance(f.now)
			default:
				m.fleet.Advance(f.now)
			}
		}
		for _, c := range f.clients {
			if c.Err() == nil {
				c.Advance(f.now)
				c.Frame(f.now)
			}
		}
	}
}

// call is the answer to a request for seats.
type call struct {
	all []rooms.Admission
	err error
}

// start asks for seats.
func (f *testbed) start(ask func(ctx context.Context) ([]rooms.Admission, error)) *call {
	all, err := ask(context.Background())
	return &call{all, err}
}

// end returns the answer to a call.
func (f *testbed) end(c *call) ([]rooms.Admission, error) {
	f.run(step)
	return c.all, c.err
}

// wish returns a call for seats in a field.
func wish(l *fleet.Fleet, who ...rooms.Player) func(ctx context.Context) ([]rooms.Admission, error) {
	return func(ctx context.Context) ([]rooms.Admission, error) {
		return l.Join(ctx, rooms.Wish{Kind: "field", Players: who})
	}
}

// seat gives players seats, which must not fail.
func (f *testbed) seat(ask func(ctx context.Context) ([]rooms.Admission, error)) []rooms.Admission {
	f.t.Helper()
	all, err := f.end(f.start(ask))
	if err != nil {
		f.t.Fatal(err)
	}
	return all
}

// play enters with an admission, and waits until the player has its entity.
func (f *testbed) play(a rooms.Admission) {
	f.t.Helper()
	c, err := systems.NewClient(f.net.Node(netip.AddrPort{}), netip.AddrPort{}, roomstest.Field(), systems.ClientConfig{
		Session: systems.ClientSession{Token: a.Token}, Start: f.now, Gather: systems.Gather(func(*systems.Client, *roomstest.Push) {}),
	})
	if err != nil {
		f.t.Fatal(err)
	}
	f.clients = append(f.clients, c)
	for range 500 {
		if _, ok := c.Own(c.World()); ok {
			return
		}
		f.run(step)
	}
	f.t.Fatalf("player %d does not get in: %v", a.Seat.Player, c.Err())
}

// room returns the room of an admission, in the process that it names.
func (f *testbed) room(a rooms.Admission) *rooms.Room {
	f.t.Helper()
	for _, m := range f.members {
		if m.name == a.Process && m.server != nil {
			if r := m.server.Room(a.Seat.Room); r != nil {
				return r
			}
		}
	}
	f.t.Fatalf("process %s has no room %v", a.Process, a.Seat.Room)
	return nil
}

// party returns players who belong together.
func party(from uint64, n int) (all []rooms.Player) {
	for i := range n {
		all = append(all, rooms.Player{ID: from + uint64(i), Party: from})
	}
	return all
}
