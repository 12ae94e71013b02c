// Command rooms loads one process with rooms: this process is the players, and a child process the server, over UDP of
// this machine.
//
//	go run ./internal/bench/rooms -rooms 200 -players 10 -hz 20 -seconds 20
//
// With -joins N as many more players than there are seats ask for one, all at once. What is printed of seats is counted from
// what players were given: seats_doubled are seats that two have got, over_capacity players beyond the capacity of their
// room. To have a core for the server alone, start it with taskset, and -core 1 puts the server on the other one.
package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/swarm"
)

// warmup is how long players play before anything counts.
const warmup = 3 * time.Second

// options are what the flags say.
type options struct {
	rooms, players, hz, seconds, joins int
	core                               int
	json, serve                        bool
}

func main() {
	var o options
	flag.IntVar(&o.rooms, "rooms", 200, "how many rooms")
	flag.IntVar(&o.players, "players", 10, "how many players a room has, and seats")
	flag.IntVar(&o.hz, "hz", 20, "ticks and snapshots a second")
	flag.IntVar(&o.seconds, "seconds", 20, "how long to measure")
	flag.IntVar(&o.joins, "joins", 0, "how many more players ask for seats than there are")
	flag.IntVar(&o.core, "core", -1, "processor of the server alone, by taskset; -1: any")
	flag.BoolVar(&o.json, "json", false, "print JSON")
	flag.BoolVar(&o.serve, "serve", false, "be the server; the parent does that")
	flag.Parse()
	var err error
	if o.serve {
		err = serve(o, os.Stdin, os.Stdout)
	} else {
		err = load(o, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// report is what is printed.
type report struct {
	TicksPct  float64 `json:"ticks_pct"`
	Updates   float64 `json:"updates_per_client_s"`
	CPU       float64 `json:"cpu_s_per_s"`
	RoomTick  float64 `json:"us_per_room_tick"`
	KiB       float64 `json:"kib_per_room"`
	Joins     int     `json:"joins"`
	Refused   int     `json:"refused"`
	Doubled   int     `json:"seats_doubled"`
	Over      int     `json:"over_capacity"`
	JoinMS    float64 `json:"slowest_join_ms"`
	Connected int     `json:"connected"`
	LateMS    float64 `json:"latest_turn_ms"`
	Limit     string  `json:"limit,omitempty"`
}

// given is the server's answer to a join.
type given struct {
	Room    rooms.ID `json:"room,omitempty"`
	Seat    uint16   `json:"seat"`
	Token   string   `json:"token"`
	Refused string   `json:"refused"`
}

// state is the server's answer to a mark.
type state struct {
	Addr  string    `json:"addr"`
	Ticks uint64    `json:"ticks"`
	CPU   float64   `json:"cpu"`
	Heap  uint64    `json:"heap"`
	Late  float64   `json:"late"`
	At    time.Time `json:"at"`
}

// link is the pipe to the server.
type link struct {
	mu  sync.Mutex
	in  io.Writer
	out *bufio.Reader
}

// ask asks the server something.
func (l *link) ask(what string, answer any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := fmt.Fprintln(l.in, what); err != nil {
		return err
	}
	line, err := l.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, answer)
}

// load plays.
func load(o options, out io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{self, "-serve"}
	for name, n := range map[string]int{"rooms": o.rooms, "players": o.players, "hz": o.hz} {
		args = append(args, "-"+name, strconv.Itoa(n))
	}
	if o.core >= 0 {
		args = append([]string{"taskset", "-c", strconv.Itoa(o.core)}, args...)
	}
	child := exec.Command(args[0], args[1:]...)
	child.Stderr = os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		return err
	}
	from, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return err
	}
	r, err := play(o, &link{in: in, out: bufio.NewReaderSize(from, 1<<16)})
	_ = in.Close()
	if e := child.Wait(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	if o.json {
		return json.NewEncoder(out).Encode(r)
	}
	_, err = fmt.Fprintf(out, "%+v\n", *r)
	return err
}

// play asks for seats, plays and measures.
func play(o options, l *link) (*report, error) {
	var began, ended state
	if err := l.ask("weigh", &began); err != nil {
		return nil, err
	}
	r := &report{}
	tokens, err := l.join(o, r)
	if err != nil {
		return nil, err
	}
	base := began.Heap
	type moment struct {
		state
		at time.Time
	}
	first := make(chan moment, 1)
	var once sync.Once
	heard, err := swarm.Run(context.Background(), swarm.Config{
		Protocol: field, Addr: began.Addr, Clients: len(tokens), Ramp: float64(max(len(tokens), 500)),
		Warmup: warmup, Duration: time.Duration(o.seconds) * time.Second,
		Token: func(_ context.Context, n int) (*netcode.ConnectToken, error) { return tokens[n], nil },
		OnBody: func(swarm.Body) {
			once.Do(func() {
				time.AfterFunc(warmup, func() {
					var s state
					if l.ask("mark", &s) == nil {
						first <- moment{s, s.At}
					}
				})
			})
		},
	})
	if err != nil {
		return nil, err
	}
	if err := l.ask("mark", &ended); err != nil {
		return nil, err
	}
	var heavy state
	if err := l.ask("weigh", &heavy); err != nil {
		return nil, err
	}
	from := <-first
	seconds := ended.At.Sub(from.at).Seconds()
	ticks, cpu := float64(ended.Ticks-from.Ticks), ended.CPU-from.CPU
	r.TicksPct, r.Updates, r.CPU = 100*ticks/(float64(o.rooms*o.hz)*seconds), heard.UpdatesPerS, cpu/seconds
	r.RoomTick, r.KiB = 1e6*cpu/ticks, float64(heavy.Heap-min(base, heavy.Heap))/1024/float64(o.rooms)
	r.Connected, r.LateMS, r.Limit = heard.Connected, ended.Late, heard.Limit
	return r, nil
}

// join asks for all seats, and for more than there are.
func (l *link) join(o options, r *report) (tokens []*netcode.ConnectToken, err error) {
	type seat struct {
		room rooms.ID
		seat uint16
	}
	seats, sitting := make(map[seat]bool), make(map[rooms.ID]int)
	for n := range o.rooms*o.players + o.joins {
		var g given
		asked := time.Now()
		if err := l.ask("join "+strconv.Itoa(n+1), &g); err != nil {
			return nil, err
		}
		r.JoinMS = max(r.JoinMS, float64(time.Since(asked))/1e6)
		r.Joins++
		if g.Refused != "" {
			r.Refused++
			continue
		}
		s := seat{g.Room, g.Seat}
		if seats[s] {
			r.Doubled++
		}
		if sitting[g.Room]++; sitting[g.Room] > o.players {
			r.Over++
		}
		seats[s] = true
		b, err := base64.StdEncoding.DecodeString(g.Token)
		if err != nil {
			return nil, err
		}
		token, err := netcode.ParseToken(b)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, token)
	}
	return tokens, nil
}
