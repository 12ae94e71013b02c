package lobby

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/internal/asks"
)

const (
	// keepTime is between two looks at what is overdue, and at what is to be removed.
	keepTime = 20 * time.Millisecond
	// againTime is after how long one follows anew.
	againTime = 250 * time.Millisecond
)

// followed are the prefixes of what the lobby follows.
var followed = [...]string{rooms.ProcessPrefix, rooms.RoomPrefix, asks.Prefix}

// Run follows the directory and asks other processes, in real time, until ctx ends: then whoever waits gets an error. A
// lobby runs once.
func (l *Lobby) Run(ctx context.Context) error {
	l.mu.Lock()
	if l.post.runs {
		l.mu.Unlock()
		return errors.New("lobby: Lobby.Run: it runs already, or has run; make another one with New")
	}
	l.post.runs = true
	l.mu.Unlock()
	var all sync.WaitGroup
	for _, prefix := range followed {
		all.Go(func() { l.follow(ctx, prefix) })
	}
	all.Go(func() {
		every(ctx, func() { l.clean(ctx) })
	})
	every(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.keep(l.config.Now())
	})
	all.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.post.ended = true
	var left []*request
	for _, f := range l.post.flights {
		left = append(left, f.requests...)
	}
	for _, x := range l.post.lines {
		left = append(left, x.waiting...)
		x.waiting = nil
	}
	for _, q := range left {
		(*asker)(l).answer(q, nil, errEnded())
	}
	return nil
}

// every calls f again and again until ctx ends.
func every(ctx context.Context, f func()) {
	t := time.NewTicker(keepTime)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			f()
		}
	}
}

// follow takes in what the directory says of keys with a prefix, until ctx ends.
func (l *Lobby) follow(ctx context.Context, prefix string) {
	for ctx.Err() == nil {
		if told, err := l.config.Directory.Watch(ctx, prefix); err == nil {
			if all, err := l.config.Directory.List(ctx, prefix); err == nil {
				l.mu.Lock()
				l.view.only(prefix, all)
				l.mu.Unlock()
			}
			for r := range told {
				l.mu.Lock()
				l.take(r)
				l.mu.Unlock()
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(againTime):
		}
	}
}

// take takes in a record. With the lock.
func (l *Lobby) take(r rooms.Record) {
	if strings.HasPrefix(r.Key, asks.Prefix) {
		(*asker)(l).hear(r)
		return
	}
	l.view.take(r)
}

// keep does what is due. With the lock.
func (l *Lobby) keep(now time.Time) {
	l.view.keep(now)
	(*asker)(l).overdue(now)
}

// clean removes records that nobody needs: what cannot be removed ends with its lease.
func (l *Lobby) clean(ctx context.Context) {
	l.mu.Lock()
	waste := l.post.waste
	l.post.waste = nil
	l.mu.Unlock()
	for _, x := range waste {
		_ = l.config.Directory.Remove(ctx, x.key, x.revision)
	}
}

// Advance does everything that is due at now, on the caller's goroutine. It is for virtual time, in place of Run.
func (l *Lobby) Advance(now time.Time) {
	ctx := context.Background()
	for _, prefix := range followed {
		all, err := l.config.Directory.List(ctx, prefix)
		if err != nil {
			continue
		}
		l.mu.Lock()
		l.view.only(prefix, all)
		if prefix == asks.Prefix {
			l.only(all)
		}
		for _, r := range all {
			l.take(r)
		}
		l.mu.Unlock()
	}
	l.mu.Lock()
	l.keep(now)
	unsent := l.post.unsent
	l.post.unsent = nil
	l.mu.Unlock()
	for _, f := range unsent {
		(*asker)(l).send(ctx, f)
	}
	l.clean(ctx)
}

// only hears of records of asks that are not there any more. With the lock.
func (l *Lobby) only(all []rooms.Record) {
	there := make(map[string]bool, len(all))
	for _, r := range all {
		there[r.Key] = true
	}
	for key, f := range l.post.flights {
		if f.revision != 0 && !there[key] {
			(*asker)(l).hear(rooms.Record{Key: key, Gone: true})
		}
	}
}
