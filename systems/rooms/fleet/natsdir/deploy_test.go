package natsdir_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
	"github.com/tactusgo/tactus/systems/rooms/fleet/natsdir"
	"github.com/tactusgo/tactus/systems/rooms/serve"
)

// hat is a component that only the newer version of the game has.
type hat struct {
	Color uint8 `net:"0..7"`
}

// versions are the game by version.
var versions = [...]func() *ecs.Protocol{1: dots, 2: func() *ecs.Protocol {
	p := dots()
	ecs.Replicate[hat](p, ecs.Interpolated)
	return p
}}

// errOver is the error with which the game ends a match.
var errOver = errors.New("the match is over")

// replaced is a process as its main runs it.
type replaced struct {
	fleet   *fleet.Fleet
	signals chan os.Signal
	done    chan error
	leaves  atomic.Bool
}

// matches are the results of matches.
type matches struct {
	mu     sync.Mutex
	why    map[rooms.ID]error
	played int // by players, to the end
	lost   []error
	old    int // players who heard that their version is
}

// with does something with the lock.
func (m *matches) with(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

// ended returns why a room has ended.
func (m *matches) ended(id rooms.ID) (why error) {
	m.with(func() { why = m.why[id] })
	return why
}

// replace returns a process of a fleet, of a version: matches of two, three seconds each.
func replace(t *testing.T, servers *natsdir.Servers, key netcode.Key, name string, version int, m *matches) *replaced {
	t.Helper()
	wire, err := netsys.ListenUDP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	directory, err := natsdir.Open(t.Context(), servers.Config())
	if err != nil {
		t.Fatal(err)
	}
	kind := rooms.Kind{Name: "dots", Protocol: versions[version], Capacity: 2, Server: systems.ServerConfig{TickRate: 20, Overload: systems.Overload{Off: true}}}
	kind.Set = func(r *rooms.Room, c *systems.ServerConfig) error {
		c.Schedule = func(s *ecs.Schedule) error {
			return s.InsertAfter("ServerApply", ecs.System{Name: "whistle", Run: func(w *ecs.World) {
				if w.Tick() >= 60 {
					r.End(errOver)
				}
			}})
		}
		return nil
	}
	kind.Ended = func(r *rooms.Room, why error) { m.with(func() { m.why[r.ID()] = why }) }
	s, err := rooms.New(rooms.Config{Kinds: []rooms.Kind{kind}, Process: name, Key: key}, wire)
	if err != nil {
		t.Fatal(err)
	}
	l, err := fleet.New(fleet.Config{Directory: directory, Here: s})
	if err != nil {
		t.Fatal(err)
	}
	p := &replaced{fleet: l, signals: make(chan os.Signal, 1), done: make(chan error, 1)}
	go func() {
		p.done <- serve.Run(t.Context(), s, serve.Config{Signals: p.signals})
		directory.Close()
	}()
	return p
}

// play plays one match after the other, until ctx ends.
func (m *matches) play(ctx context.Context, id uint64, ask func() *fleet.Fleet) {
	version := 1
	for ctx.Err() == nil {
		w := rooms.Wish{Kind: "dots", Schema: rooms.SchemaOf(versions[version]()), Players: []rooms.Player{{ID: id}}}
		all, err := ask().Join(ctx, w)
		switch {
		case errors.Is(err, rooms.ErrSchema) && version == 1:
			version = 2
			m.with(func() { m.old++ })
			continue
		case err != nil:
			select {
			case <-ctx.Done():
			case <-time.After(200 * time.Millisecond):
			}
			continue
		}
		c, err := systems.Dial(ctx, "", versions[version](), systems.ClientConfig{Session: systems.ClientSession{Token: all[0].Token}})
		seen := false
		if err == nil {
			err = c.Run(ctx, func(c *systems.Client) {
				if e, ok := c.Own(c.View()); ok && ecs.Has[components.Position](c.View(), e) {
					seen = true
				}
			})
		}
		if ctx.Err() != nil {
			return
		}
		for limit := time.Now().Add(10 * time.Second); m.ended(all[0].Seat.Room) == nil && time.Now().Before(limit); {
			time.Sleep(time.Millisecond) // players hear it before the game does
		}
		told, ok := errors.AsType[*netsys.CloseError](err)
		m.with(func() {
			switch {
			case !errors.Is(m.why[all[0].Seat.Room], errOver), seen && (!ok || told.Reason != rooms.ReasonEnded):
				m.lost = append(m.lost, fmt.Errorf("player %d in room %v: %w; the room: %w", id, all[0].Seat.Room, err, m.why[all[0].Seat.Room]))
			case seen:
				m.played++
			}
		})
	}
}

// Four processes on a directory in NATS get SIGTERM one after the other, each after a newer one has started: no match is cut
// short, no player loses a seat, each process exits cleanly, and in the end all players play the newer version.
func TestRollingDeploy(t *testing.T) {
	if os.Getenv("TACTUS_LONG") == "" {
		t.Skip("plays for some 25 s: set TACTUS_LONG=1; package fleet has the same test in virtual time")
	}
	t.Parallel()
	servers, err := natsdir.Embedded(natsdir.Embedding{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(servers.Close)
	const players = 24
	m := &matches{why: make(map[rooms.ID]error)}
	key := netcode.GenerateKey(nil)
	var mu sync.Mutex
	var all []*replaced
	start := func(name string, version int) *replaced {
		p := replace(t, servers, key, name, version, m)
		mu.Lock()
		defer mu.Unlock()
		all = append(all, p)
		return p
	}
	var old []*replaced
	for i := range 4 {
		old = append(old, start(fmt.Sprint("old-", i), 1))
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var guests sync.WaitGroup
	for id := range uint64(players) {
		guests.Go(func() {
			m.play(ctx, id+1, func() *fleet.Fleet {
				mu.Lock()
				defer mu.Unlock()
				for n := int(id); ; n++ {
					if p := all[n%len(all)]; !p.leaves.Load() {
						return p.fleet
					}
				}
			})
		})
	}
	until := func(what string, f func() bool) {
		t.Helper()
		for limit := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			m.mu.Lock()
			ok := f()
			m.mu.Unlock()
			if ok {
				return
			}
			if time.Now().After(limit) {
				t.Fatalf("%s: not within a minute", what)
			}
		}
	}
	until("matches", func() bool { return m.played >= players })
	for i, p := range old {
		start(fmt.Sprint("new-", i), 2)
		played := 0
		m.with(func() { played = m.played })
		until("matches beside a newer process", func() bool { return m.played >= played+players/2 })
		p.leaves.Store(true)
		p.signals <- syscall.SIGTERM
		select {
		case err := <-p.done:
			if err != nil {
				t.Errorf("process %d has ended with %v", i, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("process %d does not end", i)
		}
	}
	played := 0
	m.with(func() { played = m.played })
	until("matches of the newer version", func() bool { return m.played >= played+players && m.old == players })
	stop()
	guests.Wait()
	m.with(func() {
		for _, err := range m.lost {
			t.Error(err)
		}
		t.Logf("%d matches of a player, %d players got the newer version", m.played, m.old)
	})
}
