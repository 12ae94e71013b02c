package fleet

import (
	"context"
	"errors"
	"sync"
	"time"
)

// rewatchInterval is the pause before a new watch after a watch has ended.
const rewatchInterval = 250 * time.Millisecond

// watchedPrefixes are the prefixes of the watched records.
var watchedPrefixes = [...]string{ProcessPrefix, RoomPrefix}

// Run follows the directory, publishes this process's rooms and answers requests, in real time, until ctx ends. Then it
// withdraws this process's records. rooms.Server.Run calls it. A process without rooms calls it once.
func (f *Fleet) Run(ctx context.Context) error {
	f.mu.Lock()
	if f.runs {
		f.mu.Unlock()
		return errors.New("fleet: Fleet.Run was called already: rooms.Server.Run calls it; otherwise make another Fleet with New")
	}
	f.runs = true
	f.mu.Unlock()
	var all sync.WaitGroup
	for _, prefix := range watchedPrefixes {
		all.Go(func() { f.follow(ctx, prefix) })
	}
	if f.publisher != nil {
		all.Go(func() { f.publisher.run(ctx) })
	}
	t := time.NewTicker(flushInterval)
	defer t.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-t.C:
			f.maintain(f.config.Now())
		}
	}
	f.mu.Lock()
	f.ended = true
	f.mu.Unlock()
	f.stopAnswering()
	all.Wait()
	return nil
}

// maintain removes expired guesses about rooms and handles requests under the current claim.
func (f *Fleet) maintain(now time.Time) {
	f.mu.Lock()
	f.view.expire(now)
	f.mu.Unlock()
	if f.publisher != nil {
		f.answers.update()
	}
}

func (f *Fleet) stopAnswering() {
	f.answers.mu.Lock()
	defer f.answers.mu.Unlock()
	f.answers.close()
}

// follow applies the records with a prefix to the view until ctx ends.
func (f *Fleet) follow(ctx context.Context, prefix string) {
	for ctx.Err() == nil {
		if changes, err := f.config.Directory.Watch(ctx, prefix); err == nil {
			if all, err := f.config.Directory.List(ctx, prefix); err == nil {
				f.mu.Lock()
				f.view.keepOnly(prefix, all)
				f.mu.Unlock()
			}
			for r := range changes {
				f.mu.Lock()
				f.view.update(r)
				f.mu.Unlock()
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(rewatchInterval):
		}
	}
}

// Advance does the due work at now, in virtual time, on the caller's goroutine. rooms.Server.Advance calls it. A process
// without rooms calls it directly.
func (f *Fleet) Advance(now time.Time) {
	ctx := context.Background()
	if f.publisher != nil {
		f.publisher.flush(ctx, now)
	}
	for _, prefix := range watchedPrefixes {
		all, err := f.config.Directory.List(ctx, prefix)
		if err != nil {
			continue
		}
		f.mu.Lock()
		f.view.keepOnly(prefix, all)
		for _, r := range all {
			f.view.update(r)
		}
		f.mu.Unlock()
	}
	f.maintain(now)
}

// Withdraw implements rooms.Fleet, in virtual time.
func (f *Fleet) Withdraw() {
	if f.publisher != nil {
		f.publisher.withdrawAll()
	}
	f.stopAnswering()
}
