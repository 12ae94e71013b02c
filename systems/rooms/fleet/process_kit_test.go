package fleet_test

import (
	"context"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
	"github.com/tactusgo/tactus/systems/rooms/roomstest"
)

// fleetServer is a server with its fleet.
type fleetServer struct {
	*rooms.Server
	fleet *fleet.Fleet
}

func (s *fleetServer) Epoch() uint64 { return s.fleet.Epoch() }
func (s *fleetServer) Fenced() bool  { return s.Membership().Fenced }
func (s *fleetServer) Claim(ctx context.Context, e rooms.RoomEntry) (*rooms.Room, error) {
	return s.fleet.Claim(ctx, e)
}

// world is a process, others beside it and players, in virtual time.
type world struct {
	t         testing.TB
	now       time.Time
	net       *netsys.Network
	key       netcode.Key
	directory fleet.Directory
	server    *fleetServer
	others    []*fleetServer
	players   []*player
	events    map[rooms.Event]int
}

// player is a client.
type player struct{ *systems.Client }

// fieldKind returns a kind.
func fieldKind(capacity int) rooms.Kind { return fields(capacity).Kinds[0] }

// newWorld returns a process that uses a directory; nil: one in memory.
func newWorld(t testing.TB, c rooms.Config, d fleet.Directory) *world {
	t.Helper()
	h := &world{t: t, now: birth, net: netsys.NewNetwork(), key: netcode.GenerateKey(netsys.SeededRandom(1)), directory: d, events: make(map[rooms.Event]int)}
	if d == nil {
		h.directory = fleet.NewMemory(h.time)
	}
	c.Told = func(n rooms.Notice) { h.events[n.Event]++ }
	h.server = h.open(c, h.directory, 1)
	return h
}

func (h *world) time() time.Time { return h.now }

func (h *world) open(c rooms.Config, d fleet.Directory, seed uint64) *fleetServer {
	h.t.Helper()
	c.Now, c.Random, c.Key = h.time, netsys.SeededRandom(seed), h.key
	s, err := rooms.New(c, h.net.Node(netip.AddrPort{}))
	if err != nil {
		h.t.Fatal(err)
	}
	f, err := fleet.New(fleet.Config{Directory: d, Here: s})
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		if err := s.Close(h.now); err != nil {
			h.t.Error(err)
		}
	})
	return &fleetServer{s, f}
}

// another adds a process; nil is the directory of the first one.
func (h *world) another(c rooms.Config, d fleet.Directory) *fleetServer {
	h.t.Helper()
	if d == nil {
		d = h.directory
	}
	s := h.open(c, d, uint64(len(h.others))+7)
	h.others = append(h.others, s)
	return s
}

// run lets time pass.
func (h *world) run(d time.Duration) {
	for end := h.now.Add(d); h.now.Before(end); {
		h.now = h.now.Add(step)
		if h.server != nil {
			h.server.Advance(h.now)
		}
		for _, s := range h.others {
			s.Advance(h.now)
		}
		for _, p := range h.players {
			if p.Err() == nil {
				p.Advance(h.now)
				p.Frame(h.now)
			}
		}
	}
}

// still lets time pass while the first process is paused.
func (h *world) still(d time.Duration) {
	s := h.server
	h.server = nil
	h.run(d)
	h.server = s
}

// until waits for something.
func (h *world) until(what string, holds func() bool) {
	h.t.Helper()
	for range 3000 {
		if holds() {
			return
		}
		h.run(step)
	}
	h.t.Fatalf("%s: not within 30 s", what)
}

// join gives a player a seat of a kind.
func (h *world) join(kind string, id uint64) rooms.Admission {
	h.t.Helper()
	a, err := h.server.Join(kind, nil, rooms.Player{ID: id, Data: fmt.Append(nil, "player ", id)})
	if err != nil {
		h.t.Fatal(err)
	}
	return a[0]
}

// entered joins and waits until the player has its entity.
func (h *world) entered(kind string, id uint64) (*player, rooms.Admission) {
	h.t.Helper()
	a := h.join(kind, id)
	c, err := systems.NewClient(h.net.Node(netip.AddrPort{}), netip.AddrPort{}, roomstest.Field(), systems.ClientConfig{
		Session: systems.ClientSession{Token: a.Token}, Start: h.now, Gather: systems.Gather(func(_ *systems.Client, in *roomstest.Push) { in.DX = 1 }),
	})
	if err != nil {
		h.t.Fatal(err)
	}
	p := &player{c}
	h.players = append(h.players, p)
	h.until("in the game", func() bool {
		_, ok := p.Own(p.World())
		return ok
	})
	return p, a
}
