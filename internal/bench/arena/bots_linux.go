package main

import (
	"container/heap"
	"context"
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/internal/bench/apart"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/websocket"
	"github.com/tactusgo/tactus/systems"
)

// bots are clients that read everything, on one thread.
type bots struct {
	order   order
	server  netip.AddrPort
	queue   []*bot // a heap by when each is due
	check   checker
	started int
}

// bot is one of them.
type bot struct {
	*systems.Client
	pending uint32 // tick of the state that is to be compared; 0: none
	newest  uint32 // tick of the newest state seen
}

func (b *bots) Len() int           { return len(b.queue) }
func (b *bots) Less(i, j int) bool { return b.queue[i].Next().Before(b.queue[j].Next()) }
func (b *bots) Swap(i, j int)      { b.queue[i], b.queue[j] = b.queue[j], b.queue[i] }
func (b *bots) Push(x any)         { b.queue = append(b.queue, x.(*bot)) }
func (b *bots) Pop() any {
	last := b.queue[len(b.queue)-1]
	b.queue = b.queue[:len(b.queue)-1]
	return last
}

// dial opens a client's wire.
func (b *bots) dial(ctx context.Context) (netsys.Wire, error) {
	if b.order.Transport == "ws" {
		return websocket.Dial(ctx, "ws://"+b.server.String())
	}
	return apart.Dial(b.server)
}

// add begins with another client.
func (b *bots) add(ctx context.Context) error {
	wire, err := b.dial(ctx)
	if err != nil {
		return err
	}
	n, step := b.started, time.Second/time.Duration(b.order.Hz)
	c, err := systems.NewClient(wire, b.server, b.order.variant().Protocol(), systems.ClientConfig{
		Gather: game.NewBot(b.order.Seed, n, b.order.Clients).Gather(), Schedule: systems.Thin,
		Start: time.Now().Add(step * time.Duration(n%b.order.Clients) / time.Duration(b.order.Clients)), ConnectTimeout: time.Minute,
	})
	if err != nil {
		return err
	}
	b.started++
	heap.Push(b, &bot{Client: c})
	return nil
}

// rampEvery is how long it takes for one more client to begin: as many as a server lets in from one address.
const rampEvery = 2 * time.Millisecond

// play plays until ctx ends, or a client has lost its session. More clients begin as long as there are too few.
func (b *bots) play(ctx context.Context) error {
	// Linux bundles sleeps that end within 50 µs of each other, and what the clients send with them.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1000, 0, 0, 0)
	begin := time.Now()
	for ctx.Err() == nil {
		now := time.Now()
		if b.started < b.order.Clients && now.Sub(begin) >= time.Duration(b.started)*rampEvery {
			if err := b.add(ctx); err != nil {
				return err
			}
			continue
		}
		next := b.queue[0].Next()
		if wait := min(next.Sub(now), rampEvery); wait > 0 {
			b.sleep(wait)
			continue
		}
		x := b.queue[0]
		b.check.compare(x)
		x.Advance(now)
		heap.Fix(b, 0)
		if err := x.Err(); err != nil {
			return fmt.Errorf("client %d: %w", x.ID(), err)
		}
		b.check.note(x)
	}
	return nil
}

// sleep waits for the next client's turn.
func (b *bots) sleep(d time.Duration) {
	if b.order.Transport == "ws" {
		time.Sleep(d) // goroutines read the connections meanwhile
		return
	}
	ts := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&ts, nil)
}

// close ends all sessions.
func (b *bots) close() {
	now := time.Now()
	for _, x := range b.queue {
		_ = x.Close(now)
	}
}
