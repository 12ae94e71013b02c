// Command rooms loads one process with rooms: this process is the players, and a child process the server, over HTTP and UDP
// of this machine, on processors of their own where there are two.
//
//	go run ./internal/bench/rooms -rooms 200 -players 10 -hz 20 -seconds 20
//
// With -joins N each room has one more seat, and N players a second ask for one over HTTP while the others play: by
// /rooms/join, or in a room that they know. Who gets a seat comes with the token, stays for up to a second and leaves. What
// is printed of seats is counted from what players were given: seats_doubled are seats that were given while they were
// somebody else's for certain, over_capacity players beyond the seats of their room, joins_late those who had neither a seat
// nor a refusal within a second. All players come from one address and their own numbers, so the limits of package web are
// set as high as they go: a server of the world's has 600 requests a minute and address.
//
// With -trouble panic,loop,gib one room panics, one loops forever and one takes 1 GiB and lets go: ticks_lost_others are ticks
// of the other rooms that were due and not made.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tactusgo/tactus/internal/bench/rooms/crowd"
	"github.com/tactusgo/tactus/netsys/batch"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/web"
)

func main() {
	var o crowd.Options
	o.Register(flag.CommandLine)
	be := flag.Bool("serve", false, "be the server; the parent does that")
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

// serve is the server.
func serve(o crowd.Options, in io.Reader, out io.Writer) error {
	wire, err := batch.Listen("127.0.0.1:0")
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

// load is the players.
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
