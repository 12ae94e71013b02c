package serve

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
)

// generous is a deadline that no machine needs.
const generous = 30 * time.Second

// process is a server that runs under Run, in this process.
type process struct {
	*rooms.Server
	t       *testing.T
	signals chan os.Signal
	end     context.CancelFunc
	done    chan error
}

// start serves rooms of a game, which makes a tick as system says.
func start(t *testing.T, c Config, system func(w *ecs.World)) *process {
	t.Helper()
	wire, err := netsys.ListenUDP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, signals: make(chan os.Signal, 2), done: make(chan error, 1)}
	p.Server, err = rooms.New(rooms.Config{
		Kinds:   []rooms.Kind{{Name: "field", Protocol: func() *ecs.Protocol { return field(system) }, Capacity: 2, Server: systems.ServerConfig{Overload: systems.Overload{Off: true}}}},
		Promise: 10 * time.Minute, Stuck: 100 * time.Millisecond,
	}, wire)
	if err != nil {
		t.Fatal(err)
	}
	if c.Signals == nil {
		c.Signals = p.signals
	}
	var ctx context.Context
	ctx, p.end = context.WithCancel(t.Context())
	go func() { p.done <- Run(ctx, p.Server, c) }()
	return p
}

// ended waits for the end of Run.
func (p *process) ended() error {
	p.t.Helper()
	select {
	case err := <-p.done:
		return err
	case <-time.After(generous):
		p.t.Fatal("it does not end")
		return nil
	}
}

// until waits for something.
func (p *process) until(what string, f func() bool) {
	p.t.Helper()
	for deadline := time.Now().Add(generous); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("%s: not within %v", what, generous)
		}
	}
}

// seat gives a player a seat, in a room of its own.
func (p *process) seat(player uint64) *rooms.Room {
	p.t.Helper()
	r, err := p.Create("field", rooms.Creation{})
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := r.Reserve(rooms.Player{ID: player}); err != nil {
		p.t.Fatal(err)
	}
	return r
}

// The first signal drains: new players get no seats, players with a seat keep it, and the functions beside run until the last
// room has ended. Then Run returns nil.
func TestDrain(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	p := start(t, Config{Beside: []func(context.Context) error{func(ctx context.Context) error {
		close(begun)
		<-ctx.Done()
		close(ended)
		return ctx.Err()
	}}}, nil)
	r := p.seat(1)
	<-begun
	p.signals <- syscall.SIGTERM
	p.until("draining", p.Draining)
	if _, err := p.Join("field", nil, rooms.Player{ID: 2}); !errors.Is(err, rooms.ErrDraining) {
		t.Errorf("somebody new: %v", err)
	}
	if _, err := r.Reconnect(rooms.Player{ID: 1}); err != nil {
		t.Errorf("who has a seat: %v", err)
	}
	select {
	case err := <-p.done:
		t.Fatalf("it has ended with %v, and somebody has a seat", err)
	case <-ended:
		t.Fatal("what runs beside was ended before the rooms")
	case <-time.After(3 * stuckInterval):
	}
	if err := r.Kick(1); err != nil {
		t.Fatal(err)
	}
	if err := p.ended(); err != nil {
		t.Errorf("drained: %v", err)
	}
	select {
	case <-ended:
	default:
		t.Error("what runs beside was not waited for")
	}
}

// With Saved, the first signal ends the rooms, with all players, and the functions beside. They end first here, because the room waits
// for them.
func TestSaved(t *testing.T) {
	ended := make(chan struct{})
	var ending atomic.Bool
	p := start(t, Config{Saved: true, Beside: []func(context.Context) error{func(ctx context.Context) error {
		<-ctx.Done()
		close(ended)
		return nil
	}}}, func(*ecs.World) {
		if ending.Load() {
			<-ended
		}
	})
	p.seat(1)
	ending.Store(true)
	p.signals <- syscall.SIGTERM
	if err := p.ended(); err != nil || p.Draining() || len(p.Rooms()) > 0 {
		t.Errorf("%v, draining %v, %d rooms", err, p.Draining(), len(p.Rooms()))
	}
}

// A second signal and the deadline end rooms immediately and return ErrCut. A process that is drained by hand returns nil.
func TestCut(t *testing.T) {
	p := start(t, Config{}, nil)
	r := p.seat(1)
	p.Drain() // somebody else does
	p.signals <- syscall.SIGTERM
	time.Sleep(2 * stuckInterval)
	if r.Info().State != rooms.Draining {
		t.Fatalf("the first signal to a process that drains: %v", r.Info().State)
	}
	p.signals <- os.Interrupt
	if err := p.ended(); !errors.Is(err, ErrCut) || !strings.Contains(err.Error(), "1 rooms") || r.Info().State != rooms.Ended {
		t.Errorf("the second signal: %v, the room is %v", err, r.Info().State)
	}

	p = start(t, Config{Deadline: 100 * time.Millisecond}, nil)
	p.seat(1)
	p.signals <- syscall.SIGTERM
	if err := p.ended(); !errors.Is(err, ErrCut) {
		t.Errorf("the deadline: %v", err)
	}

	p = start(t, Config{}, nil)
	r = p.seat(1)
	p.Drain()
	if err := r.Kick(1); err != nil {
		t.Fatal(err)
	}
	if err := p.ended(); err != nil {
		t.Errorf("drained by hand: %v", err)
	}

	var last rooms.State
	p = start(t, Config{Beside: []func(context.Context) error{func(ctx context.Context) error {
		<-ctx.Done()
		last = r.Info().State // Run waits for it
		return nil
	}}}, nil)
	r = p.seat(1)
	p.end()
	if err := p.ended(); err != nil || last != rooms.Ended {
		t.Errorf("its context ended: %v, the room was %v when what runs beside was told", err, last)
	}
}

// A drain does not wait for stuck rooms once no others are left, and names them.
func TestDrainBesideAStuckRoom(t *testing.T) {
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	var caught atomic.Bool // the first room
	p := start(t, Config{Stuck: 300 * time.Millisecond}, func(w *ecs.World) {
		if caught.CompareAndSwap(false, true) {
			<-hold
		}
	})
	stuck, err := p.Create("field", rooms.Creation{})
	if err != nil {
		t.Fatal(err)
	}
	p.until("stuck", func() bool { return stuck.Info().Stuck > 300*time.Millisecond })
	other := p.seat(1)
	p.signals <- syscall.SIGTERM
	p.until("draining", p.Draining)
	select {
	case err := <-p.done:
		t.Fatalf("it has ended with %v, and somebody plays", err)
	case <-time.After(3 * stuckInterval):
	}
	if err := other.Kick(1); err != nil {
		t.Fatal(err)
	}
	if err := p.ended(); !errors.Is(err, ErrCut) || !errors.Is(err, rooms.ErrStuck) || !strings.Contains(err.Error(), stuck.ID().String()) {
		t.Errorf("%v", err)
	}
}

// An error of a function beside ends the process and is returned. A result at the end is not.
func TestBesideFails(t *testing.T) {
	lost := errors.New("lost")
	p := start(t, Config{Beside: []func(context.Context) error{
		func(context.Context) error { return nil }, // it has nothing to do
		func(context.Context) error { return lost },
	}}, nil)
	if err := p.ended(); !errors.Is(err, lost) {
		t.Errorf("%v", err)
	}
	for name, c := range map[string]Config{
		"a deadline before now": {Deadline: -1},
		"stuck before now":      {Stuck: -1},
		"nothing beside":        {Beside: []func(context.Context) error{nil}},
	} {
		if err := start(t, c, nil).ended(); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
