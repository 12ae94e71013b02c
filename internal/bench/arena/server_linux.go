package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/internal/bench/apart"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
)

// order configures the server's process.
type order struct {
	Clients, NPCs     int
	Hz, Size, Workers int
	Transport, Coder  string
	Interest          string
	Hint, Overload    bool
	Burst             bool // a burst is planned, and clients send messages, which the server answers
	RTT               [2]time.Duration
	Jitter            time.Duration
	Loss              float64
	Seed              uint64
}

func (o *options) order() order {
	return order{o.clients, o.npcs, o.hz, o.size, o.workers, o.transport, o.coder, o.interest, o.hint, o.overload, o.burst > 0,
		[2]time.Duration{o.rtt.from, o.rtt.to}, o.jitter, o.loss, o.seed}
}

// leaving is the number of connections allowed beyond the number of clients, for connections that are still closing.
const leaving = 16

// variant returns the game.
func (o *order) variant() game.Variant {
	return game.Variant{NoHint: !o.Hint, Players: o.Clients, Size: o.Size}
}

// link returns the one-way link of client n.
func (o *order) link(n int) netsys.Link {
	rtt := spread{o.RTT[0], o.RTT[1]}
	return netsys.Link{Latency: rtt.forClient(n, o.Clients) / 2, Jitter: o.Jitter, Loss: o.Loss}
}

// linked reports whether clients have links.
func (o *order) linked() bool { return o.RTT[1] > 0 || o.Jitter > 0 || o.Loss > 0 }

// listen opens the server's transport.
func (o *order) listen() (netsys.Wire, error) {
	const loopback = "127.0.0.1:0"
	if o.Transport == "ws" {
		return eventloop.ListenConfig{WebSocket: eventloop.WebSocketConfig{Addr: loopback, Connections: o.Clients + leaving}}.Listen("")
	}
	return eventloop.Listen(loopback)
}

// The grid of -interest, in units. Entities within gridRadius are visible; entities beyond gridEnd are not.
const (
	gridCell, gridRadius, gridLeave = 100, 150, 180

	gridEnd = gridLeave + 1.25*math.Sqrt2*gridCell
)

// budget is the budget of a snapshot: three datagrams.
const budget = 3 * netsys.MaxPayload

// Questions to the server's process.
const (
	askBegin  = "begin"  // start the measurement; answer: figures
	askEnd    = "end"    // end the measurement; answer: figures
	askMemory = "memory" // collect garbage; answer: memory
	askBurst  = "burst"  // followed by a percentage: slow the server down until it has this load; answer: figures
	askCalm   = "calm"   // end the slowdown; answer: figures
)

// serveApart runs the server's process. ok is false in any other process.
func serveApart() (code int, ok bool) {
	text, ok := apart.Order()
	if ok {
		code = serve(text, os.Stdin, os.Stdout, os.Stderr)
	}
	return code, ok
}

// serve runs the server's process: it prints its address, then answers questions and sends its states until the input ends.
// It returns the exit code.
func serve(text string, in io.Reader, out, stderr io.Writer) int {
	if err := serveOrder(text, in, out); err != nil {
		fmt.Fprintln(stderr, "arena: the server's process:", err)
		return 1
	}
	return 0
}

func serveOrder(text string, in io.Reader, out io.Writer) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	wire, err := o.listen()
	if err != nil {
		return err
	}
	var seen systems.Interest
	if o.Interest == "grid" {
		seen = &systems.Grid[components.Position]{Cell: gridCell, Radius: gridRadius, Leave: gridLeave}
	}
	var s *systems.Server
	g, t := newGauge(o.Hz), newStateSender(apart.Telling())
	var answer func(s *systems.Server, client uint32, channel int, m []byte) error
	if o.Burst {
		answer = func(s *systems.Server, client uint32, channel int, m []byte) error {
			return s.Session(client).Channels().Send(channel, m)
		}
	}
	s, err = systems.NewServer(wire, o.variant().Protocol(), systems.ServerConfig{
		Seed: o.Seed, TickRate: o.Hz, MaxClients: o.Clients, Workers: o.Workers, Snapshots: systems.Snapshots{SendRate: sendRate(o.Hz), Budget: budget, Interest: seen, Coders: options{coder: o.Coder}.coders()},
		Overload: systems.Overload{Off: !o.Overload},
		Session:  systems.ServerSession{OnMessage: answer},
		Schedule: func(schedule *ecs.Schedule) error {
			return errors.Join(schedule.InsertAfter("Snapshot", ecs.System{Name: "burn", Run: g.burner.step}),
				schedule.InsertAfter("Snapshot", ecs.System{Name: "truth", Run: func(w *ecs.World) { t.step(w, s) }}))
		},
	})
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	o.variant().Populate(s.World(), o.Clients, o.NPCs)
	g.server, g.burner.sent = s, func() uint64 { return s.Stats().Updates }
	s.SetProbe(g)
	fmt.Fprintln(out, wire.LocalAddr())
	ctx, stop := context.WithCancel(context.Background())
	answered := make(chan error, 1)
	go func() {
		defer stop()
		answered <- apart.Answer(in, out, g.answer)
	}()
	err = s.Run(ctx)
	stop()
	t.close()
	return errors.Join(err, <-answered)
}

// memory is the memory of the server's process, in bytes.
type memory struct {
	Resident int // total
	Own      int // not backed by a file
	Heap     int // spans with objects
	Stacks   int
}

// readMemory collects garbage, releases free memory and reads the figures.
func readMemory() (m memory, err error) {
	debug.FreeOSMemory()
	debug.FreeOSMemory() // the second call releases memory freed by finalizers and pools
	if m.Resident, m.Own, err = apart.Resident(); err != nil {
		return m, err
	}
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	m.Heap, m.Stacks = int(s.HeapInuse), int(s.StackInuse)
	return m, nil
}
