//go:build !js

// Command server serves the game over UDP, for browsers over WebSockets too, and the page with it if asked:
//
//	go run ./server
//	go run ./server -websocket 127.0.0.1:7778 -page 127.0.0.1:8080
//	go run ./server -listen 0.0.0.0:7777 -public play.example.com:7777 -key @/etc/mygame/key
//
// SIGTERM drains it: nobody is let in any more, and it ends when those who play have gone, or after -drain. Ctrl-C ends
// it at once.
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
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/inspect"
	"github.com/tactusgo/tactus/systems/runner/web"

	"github.com/tactusgo/tactus/examples/starter/game"
)

// options are the flags.
type options struct {
	listen, websocket, public, key, inspect, page, files string
	drain                                                time.Duration
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	drain, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, drain, os.Args[1:], os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends, or until drain has ended and nobody plays any more.
func run(ctx, drain context.Context, args []string, out io.Writer) error {
	var o options
	fs := flag.NewFlagSet("server", flag.ContinueOnError)
	fs.SetOutput(out)
	fs.StringVar(&o.listen, "listen", "127.0.0.1:7777", "the `address` for UDP")
	fs.StringVar(&o.websocket, "websocket", "", "the `address` for WebSockets; none: no browsers")
	fs.StringVar(&o.public, "public", "", "`addresses` of this server as clients know them, with commas between; none: where it listens")
	fs.StringVar(&o.key, "key", "", "the key shared with the login service: @`FILE` of 64 hexadecimal digits; none: anybody on this machine may play")
	fs.StringVar(&o.inspect, "inspect", "", "the `address` of the inspector, a page for you; none: none")
	fs.StringVar(&o.page, "page", "", "the `address` of the page, for browsers; none: none")
	fs.StringVar(&o.files, "files", "page/web", "the `folder` of the page")
	fs.DurationVar(&o.drain, "drain", 10*time.Minute, "how long those who play may go on when the server is told to end")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return fmt.Errorf("%q: only flags are allowed", fs.Arg(0))
	}

	log := slog.New(slog.NewJSONHandler(out, nil))
	m := match{drain: o.drain, log: log}
	config := systems.ServerConfig{
		Policies:        game.Model.Policies(),
		Login:           systems.Login(m.admit),
		ReconnectWindow: 30 * time.Second,
		Logger:          log,
	}
	names, err := o.access(&config)
	if err != nil {
		return err
	}
	wire, err := eventloop.ListenConfig{
		Logger:    log,
		WebSocket: eventloop.WebSocketConfig{Addr: o.websocket, Hosts: names},
	}.Listen(o.listen)
	if err != nil {
		return err
	}
	if m.server, err = systems.NewServer(wire, game.Protocol(), config); err != nil {
		return errors.Join(err, wire.Close())
	}
	log.Info("serving", "udp", wire.LocalAddr(), "websocket", wire.WebSocketAddr(), "model", game.Model.String())

	closing, err := o.beside(m.server, log)
	if err != nil {
		return errors.Join(err, m.server.Close(time.Now()))
	}
	defer closing()
	return m.run(ctx, drain)
}

// beside serves the page and the inspector, each at an address of its own, until closing is called.
func (o *options) beside(server *systems.Server, log *slog.Logger) (closing func(), err error) {
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	closing = func() {
		stop()
		all.Wait()
	}
	serve := func(what, addr string, h http.Handler) error {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		all.Go(func() {
			if err := web.Serve(ctx, l, h); err != nil {
				log.Error(what, "error", err)
			}
		})
		log.Info(what, "url", "http://"+l.Addr().String()+"/")
		return nil
	}
	if o.page != "" {
		err = serve("page", o.page, http.FileServer(http.Dir(o.files)))
	}
	if o.inspect != "" && err == nil {
		var x *inspect.Inspector
		if x, err = inspect.New(server, inspect.Config{Token: os.Getenv("INSPECT_TOKEN"), Logger: log}); err == nil {
			err = serve("inspector", o.inspect, x)
		}
	}
	if err != nil {
		closing()
	}
	return closing, err
}

// access reads -key and -public, and returns the names under which browsers may ask for this server.
func (o *options) access(c *systems.ServerConfig) (names []string, err error) {
	if o.key != "" {
		text, err := os.ReadFile(strings.TrimPrefix(o.key, "@"))
		if err != nil {
			return nil, fmt.Errorf("-key: %w", err)
		}
		if c.Key, err = netcode.ParseKey(strings.TrimSpace(string(text))); err != nil {
			return nil, fmt.Errorf("-key: %w; the file holds 64 hexadecimal digits", err)
		}
	}
	for text := range strings.SplitSeq(o.public, ",") {
		if text == "" {
			continue
		}
		at, err := net.ResolveUDPAddr("udp", text)
		if err != nil {
			return nil, fmt.Errorf("-public: %w", err)
		}
		c.Addresses = append(c.Addresses, netip.AddrPortFrom(at.AddrPort().Addr().Unmap(), at.AddrPort().Port()))
		if host, _, _ := net.SplitHostPort(text); net.ParseIP(host) == nil {
			names = append(names, host)
		}
	}
	return names, nil
}
