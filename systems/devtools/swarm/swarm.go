package swarm

import (
	"context"
	"errors"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// Swarm is a set of clients of one server. It belongs to one goroutine. Make it with [New], or call [Run].
type Swarm struct {
	config Config
	shards []*shard
	cancel context.CancelFunc
	next   time.Time
	joined int // by Join
	closed bool
}

// New creates the clients. They connect in [Swarm.Step]. The error wraps [ErrConfig], or reports an unusable server address
// or too few sockets.
func New(ctx context.Context, c Config) (*Swarm, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	s := &Swarm{config: c.filled()}
	if s.config.Rooms != nil {
		h, err := openRooms(ctx, &s.config)
		if err != nil {
			return nil, err
		}
		s.config.roomSet, s.config.Addr, s.config.Token = h, h.addr, h.seatToken
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

// Join connects a client of a swarm with Config.OnDemand and returns its number. token is nil in development mode.
// [Swarm.Leave] frees the number; call it even if the session ended for another reason.
func (s *Swarm) Join(now time.Time, token *netcode.ConnectToken) (n int, err error) {
	s.joined++
	return s.shards[s.joined%len(s.shards)].join(now, token)
}

// Leave ends the session of a client of a swarm with Config.OnDemand. Do not call it from the swarm's callbacks.
func (s *Swarm) Leave(now time.Time, n int) {
	for _, x := range s.shards {
		if n >= x.first && n < x.first+len(x.clients) {
			x.leave(now, n-x.first)
		}
	}
}

// quantum is the step interval of a swarm: short enough to spread clients over a tick and to process arrivals quickly.
const quantum = time.Millisecond

// Step receives for all clients, starts the clients that are due, runs the ticks of the others, and sends. It never blocks.
// Use it to run a swarm without [Run], from one goroutine for any number of Threads, whenever [Swarm.Next] has come. now
// must come from time.Now, unless Config.Wire uses another clock.
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

// Next returns when the next step is due.
func (s *Swarm) Next() time.Time { return s.next }

// Settled reports whether every client has connected or failed.
func (s *Swarm) Settled() bool {
	for _, x := range s.shards {
		if !x.settled() {
			return false
		}
	}
	return true
}

// Measure starts a new measurement.
func (s *Swarm) Measure(now time.Time) {
	for _, x := range s.shards {
		x.restart(now)
	}
}

// Look updates the figures of [Swarm.Report].
func (s *Swarm) Look(now time.Time) {
	for _, x := range s.shards {
		x.publish(now)
	}
}

// Close ends all sessions. A second call has no effect.
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
