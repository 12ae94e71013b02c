//go:build !js

// Command server serves the game over UDP and, for browsers, over WebSockets. It also serves the page:
//
//	go run ./server
//	go run ./server -listen 0.0.0.0:7777 -public play.example.com:7777 -key @/etc/mygame/key
//
// SIGTERM drains the server: it refuses new players and ends when all players have left, or after -drain. Ctrl-C ends it
// immediately.
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
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/inspect"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
	"github.com/tactusgo/tactus/systems/event"

	"github.com/tactusgo/tactus/examples/starter/game"
)

// build says how to build the page.
const build = "the commands in the README.md of the page"

// options are the values of the flags.
type options struct {
	listen, websocket, public, connect, key, inspect, page, files string
	drain                                                         time.Duration
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

// run serves until ctx ends. When drain ends, it refuses new players and returns when all players have left.
func run(ctx, drain context.Context, args []string, out io.Writer) error {
	var o options
	fs := flag.NewFlagSet("server", flag.ContinueOnError)
	fs.SetOutput(out)
	fs.StringVar(&o.listen, "listen", "127.0.0.1:7777", "the `address` for UDP")
	fs.StringVar(&o.websocket, "websocket", "127.0.0.1:7778", "the `address` for WebSockets; empty: serve no browsers")
	fs.StringVar(&o.public, "public", "", "the public `addresses` of this server, separated by commas; empty: the address on which it listens")
	fs.StringVar(&o.connect, "connect", "", "the `URL` that the page connects to, such as wss://play.example.com/play behind a proxy with TLS; empty: the host of the page, at the port for WebSockets")
	fs.StringVar(&o.key, "key", "", "the key shared with the login service: @`FILE` of 64 hexadecimal digits; empty: only players on this machine can join, without login")
	fs.StringVar(&o.inspect, "inspect", "", "the `address` of the inspector, a page for the developer; empty: no inspector")
	fs.StringVar(&o.page, "page", "127.0.0.1:8080", "the `address` of the page; empty: no page")
	fs.StringVar(&o.files, "files", "dist", "the `folder` of the built page")
	fs.DurationVar(&o.drain, "drain", 10*time.Minute, "how long players may continue after SIGTERM")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return fmt.Errorf("%q: only flags are allowed", fs.Arg(0))
	}

	log := slog.New(slog.NewJSONHandler(out, nil))
	m := match{drain: o.drain, log: log}
	config := systems.ServerConfig{
		Model:   game.Model,
		Players: systems.Players{Login: systems.Login(m.admit), ReconnectWindow: 30 * time.Second, Spectators: 100},
		Events:  event.NewServer(game.Events(), event.ServerConfig{}),
		Logger:  log,
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

	closing, err := o.beside(m.server, wire.WebSocketAddr().Port(), names, log)
	if err != nil {
		return errors.Join(err, m.server.Close(time.Now()))
	}
	defer closing()
	return m.run(ctx, drain)
}

// beside serves the page and the inspector at their addresses, until closing is called.
func (o *options) beside(server *systems.Server, port uint16, names []string, log *slog.Logger) (closing func(), err error) {
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
		var folder string
		if folder, err = filepath.Abs(o.files); err == nil {
			err = serve("page", o.page, &web.Dist{Folder: folder, Command: build, Port: port, WebSocket: o.connect, Hosts: names})
		}
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

// access reads -key and -public. It returns the host names that browsers may use for this server.
func (o *options) access(c *systems.ServerConfig) (names []string, err error) {
	if o.key != "" {
		text, err := os.ReadFile(strings.TrimPrefix(o.key, "@"))
		if err != nil {
			return nil, fmt.Errorf("-key: %w", err)
		}
		if c.Session.Key, err = netcode.ParseKey(strings.TrimSpace(string(text))); err != nil {
			return nil, fmt.Errorf("-key: %w; write 64 hexadecimal digits into the file", err)
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
		c.Session.Addresses = append(c.Session.Addresses, netip.AddrPortFrom(at.AddrPort().Addr().Unmap(), at.AddrPort().Port()))
		if host, _, _ := net.SplitHostPort(text); net.ParseIP(host) == nil {
			names = append(names, host)
		}
	}
	return names, nil
}
