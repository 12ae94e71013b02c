package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/bench/apart"
	"github.com/tactusgo/tactus/internal/bench/rooms/crowd"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
	roomserve "github.com/tactusgo/tactus/systems/rooms/serve"
	"github.com/tactusgo/tactus/systems/rooms/web"
)

// lookTimeout is the timeout of a look at a room.
const lookTimeout = 10 * time.Second

// savedRooms is a process whose rooms outlive it. It is the store of its rooms, and measures it.
type savedRooms struct {
	rooms.Archive
	server *rooms.Server

	mu     sync.Mutex
	writes int
	write  time.Duration      // the longest one
	loads  map[rooms.ID]world // that were loaded
	stood  map[rooms.ID]world // that were handed over, at their last tick
}

// world is the state of a world.
type world struct {
	Tick   uint32           `json:"tick"`
	Hash   uint64           `json:"hash,string"`
	Counts map[uint32]int32 `json:"counts"` // by client number
}

// look is the state of a room.
type look struct {
	Process string           `json:"process"`
	Loaded  uint32           `json:"loaded"`
	Hash    uint64           `json:"hash,string"` // of the loaded world
	Loads   map[uint64]int32 `json:"loads"`       // counters of the loaded world by player
	Counts  map[uint64]int32 `json:"counts"`      // likewise, now
	Write   time.Duration    `json:"write"`       // the longest one of a save
}

// join adds the entities of players.
func join(p *ecs.Protocol) *ecs.Protocol {
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, counter{}, press{})
	})
	return p
}

// worldOf returns the state of a world after a tick.
func worldOf(tick uint32, w *ecs.World) world {
	x := world{tick, w.Hash(), make(map[uint32]int32)}
	for _, r := range ecs.All[struct {
		Owner   components.Owner
		Counter counter
	}](w) {
		x.Counts[r.Owner.Client] = r.Counter.N
	}
	return x
}

// kind returns the kind of rooms.
func (s *savedRooms) kind(o options) rooms.Kind {
	return rooms.Kind{
		Name: "field", Protocol: counting, Capacity: o.Capacity(), Linger: -1, Grace: time.Minute,
		Server: systems.ServerConfig{TickRate: o.Hz, Snapshots: systems.Snapshots{SendRate: o.Hz}},
		Hooks: rooms.Hooks{Created: func(r *rooms.Room, w *ecs.World) error {
			if r.Loaded() != 0 {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.loads[r.ID()] = worldOf(r.Loaded(), w)
			}
			return nil
		}},
	}
}

// Put implements rooms.Store. While the process drains, the world stands still.
func (s *savedRooms) Put(ctx context.Context, id rooms.ID, epoch uint64, data []byte) error {
	if r := s.server.Room(id); r != nil && s.server.Draining() {
		_ = r.Do(func(game *systems.Server) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.stood[id] = worldOf(game.Tick(), game.World())
		})
	}
	began := time.Now()
	err := s.Archive.Put(ctx, id, epoch, data)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	s.write = max(s.write, time.Since(began))
	return err
}

// look answers questions about a room.
func (s *savedRooms) look(w http.ResponseWriter, q *http.Request) {
	id, err := rooms.ParseID(q.PathValue("room"))
	r := s.server.Room(id)
	if err != nil || r == nil {
		http.NotFound(w, q)
		return
	}
	var now world
	if err = r.Do(func(game *systems.Server) { now = worldOf(game.Tick(), game.World()) }); err == nil && q.FormValue("durable") == "true" {
		err = r.Durable(q.Context())
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	s.mu.Lock()
	loaded := s.loads[id]
	a := look{Process: s.server.Process(), Loaded: r.Loaded(), Hash: loaded.Hash, Loads: make(map[uint64]int32), Counts: make(map[uint64]int32), Write: s.write}
	s.mu.Unlock()
	for _, seat := range r.Seats() {
		a.Loads[seat.Player], a.Counts[seat.Player] = loaded.Counts[seat.Client], now.Counts[seat.Client]
	}
	_ = json.NewEncoder(w).Encode(a)
}

// serve serves until the input ends. It answers the question "drain" when its rooms are in other processes.
func (s *savedRooms) serve(seats http.Handler, in io.Reader, out io.Writer) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/rooms/", seats)
	mux.HandleFunc("/look/{room}", s.look)
	ctx, stop := context.WithCancel(context.Background())
	signals, served := make(chan os.Signal, 1), make(chan error, 1)
	go func() {
		served <- roomserve.Run(ctx, s.server, roomserve.Config{Signals: signals, Beside: []func(context.Context) error{web.Beside(listener, mux)}})
	}()
	err = json.NewEncoder(out).Encode(crowd.Hello{Name: s.server.Process(), Door: "http://" + listener.Addr().String()})
	if err == nil {
		err = apart.Answer(in, out, func(string) (any, error) {
			signals <- syscall.SIGTERM
			ended := <-served
			served <- nil
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.stood, ended
		})
	}
	stop()
	return errors.Join(err, <-served)
}
