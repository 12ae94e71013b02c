package operator

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/inspect"
	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	// mostLooks is how many rooms may be looked at, at one time.
	mostLooks = 16
	// lookFor is for how long after the last look a room has an inspector.
	lookFor = 30 * time.Second
)

var errLooks = errors.New("so many rooms are looked at already: close other pages, or wait half a minute")

// looks are the rooms that somebody looks at, with their inspectors.
type looks struct {
	server *rooms.Server
	config inspect.Config
	keep   time.Duration

	mu  sync.Mutex
	all map[rooms.ID]*look
}

// look is an inspector of a room.
type look struct {
	room *rooms.Room

	busy int // requests under way; with the lock of all
	last time.Time

	mu sync.Mutex // while it is attached
	x  *inspect.Inspector
}

func newLooks(s *rooms.Server, c inspect.Config) *looks {
	c.Token = "" // what asks has been admitted
	return &looks{server: s, config: c, keep: lookFor, all: make(map[rooms.ID]*look)}
}

// at is the inspector of a room, attached between two of its ticks when somebody looks for the first time. done is to be
// called when the answer is there.
func (l *looks) at(r *rooms.Room) (x *inspect.Inspector, done func(), err error) {
	if stuck := r.Info().Stuck; stuck > 0 {
		return nil, nil, fmt.Errorf("the room has not come to the end of its tick for %v: see what it told last, under Room", stuck.Round(time.Millisecond))
	}
	l.mu.Lock()
	one := l.all[r.ID()]
	if one == nil {
		if len(l.all) >= mostLooks {
			l.mu.Unlock()
			return nil, nil, errLooks
		}
		if one = (&look{room: r}); len(l.all) == 0 {
			time.AfterFunc(l.keep, l.sweep)
		}
		l.all[r.ID()] = one
	}
	one.busy++
	l.mu.Unlock()
	done = func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		one.busy--
		one.last = time.Now()
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.x == nil {
		if e := r.Do(func(s *systems.Server) { one.x, err = inspect.New(s, l.config) }); e != nil {
			err = e
		}
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return one.x, done, nil
}

// sweep takes the inspectors away that nobody uses any more, as long as there are some.
func (l *looks) sweep() {
	now := time.Now()
	var idle []*look
	l.mu.Lock()
	for id, one := range l.all {
		if one.busy == 0 && now.Sub(one.last) >= l.keep {
			idle = append(idle, one)
			delete(l.all, id)
		}
	}
	if len(l.all) > 0 {
		time.AfterFunc(l.keep/2, l.sweep)
	}
	l.mu.Unlock()
	for _, one := range idle {
		if one.x == nil {
			continue
		}
		// In a room that has ended, or is stuck for good, nothing is measured any more. One that is stuck for now goes on
		// being measured until somebody looks again, or it ends.
		_ = one.room.Do(func(*systems.Server) { one.x.Close() })
	}
}
