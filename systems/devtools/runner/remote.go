package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/websocket"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
)

// listen opens the transport of -serve.
func listen(game Game, o *Options, addr string) (netsys.Wire, error) {
	wire, err := game.Listen[o.Transport](addr)
	if err != nil {
		return nil, err
	}
	if o.Key != "" && o.Public == "" && wire.LocalAddr().Addr().IsUnspecified() {
		return nil, errors.Join(fmt.Errorf("-serve %s -key: tokens cannot contain the address %v: set -public to the server's addresses", addr, wire.LocalAddr()), wire.Close())
	}
	return wire, nil
}

// serve runs only the server of a world, until ctx ends.
func serve(ctx context.Context, game Game, o Options, addr string, out io.Writer) error {
	wire, err := listen(game, &o, addr)
	if err != nil {
		return err
	}
	o.access.joined = func(client uint32, s netsys.Session) {
		fmt.Fprintf(out, "client %d has joined: player %d %q\n", client, s.ClientID(), bytes.TrimRight(s.UserData(), "\x00"))
	}
	if o.files.feed != nil {
		o.files.feed.Stop() // nobody watches the recording
	}
	s, err := newServer(game, o, wire, time.Now(), nil)
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	if _, err := game.openInspector(ctx, &o, s, out); err != nil {
		return errors.Join(err, s.Close(time.Now()))
	}
	fmt.Fprintf(out, "%s: serving on %v; Ctrl-C ends it\n", game.Name, wire.LocalAddr())
	err = errors.Join(s.Run(ctx), o.save(s))
	st := s.Stats()
	fmt.Fprintf(out, "%d ticks, %d dropped, %d inputs consumed, %d updates sent; datagrams dropped: %s\n",
		st.Ticks, st.TicksDropped, st.Inputs.Consumed, st.Updates, drops(&st))
	return err
}

// newRemote creates the bots of a match with a remote server. The link flags apply to both directions here.
func newRemote(ctx context.Context, game Game, o Options, addr string) (*match, error) {
	if err := o.access.collect(ctx, &o); err != nil {
		return nil, err
	}
	m := &match{o: o, game: game, start: time.Now()}
	m.watch.init(&m.o)
	for n := range o.bots() {
		wire, server, err := dial(ctx, o.Transport, addr)
		if err != nil {
			return nil, err
		}
		if err := m.connect(n, wire, server); err != nil {
			return nil, errors.Join(err, wire.Close())
		}
		if err := m.players[n].link.SetLinks(o.link(), o.link()); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// connect plays bots on a remote server until ctx ends.
func connect(ctx context.Context, game Game, o Options, addr string, out io.Writer) error {
	m, err := newRemote(ctx, game, o, addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %d bots to %s, link %s; Ctrl-C ends it\n", game.Name, o.bots(), addr, o.describeLink())
	ctx, stop := context.WithCancel(ctx)
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		show(ctx, m, out)
	}()
	err = playBots(ctx, m, nil)
	stop()
	<-shown
	if !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// serveHeadless runs only the server of a world for the length of a match, and returns its half of the report.
func serveHeadless(ctx context.Context, game Game, o Options, addr string, progress io.Writer) (*ServerHalf, error) {
	wire, err := listen(game, &o, addr)
	if err != nil {
		return nil, err
	}
	o.apart = true
	m := &match{o: o, game: game, start: time.Now(), open: true}
	if err := m.assemble(wire); err != nil {
		return nil, errors.Join(err, wire.Close())
	}
	m.removeLinkConditions()
	if m.inspector, err = game.openInspector(ctx, &m.o, m.server, progress); err != nil {
		return nil, errors.Join(err, m.close())
	}
	fmt.Fprintf(progress, "%s: serving on %v for %v\n", game.Name, wire.LocalAddr(), o.Duration)
	if err := m.playReal(ctx, progress); err != nil {
		return nil, err
	}
	r := m.report()
	h := &ServerHalf{SetupReport: r.SetupReport, NPCs: r.NPCs, TickReport: r.TickReport, WorldHash: r.WorldHash, Server: r.Server, Findings: r.Findings}
	h.Clients = m.watch.crowd.most
	return h, nil
}

// connectHeadless plays bots for the length of a match, or until the server closes, and returns their half of the
// report.
func connectHeadless(ctx context.Context, game Game, o Options, addr string, progress io.Writer) (*ClientHalf, error) {
	o.apart = true
	m, err := newRemote(ctx, game, o, addr)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(progress, "%s: %d bots to %s for %v, link %s\n", game.Name, o.bots(), addr, o.Duration, o.describeLink())
	ctx, cancel := context.WithTimeout(ctx, o.Duration)
	defer cancel()
	if err := playBots(ctx, m, m); err != nil && !errors.Is(err, context.DeadlineExceeded) && !closedByServer(err) {
		return nil, err
	}
	r := m.watch.report(m)
	h := &ClientHalf{SetupReport: r.SetupReport, Client: r.Client.OwnReport, Findings: r.Findings}
	joined := 0
	for _, p := range m.players {
		if m := p.client.Model(); p.client.ID() != 0 {
			joined++
			h.Model, h.Preset, h.Timing = m.String(), m.String(), timingOf(policy.TraitsOf(m))
		}
	}
	if joined == 0 {
		return nil, fmt.Errorf("none of %d bots has joined %s within %v: is the server there, and do -key or -token match its -key?", o.bots(), addr, o.Duration)
	}
	return h, nil
}

// closedByServer reports whether the server has closed the session because it ended.
func closedByServer(err error) bool {
	var by *netsys.CloseError
	return errors.As(err, &by) && by.Remote && by.Reason == netsys.ReasonServerClosing
}

// playBots plays the bots on a remote server until ctx ends or a bot has lost its session, and returns the reason. It
// measures watched, unless that is nil.
func playBots(ctx context.Context, m, watched *match) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for _, p := range m.players {
		wg.Go(func() {
			pace(ctx, p.client.Next, time.Now().Add(endlessDuration), func(now time.Time) error {
				p.link.Flush(now)
				p.advance(watched, now)
				if p.publish(now) {
					p.watch.recordWaitingInputs(p.live.stats.InputBuffer)
				}
				m.live.touch(now)
				return p.client.Err()
			}, cancel)
			p.end()
			_ = p.client.Close(time.Now())
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// gnetAllocations is the number of allocations of gnet for each datagram that wakes its loop.
const gnetAllocations = 5

// wakeUpCounter is a transport that counts these datagrams.
type wakeUpCounter interface{ WakeUps() uint64 }

// Values of -transport.
const (
	transportUDP = "udp"
	transportWS  = "ws"
)

// transportNames lists the values of -transport, the default first.
var transportNames = []string{transportUDP, transportWS}

// dial opens a client's transport to an address. It returns the address by which the transport calls the server.
func dial(ctx context.Context, transport, addr string) (netsys.Wire, netip.AddrPort, error) {
	if transport == transportWS {
		return dialWebSocket(ctx, addr)
	}
	w, err := netsys.DialUDP(ctx, addr)
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	return w, w.RemoteAddr(), nil
}

// reach opens a client's transport to the destination of a ticket.
func reach(transport string, t systems.Ticket) (netsys.Wire, netip.AddrPort, error) {
	if transport != transportWS {
		w, err := netsys.ListenUDP(":0")
		return w, netip.AddrPort{}, err
	}
	w, err := websocket.DialConfig{}.Begin(t.WS)
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	return w, w.RemoteAddr(), nil
}

// dialWebSocket accepts an address or a URL.
func dialWebSocket(ctx context.Context, addr string) (netsys.Wire, netip.AddrPort, error) {
	if !strings.Contains(addr, "://") {
		addr = "ws://" + addr
	}
	w, err := websocket.Dial(ctx, addr)
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	return w, w.RemoteAddr(), nil
}
