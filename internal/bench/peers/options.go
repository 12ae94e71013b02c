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
	most, json             bool
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

`

// parse parses the flags.
func parse(args []string, help io.Writer) (o options, err error) {
	f := flag.NewFlagSet("peers", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.IntVar(&o.clients, "clients", 1000, "players for the first columns")
	f.IntVar(&o.npcs, "npcs", 200, "entities of the server")
	f.IntVar(&o.seconds, "seconds", 10, "how long each measurement is, behind some seconds of warm-up")
	f.BoolVar(&o.most, "most", true, "search for the most players, too")
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
