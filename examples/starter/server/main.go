//go:build !js

// Command server serves the game in rooms over UDP and, for browsers, over WebSockets. It also serves the page, where players
// request seats:
//
//	go run ./server
//	go run ./server -domain play.example.com -guests -certificates certificates -saves saves
//
// SIGTERM drains the server: it refuses new players and ends when all players have left, or after -drain. With -saves it saves the
// matches and ends immediately, and the next one continues them. Ctrl-C ends it immediately.
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

// options are the values of the flags.
type options struct {
	listen, websocket, public, key, inspect, page, files string
	guests                                               bool
	drain                                                time.Duration

	domain    web.Public // its flags
	log       *slog.Logger
	addresses []netip.AddrPort // of -public
	names     []string         // host names of -public and -domain
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
	fs.StringVar(&o.page, "page", "", "the `address` of the page, where all clients request seats; empty: 127.0.0.1:8080, with -domain and without -proxy :80")
	fs.StringVar(&o.listen, "listen", "", "the `address` for UDP; empty: port 7777 on the host of the page")
	fs.StringVar(&o.websocket, "websocket", "", "the `address` for WebSockets; empty: port 7778 on the host of the page, with -domain on 127.0.0.1")
	fs.StringVar(&o.public, "public", "", "the public `addresses` for UDP, separated by commas; empty: the address on which it listens, with -domain those of this machine")
	fs.StringVar(&o.key, "key", "", "the key shared with the login service: @`FILE` of 64 hexadecimal digits; players then need its tokens. Without -key and -guests, only players on this machine can join")
	fs.BoolVar(&o.guests, "guests", false, "let everybody play who reaches the page, without login")
	fs.StringVar(&o.inspect, "inspect", "", "the `address` of the operator page, with all rooms and the inspector of each; empty: none")
	fs.StringVar(&o.files, "files", "dist", "the `folder` of the built page")
	fs.DurationVar(&o.drain, "drain", 10*time.Minute, "how long players may continue after SIGTERM without -saves; 0: no limit")
	o.domain.Flags(fs)
	web.EmbedFlag(fs, &o.domain.Embed)
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
	page, err := o.openPage()
	if err != nil {
		return err
	}
	defer page.Close()
	defer o.domain.Close()
	audit := operator.NewAudit(out)
	server, sockets, err := o.open(audit)
	if err != nil {
		return err
	}
	beside, err := o.beside(server, login, page, sockets, audit)
	if err != nil {
		return errors.Join(err, server.Close(time.Now()))
	}
	return serve.Run(ctx, server, serve.Config{Deadline: o.drain, Beside: beside, Saved: o.domain.Saves(), Signals: drain, Logger: o.log})
}

// openPage listens for the page, and sets the addresses that are left out.
func (o *options) openPage() (net.Listener, error) {
	if err := o.domain.Open(o.log); err != nil {
		return nil, err
	}
	names := o.domain.Names()
	if o.names = append(o.names, names...); names != nil && o.domain.Proxies() == nil {
		o.page = cmp.Or(o.page, ":80")
	}
	page, err := web.Listen(cmp.Or(o.page, "127.0.0.1:8080"), false)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("-page: %w", err), o.domain.Close())
	}
	host, _, err := net.SplitHostPort(page.Addr().String())
	if err != nil {
		return nil, err
	}
	o.listen = cmp.Or(o.listen, net.JoinHostPort(host, "7777"))
	if names != nil {
		host = "127.0.0.1"
	}
	o.websocket = cmp.Or(o.websocket, net.JoinHostPort(host, "7778"))
	return page, nil
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

// open returns the server of the rooms, and its address for WebSockets.
func (o *options) open(audit *operator.Audit) (*rooms.Server, netip.AddrPort, error) {
	wire, err := eventloop.ListenConfig{
		Logger:    o.log,
		WebSocket: eventloop.WebSocketConfig{Addr: o.websocket, Hosts: o.names, Sandboxed: o.domain.Sandboxed()},
	}.Listen(o.listen)
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	if len(o.addresses) == 0 && o.domain.Names() == nil && wire.LocalAddr().Addr().IsUnspecified() {
		return nil, netip.AddrPort{}, errors.Join(fmt.Errorf("-listen %s: set -public to the address at which players reach this server", o.listen), wire.Close())
	}
	server, err := o.domain.Rooms(rooms.Config{Kinds: []rooms.Kind{kind()}, Addresses: o.addresses, Logger: o.log, Told: audit.Told}, wire)
	if err != nil {
		return nil, netip.AddrPort{}, errors.Join(err, wire.Close())
	}
	o.log.Info("serving", "udp", wire.LocalAddr(), "websocket", wire.WebSocketAddr())
	return server, wire.WebSocketAddr(), nil
}

// beside returns the functions that serve the page with the rooms, and the operator page.
func (o *options) beside(server *rooms.Server, login authenticator, page net.Listener, sockets netip.AddrPort, audit *operator.Audit) (all []func(context.Context) error, err error) {
	seats := rooms.Here(server)
	if login == nil && !seats.Local() {
		return nil, fmt.Errorf("-listen %s: other machines can reach it, and nobody would know who their players are: set -key, or -guests to let everybody play", o.listen)
	}
	c := roomsweb.Config{Authenticate: login, Embed: o.domain.Embed, Logger: o.log}
	if login != nil {
		c.Hosts, c.TrustedProxies = o.names, o.domain.Proxies()
	}
	handler, err := roomsweb.New(c, o.domain.Seats(seats))
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
	site.Handle("/", o.domain.Dist(&web.Dist{Folder: folder, Command: build, Port: sockets.Port(), Hosts: o.names}))
	all = append(all, func(ctx context.Context) error {
		return o.domain.Serve(ctx, page, site, &web.SocketProxy{To: sockets})
	})
	o.log.Info("page", "url", o.domain.URL(page.Addr())+"/")
	if o.inspect == "" {
		return all, nil
	}
	operators, err := operator.ParseOperators(os.Getenv(operator.OperatorsVariable))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", operator.OperatorsVariable, err)
	}
	office, err := operator.New(server, operator.Config{Token: os.Getenv("INSPECT_TOKEN"), Operators: operators, Audit: audit, Queued: handler.Queued, Logger: o.log})
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", o.inspect)
	if err != nil {
		return nil, fmt.Errorf("-inspect: %w", err)
	}
	o.log.Info("operator", "url", "http://"+l.Addr().String()+"/")
	return append(all, func(ctx context.Context) error { return office.Serve(ctx, l) }), nil
}
