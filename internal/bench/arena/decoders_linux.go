package main

import (
	"container/heap"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/internal/bench/apart"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/websocket"
	"github.com/tactusgo/tactus/systems"
)

// decoders are clients that decode everything, of one goroutine.
type decoders struct {
	order   order
	server  netip.AddrPort
	want    int    // how many there are to be
	queue   []*bot // a heap by when each is due
	check   checker
	speaks  bool     // each sends a reliable message a second, of a server that answers
	ended   []string // why clients lost their sessions in a match with a burst
	started int
	begun   time.Time
}

// bot is one of them.
type bot struct {
	*systems.Client
	pending uint32                      // tick of the state that is to be compared; 0: none
	newest  uint32                      // tick of the newest state seen
	waits   map[components.NetID]uint32 // what came or went and it does not know of, by since when

	said, answered uint64 // messages
	next           time.Time
}

// speak sends a reliable message once a second.
func (b *bot) speak(now time.Time) error {
	if now.Before(b.next) || !b.Connected() {
		return nil
	}
	b.next = now.Add(time.Second)
	b.said++
	return b.Session().Channels().Send(0, []byte("is anybody there"))
}

func (b *decoders) Len() int           { return len(b.queue) }
func (b *decoders) Less(i, j int) bool { return b.queue[i].Next().Before(b.queue[j].Next()) }
func (b *decoders) Swap(i, j int)      { b.queue[i], b.queue[j] = b.queue[j], b.queue[i] }
func (b *decoders) Push(x any)         { b.queue = append(b.queue, x.(*bot)) }
func (b *decoders) Pop() any {
	last := b.queue[len(b.queue)-1]
	b.queue = b.queue[:len(b.queue)-1]
	return last
}

// dial opens the n-th client's wire.
func (b *decoders) dial(ctx context.Context, n int) (w netsys.Wire, err error) {
	if b.order.Transport == "ws" {
		w, err = websocket.Dial(ctx, "ws://"+b.server.String())
	} else {
		w, err = apart.Dial(b.server)
	}
	if err != nil || !b.order.linked() {
		return w, err
	}
	link := b.order.link(n)
	c, err := netsys.Condition(w, netsys.ConditionerConfig{Seed: b.order.Seed<<16 + uint64(n), In: link, Out: link})
	return linked{c}, err
}

// linked is a socket with a link, which does not know when the next datagram comes.
type linked struct{ netsys.Wire }

// add begins with another client.
func (b *decoders) add(ctx context.Context) error {
	wire, err := b.dial(ctx, b.started)
	if err != nil {
		return err
	}
	n, step := b.started, time.Second/time.Duration(b.order.Hz)
	x := &bot{}
	c, err := systems.NewClient(wire, b.server, b.order.variant().Protocol(), systems.ClientConfig{
		Gather: game.NewBot(b.order.Seed, n, b.order.Clients).Gather(), Schedule: systems.Thin,
		Start: time.Now().Add(step * time.Duration(n%b.order.Clients) / time.Duration(b.order.Clients)), ConnectTimeout: time.Minute,
		OnMessage: func(*systems.Client, int, []byte) error { x.answered++; return nil },
	})
	if err != nil {
		return err
	}
	b.started++
	x.Client = c
	heap.Push(b, x)
	return nil
}

// step runs those that are due, and lets another one begin where there are too few; it says when the next is due. The
// error is that of a client that has lost its session.
func (b *decoders) step(ctx context.Context, now time.Time) (next time.Time, err error) {
	if b.begun.IsZero() {
		b.begun = now
	}
	if b.started < b.want && now.Sub(b.begun).Seconds()*rampRate >= float64(b.started) {
		if err := b.add(ctx); err != nil {
			return now, err
		}
	}
	for len(b.queue) > 0 && !b.queue[0].Next().After(now) {
		x := b.queue[0]
		b.check.compare(x)
		x.Advance(now)
		heap.Fix(b, 0)
		err := x.Err()
		if err == nil && b.speaks {
			err = x.speak(now)
		}
		switch {
		case err == nil:
			b.check.note(x)
		case b.order.Burst && len(b.queue) > 1:
			b.ended = append(b.ended, err.Error())
			heap.Remove(b, slices.Index(b.queue, x))
		default:
			return now, fmt.Errorf("client %d: %w", x.ID(), err)
		}
	}
	return b.queue[0].Next(), nil
}

// close ends all sessions.
func (b *decoders) close() {
	now := time.Now()
	for _, x := range b.queue {
		_ = x.Close(now)
	}
}
