package rooms

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/websocket"
	"github.com/tactusgo/tactus/systems"
)

// generous is a deadline that no machine needs.
const generous = 20 * time.Second

// live is a process that runs on real sockets.
type live struct {
	*Server
	t   testing.TB
	end func() error

	mu      sync.Mutex
	notices []Notice
}

func goLive(t testing.TB, c Config, wires ...netsys.Wire) *live {
	t.Helper()
	return goLiveIn(t, func(*Server) {}, c, wires...)
}

// goLiveIn runs a server after something was done with it.
func goLiveIn(t testing.TB, connect func(s *Server), c Config, wires ...netsys.Wire) *live {
	t.Helper()
	l := &live{t: t}
	c.Told = func(n Notice) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.notices = append(l.notices, n)
	}
	var err error
	if l.Server, err = New(c, wires...); err != nil {
		t.Fatal(err)
	}
	connect(l.Server)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	var once sync.Once
	l.end = func() (err error) {
		once.Do(func() {
			stop()
			err = <-done
		})
		return err
	}
	t.Cleanup(func() { _ = l.end() })
	return l
}

// notice waits for an event.
func (l *live) notice(e Event) Notice {
	l.t.Helper()
	for deadline := time.Now().Add(generous); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		l.mu.Lock()
		for _, n := range l.notices {
			if n.Event == e {
				l.mu.Unlock()
				return n
			}
		}
		l.mu.Unlock()
	}
	l.t.Fatalf("nobody was told that a room is %s", e)
	return Notice{}
}

// play plays until it sees its own entity walk, and then as long as the test.
func (l *live) play(addr string, a Admission) (ended <-chan error) {
	l.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var wire interface {
		netsys.Wire
		RemoteAddr() netip.AddrPort
	}
	var err error
	if strings.HasPrefix(addr, "ws:") {
		wire, err = websocket.Dial(ctx, addr)
	} else {
		wire, err = netsys.DialUDP(ctx, addr)
	}
	if err != nil {
		l.t.Fatal(err)
	}
	c, err := systems.NewClient(wire, wire.RemoteAddr(), l.kinds[a.Kind].Protocol(), systems.ClientConfig{
		Session: systems.ClientSession{Token: a.Token}, Gather: systems.Gather(func(_ *systems.Client, in *push) { in.DX = 1 }),
	})
	if err != nil {
		l.t.Fatal(err)
	}
	walked, over := make(chan struct{}), make(chan error, 1)
	var once sync.Once
	go func() {
		over <- c.Run(ctx, func(c *systems.Client) {
			if e, ok := c.Own(c.View()); ok && ecs.Get[place](c.View(), e).X > 1 {
				once.Do(func() { close(walked) })
			}
		})
	}()
	l.t.Cleanup(stop)
	select {
	case <-walked:
	case err := <-over:
		l.t.Fatalf("player %d: %v", a.Seat.Player, err)
	case <-time.After(generous):
		l.t.Fatalf("player %d does not walk", a.Seat.Player)
	}
	return over
}

// Over UDP and WebSockets at once, in one process: players of one room by both, and they hear the end of it.
func TestWires(t *testing.T) {
	udp, err := netsys.ListenUDP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	web, err := eventloop.ListenConfig{WebSocket: eventloop.WebSocketConfig{Addr: "127.0.0.1:0"}}.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	l := goLive(t, Config{Kinds: []Kind{fields(4)}}, udp, web)
	if !l.Local() || len(l.Addresses()) != 2 {
		t.Errorf("addresses %v", l.Addresses())
	}
	all, err := l.Join("field", nil, Player{ID: 1}, Player{ID: 2}, Player{ID: 3})
	if err != nil {
		t.Fatal(err)
	}
	over := []<-chan error{
		l.play(udp.LocalAddr().String(), all[0]),
		l.play("ws://"+web.WebSocketAddr().String(), all[1]),
		l.play(udp.LocalAddr().String(), all[2]),
	}
	r := l.Room(all[0].Seat.Room)
	if i := r.Info(); i.Taken != 3 {
		t.Errorf("%+v", i)
	}
	if err := l.end(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	for i, o := range over {
		select {
		case err := <-o:
			if c, ok := errors.AsType[*netsys.CloseError](err); !ok || c.Reason != netsys.ReasonServerClosing {
				t.Errorf("player %d: %v", i+1, err)
			}
		case <-time.After(generous):
			t.Errorf("player %d was not told", i+1)
		}
	}
}

// A room whose tick does not end is reported with its system and stack, and accepts no new players. Other rooms go on, and new
// ones can be created.
func TestStuckRoomsAreNamed(t *testing.T) {
	hold := make(chan struct{})
	var mu sync.Mutex
	var bad ID
	kind := fields(4)
	kind.Set = func(r *Room, c *systems.ServerConfig) error {
		c.Schedule = func(s *ecs.Schedule) error {
			return s.InsertAfter("ServerApply", ecs.System{Name: "endless", Run: func(*ecs.World) {
				mu.Lock()
				stuck := r.ID() == bad
				mu.Unlock()
				if stuck {
					loopForEver(hold)
				}
			}})
		}
		return nil
	}
	wire, err := netsys.ListenUDP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := goLive(t, Config{Kinds: []Kind{kind}, Stuck: 300 * time.Millisecond}, wire)
	first, err := l.Create("field", Creation{})
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	bad = first.ID()
	mu.Unlock()
	n := l.notice(RoomStuck)
	if n.Room != first.ID() || n.System != "endless" || !strings.Contains(n.Stack, "loopForEver") || n.Took < 300*time.Millisecond {
		t.Errorf("%+v", n)
	}
	if _, err := first.Reserve(Player{ID: 1}); !errors.Is(err, ErrStuck) {
		t.Error(err)
	}
	if err := first.Do(func(*systems.Server) {}); !errors.Is(err, ErrStuck) {
		t.Error(err)
	}
	if first.Info().Stuck == 0 {
		t.Error("the room does not say it")
	}
	all, err := l.Join("field", nil, Player{ID: 1})
	if err != nil || all[0].Seat.Room == first.ID() {
		t.Fatal(all, err)
	}
	l.play(wire.LocalAddr().String(), all[0])
	close(hold)
	if n := l.notice(RoomUnstuck); n.Room != first.ID() {
		t.Errorf("%+v", n)
	}
	if _, err := first.Reserve(Player{ID: 2}); err != nil {
		t.Error(err)
	}
}

// loopForEver replaces an endless loop.
func loopForEver(until <-chan struct{}) { <-until }

// A process whose room is stuck ends all the same, and names the room.
func TestRunEndsBesideAStuckRoom(t *testing.T) {
	hold := make(chan struct{})
	defer close(hold)
	kind := fields(4)
	kind.Protocol = func() *ecs.Protocol { return fieldWith(func(*ecs.World) { <-hold }) }
	wire, err := netsys.ListenUDP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := goLive(t, Config{Kinds: []Kind{kind}, Stuck: 100 * time.Millisecond}, wire)
	r, err := l.Create("field", Creation{})
	if err != nil {
		t.Fatal(err)
	}
	l.notice(RoomStuck)
	if err := l.end(); !errors.Is(err, ErrStuck) || !strings.Contains(err.Error(), r.ID().String()) {
		t.Errorf("the server ended with %v", err)
	}
}

// New refuses the development key, and transports whose addresses tokens cannot name. Local returns false for rooms that other
// machines can reach.
func TestNewRefuses(t *testing.T) {
	node := func() netsys.Wire { return netsys.NewNetwork().Node(anywhere(t, "203.0.113.7:7")) }
	s, err := New(Config{Kinds: []Kind{fields(1)}}, node())
	if err != nil || s.Local() {
		t.Errorf("%v", err)
	}
	for name, c := range map[string]Config{
		"no kinds":            {},
		"the development key": {Kinds: []Kind{fields(1)}, Key: netsys.DevelopmentKey()},
		"two of a name":       {Kinds: []Kind{fields(1), fields(2)}},
		"no capacity":         {Kinds: []Kind{fields(0)}},
		"a server's own key":  {Kinds: []Kind{{Name: "x", Protocol: field, Capacity: 1, Server: systems.ServerConfig{Session: systems.ServerSession{Key: netsys.DevelopmentKey()}}}}},
		"half a second":       {Kinds: []Kind{fields(1)}, Promise: 1500 * time.Millisecond},
	} {
		if _, err := New(c, node()); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(Config{Kinds: []Kind{fields(1)}}); !errors.Is(err, ErrConfig) {
		t.Errorf("no wires: %v", err)
	}
	everywhere, err := netsys.ListenUDP("0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer everywhere.Close()
	if _, err := New(Config{Kinds: []Kind{fields(1)}}, everywhere); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "where players reach") {
		t.Errorf("an address that nobody can reach: %v", err)
	}
}

// Create refuses a configuration that Set has replaced, and accepts one in which Set has changed a field.
func TestSetRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		set  func(c *systems.ServerConfig)
		want error
	}{
		"another configuration":                {func(c *systems.ServerConfig) { *c = systems.ServerConfig{TickRate: 20} }, ErrConfig},
		"another configuration with a seed":    {func(c *systems.ServerConfig) { *c = systems.ServerConfig{TickRate: 20, Seed: 7} }, nil},
		"another configuration with a maximum": {func(c *systems.ServerConfig) { *c = systems.ServerConfig{Seed: 7, MaxClients: 8} }, ErrConfig},
		"a key":                                {func(c *systems.ServerConfig) { c.Session.Key = netsys.DevelopmentKey() }, ErrConfig},
		"a window":                             {func(c *systems.ServerConfig) { c.Players.ReconnectWindow = time.Second }, ErrConfig},
		"a rate":                               {func(c *systems.ServerConfig) { c.TickRate = 10 }, nil},
	} {
		kind := fields(1)
		kind.Set = func(_ *Room, c *systems.ServerConfig) error { test.set(c); return nil }
		h := newHouse(t, Config{Kinds: []Kind{kind}})
		if _, err := h.server.Create("field", Creation{}); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}
