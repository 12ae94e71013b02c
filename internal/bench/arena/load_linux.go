package main

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/internal/bench/bots"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/devtools/swarm"
)

// sampled is how many clients decode everything.
const sampled = 16

// rampRate is how many clients a second begin to connect.
const rampRate = 500

// load is all clients, on one goroutine: a few that decode everything, and a swarm of blind ones.
type load struct {
	thin    decoders
	blind   *swarm.Swarm // nil: all decode
	witness *witness
	asked   chan func()
}

// newLoad makes the clients of a server.
func newLoad(ctx context.Context, o order, server netip.AddrPort, t *truths) (*load, error) {
	l := &load{asked: make(chan func())}
	thin := min(sampled, o.Clients)
	l.thin = decoders{order: o, server: server, want: thin, check: checker{truths: t, grid: o.Interest == "grid", has: make(map[components.NetID]bool)}}
	l.witness = newWitness(o.variant().Protocol(), o.Hz, o.Clients, t)
	l.thin.check.groups = l.witness.groups
	if thin == o.Clients {
		return l, nil
	}
	c := swarm.Config{
		Protocol: o.variant().Protocol, Addr: server.String(), Transport: swarm.UDP, Clients: o.Clients - thin, Ramp: rampRate,
		Input: bots.Walk(o.Seed, thin, o.Clients), OnBody: l.witness.body,
	}
	if o.Transport == "ws" {
		c.Transport, c.Sockets = swarm.WebSocket, o.Clients
	}
	if o.linked() {
		c.Wire = func(n int) (netsys.Wire, error) { return l.thin.dial(ctx, thin+n) }
	}
	var err error
	l.blind, err = swarm.New(ctx, c)
	return l, err
}

// play plays until ctx ends, or a client has lost its session.
func (l *load) play(ctx context.Context) error {
	for ctx.Err() == nil {
		select {
		case f := <-l.asked:
			f()
		default:
		}
		now := time.Now()
		next, err := l.thin.step(ctx, now)
		if err != nil {
			return err
		}
		if l.blind != nil {
			if !l.blind.Next().After(now) {
				l.blind.Step(now)
			}
			if t := l.blind.Next(); t.Before(next) {
				next = t
			}
		}
		time.Sleep(min(time.Until(next), time.Millisecond))
	}
	return nil
}

// sent is what clients have sent and what came of what they heard, since they began.
type sent struct {
	datagrams uint64
	malformed uint64 // messages that those who decode could not read
	verified  verified
	witnessed witnessed
	blind     *swarm.Report // since measuring began; nil: none

	said, answered uint64   // reliable messages of those who decode
	ended          []string // why these lost their sessions, in a match with a burst
}

// speak lets those who decode send messages, or lets them be silent.
func (l *load) speak(ctx context.Context, on bool) error {
	select {
	case l.asked <- func() { l.thin.speaks = on }:
		return nil
	case <-ctx.Done():
		return errEnded
	}
}

// look looks, between two steps; measure says that a measurement begins.
func (l *load) look(ctx context.Context, measure bool) (s sent, err error) {
	done := make(chan struct{})
	look := func() {
		defer close(done)
		s.ended = l.thin.ended
		s.verified, s.witnessed = l.thin.check.verified, l.witness.witnessed
		for _, b := range l.thin.queue {
			st := b.Stats()
			s.datagrams += st.Session.DatagramsOut
			s.malformed += st.MalformedMessages
			s.said, s.answered = s.said+b.said, s.answered+b.answered
		}
		if l.blind == nil {
			return
		}
		now := time.Now()
		l.blind.Look(now)
		s.blind = l.blind.Report()
		if measure {
			l.blind.Measure(now)
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

// lost says why clients are missing, nil where none is.
func (s *sent) lost() error {
	if s.blind != nil && s.blind.Refused+s.blind.Lost > 0 {
		return fmt.Errorf("%w: %d were not let in and %d were lost: %v", errMissing, s.blind.Refused, s.blind.Lost, s.blind.Reasons)
	}
	return nil
}

// close ends all sessions.
func (l *load) close() {
	l.thin.close()
	if l.blind != nil {
		_ = l.blind.Close(time.Now())
	}
}
