package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/tactusgo/tactus/internal/bench/apart"
)

const maxClients = 2048

const about = `Measures the server's processor time per packet, both directions counted, with 100 bytes up
and 400 bytes down for each client, 60 times a second.`

func main() {
	if name, ok := apart.Order(); ok {
		os.Exit(serve(name, os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run measures and reports. It returns the exit code: 0, 1 if a server fails, 2 for invalid arguments.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("packets", flag.ContinueOnError)
	flags.SetOutput(stderr)
	clients := flags.Int("clients", 256, fmt.Sprintf("clients of each server, 1 to %d", maxClients))
	seconds := flags.Float64("seconds", 10, "how long each server is measured, up to 600, in turns of at most a tenth of a second")
	asJSON := flags.Bool("json", false, "print one JSON object instead of a table")
	flags.Usage = func() { usage(flags) }
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0 || *clients < 1 || *clients > maxClients || !(*seconds > 0 && *seconds <= 600):
		fmt.Fprintf(stderr, "packets: no arguments but flags, 1 to %d clients, more than 0 and up to 600 seconds; see -h\n", maxClients)
		return 2
	}
	results, err := measure(*clients, time.Duration(*seconds*float64(time.Second)), stderr)
	if err != nil {
		fmt.Fprintln(stderr, "packets:", err)
		return 1
	}
	if *asJSON {
		err = json.NewEncoder(stdout).Encode(object(results))
	} else {
		err = table(stdout, results)
	}
	if err != nil {
		fmt.Fprintln(stderr, "packets:", err)
		return 1
	}
	return 0
}

func usage(flags *flag.FlagSet) {
	w := flags.Output()
	fmt.Fprintf(w, "%s\n\nServers, each a field of the JSON object with its µs per packet:\n\n", about)
	for _, k := range kinds {
		fmt.Fprintf(w, "  %s\n        %s\n", k.name, k.about)
	}
	fmt.Fprint(w, "\nRatios of these:\n\n")
	for _, c := range comparisons {
		fmt.Fprintf(w, "  %s\n", c.name())
	}
	fmt.Fprint(w, `
By server:

  allocs_per_packet
        objects that the server process allocated, per packet received or sent
  packets_per_second
        packets received and sent by the server; 120 per client is full load
  lost
        share of all packets, both ways, that did not arrive

Flags:

`)
	flags.PrintDefaults()
}

func table(w io.Writer, results map[string]result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "SERVER\tµs/packet\tallocs/packet\tpackets/s\tlost")
	for _, k := range kinds {
		r := results[k.name]
		fmt.Fprintf(t, "%s\t%.2f\t%.2f\t%.0f\t%.2f%%\n", k.name, r.micros, r.allocs, r.rate, 100*r.lost)
	}
	for _, c := range comparisons {
		fmt.Fprintf(t, "%s\t%.2f\n", c.name(), c.ratio(results))
	}
	return t.Flush()
}
