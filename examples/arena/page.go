package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/internal/hostname"
	"github.com/tactusgo/tactus/internal/web"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems/runner"
)

// Where things are when their ports are free; else at other ports.
const (
	defaultPage = "127.0.0.1:7780"
	gamePort    = "7777"
	socketPort  = "7778"
)

// pageAddress is the flag -http.
type pageAddress struct {
	text  string
	typed bool // another one will not do
}

// String implements [flag.Value].
func (p *pageAddress) String() string { return p.text }

// Set implements [flag.Value].
func (p *pageAddress) Set(s string) error {
	if s == "" {
		return errors.New("an address is missing; none: no page")
	}
	p.text, p.typed = s, true
	return nil
}

// hostNames is the flag -names.
type hostNames []string

// String implements [flag.Value].
func (n *hostNames) String() string { return strings.Join(*n, ",") }

// Set implements [flag.Value].
func (n *hostNames) Set(s string) error {
	*n = strings.Split(s, ",")
	return hostname.Guard{Hosts: *n}.Validate()
}

// noPage says why there is no page, if so.
func (a *arena) noPage(o *runner.Options) string {
	switch {
	case a.page.text == "none":
		return "-http none"
	case o.Key != "":
		return "with -key everybody needs a token, and a page has none"
	case o.Transport == "batch":
		return "-transport batch is UDP alone, which browsers cannot speak"
	}
	return ""
}

// live plays with bots and whoever opens the page: a server for UDP and WebSocket, and
// clients that all come over the network. Where a page cannot be had it is a match of
// bots.
func (a *arena) live(ctx context.Context, world runner.World, o runner.Options, stdout, _ io.Writer) error {
	if why := a.noPage(&o); why != "" {
		fmt.Fprintf(stdout, "no page to play on: %s\n", why)
		return runner.Live(ctx, world, o, stdout)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	page, err := web.Listen(a.page.text, !a.page.typed)
	if err != nil {
		return fmt.Errorf("%w; -http takes another address, or port 0 for a free one, or none", err)
	}
	defer page.Close()
	host, _, err := net.SplitHostPort(page.Addr().String())
	if err != nil {
		return err
	}
	wire, err := listen(host, a.names)
	if err != nil {
		return err
	}
	socket := wire.WebSocketAddr()
	var told progress
	site := web.New(web.Config{Dir: a.dir, Package: "examples/play", Port: socket.Port(), Hosts: a.names, Args: pageArgs(&o), Progress: &told})
	if a.dir != "" {
		if err := site.Prepare(ctx); err != nil {
			return errors.Join(fmt.Errorf("-web: %w", err), wire.Close())
		}
	}
	fmt.Fprintf(stdout, "\n  play in a browser:  http://%v\n  play in a window:   go -C examples/play run . arena -connect %v\n", here(page.Addr()), here(wire.LocalAddr()))
	if here(page.Addr()) != page.Addr().String() {
		fmt.Fprintln(stdout, "  from elsewhere:     the same ports of any address of this machine")
	}
	fmt.Fprintln(stdout)

	var others sync.WaitGroup
	if a.dir == "" {
		others.Go(func() {
			if e := site.Prepare(ctx); e != nil && ctx.Err() == nil {
				fmt.Fprintf(&told, "%v\nthe match goes on without a page", e)
			}
		})
	}
	handler := http.Server{Handler: site, ReadHeaderTimeout: 10 * time.Second}
	others.Go(func() { _ = handler.Serve(page) }) // until it is closed
	bots := wire.LocalAddr().String()
	if o.Transport == "ws" {
		bots = socket.String()
	}
	played := runner.LiveOn(ctx, world, o, wire, bots, stdout, told.String)
	stop()
	closed := handler.Close()
	others.Wait()
	return errors.Join(played, closed)
}

// pageArgs are the client's arguments that follow from the options.
func pageArgs(o *runner.Options) []string {
	if o.Insecure {
		return []string{"-insecure-anyone-can-join"}
	}
	return nil
}

// progress keeps what was said last.
type progress struct {
	mu   sync.Mutex
	text string
}

// Write implements [io.Writer].
func (p *progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = strings.TrimSpace(string(b))
	return len(b), nil
}

// String is what was said last.
func (p *progress) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text
}

// here is where this machine finds what listens at an address, which may be all there are.
func here(at fmt.Stringer) string {
	a, err := netip.ParseAddrPort(at.String())
	if err != nil || !a.Addr().IsUnspecified() {
		return at.String()
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), a.Port()).String()
}

// listen serves both kinds of clients on a host, at the usual ports or at free ones.
func listen(host string, names []string) (*eventloop.Listener, error) {
	config := eventloop.ListenConfig{WebSocket: eventloop.WebSocketConfig{Addr: net.JoinHostPort(host, socketPort), Hosts: names}}
	wire, err := config.Listen(net.JoinHostPort(host, gamePort))
	if err == nil {
		return wire, nil
	}
	config.WebSocket.Addr = net.JoinHostPort(host, "0")
	return config.Listen(net.JoinHostPort(host, "0"))
}
