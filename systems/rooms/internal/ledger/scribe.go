package ledger

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// lookTime is between two looks at what is to be written.
	lookTime = 20 * time.Millisecond
	// patientTime is how long one write may wait.
	patientTime = 2 * time.Second
	// againTime is after how long what could not be written is tried again.
	againTime = 500 * time.Millisecond
	// warnInterval is how often the log repeats that nothing can be written.
	warnInterval = 10 * time.Second
	// renewTime is between the times at which a process says that it is there.
	renewTime = time.Second
)

// Config configures a [Scribe]. All fields are needed.
type Config struct {
	// Directory is where to write.
	Directory Directory
	// Process is the name of the process.
	Process string
	// Drawn says that the name was drawn, so that no other process ever has it: no record of its epochs is kept.
	Drawn bool
	// Own is what the process says of itself under an epoch.
	Own func(epoch uint64) any
	// Say is what somebody says under a key now, or, where says is false, has to take back.
	Say func(key string, by any) (what Saying, says bool)
	// All marks all that is to be said.
	All func(mark func(key string, by any))
	// Told is told when the claim ends, and when there is one again.
	Told func(fenced bool)
	// Prefixes are what the keys begin with of what has a [Holder].
	Prefixes []string
	// Stay is how long it stays after its holder has gone.
	Stay time.Duration
	// Now is the time of day.
	Now func() time.Time
	// Logger is told what is not written, and why.
	Logger *slog.Logger
}

// Scribe writes what a process says, when it changes, and while the process has a claim to its name. Its methods may be
// called from any goroutine, but for Run, Flush and Last, which one calls.
type Scribe struct {
	config  Config
	claim   *Claim
	ledger  *Ledger
	sweeper sweeper

	mu    sync.Mutex
	dirty map[string]any // what is to be written, by key: whose word it is

	renewed time.Time // when it was last said that the process is there
	waits   time.Time // nothing is written before
	warned  time.Time // when the log last said that nothing can be written; zero: it can
	fenced  bool      // and told
	errors  atomic.Uint64
}

// NewScribe makes a scribe that has written nothing.
func NewScribe(c Config) *Scribe {
	claim := NewClaim(c.Directory, c.Now, Prefix+c.Process, c.Process, c.Drawn)
	ledger := New(c.Directory, claim)
	return &Scribe{
		config: c, claim: claim, ledger: ledger, dirty: make(map[string]any),
		sweeper: sweeper{directory: c.Directory, claim: claim, ledger: ledger, process: c.Process, prefixes: c.Prefixes, stay: c.Stay},
	}
}

// Claim is the claim of the process to its name.
func (s *Scribe) Claim() *Claim { return s.claim }

// Ledger is what was written.
func (s *Scribe) Ledger() *Ledger { return s.ledger }

// Mark notes that somebody has something to say under a key, or to take back.
func (s *Scribe) Mark(key string, by any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dirty[key] = by
}

// Stir notes that the process has something to say of itself.
func (s *Scribe) Stir() { s.Mark(Prefix+s.config.Process, nil) }

// Run writes until ctx ends, and then takes everything back.
func (s *Scribe) Run(ctx context.Context, done chan<- struct{}) {
	defer close(done)
	t := time.NewTicker(lookTime)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			s.Last()
			return
		case <-t.C:
			s.Flush(ctx, s.config.Now())
		}
	}
}

// Last takes back all that the process has said: that it is there last, so that nobody claims what it has.
func (s *Scribe) Last() {
	ctx, stop := context.WithTimeout(context.Background(), patientTime)
	defer stop()
	all := s.ledger.Said()
	for _, key := range slices.Sorted(maps.Keys(all)) {
		what, _ := s.config.Say(key, all[key])
		if s.ledger.TakeBack(ctx, key, all[key], what) != nil {
			break // others sweep it
		}
	}
	_ = s.claim.Resign(ctx) // its lease ends it, too
}

// Flush writes what has changed, in the order of keys; while the process has no claim, nothing.
func (s *Scribe) Flush(ctx context.Context, now time.Time) {
	s.tell()
	if now.Before(s.waits) {
		return
	}
	err := s.renew(ctx, now)
	if err == nil {
		err = s.changes(ctx)
	}
	if err == nil {
		err = s.sweeper.sweep(ctx, now)
	}
	s.tell()
	if err == nil {
		s.warned = time.Time{}
		return
	}
	s.waits = now.Add(againTime)
	if ctx.Err() != nil {
		return
	}
	s.errors.Add(1)
	if s.warned.IsZero() || now.Sub(s.warned) >= warnInterval {
		s.warned = now
		s.config.Logger.Warn("the process cannot write to the directory; its rooms continue", "process", s.config.Process, "error", err)
	}
}

// Errors returns how often writing to the directory has failed. It may be called from any goroutine.
func (s *Scribe) Errors() uint64 { return s.errors.Load() }

// renew says that the process is there, where that is due.
func (s *Scribe) renew(ctx context.Context, now time.Time) error {
	key := Prefix + s.config.Process
	s.mu.Lock()
	_, stirred := s.dirty[key]
	delete(s.dirty, key)
	s.mu.Unlock()
	if !stirred && s.claim.Current() != 0 && now.Sub(s.renewed) < renewTime {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, patientTime)
	defer stop()
	anew, err := s.claim.Renew(ctx, s.config.Own)
	if err != nil {
		s.Stir()
		return err
	}
	s.renewed = now
	if anew { // what was said under a claim of before holds no more
		s.config.All(s.Mark)
	}
	return nil
}

// changes writes what has changed. What could not be written waits.
func (s *Scribe) changes(ctx context.Context) error {
	s.mu.Lock()
	dirty := s.dirty
	if len(dirty) == 0 {
		s.mu.Unlock()
		return nil
	}
	s.dirty = make(map[string]any, len(dirty))
	s.mu.Unlock()
	var failed error
	for _, key := range slices.Sorted(maps.Keys(dirty)) {
		if failed == nil {
			failed = s.renew(ctx, s.config.Now()) // a long list takes longer than a lease
		}
		if failed == nil {
			failed = s.write(ctx, key, dirty[key])
		}
		if failed != nil {
			s.again(key, dirty[key])
		}
	}
	return failed
}

// write writes what is to be said under a key, or takes it back.
func (s *Scribe) write(ctx context.Context, key string, by any) error {
	ctx, stop := context.WithTimeout(ctx, patientTime)
	defer stop()
	what, says := s.config.Say(key, by)
	if says {
		return s.ledger.Write(ctx, key, by, what)
	}
	return s.ledger.TakeBack(ctx, key, by, what)
}

// again notes what could not be written.
func (s *Scribe) again(key string, by any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, newer := s.dirty[key]; !newer {
		s.dirty[key] = by
	}
}

// tell tells when the claim ends, and when there is one again.
func (s *Scribe) tell() {
	fenced := s.claim.Ended()
	if fenced == s.fenced {
		return
	}
	s.fenced = fenced
	if fenced {
		s.config.Logger.Warn("the process could not say in the directory that it is there: its rooms are orphaned", "process", s.config.Process)
	} else {
		s.config.Logger.Info("the process is in the directory again", "process", s.config.Process, "epoch", s.claim.Current())
	}
	s.config.Told(fenced)
}
