// Command bench loads a fleet. This process runs the players and the directory, an embedded NATS server. Its child
// processes run the rooms. If the machine has two processors, the children have one of their own.
//
//	go -C examples/more run ./fleet/bench -processes 2 -rooms 200 -players 10 -hz 20 -seconds 20
//	go -C examples/more run ./fleet/bench -processes 4 -rooms 40 -players 4 -seconds 10 -joins 1000
//
// The flags and figures are those of internal/bench/rooms, summed over all processes. Players ask any process for any room.
//
//	go -C examples/more run ./fleet/bench -processes 4 -rooms 40 -players 4 -seconds 60 -joins 1000 -kills 4 -pauses 4 -seed 7
//
// kills and restarts processes and pauses others while players play, on a schedule drawn from the seed. A player who loses
// a seat requests it again. Each process logs fifty times per second which rooms and seats it believes to own.
// rooms_owned_twice counts rooms that two processes believed to own at the same time. seats_lost_longer_than_lease counts
// players without a seat in any process for longer than a lease plus two seconds.
//
// With -save 5s, rooms are saved in the object store of NATS, and each process prints how often.
//
//	go -C examples/more run ./fleet/bench -processes 5 -rooms 10 -players 3 -save 5s -crashes 200
//	go -C examples/more run ./fleet/bench -processes 3 -rooms 10 -players 3 -save 5s -deploys 12
//
// -crashes kills processes at random moments and starts others. For each kill, and as a summary, it prints: claim_s, the time from the
// kill to the request that claimed a room; back_s, from that request until a player played there; all_back_s, likewise for all
// players; ticks_lost and lost_s, from the newest tick that a player had seen to that of the save; players_resumed, who got their
// seats and client numbers at the first answer; and durable_lost, counters below those that Room.Durable had confirmed. Room.Durable is
// called in every second room. A kill is over the bound if it lost more than the interval, the longest write and a tick.
//
// -deploys replaces one process after the other. stall_s is the longest time that a player who was moved heard of no newer tick, and
// rooms_with_equal_hash counts worlds whose hash and tick were the same before and after.
package main

import (
	"context"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/tactusgo/tactus/internal/bench/rooms/crowd"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
	"github.com/tactusgo/tactus/systems/rooms/fleet/natsdir"
	"github.com/tactusgo/tactus/systems/rooms/web"
)

// options holds the flags.
type options struct {
	crowd.Options
	processes     int
	name          string
	kills, pauses int
	seed          uint64
	save          time.Duration

	crashes, deploys int
}

// outlives reports whether rooms are to outlive their processes.
func (o *options) outlives() bool { return o.crashes+o.deploys > 0 }

// stormy reports whether faults are requested.
func (o *options) stormy() bool { return o.kills+o.pauses > 0 }

// requestTimeout is the timeout of requests between processes, short because players expect an answer within a second.
const requestTimeout = 700 * time.Millisecond

// Environment variables for the child processes; other users cannot read them.
const (
	directoryURL = "TACTUS_BENCH_DIRECTORY"
	fleetKey     = "TACTUS_BENCH_KEY"
	beliefFolder = "TACTUS_BENCH_BELIEFS"
)

func main() {
	var o options
	o.Register(flag.CommandLine)
	flag.IntVar(&o.processes, "processes", 2, "how many processes with rooms")
	flag.IntVar(&o.kills, "kills", 0, "how many processes are killed while players play; each is started again")
	flag.IntVar(&o.pauses, "pauses", 0, "how many are paused, every second one for longer than a lease")
	flag.Uint64Var(&o.seed, "seed", 1, "of the schedule of kills and pauses")
	flag.DurationVar(&o.save, "save", 0, "how often rooms are saved in the object store of NATS; 0: not at all")
	flag.IntVar(&o.crashes, "crashes", 0, "how many times a process is killed whose rooms are saved")
	flag.IntVar(&o.deploys, "deploys", 0, "how many processes with saved rooms are replaced, one after the other")
	flag.StringVar(&o.name, "name", "", "be this process with rooms; the parent does that")
	be := flag.Bool("serve", false, "be a process with rooms; the parent does that")
	flag.Parse()
	err := o.Validate()
	switch {
	case err != nil:
	case o.processes < 1 || o.processes > 64:
		err = fmt.Errorf("-processes %d is not in 1..64", o.processes)
	case o.kills < 0 || o.pauses < 0 || o.stormy() && (o.processes < 2 || o.Seconds < 20):
		err = errors.New("-kills and -pauses need -processes 2 or more, and -seconds 20 or more")
	case o.crashes < 0 || o.deploys < 0 || o.crashes > 0 && o.deploys > 0 || o.outlives() && (o.processes < 2 || o.save <= 0 || o.stormy()):
		err = errors.New("-crashes or -deploys need -processes 2 or more, and -save")
	case *be:
		err = serve(o, os.Getenv(directoryURL), os.Getenv(fleetKey), os.Stdin, os.Stdout)
	default:
		err = load(o, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve runs a process with rooms.
func serve(o options, url, key string, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	directory, err := natsdir.Open(ctx, natsdir.Config{URL: url})
	if err != nil {
		return err
	}
	defer directory.Close()
	b, err := hex.DecodeString(key)
	if err != nil || len(b) != netcode.KeySize {
		return errors.New("the key in the environment is none")
	}
	wire, err := eventloop.Listen("127.0.0.1:0")
	if err != nil {
		return err
	}
	c := rooms.Config{
		Process: o.name, Key: netcode.Key(b), Kinds: []rooms.Kind{o.Kind()},
		MaxRooms: (o.Rooms + o.processes - 1) / o.processes, Promise: 10 * time.Second,
	}
	if o.stormy() || o.outlives() {
		c.MaxRooms = 0 // no limit, because the process also takes over rooms of dead processes
	}
	saved := &savedRooms{loads: make(map[rooms.ID]world), stood: make(map[rooms.ID]world)}
	if o.save > 0 {
		store, err := directory.Store(ctx)
		if err != nil {
			return errors.Join(err, wire.Close())
		}
		saved.Archive = store.(rooms.Archive)
		c.Store, c.SaveInterval = saved, o.save
	}
	if o.outlives() {
		c.Kinds = []rooms.Kind{saved.kind(o)}
	}
	s, err := rooms.New(c, wire)
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	saved.server = s
	all, err := fleet.New(fleet.Config{Directory: directory, Here: s, RequestTimeout: requestTimeout})
	if err != nil {
		return errors.Join(err, s.Close(time.Now()))
	}
	seats, err := web.New(crowd.Generous(web.Config{}), all)
	if err != nil {
		return errors.Join(err, s.Close(time.Now()))
	}
	if o.outlives() {
		return saved.serve(seats, in, out)
	}
	running, end := context.WithCancel(context.Background())
	var beside sync.WaitGroup
	defer func() { end(); beside.Wait() }()
	if to := os.Getenv(beliefFolder); to != "" {
		beside.Go(func() {
			if err := believe(running, s, filepath.Join(to, o.name)); err != nil {
				fmt.Fprintln(os.Stderr, "the log of beliefs:", err)
			}
		})
	}
	err = crowd.Serve(o.Options, s, seats, in, out)
	if o.save > 0 {
		fmt.Fprintf(os.Stderr, "%s: %d saves, the longest write took %d ms\n", o.name, saved.writes, saved.write.Milliseconds())
	}
	return err
}

// load runs the players and prints the result.
func load(o options, out io.Writer) error {
	r, err := measure(o, os.Stderr)
	if err != nil {
		return err
	}
	if x, ok := r.(*summary); ok && !o.JSON {
		r = x.report
	}
	return crowd.Print(out, r, o.JSON)
}

// measure runs the players. It writes the processes' faults to log.
func measure(o options, log io.Writer) (r any, err error) {
	on, err := crowd.Apart(o.Apart)
	if err != nil {
		return nil, err
	}
	servers, err := natsdir.Embedded(natsdir.Embedding{})
	if err != nil {
		return nil, err
	}
	defer servers.Close()
	folder, err := os.MkdirTemp("", "tactus-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	key := netcode.GenerateKey(nil)
	f := &family{o: o, on: on, all: make([]*crowd.Process, o.processes), env: []string{directoryURL + "=" + servers.Config().URL, fleetKey + "=" + hex.EncodeToString(key[:])}}
	if o.stormy() {
		f.env = append(f.env, beliefFolder+"="+folder)
	}
	f.folder = folder
	defer func() { err = errors.Join(err, f.close()) }()
	for n := range f.all {
		if err := f.start(n); err != nil {
			return nil, err
		}
	}
	if o.outlives() {
		return runOutlive(o, f, log)
	}
	if o.stormy() {
		return storm(o, f, log)
	}
	return crowd.Play(o.Options, f.all)
}

// family is the set of processes with rooms.
type family struct {
	o   options
	env []string
	on  func(start func() error) error
	all []*crowd.Process
	// logs are the files with the beliefs of all processes that were started, in folder.
	logs   []string
	folder string
}

func nameOf(n int) string { return fmt.Sprint("process-", n+1) }

// start starts process n, or replaces it if it has ended.
func (f *family) start(n int) error { return f.startAs(n, nameOf(n)) }

// startAs starts process n under a name.
func (f *family) startAs(n int, name string) (err error) {
	args := append(f.o.Args(), fmt.Sprint("-processes=", f.o.processes), fmt.Sprint("-kills=", f.o.kills), fmt.Sprint("-pauses=", f.o.pauses),
		fmt.Sprint("-save=", f.o.save), fmt.Sprint("-crashes=", f.o.crashes), fmt.Sprint("-deploys=", f.o.deploys), "-name="+name)
	if log := filepath.Join(f.folder, name); !slices.Contains(f.logs, log) {
		f.logs = append(f.logs, log)
	}
	f.all[n], err = crowd.Start(args, f.env, os.Stderr, f.on)
	return err
}

// close ends all processes.
func (f *family) close() (err error) {
	for _, p := range f.all {
		if p != nil {
			err = errors.Join(err, p.Close())
		}
	}
	return err
}
