// Command fleet runs four processes with rooms of dots, and a lobby for all of them. Players who ask for a seat get one in
// any of them; when a process is killed, they are told, and get a seat in another one. Its own are bots.
//
//	go -C examples/fleet run .
//
// This process, the launcher, holds the directory by which the others find each other: NATS, embedded. Who is killed, by a
// line "kill N" or by -kill, does not take that along. Ctrl-C ends all of them.
package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
	"github.com/tactusgo/tactus/systems/rooms/lobby"
	"github.com/tactusgo/tactus/systems/rooms/web"
)

// options are what the flags say.
type options struct {
	processes, players int
	http               string
	kill               time.Duration
}

func main() {
	if os.Getenv(nameVariable) != "" {
		if err := beProcess(); err != nil {
			log.Fatal(err)
		}
		return
	}
	var o options
	flag.IntVar(&o.processes, "processes", 4, "how many processes with rooms")
	flag.IntVar(&o.players, "players", 8, "how many bots play")
	flag.StringVar(&o.http, "http", "127.0.0.1:8080", "where the lobby answers")
	flag.DurationVar(&o.kill, "kill", 0, "kill a process and start another one, again and again after so long; 0: by hand")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o, os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// run is the launcher, until ctx ends.
func run(ctx context.Context, o options, in io.Reader, out io.Writer) error {
	servers, err := fleet.Embedded(fleet.Embedding{})
	if err != nil {
		return err
	}
	defer servers.Close()
	directory, err := fleet.Open(ctx, servers.Config())
	if err != nil {
		return err
	}
	defer directory.Close()
	key := netcode.GenerateKey(nil)
	x := &launcher{out: out, env: []string{urlVariable + "=" + servers.Config().URL, keyVariable + "=" + hex.EncodeToString(key[:])}}
	defer x.end()
	for range o.processes {
		if err := x.start(); err != nil {
			return err
		}
	}
	seats, err := lobby.New(lobby.Config{Directory: directory, Key: key})
	if err != nil {
		return err
	}
	var beside sync.WaitGroup
	ctx, stop := context.WithCancel(ctx)
	defer func() { stop(); beside.Wait() }()
	beside.Go(func() { _ = seats.Run(ctx) })
	for ctx.Err() == nil { // until all are there
		if all, err := directory.List(ctx, rooms.ProcessPrefix); err == nil && len(all) == o.processes {
			break
		}
		pause(ctx, 50*time.Millisecond)
	}
	handler, err := web.New(web.Config{}, seats)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", o.http)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/rooms", handler)
	mux.Handle("/rooms/", handler)
	beside.Go(func() { _ = web.Beside(listener, mux)(ctx) })
	x.say(`The lobby answers at http://%[1]v/rooms. Ask it for a seat:
  curl http://%[1]v/rooms
  curl -H Content-Type:application/json -d '{"kind":"dots"}' http://%[1]v/rooms/join
Lines that you write here: "kill 2" kills process-2, "drain 2" lets it end when its players have left, "start" starts another one. Ctrl-C ends all.`, listener.Addr())
	for n := range o.players {
		beside.Go(func() { play(ctx, seats, uint64(n)+1, x.say) })
	}
	beside.Go(func() { x.table(ctx, directory) })
	go x.read(in) // it waits for lines, not for the end
	if o.kill > 0 {
		beside.Go(func() {
			for pause(ctx, o.kill); ctx.Err() == nil; pause(ctx, o.kill) {
				x.strike(x.any(), os.Kill)
				if err := x.start(); err != nil {
					x.say("no process is started: %v", err)
				}
			}
		})
	}
	<-ctx.Done()
	return nil
}

// read does what the lines say.
func (x *launcher) read(in io.Reader) {
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var what string
		var n int
		switch _, _ = fmt.Sscan(lines.Text(), &what, &n); what {
		case "":
		case "kill":
			x.strike(n, os.Kill)
		case "drain":
			x.strike(n, syscall.SIGTERM)
		case "start":
			if err := x.start(); err != nil {
				x.say("%v", err)
			}
		default:
			x.say(`%q: write "kill N", "drain N" or "start"`, what)
		}
	}
}

// table shows the processes when something changes, once a second at most.
func (x *launcher) table(ctx context.Context, d rooms.Directory) {
	for shown := ""; ctx.Err() == nil; pause(ctx, time.Second) {
		all, err := d.List(ctx, rooms.ProcessPrefix)
		if err != nil {
			x.say("%v", err)
			continue
		}
		if now := x.rows(all); now != shown {
			x.say("%s", strings.TrimSuffix(now, "\n"))
			shown = now
		}
	}
}

// any is the number of a process that runs.
func (x *launcher) any() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	var up []int
	for i, c := range x.all {
		if c.running() {
			up = append(up, i+1)
		}
	}
	if len(up) == 0 {
		return 0
	}
	return up[rand.IntN(len(up))]
}
