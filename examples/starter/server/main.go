//go:build !js

// Command server serves the game in rooms over UDP and, for browsers, over WebSockets. It also serves the page, where players
// request seats:
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
	"syscall"
	"time"

	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems/devtools/operator"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/serve"
	roomsweb "github.com/tactusgo/tactus/systems/rooms/web"
)

// build says how to build the page.
const build = "the commands in the README.md of the page"

// proxies are the proxies in front of the page that tell the addresses of players: those on this machine.
var proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// options are the values of the flags.
type options struct {
	listen, websocket, public, connect, key, inspect, page, files string
	guests                                                        bool
	drain                                                         time.Duration

	log       *slog.Logger
	addresses []netip.AddrPort // of -public
	names     []string         // host names of -public
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	drain := make(chan os.Signal, 2)
	signal.Notify(drain, syscall.SIGTERM)
	switch err := run(ctx, drain, os.Args[1:], os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. After the first signal of drain it refuses new players and returns when all players have left. The second
// one ends it.
func run(ctx context.Context, drain <-chan os.Signal, args []string, out io.Writer) error {
	o := options{log: slog.New(slog.NewJSONHandler(out, nil))}
	fs := flag.NewFlagSet("server", flag.ContinueOnError)
	fs.SetOutput(out)
	fs.StringVar(&o.listen, "listen", "127.0.0.1:7777", "the `address` for UDP")
	fs.StringVar(&o.websocket, "websocket", "127.0.0.1:7778", "the `address` for WebSockets; empty: serve no browsers")
	fs.StringVar(&o.public, "public", "", "the public `addresses` of this server, separated by commas; empty: the address on which it listens")
	fs.StringVar(&o.connect, "connect", "", "the `URL` that the page connects to, such as wss://play.example.com/play behind a proxy with TLS; empty: the host of the page, at the port for WebSockets")
	fs.StringVar(&o.key, "key", "", "the key shared with the login service: @`FILE` of 64 hexadecimal digits; players then need its tokens. Without -key and -guests, only players on this machine can join")
	fs.BoolVar(&o.guests, "guests", false, "let everybody play who reaches the page, without login")
	fs.StringVar(&o.inspect, "inspect", "", "the `address` of the operator page, with all rooms and the inspector of each; empty: none")
	fs.StringVar(&o.page, "page", "127.0.0.1:8080", "the `address` of the page, where all clients request seats")
	fs.StringVar(&o.files, "files", "dist", "the `folder` of the built page")
	fs.DurationVar(&o.drain, "drain", 10*time.Minute, "how long players may continue after SIGTERM; 0: no limit")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return fmt.Errorf("%q: only flags are allowed", fs.Arg(0))
	}
	if err := o.parsePublic(); err != nil {
		return err
	}
	login, err := o.authenticator()
	if err != nil {
		return err
	}
	audit := operator.NewAudit(out)
	server, port, err := o.open(audit)
	if err != nil {
		return err
	}
	beside, err := o.beside(server, login, port, audit)
	if err != nil {
		return errors.Join(err, server.Close(time.Now()))
	}
	return serve.Run(ctx, server, serve.Config{Deadline: o.drain, Beside: beside, Signals: drain, Logger: o.log})
}

// parsePublic reads -public.
func (o *options) parsePublic() error {
	for text := range strings.SplitSeq(o.public, ",") {
		if text == "" {
			continue
		}
		at, err := net.ResolveUDPAddr("udp", text)
		if err != nil {
			return fmt.Errorf("-public: %w", err)
		}
		o.addresses = append(o.addresses, netip.AddrPortFrom(at.AddrPort().Addr().Unmap(), at.AddrPort().Port()))
		if host, _, _ := net.SplitHostPort(text); net.ParseIP(host) == nil {
			o.names = append(o.names, host)
		}
	}
	return nil
}

// open returns the server of the rooms, and its port for WebSockets.
func (o *options) open(audit *operator.Audit) (*rooms.Server, uint16, error) {
	wire, err := eventloop.ListenConfig{
		Logger:    o.log,
		WebSocket: eventloop.WebSocketConfig{Addr: o.websocket, Hosts: o.names},
	}.Listen(o.listen)
	if err != nil {
		return nil, 0, err
	}
	if len(o.addresses) == 0 && wire.LocalAddr().Addr().IsUnspecified() {
		return nil, 0, errors.Join(fmt.Errorf("-listen %s: set -public to the address at which players reach this server", o.listen), wire.Close())
	}
	server, err := rooms.New(rooms.Config{
		Kinds: []rooms.Kind{kind()}, Addresses: o.addresses, Endpoints: rooms.Endpoints{WS: o.connect},
		Logger: o.log, Told: audit.Told,
	}, wire)
	if err != nil {
		return nil, 0, errors.Join(err, wire.Close())
	}
	o.log.Info("serving", "udp", wire.LocalAddr(), "websocket", wire.WebSocketAddr())
	return server, wire.WebSocketAddr().Port(), nil
}

// beside returns the functions that serve the page with the rooms, and the operator page.
func (o *options) beside(server *rooms.Server, login authenticator, port uint16, audit *operator.Audit) (all []func(context.Context) error, err error) {
	seats := rooms.Here(server)
	if login == nil && !seats.Local() {
		return nil, fmt.Errorf("-listen %s: other machines can reach it, and nobody would know who their players are: set -key, or -guests to let everybody play", o.listen)
	}
	c := roomsweb.Config{Authenticate: login, Logger: o.log}
	if login != nil {
		c.Hosts, c.TrustedProxies = o.names, proxies
	}
	handler, err := roomsweb.New(c, seats)
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(o.files)
	if err != nil {
		return nil, err
	}
	site := http.NewServeMux()
	site.Handle("/rooms", handler)
	site.Handle("/rooms/", handler)
	site.Handle("/ready", roomsweb.Ready(seats))
	site.Handle("/", &web.Dist{Folder: folder, Command: build, Port: port, WebSocket: o.connect, Hosts: o.names})

	page, err := net.Listen("tcp", o.page)
	if err != nil {
		return nil, fmt.Errorf("-page: %w", err)
	}
	o.log.Info("page", "url", "http://"+page.Addr().String()+"/")
	all = append(all, roomsweb.Beside(page, site))
	if o.inspect == "" {
		return all, nil
	}
	operators, err := operator.ParseOperators(os.Getenv(operator.OperatorsVariable))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", operator.OperatorsVariable, err), page.Close())
	}
	office, err := operator.New(server, operator.Config{Token: os.Getenv("INSPECT_TOKEN"), Operators: operators, Audit: audit, Queued: handler.Queued, Logger: o.log})
	if err != nil {
		return nil, errors.Join(err, page.Close())
	}
	l, err := net.Listen("tcp", o.inspect)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("-inspect: %w", err), page.Close())
	}
	o.log.Info("operator", "url", "http://"+l.Addr().String()+"/")
	return append(all, func(ctx context.Context) error { return office.Serve(ctx, l) }), nil
}
