package web

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tactusgo/tactus/internal/hostname"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/recording"
)

// Wire is a transport for clients over UDP and WebSockets, such as eventloop.Listener.
type Wire interface {
	netsys.Wire
	// WebSocketAddr returns the address of the WebSockets.
	WebSocketAddr() netip.AddrPort
}

// insecure is the argument that lets clients on other machines play in development mode.
const insecure = "-insecure-anyone-can-join"

// host is the default host of all listeners.
const host = "127.0.0.1"

// Beside adds a browser page to the match that a world's command plays without flags. The command then starts a server for
// UDP and WebSockets, bots over the network, and the page, and prints the page's address. Beside sets World.Live and adds
// the flags -http, -web, -names and -embed. If -embed contains "null", so do the names for listen. With Game.Rooms, the flag
// -rooms serves rooms and a lobby instead of the match. listen is eventloop.ListenBoth. It also becomes World.Listen if that is nil.
//
// Beside panics if World.Live is already set, or if c has neither a client nor a page.
func Beside[W Wire](world *runner.Game, listen func(addr, socket string, names []string) (W, error), c Config) {
	switch {
	case world.Live != nil:
		panic("web.Beside: World.Live is already set: remove it")
	case c.Package == "" && c.Dist == nil:
		panic("web.Beside: Config.Package is empty: set it to the folder of the client's main package, such as examples/arena/wasm, or set Config.Dist for a page that a bundler built")
	}
	c.Title = cmp.Or(c.Title, world.Name)
	b := &worldPage{config: c, listen: func(addr, socket string, names []string) (Wire, error) {
		w, err := listen(addr, socket, names)
		if err != nil {
			return nil, err
		}
		return w, nil
	}}
	world.About = strings.TrimSpace(world.About + "\n\n" +
		"Without flags, the program serves a page to play on and first prints its address. -http changes the address,\n" +
		"or turns the page off.")
	if world.Listen == nil {
		world.Listen = map[string]func(addr string) (netsys.Wire, error){"udp": func(addr string) (netsys.Wire, error) {
			return b.listen(addr, net.JoinHostPort(host, "0"), nil)
		}}
	}
	own := world.Flags
	world.Flags = func(fs *flag.FlagSet) {
		if own != nil {
			own(fs)
		}
		b.flags(fs)
		if world.Rooms != nil {
			b.public.flags(fs, "with -rooms: ", ".\nPlayers do not log in: a guest is the random number that its browser keeps")
		}
	}
	world.Live = b.live
}

// worldPage is the page of a world.
type worldPage struct {
	config Config
	listen func(addr, socket string, names []string) (Wire, error)
	page   pageAddress
	public Public
}

// port returns the port with an offset from the game's port, or 0 for a free port.
func (b *worldPage) port(above uint16) string {
	if b.config.GamePort == 0 {
		return "0"
	}
	return strconv.Itoa(int(b.config.GamePort + above))
}

// flags declares the flags of the page.
func (b *worldPage) flags(fs *flag.FlagSet) {
	b.page = pageAddress{text: net.JoinHostPort(host, b.port(3))}
	fs.Var(&b.page, "http", "serve the page to play on at this `address`. If the default is in use, the page is at a free port of "+host+".\n"+
		"none: no page; the bots predict and draw, and the table has columns for that")
	b.hosts(fs)
	if b.config.Package == "" {
		return
	}
	fs.StringVar(&b.config.Dir, "web", b.config.Dir, "serve the client for browsers from this `folder`, with play.wasm and wasm_exec.js. Without this flag, the Go\n"+
		"compiler builds the client from the checkout and keeps it for the next start")
}

// hosts declares the flags -names and -embed.
func (b *worldPage) hosts(fs *flag.FlagSet) {
	EmbedFlag(fs, &b.config.Embed)
	fs.Func("names", "additional host `names` under which the page may be opened, separated by commas", func(s string) error {
		b.config.Hosts = strings.Split(s, ",")
		return hostname.Guard{Hosts: b.config.Hosts}.Validate()
	})
}

// EmbedFlag declares the flag -embed, which sets a list for Config.Embed, Dist.Embed and rooms/web.Config.Embed.
func EmbedFlag(fs *flag.FlagSet, to *[]string) {
	fs.Func("embed", "`sites` that may show the page in a frame, separated by commas, such as https://portal.example. The additional entry\n"+
		"null serves sandboxed frames; then any site can play here through the browsers of its visitors. Default: no site",
		func(s string) error {
			*to = strings.Split(s, ",")
			return hostname.Embed(*to).Validate()
		})
}

// reasonForNoPage returns the reason why there is no page, or "".
func (b *worldPage) reasonForNoPage(o *runner.Options) string {
	switch {
	case b.page.text == "none":
		return "-http none"
	case o.Key != "":
		return "with -key all players need tokens, and the page has none"
	}
	return ""
}

// live plays a match with bots and a page: a server for UDP and WebSockets, whose clients all use the network. If there can
// be no page, it plays a match with bots only.
func (b *worldPage) live(ctx context.Context, world runner.Game, o runner.Options, stdout, stderr io.Writer) error {
	if err := b.public.validate(); err != nil {
		return err
	}
	b.public.Embed = b.config.Embed
	if b.config.Dist != nil {
		b.public.WebTransport = b.config.WebTransport
	}
	switch {
	case o.Rooms:
		return b.rooms(ctx, world, o, stdout, stderr)
	case b.public.on():
		return errors.New("-domain: set -rooms, too")
	case b.public.Saves():
		return errors.New("-saves: set -rooms, too: for one match, -save writes a file")
	}
	if o.Replay != "" {
		return b.replay(ctx, o.Replay, world.Protocol(&o).Name(), stdout)
	}
	if why := b.reasonForNoPage(&o); why != "" {
		fmt.Fprintf(stdout, "no page to play on: %s\n", why)
		return runner.Live(ctx, world, o, stdout)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	page, err := Listen(b.page.text, !b.page.typed)
	if err != nil {
		return fmt.Errorf("%w: set -http to another address, to port 0 for a free port, or to none", err)
	}
	defer page.Close()
	at, _, err := net.SplitHostPort(page.Addr().String())
	if err != nil {
		return err
	}
	wire, err := b.openTransport(at, at)
	if err != nil {
		return err
	}
	more, err := b.public.openWebTransport(wire)
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	both := netsys.Wire(wire)
	if more != nil {
		both = more.Beside(wire)
	}
	site, told := b.site(wire, &o)
	if b.config.Dir != "" {
		if err := site.Prepare(ctx); err != nil {
			return errors.Join(fmt.Errorf("-web: %w", err), both.Close())
		}
	}
	b.print(stdout, page.Addr())

	var others sync.WaitGroup
	if b.config.Dir == "" {
		others.Go(func() {
			if e := site.Prepare(ctx); e != nil && ctx.Err() == nil {
				fmt.Fprintf(told, "%v\nthe match goes on without a page", e)
			}
		})
	}
	others.Go(func() { _ = Serve(ctx, page, site) })
	bots := wire.LocalAddr()
	if o.Transport == "ws" {
		bots = wire.WebSocketAddr()
	}
	played := runner.LiveOn(ctx, world, o, both, localAddress(bots), stdout, told.String)
	stop()
	others.Wait()
	return played
}

// recordingPath is where the page finds the file of -replay.
const recordingPath = "/match.rec"

// replay serves a page that plays a recording of a protocol, until ctx ends.
func (b *worldPage) replay(ctx context.Context, file, protocol string, stdout io.Writer) error {
	if b.page.text == "none" || b.config.Dist == nil {
		return errors.New("-replay: there is no page that plays recordings: set -headless, too, to compare all frames")
	}
	r, err := recording.OpenFile(file)
	if err != nil {
		return err
	}
	recorded := r.Header().Protocol
	if err := r.Close(); err != nil {
		return err
	}
	if recorded != protocol {
		return fmt.Errorf("-replay %s: the recorded match has the protocol %q, and the page plays %q: record with the flags of the page, or set -headless, too", file, recorded, protocol)
	}
	page, err := Listen(b.page.text, !b.page.typed)
	if err != nil {
		return fmt.Errorf("%w: set -http to another address, or to port 0 for a free port", err)
	}
	defer page.Close()
	site := New(b.config)
	site.recording = true
	site.mux.HandleFunc("GET "+recordingPath, func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) })
	fmt.Fprintf(stdout, "\n  watch in a browser:  http://%v/?replay=%s\n\n", localAddress(page.Addr()), recordingPath[1:])
	var preparing sync.WaitGroup
	defer preparing.Wait()
	preparing.Go(func() { _ = site.Prepare(ctx) }) // the page shows errors
	return Serve(ctx, page, site)
}

// openTransport opens the transport on a host for UDP and one for WebSockets, at the configured ports or at free ones.
func (b *worldPage) openTransport(at, sockets string) (Wire, error) {
	names := slices.Clip(b.config.Hosts)
	if b.public.Sandboxed() {
		names = append(names, hostname.Null)
	}
	if b.config.GamePort != 0 {
		wire, err := b.listen(net.JoinHostPort(at, b.port(0)), net.JoinHostPort(sockets, b.port(1)), names)
		if err == nil {
			return wire, nil
		}
	}
	return b.listen(net.JoinHostPort(at, "0"), net.JoinHostPort(sockets, "0"), names)
}

// site returns the page of a transport and the progress of its preparation.
func (b *worldPage) site(wire Wire, o *runner.Options) (*Site, *progress) {
	c, told := b.config, new(progress)
	c.Port, c.Progress = wire.WebSocketAddr().Port(), told
	if c.Dist != nil {
		c.Dist = b.public.Dist(c.Dist)
	}
	if o.Insecure {
		c.Args = append(c.Args[:len(c.Args):len(c.Args)], insecure)
	}
	return New(c), told
}

// print prints how to play.
func (b *worldPage) print(out io.Writer, page fmt.Stringer) {
	fmt.Fprintf(out, "\n  play in a browser:  http://%v\n", localAddress(page))
	if d := b.config.Dist; d != nil && d.Ready() != nil {
		fmt.Fprintf(out, "  %v\n", d.Ready())
	}
	if localAddress(page) != page.String() {
		fmt.Fprintln(out, "  from elsewhere:     the same ports of any address of this machine")
	}
	fmt.Fprintln(out)
}

// progress stores the newest line of progress.
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

// String returns the newest line.
func (p *progress) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text
}
