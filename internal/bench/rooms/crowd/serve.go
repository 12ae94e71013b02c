package crowd

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/pprof"
	"time"

	"github.com/tactusgo/tactus/internal/bench/apart"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/web"
)

// Hello is the first line of a process with rooms, as JSON.
type Hello struct {
	Name string `json:"name"`
	Door string `json:"door"` // URL of the HTTP interface, without a path
}

// State is the answer to the questions "mark" and "weigh". The latter is slow.
type State struct {
	At    time.Time `json:"at"`
	Rooms int       `json:"rooms"`
	Ticks uint64    `json:"ticks"` // of all rooms
	CPU   float64   `json:"cpu"`   // processor seconds
	Heap  uint64    `json:"heap"`  // bytes in use
	Late  float64   `json:"late"`  // largest delay of a turn, in milliseconds
	// Lost and Told describe faults since the first mark, which starts them: see [Report].
	Lost uint64            `json:"lost"`
	Told map[string]string `json:"told"`
}

// Serve runs a process with rooms. It answers seat requests over HTTP on a loopback port, and one-line questions of its
// parent until the input ends.
func Serve(o Options, s *rooms.Server, seats http.Handler, in io.Reader, out io.Writer) (err error) {
	if o.Profile != "" {
		f, err := os.Create(o.Profile + "." + s.Process())
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/rooms", seats)
	mux.Handle("/rooms/", seats)
	ctx, stop := context.WithCancel(context.Background())
	served, answered := make(chan error, 1), make(chan error, 1)
	go func() { served <- s.Run(ctx) }()
	go func() { answered <- web.Beside(listener, mux)(ctx) }()
	defer func() {
		stop()
		ended := <-served
		if o.trouble.loops() && errors.Is(ended, rooms.ErrStuck) {
			ended = nil // expected
		}
		err = errors.Join(err, ended, <-answered)
	}()
	answers := json.NewEncoder(out)
	if err := answers.Encode(Hello{s.Process(), "http://" + listener.Addr().String()}); err != nil {
		return err
	}
	for lines := bufio.NewScanner(in); lines.Scan(); {
		switch line := lines.Text(); line {
		case "mark", "weigh":
			// runtime.GC takes minutes while another goroutine is in an endless loop, because it yields for each span and
			// waits for that loop each time.
			var x State
			if x, err = state(s, line == "weigh" && !o.trouble.looping()); err != nil {
				return err
			}
			if line == "mark" {
				if x.Lost, x.Told, err = o.trouble.lost(s); err != nil {
					return err
				}
			}
			err = answers.Encode(x)
		default:
			err = fmt.Errorf("nobody answers %q", line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// state returns the figures of the process.
func state(s *rooms.Server, weigh bool) (State, error) {
	cpu, err := apart.CPU()
	x := State{At: time.Now(), CPU: cpu.Seconds()}
	for _, r := range s.Rooms() {
		i := r.Info()
		x.Rooms++
		x.Ticks += uint64(i.Tick)
		x.Late = max(x.Late, float64(i.Late)/1e6)
	}
	if weigh {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	x.Heap = m.HeapAlloc
	return x, err
}

// Generous returns c with the highest rate limits, because all players of a benchmark have the same address.
func Generous(c web.Config) web.Config {
	c.PerAddress, c.PerPlayer = 1<<20, 1<<20
	return c
}
