package swarm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/swarm/internal/manysockets"
	"github.com/tactusgo/tactus/systems/inputgather"
)

// carrier is the transports of many clients.
type carrier interface {
	Wire(n int) (netsys.Wire, error)
	RemoteAddr() netip.AddrPort
	Poll(now time.Time, arrived func(n int))
	Flush(now time.Time)
	Stats() manysockets.Stats
	Close() error
}

// never is the due time of a client that has nothing to do.
var never = time.Unix(1<<40, 0)

// shard is the set of clients of one goroutine.
type shard struct {
	config   *Config
	protocol *ecs.Protocol // for the blind clients
	carrier  carrier
	arrived  func(n int)

	first   int // number of client 0
	clients []client
	due     []int64       // by client: when its next tick is due, ns since start
	begun   int           // clients that have started to connect
	vacant  int           // with Config.OnDemand: first place to check for a free one
	tokens  <-chan issued // nil: no tokens needed

	start  time.Time
	now    time.Time
	looked time.Time // when round trips were last sampled

	// figures
	figures figures
	latency *durations // of inputs
	trips   *durations // round trips
	load    load
	before  manysockets.Stats // at the start of the measurement

	mu        sync.Mutex // guards published
	published published

	// Buffers for messages, and the last parsed message.
	room   netcode.Room
	reader codec.ByteReader
	seen   *seen
	sender *inputgather.Sender // lends its buffers to the other senders; nil: none yet
}

// issued is a client's token or connection, both of which may be slow to get.
type issued struct {
	client int // number in the shard
	token  *netcode.ConnectToken
	on     *manysockets.Connection // nil: the carrier has the transport
	err    error
}

// client is a blind or a thin client.
type client interface {
	arrived(now time.Time)
	advance(now time.Time) (next time.Time)
	stats() (netsys.Stats, bool)
	base() *common
	close(now time.Time)
}

// common is the shared state of blind and thin clients.
type common struct {
	shard  *shard
	number int
	state  state
	err    error
	before netsys.Stats // at the start of the measurement
}

// state is the progress of a client.
type state uint8

const (
	connecting state = iota
	playing
	gone
)

func (c *common) base() *common { return c }

// connected records that the server accepted the client.
func (c *common) connected() {
	c.state = playing
	c.shard.figures.Connected++
	if hook := c.shard.config.OnConnect; hook != nil {
		hook(c.number)
	}
}

// fail records that the session has ended.
func (c *common) fail(err error) {
	if c.state == gone {
		return
	}
	if c.state == playing {
		c.shard.figures.lose(err)
	} else {
		c.shard.figures.refuse(err)
	}
	c.state, c.err = gone, err
	if hook := c.shard.config.OnEnd; hook != nil {
		hook(c.number, err)
	}
}

// leave records that the client ended its own session.
func (c *common) leave() {
	if c.state == playing {
		c.shard.figures.Connected--
	}
	c.state = gone
}

// newShard creates the given number of clients, none of them connected.
func newShard(ctx context.Context, c *Config, first, clients, sockets int) (*shard, error) {
	s := &shard{
		config: c, protocol: c.Protocol(),
		first: first, clients: make([]client, clients), due: make([]int64, clients),
		latency: new(durations), trips: new(durations),
		seen: new(seen),
	}
	if err := c.Input.fits(s.protocol); err != nil {
		return nil, err
	}
	s.arrived = func(n int) {
		if c := s.clients[n]; c != nil {
			c.arrived(s.now)
		}
	}
	for i := range s.due {
		s.due[i] = math.MaxInt64
	}
	s.figures.Reasons = make(map[string]int)
	carrier, dial, err := c.carrier(ctx, first, clients, sockets)
	if err != nil {
		return nil, err
	}
	s.carrier = carrier
	if c.Token != nil || dial != nil {
		workers := 1
		if dial != nil || c.roomSet != nil {
			workers = dialing
		}
		s.tokens = issue(ctx, workers, c.Token, dial, first, clients)
	}
	return s, nil
}

// carrier creates the transports of the clients. If dial is not nil, it must open a connection before a client starts.
func (c *Config) carrier(ctx context.Context, first, clients, sockets int) (on carrier, dial func(context.Context) (*manysockets.Connection, error), err error) {
	switch {
	case c.dial != nil:
		return c.dial(clients), nil, nil
	case c.Wire != nil:
		on, err = newWires(c, first, clients)
		return on, nil, err
	case c.Transport == WebSocket:
		w, err := manysockets.Config{Clients: clients, Sockets: sockets}.Web(c.Addr)
		if err != nil {
			return nil, nil, err
		}
		return web{w}, w.Connect, nil
	}
	on, err = manysockets.Config{Clients: clients, Sockets: sockets}.Dial(ctx, c.Addr)
	return on, nil, err
}

const (
	// issuedAhead is the number of tokens requested in advance. It is small because tokens may be short-lived.
	issuedAhead = 16
	// dialing is the number of simultaneous connection attempts or seat requests.
	dialing = 8
)

// issue gets tokens, and connections if dial is not nil, until ctx ends. Then it closes the channel.
func issue(ctx context.Context, workers int, token TokenFunc, dial func(context.Context) (*manysockets.Connection, error), first, clients int) <-chan issued {
	all := make(chan issued, issuedAhead)
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < clients; i = int(next.Add(1)) - 1 {
			x := issued{client: i}
			if token != nil {
				if x.token, x.err = token(ctx, first+i); x.err != nil {
					x.err = fmt.Errorf("token: %w", x.err)
				}
			}
			if dial != nil && x.err == nil {
				x.on, x.err = dial(ctx)
			}
			select {
			case all <- x:
			case <-ctx.Done():
				if x.on != nil {
					_ = x.on.Close()
				}
				return
			}
		}
	}
	var working sync.WaitGroup
	for range workers {
		working.Go(work)
	}
	go func() {
		working.Wait()
		close(all)
	}()
	return all
}

// open creates a client, which starts to connect.
func (s *shard) open(x issued) (client, error) {
	n := s.first + x.client
	var config systems.ClientConfig
	if s.config.Client != nil {
		s.config.Client(n, &config)
	}
	if x.token != nil {
		config.Session.Token = x.token
	}
	on, err := s.wire(x)
	if err != nil {
		return nil, err
	}
	var c client
	if s.config.isThin(n) {
		config.Start = s.now
		c, err = newThin(s, n, on, config)
	} else {
		session, e := config.SessionConfig(s.protocol)
		if err = e; err == nil {
			session.Room = &s.room
			session.ConnectTimeout = cmp.Or(config.Session.ConnectTimeout, config.Session.Timeout)
			c, err = newBlind(s, n, on, session)
		}
	}
	if err != nil {
		return nil, errors.Join(err, on.Close())
	}
	return c, nil
}

// wire returns the transport of a client.
func (s *shard) wire(x issued) (netsys.Wire, error) {
	if x.on != nil {
		return s.carrier.(web).Web.Wire(x.client, x.on)
	}
	return s.carrier.Wire(x.client)
}

// web is the transports of WebSocket clients. Their connections are made elsewhere, because connecting blocks.
type web struct{ *manysockets.Web }

// Wire implements carrier.
func (web) Wire(n int) (netsys.Wire, error) {
	panic(fmt.Sprintf("swarm: the connection of client %d was not made", n))
}

// startClients starts the clients that are due according to Ramp, as far as there are tokens.
func (s *shard) startClients(now time.Time) {
	if s.config.OnDemand {
		return
	}
	share := float64(len(s.clients)) / float64(s.config.Clients)
	for want := int(now.Sub(s.start).Seconds()*s.config.Ramp*share) + 1; s.begun < min(want, len(s.clients)); {
		x := issued{client: s.begun}
		if s.tokens != nil {
			var ok bool
			select {
			case x, ok = <-s.tokens:
			default:
			}
			if !ok {
				return
			}
		}
		s.begun++
		var c client
		if x.err == nil {
			c, x.err = s.open(x)
		}
		if x.err != nil {
			s.figures.refuse(x.err)
			continue
		}
		s.clients[x.client], s.due[x.client] = c, int64(now.Sub(s.start))
	}
}

// join starts a client in a free place. It avoids the place that was freed last, because the server may still know its
// address.
func (s *shard) join(now time.Time, token *netcode.ConnectToken) (n int, err error) {
	s.advance(now)
	for range s.clients {
		n = s.vacant
		s.vacant = (s.vacant + 1) % len(s.clients)
		if s.clients[n] != nil {
			continue
		}
		c, err := s.open(issued{client: n, token: token})
		if err != nil {
			return 0, err
		}
		s.clients[n], s.due[n] = c, int64(now.Sub(s.start))
		return s.first + n, nil
	}
	return 0, fmt.Errorf("swarm: all of %d clients play already", len(s.clients))
}

// leave ends the session of a client, if it has one, and frees its place.
func (s *shard) leave(now time.Time, n int) {
	if c := s.clients[n]; c != nil {
		c.base().leave()
		c.close(now)
		s.clients[n], s.due[n] = nil, math.MaxInt64
	}
}

// advance sets the current time.
func (s *shard) advance(now time.Time) {
	if s.start.IsZero() {
		s.start, s.looked = now, now
		s.load.reset(now)
	}
	s.now = now
}

// step receives, runs the due clients, and sends.
func (s *shard) step(now time.Time) {
	s.advance(now)
	s.startClients(now)
	s.carrier.Poll(now, s.arrived)
	at := int64(now.Sub(s.start))
	for i, due := range s.due {
		if due <= at {
			s.due[i] = int64(s.clients[i].advance(now).Sub(s.start))
		}
	}
	s.carrier.Flush(now)
	if now.Sub(s.looked) >= lookEvery {
		s.sampleRoundTrips(now)
	}
}

// settled reports whether every client has connected or failed.
func (s *shard) settled() bool {
	return s.figures.settled(len(s.clients))
}

// lookEvery is the interval for sampling round trips.
const lookEvery = time.Second

// sampleRoundTrips samples the round trips and publishes the figures.
func (s *shard) sampleRoundTrips(now time.Time) {
	s.looked = now
	for _, c := range s.clients {
		if c == nil {
			continue
		}
		if st, ok := c.stats(); ok && st.RTT > 0 {
			s.trips.Add(st.RTT)
		}
	}
	s.publish(now)
}

// phase returns when the first tick of client n is due. The clients are spread evenly over a tick.
func (s *shard) phase(now time.Time, n, rate int) time.Time {
	step := time.Second / time.Duration(rate)
	at := s.start.Add(step * time.Duration(n) / time.Duration(s.config.Clients))
	if behind := now.Sub(at); behind > 0 {
		at = at.Add((behind + step - 1) / step * step)
	}
	return at
}

// close ends all sessions. Connections that no client has are closed as soon as they are made.
func (s *shard) close(now time.Time) error {
	for _, c := range s.clients {
		if c != nil {
			c.close(now)
		}
	}
	if s.tokens != nil {
		go func() {
			for x := range s.tokens {
				if x.on != nil {
					_ = x.on.Close()
				}
			}
		}()
	}
	return s.carrier.Close()
}
