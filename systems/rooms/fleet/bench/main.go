// Command bench loads a fleet: this process is the players, and holds the directory, an embedded server of NATS. Its children
// are processes with rooms, which find each other there, on a processor of their own where there are two.
//
//	go -C systems/rooms/fleet run ./bench -processes 2 -rooms 200 -players 10 -hz 20 -seconds 20
//	go -C systems/rooms/fleet run ./bench -processes 4 -rooms 40 -players 4 -seconds 10 -joins 1000
//
// Flags and figures are those of internal/bench/rooms, of all processes together. Players ask any process for any room.
package main

import (
	"context"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tactusgo/tactus/internal/bench/rooms/crowd"
	"github.com/tactusgo/tactus/netsys/batch"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/fleet"
	"github.com/tactusgo/tactus/systems/rooms/web"
)

// options are what the flags say.
type options struct {
	crowd.Options
	processes int
	name      string
}

// What a child is told by its environment, which nobody else sees.
const (
	directoryURL = "TACTUS_BENCH_DIRECTORY"
	fleetKey     = "TACTUS_BENCH_KEY"
)

func main() {
	var o options
	o.Register(flag.CommandLine)
	flag.IntVar(&o.processes, "processes", 2, "how many processes with rooms")
	flag.StringVar(&o.name, "name", "", "be this process with rooms; the parent does that")
	be := flag.Bool("serve", false, "be a process with rooms; the parent does that")
	flag.Parse()
	err := o.Validate()
	switch {
	case err != nil:
	case o.processes < 1 || o.processes > 64:
		err = fmt.Errorf("-processes %d is not in 1..64", o.processes)
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

// serve is a process with rooms.
func serve(o options, url, key string, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	directory, err := fleet.Open(ctx, fleet.Config{URL: url})
	if err != nil {
		return err
	}
	defer directory.Close()
	b, err := hex.DecodeString(key)
	if err != nil || len(b) != netcode.KeySize {
		return errors.New("the key in the environment is none")
	}
	wire, err := batch.Listen("127.0.0.1:0")
	if err != nil {
		return err
	}
	s, err := rooms.New(rooms.Config{
		Process: o.name, Key: netcode.Key(b), Directory: directory, Kinds: []rooms.Kind{o.Kind()},
		MaxRooms: (o.Rooms + o.processes - 1) / o.processes, Promise: 10 * time.Second,
	}, wire)
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	seats, err := web.New(crowd.Generous(web.Config{}), rooms.Here(s))
	if err != nil {
		return errors.Join(err, s.Close(time.Now()))
	}
	return crowd.Serve(o.Options, s, seats, in, out)
}

// load is the players.
func load(o options, out io.Writer) error {
	on, err := crowd.Apart(o.Apart)
	if err != nil {
		return err
	}
	servers, err := fleet.Embedded(fleet.Embedding{})
	if err != nil {
		return err
	}
	defer servers.Close()
	key := netcode.GenerateKey(nil)
	env := []string{directoryURL + "=" + servers.Config().URL, fleetKey + "=" + hex.EncodeToString(key[:])}
	var all []*crowd.Process
	for n := range o.processes {
		args := append(o.Args(), fmt.Sprint("-processes=", o.processes), fmt.Sprint("-name=process-", n+1))
		p, e := crowd.Start(args, env, os.Stderr, on)
		if err = e; err != nil {
			break
		}
		all = append(all, p)
	}
	var r *crowd.Report
	if err == nil {
		r, err = crowd.Play(o.Options, all)
	}
	for _, p := range all {
		err = errors.Join(err, p.Close())
	}
	if err != nil {
		return err
	}
	return crowd.Print(out, r, o.JSON)
}
