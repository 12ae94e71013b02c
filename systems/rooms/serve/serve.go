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
	// stuckInterval is how often a process that drains looks for stuck rooms.
	stuckInterval = 100 * time.Millisecond
	// besideTimeout is how long the functions beside the rooms may take to return.
	besideTimeout = 5 * time.Second
)

var (
	// ErrCut: rooms were ended by a second signal, at the deadline, or because they were stuck.
	ErrCut = errors.New("serve: rooms were ended before their time")
	// ErrConfig is wrapped by the errors of invalid configurations.
	ErrConfig = errors.New("serve: bad configuration")
)

// Config configures [Run]. The zero value is a useful default.
type Config struct {
	// Deadline is how long rooms may go on after the first signal. Then they are ended with netsys.ReasonServerClosing. Default
	// (0): no limit.
	Deadline time.Duration
	// Stuck is how long a drain waits for a tick that does not end. Default (0): 30 s.
	Stuck time.Duration
	// Beside are functions that run beside the rooms, each on its own goroutine, such as HTTP servers. Their context ends when
	// the rooms have ended; then they have 5 s to return. If one returns an error earlier, Run ends immediately.
	Beside []func(ctx context.Context) error
	// Saved: the rooms have a Store, and continue in the next process. Then the first signal saves and ends them without a drain. The
	// context of the functions beside ends at the same time, so players who request their seats again wait for the next process.
	// Default (false): the first signal drains.
	Saved bool
	// Signals has the signals: the first drains, the second ends. Default (nil): SIGTERM and interrupt.
	Signals <-chan os.Signal
	// Logger receives the start and the end of a drain. Default (nil): none.
	Logger *slog.Logger
}

// Validate returns an error that wraps [ErrConfig] and names the fields that are out of range.
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

// Run serves until a signal drains the server, or another caller drains it by [rooms.Server.Drain], and all rooms have ended. Then it
// returns nil. When ctx ends, it ends all rooms immediately and returns nil. The error wraps [ErrCut] if rooms were ended early,
// rooms.ErrStuck if a room was stuck, or ErrConfig, or is that of rooms.Server.Run or of a function beside.
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
	beside, stop, left := c.beside(ctx)
	why := c.wait(all, server, served, beside)
	if c.Saved {
		stop()
	}
	end()
	err := <-served
	stop()
	left()
	return errors.Join(why, err)
}

// wait waits for the end, and drains. Its error is the reason why rooms are ended early.
func (c Config) wait(ctx context.Context, server *rooms.Server, served chan error, beside <-chan error) error {
	var deadline <-chan time.Time
	look := time.NewTicker(stuckInterval)
	defer look.Stop()
	for signals := 0; ; {
		select {
		case err := <-served: // it could not start, or ctx has ended
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
			if c.Saved {
				c.Logger.Info("ending: the rooms are saved and continue in the next process", "signal", s, "rooms", len(server.Rooms()))
				return nil
			}
			if signals++; signals > 1 {
				return c.cut(server, "the second signal")
			}
			left := len(server.Rooms())
			server.Drain() // what the log says is true from then on
			c.Logger.Info("draining: no new players; a second signal ends at once", "signal", s, "rooms", left, "deadline", c.Deadline)
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

// cut returns the error about the rooms that are left, nil if there are none.
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

// beside starts the functions beside the rooms. The channel receives the first error; stop ends their context, and left waits for all of
// them, up to besideTimeout.
func (c Config) beside(ctx context.Context) (failed chan error, stop, left func()) {
	ctx, stop = context.WithCancel(context.WithoutCancel(ctx))
	failed = make(chan error, 1)
	var running sync.WaitGroup
	for _, f := range c.Beside {
		running.Go(func() {
			if err := f(ctx); err != nil && ctx.Err() == nil {
				select {
				case failed <- err:
				default: // only the first error counts
				}
			}
		})
	}
	return failed, stop, func() {
		gone := make(chan struct{})
		go func() { running.Wait(); close(gone) }()
		patience := time.NewTimer(besideTimeout)
		defer patience.Stop()
		select {
		case <-gone:
		case <-patience.C:
			c.Logger.Warn("a function beside the rooms does not return")
		}
	}
}
