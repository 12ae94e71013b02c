package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/overlay"
)

// Times of a connection.
const (
	dialTime  = 10 * time.Second
	retryTime = time.Second
)

// online keeps a session with the server: it connects, and connects again when that
// ends. Nothing of it blocks; what does runs on a goroutine of its own.
type online struct {
	address  string
	name     string
	insecure bool
	player   uint64 // who this is to the server, across sessions
	messages *game.Messages
	controls *controls
	shown    uint8 // buttons that frames since the newest tick have shown
	points   bool  // the player aims at a place in the world
	target   point // that one
	heard    func(*game.Said)

	dialing chan dialed
	client  *systems.Client
	net     *overlay.Overlay
	retry   time.Time
	err     error // why there is no session
	named   bool
}

// dialed is what came of connecting.
type dialed struct {
	wire   netsys.Wire
	server netip.AddrPort
	err    error
}

func newOnline(o *options, in *controls, heard func(*game.Said)) *online {
	return &online{address: o.connect, name: o.name, insecure: o.insecure, player: rand.Uint64() | 1,
		messages: game.NewMessages(), controls: in, heard: heard}
}

// connected reports whether there is a session.
func (o *online) connected() bool { return o.client != nil && o.client.Connected() }

// advance runs the ticks that are due.
func (o *online) advance(now time.Time) {
	if o.client == nil {
		o.connect(now)
		return
	}
	o.client.Advance(now)
	if err := o.client.Err(); err != nil {
		o.drop(now, err)
		return
	}
	if o.client.Connected() && !o.named {
		if _, there := o.client.Own(o.client.World()); !there {
			return // the server cannot name who is not in its world yet
		}
		var r game.Rename
		r.Name.Set(o.name)
		o.named = o.name == "" || o.messages.Rename.Send(o.client.Session().Channels(), &r) == nil
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
	wire, server, err := openWire(ctx, address)
	done <- dialed{wire, server, err}
}

// begin makes a client on a wire.
func (o *online) begin(d dialed) error {
	link, err := netsys.Condition(d.wire, netsys.ConditionerConfig{Seed: rand.Uint64()})
	if err != nil {
		return errors.Join(err, d.wire.Close())
	}
	config := systems.ClientConfig{
		Gather: systems.Gather(o.gather), Partial: systems.Gather(o.peek), ClientID: o.player, InsecureAllowAnyAddress: o.insecure,
		OnMismatch: o.net.Mismatch,
	}
	o.messages.Play(&config, o.heard)
	client, err := systems.NewClient(link, d.server, game.CombatProtocol(), config)
	if err != nil {
		return errors.Join(err, link.Close())
	}
	o.net.Attach(client, link)
	o.client, o.err, o.named = client, nil, false
	return nil
}

// drop ends a session, to try again later.
func (o *online) drop(now time.Time, why error) {
	o.err, o.retry = why, now.Add(retryTime)
	if o.client != nil {
		_ = o.client.Close(now)
	}
	o.client = nil
}

// gather is the input of a tick: what the controls say now, and what they said in a frame
// since the tick before. So a key that is up again before a tick counts, and nothing that a
// frame has shown, a step or a shot, is taken back.
func (o *online) gather(c *systems.Client, in *game.Action) {
	in.Buttons, in.Aim = o.controls.buttons|o.shown, o.aim(c)
	o.shown = 0
	in.Seen = c.Claim(in.Buttons&game.Fire != 0)
}

// peek is the input that a frame between two ticks shows.
func (o *online) peek(c *systems.Client, in *game.Action) {
	o.shown |= o.controls.buttons
	in.Buttons, in.Aim = o.shown, o.aim(c)
}

// aim is the direction to aim in. A shot goes from where the player is at the tick, which
// is not quite where a frame shows it, so at a place in the world it aims from there.
func (o *online) aim(c *systems.Client) uint16 {
	own, ok := c.Own(c.World())
	if !ok || !o.points {
		return o.controls.aim
	}
	at := ecs.Get[components.Position](c.World(), own)
	if at == nil {
		return o.controls.aim
	}
	if dx, dy := float32(o.target.x)-at.X, float32(o.target.y)-at.Y; dx != 0 || dy != 0 {
		return game.Bearing(dx, dy)
	}
	return o.controls.aim
}

// say sends a line of chat.
func (o *online) say(text string) {
	if !o.connected() {
		return
	}
	var s game.Say
	s.Text.Set(text)
	_ = o.messages.Say.Send(o.client.Session().Channels(), &s) // who has too much waiting says nothing
}

// close says goodbye.
func (o *online) close() {
	if o.client != nil {
		_ = o.client.Close(time.Now())
	}
}
