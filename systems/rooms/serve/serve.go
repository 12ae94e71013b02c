package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	defaultStuck = 30 * time.Second
	// lookTime is between looks at rooms of a process that drains.
	lookTime = 100 * time.Millisecond
	// lastTime is how long what ran beside the rooms may take to end.
	lastTime = 5 * time.Second
)

var (
	// ErrCut: rooms were ended that had not ended by themselves, by a second signal or at the deadline.
	ErrCut = errors.New("serve: rooms were ended before their time")
	// ErrConfig is wrapped by the error of a configuration that cannot be.
	ErrConfig = errors.New("serve: bad configuration")
)

// Config configures [Run]. The zero value is right for a process of its own.
type Config struct {
	// Deadline is how long rooms may go on from the first signal; then they are ended, and their players hear
	// netsys.ReasonServerClosing. Default (0): until they end by themselves.
	Deadline time.Duration
	// Stuck is after how long a drain does not wait any more for a room that does not come to the end of its tick.
	// Default (0): 30 s.
	Stuck time.Duration
	// Beside run while the rooms do, each on a goroutine: HTTP, a lobby. Their context ends when the rooms have ended,
	// and they have 5 s to return. One that returns an error before ends the process at once.
	Beside []func(ctx context.Context) error
	// Signals make it drain, and the second one ends it. Default (nil): SIGTERM and interrupt, while Run runs.
	Signals <-chan os.Signal
	// Logger receives when a drain begins and ends. Default (nil): none.
	Logger *slog.Logger
}

// Validate returns an error that wraps [ErrConfig] and says what is out of range.
func (c Config) Validate() error {
	var errs []error
	if c.Deadline < 0 {
		errs = append(errs, fmt.Errorf("%w: Deadline %v is negative", ErrConfig, c.Deadline))
	}
	if c.Stuck < 0 {
		errs = append(errs, fmt.Errorf("%w: Stuck %v is negative", ErrConfig, c.Stuck))
	}
	for i, f := range c.Beside {
		if f == nil {
			errs = append(errs, fmt.Errorf("%w: Beside[%d] is nil", ErrConfig, i))
		}
	}
	return errors.Join(errs...)
}

// Run serves until a signal, and then until all rooms have ended: then it returns nil. Where somebody else drains the
// server, by [rooms.Server.Drain], it returns then, too. When ctx ends, it ends all rooms at once, which is no error. The
// error wraps [ErrCut] where rooms were ended before their time, rooms.ErrStuck where one did not answer, ErrConfig, or
// is that of rooms.Server.Run or of what ran beside.
func Run(ctx context.Context, server *rooms.Server, c Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	c.Stuck = cmp.Or(c.Stuck, defaultStuck)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Signals == nil {
		signals := make(chan os.Signal, 2)
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
		defer signal.Stop(signals)
		c.Signals = signals
	}
	all, end := context.WithCancel(ctx)
	defer end()
	served := make(chan error, 1)
	go func() { served <- server.Run(all) }()
	beside, left := c.beside(ctx)
	why := c.wait(all, server, served, beside)
	end()
	err := <-served
	left()
	return errors.Join(why, err)
}

// wait waits for the end, and drains. The error is why rooms are cut short.
func (c Config) wait(ctx context.Context, server *rooms.Server, served chan error, beside <-chan error) error {
	var deadline <-chan time.Time
	look := time.NewTicker(lookTime)
	defer look.Stop()
	for signals := 0; ; {
		select {
		case err := <-served: // it could not begin, or ctx has ended
			served <- err
			return nil
		case <-ctx.Done():
			return nil
		case err := <-beside:
			return err
		case <-server.Drained():
			c.Logger.Info("drained")
			return nil
		case <-deadline:
			return c.cut(server, "the deadline")
		case <-look.C:
			if server.Draining() && c.stuck(server) {
				return c.cut(server, "no more than rooms that are stuck")
			}
		case s := <-c.Signals:
			if signals++; signals > 1 {
				return c.cut(server, "the second signal")
			}
			c.Logger.Info("draining: no new players; a second signal ends at once", "signal", s, "rooms", len(server.Rooms()), "deadline", c.Deadline)
			server.Drain()
			if c.Deadline > 0 {
				t := time.NewTimer(c.Deadline)
				defer t.Stop()
				deadline = t.C
			}
		}
	}
}

// stuck reports whether all rooms that are left have been stuck for too long.
func (c Config) stuck(server *rooms.Server) bool {
	left := server.Rooms()
	for _, r := range left {
		if r.Info().Stuck < c.Stuck {
			return false
		}
	}
	return len(left) > 0
}

// cut is the error about the rooms that are left, nil where there are none.
func (c Config) cut(server *rooms.Server, why string) error {
	players, left := 0, server.Rooms()
	if len(left) == 0 {
		return nil
	}
	for _, r := range left {
		players += r.Info().Taken
	}
	c.Logger.Warn("rooms are ended before their time", "why", why, "rooms", len(left), "players", players)
	return fmt.Errorf("%w: %s, with %d rooms and %d players", ErrCut, why, len(left), players)
}

// beside starts what runs beside. The channel has the first error; left waits for all to return, for a while.
func (c Config) beside(ctx context.Context) (failed chan error, left func()) {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	failed = make(chan error, 1)
	var running sync.WaitGroup
	for _, f := range c.Beside {
		running.Go(func() {
			if err := f(ctx); err != nil && ctx.Err() == nil {
				select {
				case failed <- err:
				default: // the first one tells enough
				}
			}
		})
	}
	return failed, func() {
		stop()
		gone := make(chan struct{})
		go func() { running.Wait(); close(gone) }()
		patience := time.NewTimer(lastTime)
		defer patience.Stop()
		select {
		case <-gone:
		case <-patience.C:
			c.Logger.Warn("what runs beside the rooms does not end")
		}
	}
}
