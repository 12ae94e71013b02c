// Command webtransport serves the arena by WebTransport beside WebSocket and UDP, and a page to play it on:
//
//	go -C examples/more run ./webtransport
//
// The page takes WebTransport where that passes, and WebSocket after a second where it does not. See -h.
//
// With -rooms as the first flag, it is the command of the arena, and -domain adds WebTransport to its rooms and its lobby:
//
//	go -C examples/more run ./webtransport -rooms -domain play.example.com -saves /var/lib/arena/saves
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/webtransport"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
)

// options are the flags.
type options struct {
	http, udp, socket, webtransport string // addresses
	names                           []string
	cert, key, dist                 string
	npcs                            int
	insecure                        bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the command, until ctx ends. It returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == "-rooms" {
		return runner.Main(ctx, world(), args, stdout, stderr)
	}
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "webtransport:", err)
		return 2
	}
	switch err = o.serve(ctx, stdout); {
	case errors.Is(err, netsys.ErrInsecure):
		err = fmt.Errorf("%w\nHere that is -insecure-anyone-can-join. A server for the public gives out tokens: docs/guide/tokens.md", err)
	case errors.Is(err, netsys.ErrAddrInUse):
		err = fmt.Errorf("%w\nIs the arena running already? -udp, -socket, -webtransport and -http take other addresses; port 0 is a free one", err)
	}
	if err != nil {
		fmt.Fprintln(stderr, "webtransport:", err)
		return 1
	}
	return 0
}

// world returns the arena with a page. WebTransport is at the UDP port of -https, with the certificates of -domain.
func world() runner.Game {
	world := game.World()
	web.Beside(&world, eventloop.ListenBoth, web.Config{
		Package: "examples/arena/wasm", Dist: pages.Page("arena"),
		WebTransport: func(addr string, secure *tls.Config, hosts []string) (netsys.Wire, error) {
			return webtransport.Listen(webtransport.Config{Addr: addr, TLS: secure, Hosts: hosts})
		},
	})
	return world
}

// parse reads the flags.
func parse(args []string, stderr io.Writer) (o options, err error) {
	fs := flag.NewFlagSet("webtransport", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.http, "http", "127.0.0.1:7780", "serve the page at this TCP `address`")
	fs.StringVar(&o.udp, "udp", "127.0.0.1:7777", "serve native clients at this UDP `address`")
	fs.StringVar(&o.socket, "socket", "127.0.0.1:7778", "serve WebSockets at this TCP `address`. With -cert they come through -http, and this stays on loopback")
	fs.StringVar(&o.webtransport, "webtransport", "127.0.0.1:7779", "serve WebTransport at this UDP `address`: it must be let through firewalls as UDP")
	fs.Func("names", "additional host `names` under which the page may be opened, separated by commas", func(s string) error {
		o.names = strings.Split(s, ",")
		return nil
	})
	fs.StringVar(&o.cert, "cert", "", "`file` with the certificate of an authority, in PEM, with those that lead to it: for -webtransport and -http.\n"+
		"Without, one is made at start that browsers take by its hash for ten days, and the page comes by HTTP:\n"+
		"browsers give WebTransport to a page by HTTP on their own machine alone")
	fs.StringVar(&o.key, "key", "", "`file` with the key of -cert, in PEM")
	fs.StringVar(&o.dist, "dist", "", "`folder` with another page and its client, in place of the arena's")
	fs.IntVar(&o.npcs, "npcs", 100, "entities that walk about")
	fs.BoolVar(&o.insecure, "insecure-anyone-can-join", false, "play with others than this machine: anybody can join in anybody's name")
	fs.Usage = func() {
		fmt.Fprint(stderr, "usage: go -C examples/more run ./webtransport [flags]\n\nServes the arena by WebTransport beside WebSocket and UDP, and a page to play it on, which takes what passes.\n"+
			"For rooms under a domain: ./webtransport -rooms -domain play.example.com; -rooms -h explains the flags.\n\n")
		fs.PrintDefaults()
	}
	if err = fs.Parse(args); err != nil {
		return o, err
	}
	switch {
	case fs.NArg() > 0:
		err = fmt.Errorf("%q: there are only flags", fs.Arg(0))
	case (o.cert == "") != (o.key == ""):
		err = errors.New("-cert and -key go together: a certificate is good for nothing without its key")
	case o.cert != "" && o.names == nil:
		err = errors.New("-cert needs -names: the names in the certificate, under which the page is opened, such as game.example")
	case o.npcs < 0:
		err = errors.New("-npcs is negative")
	}
	return o, err
}

// serve plays the match, until ctx ends.
func (o options) serve(ctx context.Context, stdout io.Writer) error {
	page, err := net.Listen("tcp", o.http)
	if err != nil {
		return fmt.Errorf("%w: -http takes another address", err)
	}
	defer page.Close()
	sockets := eventloop.WebSocketConfig{Addr: o.socket, Hosts: o.names}
	certificate, err := webtransport.DevelopmentCertificate(time.Now())
	if o.cert != "" {
		certificate, err = tls.LoadX509KeyPair(o.cert, o.key)
	}
	if err != nil {
		return err
	}
	secure := &tls.Config{Certificates: []tls.Certificate{certificate}}
	first, err := eventloop.ListenConfig{WebSocket: sockets}.Listen(o.udp)
	if err != nil {
		return err
	}
	second, err := webtransport.Listen(webtransport.Config{Addr: o.webtransport, TLS: secure, Hosts: o.names})
	if err != nil {
		return errors.Join(err, first.Close())
	}
	config := systems.ServerConfig{Session: systems.ServerSession{InsecureAllowAnyAddress: o.insecure}}
	game.Arm(&config)
	game.NewMessages().Serve(&config)
	wire := second.Beside(first)
	server, err := systems.NewServer(wire, game.CombatProtocol(), config)
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	game.PopulateCombat(server.World(), 0, o.npcs)

	c := web.Config{Port: first.WebSocketAddr().Port(), Hosts: o.names, Dist: &web.Dist{Folder: o.dist, Index: "arena.html"}, Progress: stdout}
	if o.dist == "" {
		c.Package, c.Dist = "examples/arena/wasm", pages.Page("arena")
	}
	if o.insecure {
		c.Args = []string{"-insecure-anyone-can-join"}
	}
	c.Dist.WebTransport = fmt.Sprintf(":%d/", second.LocalAddr().Port())
	if o.cert == "" {
		for _, h := range second.CertificateHashes() {
			c.Dist.Hashes = append(c.Dist.Hashes, h[:])
		}
	} else {
		c.Port = page.Addr().(*net.TCPAddr).AddrPort().Port()
	}
	client := web.New(c)
	site, scheme := &http.Server{Handler: client, ReadHeaderTimeout: 10 * time.Second}, "http"
	if o.cert != "" {
		site.Handler, site.TLSConfig, scheme = through(client, first.WebSocketAddr()), secure, "https"
		page = tls.NewListener(page, secure)
	}
	fmt.Fprintf(stdout, "play in a browser:  %s://%v/\nWebTransport at %v, WebSocket at %v, UDP at %v\n", scheme, page.Addr(), second.LocalAddr(), first.WebSocketAddr(), first.LocalAddr())
	go func() {
		if err := client.Prepare(ctx); err != nil && ctx.Err() == nil {
			fmt.Fprintln(stdout, err)
		}
	}()
	go func() { _ = site.Serve(page) }() // until the page is closed
	defer site.Close()
	if err := server.Run(ctx); ctx.Err() == nil {
		return err
	}
	return nil
}

// through serves the page and forwards the game's WebSockets at the page's own address, as pages over HTTPS need it. All
// these clients then come from this machine: a server with bans and many players needs a real proxy, see
// docs/guide/operating.md.
func through(page http.Handler, socket netip.AddrPort) http.Handler {
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: socket.String()})
		r.Out.Host = r.In.Host // the game checks the host name
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
			proxy.ServeHTTP(w, r)
			return
		}
		page.ServeHTTP(w, r)
	})
}
