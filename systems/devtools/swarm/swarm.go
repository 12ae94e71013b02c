package swarm

import (
	"context"
	"errors"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// Swarm is many clients of one server. It belongs to one goroutine; make it with [New], or let [Run] do all.
type Swarm struct {
	config Config
	shards []*shard
	cancel context.CancelFunc
	next   time.Time
	joined int // by Join
	closed bool
}

// New makes the clients; they connect with the steps. The error wraps [ErrConfig], or says why the server's address cannot
// be used, or that there are more clients than sockets.
func New(ctx context.Context, c Config) (*Swarm, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	s := &Swarm{config: c.filled()}
	if s.config.Rooms != nil {
		h, err := openHouse(ctx, &s.config)
		if err != nil {
			return nil, err
		}
		s.config.house, s.config.Addr, s.config.Token = h, h.addr, h.take
	}
	ctx, s.cancel = context.WithCancel(ctx)
	n := s.config.Threads
	for i := range n {
		first, end := i*s.config.Clients/n, (i+1)*s.config.Clients/n
		sockets := s.config.Sockets
		if sockets > 0 {
			sockets = max(sockets*(end-first)/s.config.Clients, 1)
		}
		x, err := newShard(ctx, &s.config, first, end-first, sockets)
		if err != nil {
			return nil, errors.Join(err, s.Close(time.Now()))
		}
		s.shards = append(s.shards, x)
	}
	return s, nil
}

// Join lets a client of a swarm with Config.OnDemand connect, with a token, or nil in development mode, and returns its
// number. The number is free again after [Swarm.Leave], also where the session ended otherwise.
func (s *Swarm) Join(now time.Time, token *netcode.ConnectToken) (n int, err error) {
	s.joined++
	return s.shards[s.joined%len(s.shards)].join(now, token)
}

// Leave says goodbye for a client of a swarm with Config.OnDemand. Do not call it from the swarm's callbacks.
func (s *Swarm) Leave(now time.Time, n int) {
	for _, x := range s.shards {
		if n >= x.first && n < x.first+len(x.clients) {
			x.leave(now, n-x.first)
		}
	}
}

// quantum is how often a swarm steps: often enough that clients are spread over the tick, and arrivals do not wait.
const quantum = time.Millisecond

// Step does what is due: it receives for all clients, lets those connect whose turn it is, runs the ticks of the others, and
// sends. now must come from time.Now, unless the wires know no other clock. It never blocks. It is for those who drive a swarm themselves, from one goroutine
// whatever the Threads; call it when [Swarm.Next] has come.
func (s *Swarm) Step(now time.Time) {
	for _, x := range s.shards {
		began := time.Now()
		due := s.next
		if due.IsZero() {
			due = now
		}
		x.step(now)
		x.load.step(due, now, now.Add(time.Since(began)))
	}
	s.next = now.Add(quantum)
}

// Next is when the next step is due.
func (s *Swarm) Next() time.Time { return s.next }

// Settled reports whether every client is in, or never will be.
func (s *Swarm) Settled() bool {
	for _, x := range s.shards {
		if !x.settled() {
			return false
		}
	}
	return true
}

// Measure makes figures count from here on.
func (s *Swarm) Measure(now time.Time) {
	for _, x := range s.shards {
		x.restart(now)
	}
}

// Look brings what [Swarm.Report] says up to date.
func (s *Swarm) Look(now time.Time) {
	for _, x := range s.shards {
		x.publish(now)
	}
}

// Close says goodbye for all clients. Closing twice is harmless.
func (s *Swarm) Close(now time.Time) error {
	if s.closed {
		return nil
	}
	s.closed = true
	s.cancel()
	var errs []error
	for _, x := range s.shards {
		errs = append(errs, x.close(now))
	}
	return errors.Join(errs...)
}
