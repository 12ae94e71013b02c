package swarm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Run connects all clients, waits for the connections and the warm-up, measures for Config.Duration and closes the
// sessions. If ctx ends earlier, it returns the results so far. The error is that of [New], or the reason why no client
// could connect.
func Run(ctx context.Context, c Config) (*Report, error) {
	s, err := New(ctx, c)
	if err != nil {
		return nil, err
	}
	x := &running{swarm: s}
	var wg sync.WaitGroup
	inner, stop := context.WithCancel(ctx)
	defer stop()
	for _, shard := range s.shards {
		wg.Go(func() { x.pace(inner, shard) })
	}
	x.watch(ctx)
	stop()
	wg.Wait()
	r := s.Report()
	err = s.Close(time.Now())
	if r.Connected == 0 && r.Lost == 0 && ctx.Err() == nil {
		err = errors.Join(fmt.Errorf("swarm: none of %d clients was let in by %s: %w", s.config.Clients, s.config.Addr, s.cause()), err)
	}
	return r, err
}

// running is a swarm whose shards run in their own goroutines.
type running struct {
	swarm   *Swarm
	measure atomic.Bool // the measurement has started
}

// pace steps a shard until ctx ends.
func (x *running) pace(ctx context.Context, s *shard) {
	measuring := false
	for due := time.Now(); ctx.Err() == nil; {
		began := time.Now()
		if d := due.Sub(began); d > 0 {
			time.Sleep(d)
			continue
		}
		if !measuring && x.measure.Load() {
			measuring = true
			s.restart(began)
		}
		s.step(began)
		ended := time.Now()
		s.load.step(due, began, ended)
		if due = due.Add(quantum); due.Before(ended) {
			due = ended
		}
	}
	s.publish(time.Now())
}

// watch waits for the clients, then until the end of the measurement.
func (x *running) watch(ctx context.Context) {
	t := time.NewTicker(50 * time.Millisecond)
	defer t.Stop()
	c := &x.swarm.config
	var in, shown time.Time
	rows := &table{out: c.Progress}
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-t.C:
			if in.IsZero() && x.settled() {
				if in = now; x.swarm.Report().Connected == 0 {
					return
				}
			}
			if !in.IsZero() && now.Sub(in) >= c.Warmup {
				x.measure.Store(true)
			}
			if now.Sub(shown) >= time.Second && c.Progress != nil {
				shown = now
				phase := "ramp"
				switch {
				case x.measure.Load():
					phase = "measuring"
				case !in.IsZero():
					phase = "warm-up"
				}
				rows.row(phase, x.swarm.Report())
			}
			if !in.IsZero() && now.Sub(in) >= c.Warmup+c.Duration {
				return
			}
		}
	}
}

// settled reports whether every client has connected or failed.
func (x *running) settled() bool {
	for _, s := range x.swarm.shards {
		s.mu.Lock()
		settled := s.published.settled
		s.mu.Unlock()
		if !settled {
			return false
		}
	}
	return true
}

// cause returns the error of the first client that could not connect.
func (s *Swarm) cause() error {
	for _, x := range s.shards {
		x.mu.Lock()
		cause := x.published.figures.cause
		x.mu.Unlock()
		if cause != nil {
			return cause
		}
	}
	return errors.New("no client tried to connect")
}
