package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/batch"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
)

// push is the input.
type push struct {
	DX, DY int8 `net:"-1..1"`
}

// place is where a player is.
type place struct {
	X, Y float32 `net:"-512..512 step 0.01"`
}

// field is the game: players walk to and fro.
func field() *ecs.Protocol {
	p := ecs.NewProtocol("bench-rooms/1")
	ecs.Replicate[place](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[push](p)
	p.Simulate("walk", func(w *ecs.World) {
		for _, r := range ecs.Each[struct {
			At *place
			In *push
		}](w) {
			step := float32(int(w.Tick()/40%2)*2 - 1)
			r.At.X, r.At.Y = r.At.X+step, r.At.Y-step
		}
	})
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, place{}, push{})
	})
	return p
}

// serve is the server: it answers what its parent asks, a line each, until that is over.
func serve(o options, in io.Reader, out io.Writer) error {
	wire, err := batch.Listen("127.0.0.1:0")
	if err != nil {
		return err
	}
	s, err := rooms.New(rooms.Config{
		Kinds: []rooms.Kind{{
			Name: "field", Protocol: field, Capacity: o.players, Linger: -1,
			Server: systems.ServerConfig{TickRate: o.hz, SendRate: o.hz},
		}},
		MaxRooms: o.rooms, Promise: time.Minute,
	}, wire)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	lines, answers := bufio.NewScanner(in), json.NewEncoder(out)
	for lines.Scan() {
		var answer any
		if line := lines.Text(); strings.HasPrefix(line, "join ") {
			var player uint64
			if _, err := fmt.Sscanf(line, "join %d", &player); err != nil {
				return err
			}
			answer = join(s, player)
		} else {
			answer = mark(s, wire.LocalAddr().String(), line == "weigh")
		}
		if err := answers.Encode(answer); err != nil {
			return err
		}
	}
	stop()
	return <-done
}

func join(s *rooms.Server, player uint64) given {
	all, err := s.Join("field", nil, rooms.Player{ID: player})
	if err != nil {
		return given{Refused: err.Error()}
	}
	a := all[0]
	return given{Room: a.Seat.Room, Seat: a.Seat.Number, Token: base64.StdEncoding.EncodeToString(a.Token.Append(nil))}
}

// mark is how far the server is. To weigh it takes a while.
func mark(s *rooms.Server, addr string, weigh bool) state {
	x := state{Addr: addr, At: time.Now(), CPU: processorTime().Seconds()}
	for _, r := range s.Rooms() {
		i := r.Info()
		x.Ticks += uint64(i.Tick)
		x.Late = max(x.Late, float64(i.Late)/1e6)
	}
	if weigh {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	x.Heap = m.HeapAlloc
	return x
}
