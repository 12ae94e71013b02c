package stage

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// Times of a connection.
const (
	dialTime  = 10 * time.Second
	retryTime = time.Second
)

// online keeps a session with the server: it connects, and connects again when that
// ends. Nothing of it blocks; what does runs on a goroutine of its own.
type online struct {
	stage    *Stage
	address  string
	insecure bool
	player   uint64 // who this is to the server, across sessions
	seat     seat

	dialing chan dialed
	retry   time.Time
	err     error // why there is no session
	over    bool  // there will be none any more
}

// dialed is what came of connecting.
type dialed struct {
	wire   netsys.Wire
	server netip.AddrPort
	err    error
}

func newOnline(o *Options, s *Stage) *online {
	return &online{stage: s, address: o.Connect, insecure: o.Insecure, player: rand.Uint64() | 1, seat: newSeat(o)}
}

// connected reports whether there is a session.
func (o *online) connected() bool { return o.stage.client != nil && o.stage.client.Connected() }

// advance runs the ticks that are due.
func (o *online) advance(now time.Time) {
	c := o.stage.client
	if o.seat.leaves {
		o.drop(now, errLeft)
	}
	if o.over {
		return
	}
	if c == nil {
		o.connect(now)
		return
	}
	c.Advance(now)
	if err := c.Err(); err != nil {
		o.drop(now, err)
	}
}

// connect takes one more step towards a session.
func (o *online) connect(now time.Time) {
	if o.dialing == nil {
		if now.Before(o.retry) {
			return
		}
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
			o.drop(now, d.err)
		}
	default:
	}
}

// dial opens a wire, and tells the channel.
func dial(address string, done chan<- dialed) {
	ctx, cancel := context.WithTimeout(context.Background(), dialTime)
	defer cancel()
	wire, server, err := OpenWire(ctx, address)
	done <- dialed{wire, server, err}
}

// begin makes a client on a wire.
func (o *online) begin(d dialed) error {
	link, err := netsys.Condition(d.wire, netsys.ConditionerConfig{Seed: rand.Uint64()})
	if err != nil {
		return errors.Join(err, d.wire.Close())
	}
	s := o.stage
	config := systems.ClientConfig{ClientID: o.player, InsecureAllowAnyAddress: o.insecure, OnMismatch: s.panel.net.Mismatch, Token: o.seat.token}
	s.scene.Configure(&config)
	if s.drive != nil {
		config.Gather, config.Partial = *s.drive, systems.GatherFunc{}
	}
	client, err := systems.NewClient(link, d.server, s.world.Protocol(), config)
	if err != nil {
		return errors.Join(err, link.Close())
	}
	s.panel.net.Attach(client, link)
	s.client, o.err = client, nil
	return nil
}

// drop ends a session, to try again later.
func (o *online) drop(now time.Time, why error) {
	o.err, o.retry = why, now.Add(retryTime)
	if c := o.stage.client; c != nil {
		_ = c.Close(now)
	}
	o.stage.client = nil
	if o.seat.token != nil && !o.over {
		o.over = true
		announce("ended", why.Error())
	}
}

// close says goodbye.
func (o *online) close() {
	if c := o.stage.client; c != nil {
		_ = c.Close(time.Now())
	}
}
