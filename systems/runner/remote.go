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
)

// serve runs a world's server alone until ctx ends.
func serve(ctx context.Context, world World, o Options, addr string, out io.Writer) error {
	wire, err := world.Listen[o.Transport](addr)
	if err != nil {
		return err
	}
	if o.Key != "" && o.Public == "" && wire.LocalAddr().Addr().IsUnspecified() {
		return errors.Join(fmt.Errorf("-serve %s -key: tokens cannot name %v, -public must say how they name this server", addr, wire.LocalAddr()), wire.Close())
	}
	o.access.joined = func(client uint32, s netsys.Session) {
		fmt.Fprintf(out, "client %d has joined: player %d %q\n", client, s.ClientID(), bytes.TrimRight(s.UserData(), "\x00"))
	}
	s, err := newServer(world, o, wire, time.Now(), nil)
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	if _, err := world.openInspector(ctx, &o, s, out); err != nil {
		return errors.Join(err, s.Close(time.Now()))
	}
	fmt.Fprintf(out, "%s: serving on %v; Ctrl-C ends it\n", world.Name, wire.LocalAddr())
	err = s.Run(ctx)
	st := s.Stats()
	fmt.Fprintf(out, "%d ticks, %d dropped, %d inputs consumed, %d updates sent; datagrams dropped: %s\n",
		st.Ticks, st.TicksDropped, st.Inputs.Consumed, st.Updates, drops(&st))
	return err
}

// connect plays bots against a server elsewhere until ctx ends. The link's
// flags condition both directions here.
func connect(ctx context.Context, world World, o Options, addr string, out io.Writer) error {
	if err := o.access.collect(ctx, &o); err != nil {
		return err
	}
	m := &match{o: o, world: world, start: time.Now()}
	for n := range o.bots() {
		wire, server, err := dial(ctx, o.Transport, addr)
		if err != nil {
			return err
		}
		if err := m.addPlayer(n, wire, server); err != nil {
			return errors.Join(err, wire.Close())
		}
		if err := m.players[n].link.SetLinks(o.link(), o.link()); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "%s: %d bots to %s, link %s; Ctrl-C ends it\n", world.Name, o.bots(), addr, o.describeLink())
	return playRemote(ctx, m, out)
}

// playRemote plays the bots of a match whose server is elsewhere, showing a
// table until ctx ends or every bot has lost its session.
func playRemote(ctx context.Context, m *match, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for _, p := range m.players {
		wg.Go(func() {
			pace(ctx, p.client.Next, time.Now().Add(endless), func(now time.Time) error {
				p.link.Flush(now)
				p.advance(nil, now)
				_ = p.publish(now)
				m.live.touch(now)
				return p.client.Err()
			}, cancel)
			_ = p.client.Close(time.Now())
		})
	}
	show(ctx, m, out)
	wg.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// gnetAllocations is what gnet allocates for each datagram that wakes its loop up.
const gnetAllocations = 5

// woken is a wire that counts these datagrams.
type woken interface{ WakeUps() uint64 }

// The names of -transport.
const (
	transportUDP   = "udp"
	transportBatch = "batch"
	transportWS    = "ws"
)

// transportNames are what -transport can be, the default first.
var transportNames = []string{transportUDP, transportBatch, transportWS}

// dial opens a client's wire to an address by a transport, and says how it calls the server there.
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

// dialWebSocket takes an address or a URL.
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
