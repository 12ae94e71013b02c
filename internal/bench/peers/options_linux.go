package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"time"
)

// options holds the flags.
type options struct {
	clients, npcs, seconds int
	most, json, screens    bool
}

const usage = `usage: peers [flags]

Runs the arena on Tactus (udp, ws), on Colyseus (quantized and float32
fields), and on a server written by hand with the npm package ws, which broadcasts
the state of all entities, quantized, in 8 bytes each. It measures one server after
the other, and prints for each one:

  sends          delta per client: changes since the state that the client
                 acknowledged; delta for all: changes since the last update;
                 whole state: all entities
  encrypts       whether the server encrypts and authenticates what it sends
  processors     processor time of the server by second, at -clients
  µs/update      the same by client and update
  bytes/update   what a client is sent in one update, as payload of the socket
  ticks, updates of 60 and 20 a second, how many there were
  MiB            memory of the server's process
  most players   with the same entities, before less than 95 % of the ticks are
                 simulated, or a client gets less than 19 updates a second

With -screens, two players walk on each server, at a round trip of 0 and of
100 ms. It prints the delay between two screens: the time from the frame in which
a player's input is gathered and sent to the first frame of the other client that
shows it.

  updates/s      how often the server sends, at most. 20 is the default of Colyseus
                 and usual in servers written by hand. Tactus sends 60 by
                 default, and has rows with 20
  interpolation  how a client draws the other player
  p50, p99       median and 99th percentile of the delay
  samples        number of measured inputs

On Colyseus and on the server on ws, a player turns by 90 degrees at random
moments. The first frame that shows the turn is the one in which the drawn player
has moved by half of what a step of the server moves it in the new direction. In
Tactus, it is the first frame that shows the whole step, which is later.

`

// parse parses the flags.
func parse(args []string, help io.Writer) (o options, err error) {
	f := flag.NewFlagSet("peers", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.IntVar(&o.clients, "clients", 1000, "players for the first columns")
	f.IntVar(&o.npcs, "npcs", 200, "entities of the server")
	f.IntVar(&o.seconds, "seconds", 10, "how long each measurement is, behind some seconds of warm-up")
	f.BoolVar(&o.most, "most", true, "search for the most players, too")
	f.BoolVar(&o.screens, "screens", false, "measure the delay between two screens instead; -clients, -npcs and -most have no effect")
	f.BoolVar(&o.json, "json", false, "print one JSON object as the last line")
	switch err = f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(help, usage)
		f.SetOutput(help)
		f.PrintDefaults()
	case err != nil:
		err = fmt.Errorf("%w; -h lists the allowed values", err)
	case f.NArg() > 0:
		err = fmt.Errorf("%q: only flags are allowed", f.Arg(0))
	case o.clients < 1 || o.clients > 10_000:
		err = fmt.Errorf("-clients %d: 1 to 10000 are allowed", o.clients)
	case o.npcs < 0 || o.npcs > 100_000:
		err = fmt.Errorf("-npcs %d: 0 to 100000 are allowed", o.npcs)
	case o.seconds < 2 || o.seconds > 600:
		err = fmt.Errorf("-seconds %d: 2 to 600 are allowed", o.seconds)
	}
	return o, err
}

// settle is how long a server runs with all its clients before the measurement.
const settle = 3 * time.Second
