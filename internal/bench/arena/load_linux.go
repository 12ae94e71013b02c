package main

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/internal/bench/apart"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/websocket"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/swarm"
)

// sampled is the number of clients that decode everything.
const sampled = 16

// rampRate is the number of clients that begin to connect per second.
const rampRate = 500

// load is the clients of a match: a swarm stepped by one goroutine.
type load struct {
	swarm *swarm.Swarm
	check checker
	bots  map[int]*bot // clients that decode, by number
	talks bool         // each bot sends a reliable message per second
	asked chan func()
}

// newLoad creates the clients of a server.
func newLoad(ctx context.Context, o order, server netip.AddrPort, t *truths) (*load, error) {
	l := &load{asked: make(chan func()), bots: make(map[int]*bot)}
	l.check = checker{truths: t, grid: o.Interest == "grid", has: make(map[components.NetID]bool)}
	c := swarm.Config{
		Protocol: o.variant().Protocol, Addr: server.String(), Transport: swarm.UDP, Clients: o.Clients, Thin: min(sampled, o.Clients),
		Ramp: rampRate, Input: walk(o.Seed, o.Clients), OnTick: l.beforeTick,
		Client: func(n int, c *systems.ClientConfig) {
			c.Session.OnMessage = func(*systems.Client, int, []byte) error { l.bot(n).answered++; return nil }
		},
	}
	if o.Transport == "ws" {
		c.Transport, c.Sockets = swarm.WebSocket, o.Clients
	}
	if o.linked() {
		c.Wire = func(n int) (netsys.Wire, error) { return o.dial(ctx, server, n) }
	}
	var err error
	l.swarm, err = swarm.New(ctx, c)
	return l, err
}

// walk returns the inputs of all clients: those of the arena's bots, determined by the seed.
func walk(seed uint64, clients int) swarm.InputFunc {
	return swarm.Input(func(n int) func(*swarm.Player, *game.Input) {
		bot := game.NewBot(seed, n, clients)
		return func(p *swarm.Player, in *game.Input) { *in = bot.Next(p.TickRate) }
	})
}

// dial opens the transport of client n, with its link.
func (o *order) dial(ctx context.Context, server netip.AddrPort, n int) (w netsys.Wire, err error) {
	if o.Transport == "ws" {
		w, err = websocket.Dial(ctx, "ws://"+server.String())
	} else {
		w, err = apart.Dial(server)
	}
	if err != nil {
		return nil, err
	}
	link := o.link(n)
	c, err := netsys.Condition(w, netsys.ConditionerConfig{Seed: o.Seed<<16 + uint64(n), In: link, Out: link})
	return linked{c}, err
}

// linked is a socket behind a link. It hides NextDue.
type linked struct{ netsys.Wire }

// bot returns client n, which decodes.
func (l *load) bot(n int) *bot {
	b := l.bots[n]
	if b == nil {
		b = &bot{}
		l.bots[n] = b
	}
	return b
}

// beforeTick checks the client's state after its previous tick; the server's state has arrived by now. It also sends the
// messages.
func (l *load) beforeTick(n int, c *systems.Client) {
	b := l.bot(n)
	b.Client = c
	l.check.check(b)
	if now := time.Now(); l.talks && c.Connected() && !now.Before(b.next) {
		b.next = now.Add(time.Second)
		if c.Session().Channels().Send(0, []byte("is anybody there")) == nil {
			b.said++
		}
	}
}

// play plays until ctx ends.
func (l *load) play(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case f := <-l.asked:
			f()
		default:
		}
		if now := time.Now(); !l.swarm.Next().After(now) {
			l.swarm.Step(now)
		}
		time.Sleep(time.Until(l.swarm.Next()))
	}
}

// sent is the clients' figures.
type sent struct {
	verified verified
	swarm    *swarm.Report // since the start of the measurement
	thin     int           // clients that decode

	said, answered uint64 // reliable messages of the bots
}

// talk makes the bots send messages, or stops them.
func (l *load) talk(ctx context.Context, on bool) error {
	select {
	case l.asked <- func() { l.talks = on }:
		return nil
	case <-ctx.Done():
		return errEnded
	}
}

// readFigures returns the figures between two steps. measure starts a new measurement.
func (l *load) readFigures(ctx context.Context, measure bool) (s sent, err error) {
	done := make(chan struct{})
	look := func() {
		defer close(done)
		s.verified, s.thin = l.check.verified, len(l.bots)
		for _, b := range l.bots {
			s.said, s.answered = s.said+b.said, s.answered+b.answered
		}
		now := time.Now()
		l.swarm.Look(now)
		s.swarm = l.swarm.Report()
		if measure {
			l.swarm.Measure(now)
		}
	}
	select {
	case l.asked <- look:
		<-done
		return s, nil
	case <-ctx.Done():
		return s, errEnded
	}
}

// lost returns an error with the reasons if clients are missing.
func (s *sent) lost() error {
	if r := s.swarm; r.Refused+r.Lost > 0 {
		return fmt.Errorf("%w: %d were not let in and %d were lost: %v", errMissing, r.Refused, r.Lost, r.Reasons)
	}
	return nil
}

// close ends all sessions.
func (l *load) close() { _ = l.swarm.Close(time.Now()) }
