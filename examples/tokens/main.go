// Command tokens is a minimal login service: it issues connect tokens over HTTP, and game servers admit players with a
// token. Service and servers share only a key.
//
//	go run ./examples/tokens -generate /tmp/tactus.key
//	go run ./examples/tokens -key @/tmp/tactus.key -server 127.0.0.1:7777
//	go run ./examples/arena -key @/tmp/tactus.key -serve 127.0.0.1:7777
//
// The answers contain session keys and use plain HTTP: put a proxy with TLS in front of it if players are on other
// machines. -h lists the flags. service.go documents the answers.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"github.com/tactusgo/tactus/internal/keyfile"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// keyVariable is the environment variable used instead of -key.
const keyVariable = "TACTUS_KEY"

// usage is the text that -h prints above the flags.
const usage = `usage: tokens -generate FILE
       tokens -key HEX|@FILE -server ADDR[,ADDR…] [flags]

The first makes a key in a new file. The second hands out connect tokens:

    curl -H 'Content-Type: application/json' \
        -d '{"name":"alice","password":"swordfish"}' http://127.0.0.1:8080/token
    {"token":"TkVUQ09ERSAxLjAyAA…","client_id":"1","expires_in":45}

token is base64 of the 2,048 bytes that a client connects with, once. client_id
is the player, always the same. The player's name is in the token's user data,
where the server reads it. The players are alice, bob, carol and dave, all with
the password swordfish: put your own accounts in their place (users.go).

There is no TLS here. Off this machine, only a proxy that has it may reach this
service; name the proxy with -proxies, so that rates count for players' own
addresses and not for the proxy's. Whoever asks under another name than an
address, localhost or those of -names is refused, unless the proxy passes it on.

429 and 503 say in Retry-After when to come again. Nobody waits longer than two
seconds, and players where they have logged in before wait for none but each
other. Guesses elsewhere do not count against them.

`

// options are the flags, read.
type options struct {
	addr     string
	generate string
	token    netcode.TokenConfig
	service  serviceConfig
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

// run is the command without the process. It returns the exit code: 0, 1 when the service did not work, 2 for bad
// flags.
func run(ctx context.Context, args []string, env func(string) string, stdout, stderr io.Writer) int {
	o, err := parse(args, env, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "tokens: %v\nSee tokens -h.\n", err)
		return 2
	}
	if o.generate != "" {
		if err = keyfile.Generate(o.generate); err == nil {
			_, _ = fmt.Fprintf(stdout, "a new key is in %s: give it to this service and to game servers, and to nobody else\n", o.generate)
		}
	} else {
		err = serve(ctx, o, stdout, stderr)
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "tokens: %v\n", err)
		return 1
	}
	return 0
}

func parse(args []string, env func(string) string, help io.Writer) (o options, err error) {
	f := flag.NewFlagSet("tokens", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.addr, "addr", "127.0.0.1:8080", "listen on this `address`")
	f.StringVar(&o.generate, "generate", "", "write a new key to this `file`, which must not exist, and end")
	key := f.String("key", "", "what the service shares with game servers: 64 `hex` digits or @FILE; others on this machine\ncan see the former. Without, the environment variable "+keyVariable+" says it")
	servers := f.String("server", "", "the `addresses` that clients try, in this order, separated by commas, 1 to 32")
	known := f.String("known", "", "the `addresses` that servers go by (-public of the example worlds), if not those of -server")
	protocol := f.String("protocol", fmt.Sprintf("%#x", netcode.DefaultProtocolID), "protocol `id` of the game, not 0")
	f.DurationVar(&o.token.Lifetime, "expire", 45*time.Second, "how long a token can be used to connect, whole seconds up to an hour")
	f.DurationVar(&o.token.Timeout, "timeout", 10*time.Second, "the silence that ends a session, whole seconds")
	f.IntVar(&o.service.perMinute, "rate", 30, "logins a minute for each IPv4 address or IPv6 network of 64 bits")
	f.IntVar(&o.service.accountPerMinute, "account-rate", 3, fmt.Sprintf("logins a minute under each name for each such network; %d times as many for all together where it has not logged in before", guestNetworks))
	proxies := f.String("proxies", "", "`networks` such as 10.0.0.0/8, separated by commas, whose X-Forwarded-For is believed")
	names := f.String("names", "", "host `names` under which the service is asked, separated by commas, beside localhost and addresses;\nwithout, proxies may pass on any")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			_, _ = io.WriteString(help, usage)
			f.SetOutput(help)
			f.PrintDefaults()
		}
		return o, err
	}
	switch {
	case f.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	case o.generate != "" && f.NFlag() > 1:
		return o, errors.New("-generate goes with no other flag")
	case o.generate != "":
		return o, nil
	case o.token.Lifetime < time.Second || o.token.Lifetime > time.Hour:
		return o, fmt.Errorf("-expire %v is not in 1s..1h", o.token.Lifetime)
	case o.token.Timeout < time.Second:
		return o, fmt.Errorf("-timeout %v is not 1s or more", o.token.Timeout)
	case o.service.perMinute < 1:
		return o, fmt.Errorf("-rate %d is not 1 or more", o.service.perMinute)
	case o.service.accountPerMinute < 1:
		return o, fmt.Errorf("-account-rate %d is not 1 or more", o.service.accountPerMinute)
	}
	source := *key
	if source == "" {
		source = env(keyVariable)
	}
	if source == "" {
		return o, errors.New("-key is needed; tokens -generate FILE makes one, and -key @FILE reads it")
	}
	if o.token.Key, err = keyfile.Read(source); err != nil {
		return o, fmt.Errorf("-key: %w", err)
	}
	if o.token.ProtocolID, err = strconv.ParseUint(*protocol, 0, 64); err != nil || o.token.ProtocolID == 0 {
		return o, fmt.Errorf("-protocol %q is no 64-bit number above 0", *protocol)
	}
	if o.token.Servers, err = addresses(*servers); err != nil {
		return o, fmt.Errorf("-server: %w", err)
	}
	if o.token.Known, err = addresses(*known); err != nil {
		return o, fmt.Errorf("-known: %w", err)
	}
	for text := range strings.SplitSeq(*proxies, ",") {
		if text == "" {
			continue
		}
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return o, fmt.Errorf("-proxies: %w", err)
		}
		o.service.names.Proxies = append(o.service.names.Proxies, network.Masked())
	}
	if *names != "" {
		o.service.names.Hosts = strings.Split(*names, ",")
	}
	if err := o.service.names.Validate(); err != nil {
		return o, fmt.Errorf("-names: %w", err)
	}
	return o, o.token.Validate()
}

// addresses looks up addresses, separated by commas.
func addresses(list string) (all []netip.AddrPort, err error) {
	if list == "" {
		return nil, nil
	}
	for text := range strings.SplitSeq(list, ",") {
		a, err := net.ResolveUDPAddr("udp", text)
		if err != nil {
			return nil, err
		}
		ap := a.AddrPort()
		all = append(all, netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port()))
	}
	return all, nil
}

// serve answers until ctx ends.
func serve(ctx context.Context, o options, stdout, stderr io.Writer) error {
	listener, err := net.Listen("tcp", o.addr)
	if err != nil {
		return fmt.Errorf("-addr: %w", err)
	}
	o.service.token, o.service.users = o.token, demoUsers
	o.service.log = slog.New(slog.NewTextHandler(stderr, nil))
	server := &http.Server{
		Handler:           newService(o.service),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      10 * time.Second,
		IdleTimeout:       30 * time.Second,
		MaxHeaderBytes:    8 << 10,
		ConnState:         newDoor(o.service.names).note,
		ErrorLog:          slog.NewLogLogger(o.service.log.Handler(), slog.LevelInfo),
	}
	if a, ok := listener.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		o.service.log.Warn("passwords and session keys are in the clear here: let only a proxy with TLS reach this address", "addr", a)
	}
	_, _ = fmt.Fprintf(stdout, "serving http://%v/token for protocol %#x at %v\n", listener.Addr(), o.token.ProtocolID, o.token.Servers)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err = server.Shutdown(late)
	<-ended
	return err
}
