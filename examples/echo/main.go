// Command echo is raw netcode 1.02 sessions over UDP: a server that sends every payload back, and a client that
// sends payloads and counts what comes back. Either may be put against another implementation of the standard.
//
//	go run ./examples/echo -serve 127.0.0.1:40000 -key HEX
//	go run ./examples/echo -connect 127.0.0.1:40000 -key HEX
//
// -connect issues its own token from the key, which a game's client must never have. See -h for the flags.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

const usage = `usage: echo -serve ADDR|-connect ADDR[,ADDR…] -key HEX [flags]

echo runs raw netcode 1.02 sessions over UDP. -serve sends every payload back to whom it came from. -connect issues
its own token from the key, connects, sends payloads and compares what comes back. Each prints a line when a session
begins or ends, a count of payloads once a second and at the end, and what was dropped and why.
It exits with 0, with 1 when there was no session or it did not end well, with 2 for flags it cannot use.

`

// options are the flags, read.
type options struct {
	serve    netip.AddrPort
	public   netip.AddrPort
	connect  []netip.AddrPort
	protocol uint64
	key      netcode.Key
	payload  int
	rate     int
	id       uint64
	timeout  time.Duration
	slots    int
	count    int
	duration time.Duration
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the command without the process. It returns the exit code: 0, 1 when the session did not work, 2 for bad
// flags.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "echo: %v\nSee echo -h.\n", err)
		return 2
	}
	if o.duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.duration)
		defer cancel()
	}
	if o.connect == nil {
		err = serve(ctx, o, stdout)
	} else {
		err = connect(ctx, o, stdout)
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "echo: %v\n", err)
		return 1
	}
	return 0
}

func parse(args []string, help io.Writer) (o options, err error) {
	f := flag.NewFlagSet("echo", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	serve := f.String("serve", "", "serve on this `address`, such as 127.0.0.1:40000, [::1]:40000 or :40000")
	public := f.String("public", "", "with -serve: the `address` of this server in tokens (default: that of -serve, or those of all interfaces)")
	connect := f.String("connect", "", "connect to the first of these `addresses` that answers, separated by commas")
	protocol := f.String("protocol", fmt.Sprintf("%#x", netcode.DefaultProtocolID), "protocol `id`, not 0")
	key := f.String("key", "", "the private key, 64 `hex` digits")
	f.IntVar(&o.payload, "payload", 100, "with -connect: `bytes` of each payload, 1 to 1200")
	f.IntVar(&o.rate, "rate", 60, "with -connect: payloads a second, 1 to 1000")
	f.Uint64Var(&o.id, "id", 1, "with -connect: the client `id` in the token")
	f.DurationVar(&o.timeout, "timeout", 5*time.Second, "with -connect: the timeout in the token, whole seconds")
	f.IntVar(&o.slots, "slots", 256, "with -serve: how many clients there may be")
	f.IntVar(&o.count, "count", 0, "end after this `number` of payloads came; 0: never")
	f.DurationVar(&o.duration, "duration", 0, "end after this `time`; 0: never")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			_, _ = fmt.Fprint(help, usage)
			f.SetOutput(help)
			f.PrintDefaults()
		}
		return o, err
	}
	switch {
	case f.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	case (*serve == "") == (*connect == ""):
		return o, errors.New("exactly one of -serve and -connect is needed")
	case *key == "":
		return o, errors.New("-key is needed")
	case o.payload < 1 || o.payload > netcode.MaxPayload:
		return o, fmt.Errorf("-payload %d is not in 1..%d", o.payload, netcode.MaxPayload)
	case o.rate < 1 || o.rate > 1000:
		return o, fmt.Errorf("-rate %d is not in 1..1000", o.rate)
	case o.count < 0 || o.duration < 0:
		return o, errors.New("-count and -duration must not be negative")
	}
	if o.protocol, err = strconv.ParseUint(*protocol, 0, 64); err != nil || o.protocol == 0 {
		return o, fmt.Errorf("-protocol %q is no 64-bit number above 0", *protocol)
	}
	if o.key, err = netcode.ParseKey(*key); err != nil {
		return o, fmt.Errorf("-key: %w", err)
	}
	if *serve != "" {
		if o.serve, err = resolve(*serve); err != nil {
			return o, fmt.Errorf("-serve: %w", err)
		}
		if *public != "" {
			if o.public, err = resolve(*public); err != nil {
				return o, fmt.Errorf("-public: %w", err)
			}
		}
		return o, nil
	}
	for addr := range strings.SplitSeq(*connect, ",") {
		a, err := resolve(addr)
		if err != nil {
			return o, fmt.Errorf("-connect: %w", err)
		}
		o.connect = append(o.connect, a)
	}
	return o, nil
}

func resolve(addr string) (netip.AddrPort, error) {
	a, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return netip.AddrPort{}, err
	}
	if a.IP == nil {
		a.IP = net.IPv6unspecified
	}
	ap := a.AddrPort()
	return netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port()), nil
}
