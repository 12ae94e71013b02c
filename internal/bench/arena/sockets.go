package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"
)

// sockets holds the options of a match on real sockets.
type sockets struct {
	transport string // "": a match in virtual time
	interest  string
	workers   int
	hz, size  int
	overload  bool
	search    bool
	loadPct   int // 0: use -clients
	burst     time.Duration
	burstPct  int
	burstOf   string
	warm      time.Duration // from the last connection to the start of the measurement
}

// Values of -transport, -interest and -burst-of.
var (
	transports = []string{"udp", "ws"}
	interests  = []string{"none", "grid"}
	burstKinds = []string{"all", "snapshots"}
)

// maxSocketClients is the largest number of clients on real sockets.
const maxSocketClients = 10_000

// register declares the flags.
func (s *sockets) register(flags *flag.FlagSet) {
	s.warm = warmup * time.Second
	flags.StringVar(&s.transport, "transport", "", "play on real sockets of this kind: udp or ws (WebSocket);\n-rtt and -loss are 0 then unless they are given, and clients that have a link have a socket each. Without it: in virtual time")
	flags.StringVar(&s.interest, "interest", "none", "with -transport, what a client is told of: none (everything), or grid (cell 100, radius 150, leave 180)")
	flags.IntVar(&s.workers, "workers", 1, "with -transport, processors of the server, and goroutines that share its work; one more is for the load")
	flags.IntVar(&s.hz, "hz", 60, "with -transport, simulation steps a second; snapshots are the largest divisor up to 20")
	flags.BoolVar(&s.overload, "overload", false, "with -transport, the server turns newcomers away while it is busy, and gives things up when it is too slow,\nas systems.Overload says; without it all come in, and ticks are dropped that are more than five behind")
	flags.BoolVar(&s.search, "search", false, fmt.Sprintf("with -transport, find the most clients with %.0f %% of ticks, %.0f %% of updates and at most %.0f datagrams an update,\nfrom -clients on, in at most %d matches", leastTicks, 100*leastUpdates, mostDatagrams, mostTrials))
	flags.IntVar(&s.loadPct, "load-pct", 0, fmt.Sprintf("with -transport, as many clients as use so many per cent of the server's processors: found from -clients on in at most %d\nshort matches before; 0: -clients", calibrations))
	flags.DurationVar(&s.burst, "burst", 0, "with -overload, for so long each tick takes so much longer that all of them need -burst-pct of the server's processor, once -seconds\nhave been measured; then "+recovery.String()+" in which it recovers")
	flags.IntVar(&s.burstPct, "burst-pct", 150, "with -burst, per cent of its processor that the server's work needs")
	flags.StringVar(&s.burstOf, "burst-of", "all", "with -burst, what takes longer: all (everything, as on a slower machine) or snapshots (each snapshot, as if the world were larger)")
	flags.IntVar(&s.size, "size", 2000, "with -transport, length of the world's sides, in units")
}

// defaults sets flags that were not given.
func (s *sockets) defaults(o *options, given map[string]bool) {
	if s.transport != "" && !given["rtt"] {
		o.rtt = spread{}
	}
	if s.transport != "" && !given["loss"] {
		o.loss = 0
	}
}

// validate returns a one-line error that names the allowed values. given are the flags that were set.
func (s *sockets) validate(o *options, given map[string]bool) error {
	if s.transport == "" {
		for _, name := range []string{"interest", "workers", "hz", "size", "overload", "search", "load-pct", "burst", "burst-pct", "burst-of"} {
			if given[name] {
				return fmt.Errorf("-%s: allowed with -transport only", name)
			}
		}
		return nil
	}
	switch {
	case !slices.Contains(transports, s.transport):
		return fmt.Errorf("-transport %s: allowed are %s", s.transport, strings.Join(transports, ", "))
	case !slices.Contains(interests, s.interest):
		return fmt.Errorf("-interest %s: allowed are %s", s.interest, strings.Join(interests, ", "))
	case s.hz < 1 || s.hz > 1000:
		return fmt.Errorf("-hz %d: 1 to 1000 are allowed", s.hz)
	case s.size < 100 || s.size > 16_000:
		return fmt.Errorf("-size %d: 100 to 16000 are allowed", s.size)
	case s.loadPct < 0 || s.loadPct > 100:
		return fmt.Errorf("-load-pct %d: 0 to 100 are allowed", s.loadPct)
	case s.search && (s.loadPct > 0 || s.burst > 0):
		return errors.New("-search: not with -load-pct or -burst")
	case s.burst > 0 && !s.overload:
		return errors.New("-burst: allowed with -overload only")
	case s.burst < 0 || s.burst > time.Hour:
		return fmt.Errorf("-burst %v: 0 to 1h is allowed", s.burst)
	case s.burstPct < 101 || s.burstPct > 1000:
		return fmt.Errorf("-burst-pct %d: 101 to 1000 are allowed", s.burstPct)
	case !slices.Contains(burstKinds, s.burstOf):
		return fmt.Errorf("-burst-of %s: allowed are %s", s.burstOf, strings.Join(burstKinds, ", "))
	case s.workers < 1:
		return fmt.Errorf("-workers %d: 1 or more is allowed", s.workers)
	}
	return s.supported()
}
