package lobby

import (
	"context"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/roomstest"
)

// birth is where virtual time begins.
var birth = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

const step = 10 * time.Millisecond

type hat struct {
	Color int32 `net:"0..7"`
}

// hats is a later version of it.
func hats() *ecs.Protocol {
	p := roomstest.Field()
	ecs.Replicate[hat](p, ecs.Interpolated)
	return p
}

// store is the directory of a fleet, which can be made to refuse writes; it counts those of asks.
type store struct {
	rooms.Directory
	mu    sync.Mutex
	down  bool
	asked int
}

func (s *store) refuse(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

func (s *store) Save(ctx context.Context, key string, value []byte, revision uint64, lease time.Duration) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return 0, rooms.ErrUnavailable
	}
	if strings.HasPrefix(key, "ask.") && revision == 0 {
		s.asked++
	}
	return s.Directory.Save(ctx, key, value, revision, lease)
}

func (s *store) Remove(ctx context.Context, key string, revision uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return rooms.ErrUnavailable
	}
	return s.Directory.Remove(ctx, key, revision)
}

// member is a process of a fleet.
type member struct {
	name    string
	server  *rooms.Server // nil: it has no rooms
	lobby   *Lobby
	stopped bool // it does nothing, and may go on later
}

// fleet is some processes in virtual time.
type fleet struct {
	t        testing.TB
	now      time.Time
	clock    atomic.Pointer[time.Time] // now, for whoever is asked in the background
	net      *netsys.Network
	key      netcode.Key
	protocol uint64
	store    *store
	random   func([]byte)
	members  []*member
	clients  []*systems.Client
	calls    int // that have begun
	ended    atomic.Int64
}

func newFleet(t testing.TB, seed uint64) *fleet {
	f := &fleet{t: t, now: birth, net: netsys.NewNetwork(), random: netsys.SeededRandom(seed)}
	f.set(birth)
	f.key = netcode.GenerateKey(f.random)
	f.store = &store{Directory: rooms.NewMemory(f.time)}
	return f
}

func (f *fleet) set(now time.Time) {
	f.now = now
	f.clock.Store(&now)
}

func (f *fleet) time() time.Time { return *f.clock.Load() }

// join adds a process with rooms of a kind, and a lobby beside them.
func (f *fleet) add(name string, c rooms.Config) *member {
	f.t.Helper()
	c.Process, c.Directory, c.Key, c.ProtocolID = name, f.store, f.key, f.protocol
	c.Now, c.Random = f.time, f.random
	s, err := rooms.New(c, f.net.Node(netip.AddrPort{}))
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = s.Close(f.now) })
	m := &member{name: name, server: s}
	f.members = append(f.members, m)
	f.open(m)
	f.set(f.now.Add(time.Millisecond)) // who starts later is newer
	return m
}

// door adds a process without rooms.
func (f *fleet) door() *Lobby {
	m := &member{name: "door"}
	f.members = append(f.members, m)
	f.open(m)
	return m.lobby
}

func (f *fleet) open(m *member) {
	l, err := New(Config{Directory: f.store, Here: m.server, Key: f.key, ProtocolID: f.protocol, Now: f.time, Random: f.random})
	if err != nil {
		f.t.Fatal(err)
	}
	m.lobby = l
}

// fields is the configuration of a process with rooms.
func fields(capacity int) rooms.Config {
	return rooms.Config{Kinds: []rooms.Kind{{Name: "field", Protocol: roomstest.Field, Capacity: capacity, Server: systems.ServerConfig{TickRate: 20}}}}
}

// run lets time pass.
func (f *fleet) run(d time.Duration) {
	for end := f.now.Add(d); f.now.Before(end); {
		f.set(f.now.Add(step))
		for _, m := range f.members {
			if m.stopped {
				continue
			}
			if m.server != nil {
				m.server.Advance(f.now)
			}
			m.lobby.Advance(f.now)
			f.settle()
		}
		for _, c := range f.clients {
			if c.Err() == nil {
				c.Advance(f.now)
				c.Frame(f.now)
			}
		}
	}
}

// settle waits until every call has ended, or waits for an answer.
func (f *fleet) settle() {
	for {
		waiting := 0
		for _, m := range f.members {
			m.lobby.mu.Lock()
			waiting += m.lobby.post.waiting
			m.lobby.mu.Unlock()
		}
		if f.calls <= int(f.ended.Load())+waiting { // a queue asks for several
			return
		}
		runtime.Gosched()
	}
}

// call is one who asks a lobby.
type call struct {
	all  []rooms.Admission
	err  error
	done atomic.Bool
}

// start makes a call in the background.
func (f *fleet) start(ask func(ctx context.Context) ([]rooms.Admission, error)) *call {
	c := &call{}
	f.calls++
	go func() {
		c.all, c.err = ask(context.Background())
		c.done.Store(true)
		f.ended.Add(1)
	}()
	f.settle()
	return c
}

// end waits for the answer to a call.
func (f *fleet) end(c *call) ([]rooms.Admission, error) {
	f.t.Helper()
	for range 2000 {
		if c.done.Load() {
			return c.all, c.err
		}
		f.run(step)
	}
	f.t.Fatal("nobody answers within 20 s")
	return nil, nil
}

// wish is a call for seats in a field.
func wish(l *Lobby, who ...rooms.Player) func(ctx context.Context) ([]rooms.Admission, error) {
	return func(ctx context.Context) ([]rooms.Admission, error) {
		return l.Join(ctx, rooms.Wish{Kind: "field", Players: who})
	}
}

// seat gives players seats, which must not fail.
func (f *fleet) seat(ask func(ctx context.Context) ([]rooms.Admission, error)) []rooms.Admission {
	f.t.Helper()
	all, err := f.end(f.start(ask))
	if err != nil {
		f.t.Fatal(err)
	}
	return all
}

// play enters with an admission, and waits until the player has its entity.
func (f *fleet) play(a rooms.Admission) {
	f.t.Helper()
	c, err := systems.NewClient(f.net.Node(netip.AddrPort{}), netip.AddrPort{}, roomstest.Field(), systems.ClientConfig{
		Token: a.Token, Start: f.now, Gather: systems.Gather(func(*systems.Client, *roomstest.Push) {}),
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

// room is the room of an admission, in the process that it names.
func (f *fleet) room(a rooms.Admission) *rooms.Room {
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

// party is players who came together.
func party(from uint64, n int) (all []rooms.Player) {
	for i := range n {
		all = append(all, rooms.Player{ID: from + uint64(i), Party: from})
	}
	return all
}
