package stage

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// dialTime is the timeout for resolving the server's name.
const dialTime = 10 * time.Second

// errBegin is wrapped by errors of the address or the configuration, after which a session is impossible.
var errBegin = errors.New("no session can begin")

// online keeps a session with the server. The client reconnects by itself, and its transport redials with growing delays.
// online never blocks; blocking work runs on another goroutine.
type online struct {
	stage    *Stage
	address  string
	insecure bool
	player   uint64 // the player's id across sessions
	seat     seat

	dialing chan dialed
	err     error // reason why there is no session
	over    bool  // there will be no further session
	away    bool  // the page is away and may return
}

// dialed is the result of dialling.
type dialed struct {
	wire   netsys.Wire
	server netip.AddrPort
	err    error
}

func newOnline(o *Options, s *Stage) *online {
	return &online{stage: s, address: o.Connect, insecure: o.Insecure, player: player(), seat: newSeat(o)}
}

// connected reports whether there is a session.
func (o *online) connected() bool { return o.stage.client != nil && o.stage.client.Connected() }

// advance runs the ticks that are due.
func (o *online) advance(now time.Time) {
	c := o.stage.client
	if o.seat.leaves {
		o.end(now, errLeft)
	}
	if o.over || o.away {
		return
	}
	if c == nil {
		o.connect(now)
		return
	}
	c.Advance(now)
	o.err = c.Lost()
	if err := c.Err(); err != nil {
		o.end(now, err) // the client reconnects itself if a new session could help
	}
}

// leave reports the player as away; back rejoins.
func (o *online) leave(now time.Time) {
	if c := o.stage.client; c != nil {
		c.Away(now)
		o.away = true
	}
}

func (o *online) back(now time.Time) {
	if c := o.stage.client; c != nil && o.away {
		o.away = c.Rejoin(now) != nil
	}
}

// joined reports whether the whole initial state has arrived.
func (o *online) joined() bool {
	if !o.connected() {
		return false
	}
	_, loaded := o.stage.client.Loaded()
	return loaded
}

// connect takes the next step towards a session.
func (o *online) connect(now time.Time) {
	if o.dialing == nil {
		o.dialing = make(chan dialed, 1)
		go dial(o.address, o.dialing)
		return
	}
	select {
	case d := <-o.dialing:
		o.dialing = nil
		if d.err == nil {
			d.err = o.begin(d)
		}
		if d.err != nil {
			o.end(now, fmt.Errorf("%w: %w", errBegin, d.err))
		}
	default:
	}
}

// dial opens a transport and sends the result to the channel.
func dial(address string, done chan<- dialed) {
	ctx, cancel := context.WithTimeout(context.Background(), dialTime)
	defer cancel()
	wire, server, err := OpenWire(ctx, address)
	done <- dialed{wire, server, err}
}

// begin creates a client on a transport.
func (o *online) begin(d dialed) error {
	link, err := netsys.Condition(d.wire, netsys.ConditionerConfig{Seed: rand.Uint64()})
	if err != nil {
		return errors.Join(err, d.wire.Close())
	}
	s := o.stage
	config := systems.ClientConfig{
		Session: systems.ClientSession{
			ClientID:                o.player,
			InsecureAllowAnyAddress: o.insecure,
			Token:                   o.seat.token,
			Reconnect:               o.seat.token == nil,
		},
		Prediction: systems.Prediction{OnMismatch: s.panel.net.Mismatch},
	}
	s.scene.Configure(&config)
	if s.drive != nil {
		config.Gather, config.Prediction.Partial = *s.drive, systems.GatherFunc{}
	}
	client, err := systems.NewClient(link, d.server, s.world.Protocol(), config)
	if err != nil {
		return errors.Join(err, link.Close())
	}
	s.panel.net.Attach(client, link)
	s.client, o.err = client, nil
	return nil
}

// end ends the session for good.
func (o *online) end(now time.Time, why error) {
	o.err = why
	if c := o.stage.client; c != nil {
		_ = c.Close(now)
	}
	o.stage.client = nil
	if o.seat.token != nil && !o.over {
		announceEnd(why)
	}
	o.over = true
}

// close leaves the server.
func (o *online) close() {
	if c := o.stage.client; c != nil {
		_ = c.Close(time.Now())
	}
}
