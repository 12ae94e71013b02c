// Command tokens is a small login service: it issues connect tokens over HTTP, and game servers admit players with a token. Service and
// servers share only a key.
//
//	go run ./examples/tokens -generate /tmp/tactus.key
//	go run ./examples/tokens -key @/tmp/tactus.key -server 127.0.0.1:7777
//	go run ./examples/arena -key @/tmp/tactus.key -serve 127.0.0.1:7777
//
// The answers contain session keys and use plain HTTP: put a proxy with TLS in front of it if players are on other machines. service.go
// is the handler. -h lists the flags.
package main

import (
	"cmp"
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
	"strings"
	"time"

	"github.com/tactusgo/tactus/internal/hostname"
	"github.com/tactusgo/tactus/internal/keyfile"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// keyVariable is the environment variable used instead of -key.
const keyVariable = "TACTUS_KEY"

// usage is the text that -h prints above the flags.
const usage = `usage: tokens -generate FILE
       tokens -key HEX|@FILE -server ADDR[,ADDR…] [flags]

The first makes a key in a new file. The second issues connect tokens:

    curl -H 'Content-Type: application/json' \
        -d '{"name":"alice","password":"swordfish"}' http://127.0.0.1:8080/token
    {"client_id":"1","expires_in":45,"token":"TkVUQ09ERSAxLjAyAA…"}

A client connects once with the token, base64 of 2,048 bytes. The user data of
the token has the player's name, for the server. The players are alice, bob,
carol and dave, all with the password swordfish. Use your accounts instead.

There is no TLS here. Let only a proxy with TLS reach the service from other
machines, and name the proxy with -proxies.

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "tokens: %v\nSee tokens -h.\n", err)
		os.Exit(1)
	}
}

// run is the command. It serves until ctx ends.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	f := flag.NewFlagSet("tokens", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	var token netcode.TokenConfig
	var names hostname.Guard
	addr := f.String("addr", "127.0.0.1:8080", "listen on this `address`")
	generate := f.String("generate", "", "write a new key to this `file`, which must not exist, and end")
	key := f.String("key", "", "secret shared with game servers: 64 `hex` digits or @FILE. Others on this machine can see the former.\nDefault: the environment variable "+keyVariable)
	f.Uint64Var(&token.ProtocolID, "protocol", netcode.DefaultProtocolID, "protocol `id` of the game")
	f.DurationVar(&token.Lifetime, "expire", 45*time.Second, "how long a token can be used to connect, in whole seconds")
	f.Func("server", "`addresses` that clients try, in this order, separated by commas, 1 to 32", addresses(&token.Servers))
	f.Func("known", "`addresses` that servers go by (-public of the example worlds), if not those of -server", addresses(&token.Known))
	f.Func("proxies", "`networks` such as 10.0.0.0/8, separated by commas, whose X-Forwarded-For is believed", each(func(text string) error {
		network, err := netip.ParsePrefix(text)
		names.Proxies = append(names.Proxies, network.Masked())
		return err
	}))
	f.Func("names", "host `names` of the service, separated by commas, besides localhost and addresses. Default: any that a proxy passes on",
		each(func(text string) error { names.Hosts = append(names.Hosts, text); return nil }))
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			_, _ = io.WriteString(stdout, usage)
			f.SetOutput(stdout)
			f.PrintDefaults()
		}
		return err
	}
	switch {
	case f.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", f.Arg(0))
	case *generate != "":
		if err = keyfile.Generate(*generate); err == nil {
			_, _ = fmt.Fprintf(stdout, "a new key is in %s: give it only to this service and to game servers\n", *generate)
		}
		return err
	}
	if token.Key, err = keyfile.Read(cmp.Or(*key, os.Getenv(keyVariable))); err != nil {
		return fmt.Errorf("-key: %w; tokens -generate FILE makes a key, and -key @FILE reads it", err)
	}
	if err := errors.Join(token.Validate(), names.Validate()); err != nil {
		return err
	}
	return serve(ctx, *addr, newService(token, names, slog.New(slog.NewTextHandler(stderr, nil))), stdout)
}

// each returns the value of a flag that calls do for each text between commas.
func each(do func(text string) error) func(string) error {
	return func(list string) error {
		for text := range strings.SplitSeq(list, ",") {
			if err := do(text); err != nil {
				return err
			}
		}
		return nil
	}
}

// addresses returns the value of a flag that looks up addresses.
func addresses(all *[]netip.AddrPort) func(string) error {
	return each(func(text string) error {
		a, err := net.ResolveUDPAddr("udp", text)
		if err == nil {
			*all = append(*all, netip.AddrPortFrom(a.AddrPort().Addr().Unmap(), a.AddrPort().Port()))
		}
		return err
	})
}

// serve answers until ctx ends.
func serve(ctx context.Context, addr string, s *service, stdout io.Writer) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("-addr: %w", err)
	}
	server := &http.Server{Handler: s, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 8 << 10}
	if a, ok := listener.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		s.log.Warn("passwords and session keys are not encrypted here: let only a proxy with TLS reach this address", "addr", a)
	}
	_, _ = fmt.Fprintf(stdout, "serving http://%v/token for protocol %#x at %v\n", listener.Addr(), s.token.ProtocolID, s.token.Servers)
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err = server.Serve(listener); errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
