package fleet

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
	// flushInterval is the interval for writing changes.
	flushInterval = 20 * time.Millisecond
	// writeTimeout is the timeout of one write.
	writeTimeout = 2 * time.Second
	// rewriteInterval is the pause after a failed write.
	rewriteInterval = 500 * time.Millisecond
	// warnInterval is the interval of log messages about failing writes.
	warnInterval = 10 * time.Second
	// renewInterval is how often a process renews its entry.
	renewInterval = time.Second
)

// publisherConfig configures a [publisher]. All fields are required.
type publisherConfig struct {
	directory Directory
	process   string
	unique    bool // the name is random
	// entry returns the record of the process under an epoch.
	entry func(epoch uint64) any
	// publication returns the record of a source. exists is false if the record must be removed.
	publication func(source any) (p publication, exists bool)
	// kept reports whether a record stays when the process ends.
	kept func(source any) bool
	// markAll marks all records of the process as changed.
	markAll func(mark func(key string, source any))
	// fenced is called when the claim to the name ends and when a new one begins.
	fenced func(fenced bool)
	now    func() time.Time
	logger *slog.Logger
}

// publisher writes the records of a process to the directory when they change, while the process holds the claim to its
// name. Any goroutine may call its methods, but only one at a time may call run, flush and withdrawAll.
type publisher struct {
	publisherConfig
	claim   *claim
	records *ownRecords
	sweeper sweeper

	mu    sync.Mutex
	dirty map[string]any // sources of changed records, by key

	renewed  time.Time // when the process entry was last written
	waits    time.Time // no writes before this time
	warned   time.Time // latest log message about failing writes; zero: writes succeed
	wasEnded bool      // the claim had ended at the last check
	errors   atomic.Uint64
}

func newPublisher(c publisherConfig) *publisher {
	claim := newClaim(c.directory, c.now, ProcessKey(c.process), c.process, c.unique)
	records := newOwnRecords(c.directory, claim)
	return &publisher{
		publisherConfig: c, claim: claim, records: records, dirty: make(map[string]any),
		sweeper: sweeper{directory: c.directory, claim: claim, records: records, process: c.process},
	}
}

// mark records that a record has changed.
func (p *publisher) mark(key string, source any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dirty[key] = source
}

// markProcess records that the process entry has changed.
func (p *publisher) markProcess() { p.mark(ProcessKey(p.process), nil) }

// run writes until ctx ends, then withdraws all records.
func (p *publisher) run(ctx context.Context) {
	t := time.NewTicker(flushInterval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			p.withdrawAll()
			return
		case <-t.C:
			p.flush(ctx, p.now())
		}
	}
}

// withdrawAll removes the records of the process, except those that are kept. It removes the process entry last, because other processes may claim
// rooms whose process has no entry. Sweepers of other processes remove records that withdrawAll could not remove.
func (p *publisher) withdrawAll() {
	ctx, stop := context.WithTimeout(context.Background(), writeTimeout)
	defer stop()
	all := p.records.sources()
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if p.kept(all[key]) {
			continue
		}
		if x, _ := p.publication(all[key]); x != nil && p.records.withdraw(ctx, key, all[key], x) != nil {
			break
		}
	}
	_ = p.claim.resign(ctx) // otherwise its lease expires
}

// flush renews the claim if due, writes the changed records in the order of keys, and removes stale ones.
func (p *publisher) flush(ctx context.Context, now time.Time) {
	p.checkClaim()
	if now.Before(p.waits) {
		return
	}
	err := p.renew(ctx, now)
	if err == nil {
		err = p.writeChanges(ctx)
	}
	if err == nil {
		err = p.sweeper.sweep(ctx, now)
	}
	p.checkClaim()
	if err == nil {
		p.warned = time.Time{}
		return
	}
	p.waits = now.Add(rewriteInterval)
	if ctx.Err() != nil {
		return
	}
	p.errors.Add(1)
	if p.warned.IsZero() || now.Sub(p.warned) >= warnInterval {
		p.warned = now
		p.logger.Warn("the process cannot write to the directory; its rooms continue", "process", p.process, "error", err)
	}
}

// renew writes the process entry if it has changed or is due.
func (p *publisher) renew(ctx context.Context, now time.Time) error {
	key := ProcessKey(p.process)
	p.mu.Lock()
	_, changed := p.dirty[key]
	delete(p.dirty, key)
	p.mu.Unlock()
	if !changed && p.claim.current() != 0 && now.Sub(p.renewed) < renewInterval {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, writeTimeout)
	defer stop()
	begun, err := p.claim.renew(ctx, p.entry)
	if err != nil {
		p.markProcess()
		return err
	}
	p.renewed = now
	if begun { // records under an earlier claim are no longer valid
		p.markAll(p.mark)
	}
	return nil
}

// writeChanges writes the changed records. Failed ones stay marked.
func (p *publisher) writeChanges(ctx context.Context) error {
	p.mu.Lock()
	dirty := p.dirty
	if len(dirty) == 0 {
		p.mu.Unlock()
		return nil
	}
	p.dirty = make(map[string]any, len(dirty))
	p.mu.Unlock()
	var failed error
	for _, key := range slices.Sorted(maps.Keys(dirty)) {
		if failed == nil {
			failed = p.renew(ctx, p.now()) // a long list takes longer than a lease
		}
		if failed == nil {
			failed = p.write(ctx, key, dirty[key])
		}
		if failed != nil {
			p.markAgain(key, dirty[key])
		}
	}
	return failed
}

// write writes or removes one record.
func (p *publisher) write(ctx context.Context, key string, source any) error {
	ctx, stop := context.WithTimeout(ctx, writeTimeout)
	defer stop()
	x, exists := p.publication(source)
	if x == nil {
		return nil
	}
	if exists {
		return p.records.write(ctx, key, source, x)
	}
	return p.records.withdraw(ctx, key, source, x)
}

// markAgain marks a record whose write failed, unless a newer source has marked it.
func (p *publisher) markAgain(key string, source any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, newer := p.dirty[key]; !newer {
		p.dirty[key] = source
	}
}

// checkClaim reports the end of the claim and the start of a new one, by log and callback.
func (p *publisher) checkClaim() {
	ended := p.claim.ended()
	if ended == p.wasEnded {
		return
	}
	p.wasEnded = ended
	if ended {
		p.logger.Warn("the process could not renew its claim in the directory: its rooms are orphaned", "process", p.process)
	} else {
		p.logger.Info("the process is in the directory again", "process", p.process, "epoch", p.claim.current())
	}
	p.fenced(ended)
}
