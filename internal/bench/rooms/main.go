// Command rooms loads one process with rooms. This process plays the players and starts the server as a child process. They use
// HTTP and UDP of this machine and, if there are two processors, one processor each.
//
//	go run ./internal/bench/rooms -rooms 200 -players 10 -hz 20 -seconds 20
//
// With -joins N each room has one more seat, and N players a second request a seat over HTTP while the others play: with
// /rooms/join, or in a room that they know. A player with a seat connects with the token, stays for up to a second and
// leaves. The figures are counted from the answers to the players: seats_doubled counts seats that were assigned while
// another player certainly had them, over_capacity players beyond the seats of their room, joins_late players without an
// answer within a second. All players have the same address, so the limits of package web are raised to their maximum. The
// default is 600 requests a minute per address.
//
// With -trouble panic,loop,gib one room panics, one loops forever, and one allocates 1 GiB and releases it. ticks_lost_others
// counts due ticks of the other rooms that were dropped.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tactusgo/tactus/internal/bench/rooms/crowd"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/web"
)

func main() {
	var o crowd.Options
	o.Register(flag.CommandLine)
	be := flag.Bool("serve", false, "run as the server; the parent process sets this")
	flag.Parse()
	err := o.Validate()
	switch {
	case err != nil:
	case *be:
		err = serve(o, os.Stdin, os.Stdout)
	default:
		err = load(o, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve runs the server.
func serve(o crowd.Options, in io.Reader, out io.Writer) error {
	wire, err := eventloop.Listen("127.0.0.1:0")
	if err != nil {
		return err
	}
	s, err := rooms.New(rooms.Config{Process: "server", Kinds: []rooms.Kind{o.Kind()}, MaxRooms: o.Rooms, Promise: 10 * time.Second, Told: o.Told}, wire)
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	seats, err := web.New(crowd.Generous(web.Config{}), rooms.Here(s))
	if err != nil {
		return errors.Join(err, s.Close(time.Now()))
	}
	return crowd.Serve(o, s, seats, in, out)
}

// load runs the players.
func load(o crowd.Options, out io.Writer) error {
	on, err := crowd.Apart(o.Apart)
	if err != nil {
		return err
	}
	server, err := crowd.Start(o.Args(), nil, os.Stderr, on)
	if err != nil {
		return err
	}
	r, err := crowd.Play(o, []*crowd.Process{server})
	if err = errors.Join(err, server.Close()); err != nil {
		return err
	}
	return crowd.Print(out, r, o.JSON)
}
