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
	// maxInspectors is the largest number of rooms with an inspector at one time.
	maxInspectors = 16
	// inspectorTTL is how long a room keeps its inspector after the last request.
	inspectorTTL = 30 * time.Second
)

var errInspectors = errors.New("too many rooms are being inspected: close other pages, or wait half a minute")

// inspectors are the rooms with inspectors.
type inspectors struct {
	server *rooms.Server
	config inspect.Config
	keep   time.Duration

	mu  sync.Mutex
	all map[rooms.ID]*roomInspector
}

// roomInspector is the inspector of one room.
type roomInspector struct {
	room *rooms.Room

	busy int // requests in progress; guarded by inspectors.mu
	last time.Time

	mu sync.Mutex // held while attaching
	x  *inspect.Inspector
}

func newInspectors(s *rooms.Server, c inspect.Config) *inspectors {
	c.Token = "" // the request has already been admitted
	return &inspectors{server: s, config: c, keep: inspectorTTL, all: make(map[rooms.ID]*roomInspector)}
}

// inspector returns the inspector of a room. The first request attaches it between two ticks of the room. Call done after
// answering.
func (l *inspectors) inspector(r *rooms.Room) (x *inspect.Inspector, done func(), err error) {
	if stuck := r.Info().Stuck; stuck > 0 {
		return nil, nil, fmt.Errorf("the current tick of the room has taken %v so far: see its latest report under Room", stuck.Round(time.Millisecond))
	}
	l.mu.Lock()
	one := l.all[r.ID()]
	if one == nil {
		if len(l.all) >= maxInspectors {
			l.mu.Unlock()
			return nil, nil, errInspectors
		}
		if one = (&roomInspector{room: r}); len(l.all) == 0 {
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

// sweep removes unused inspectors, repeatedly while inspectors exist.
func (l *inspectors) sweep() {
	now := time.Now()
	var idle []*roomInspector
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
		// A room that has ended, or is stuck forever, measures nothing any more. A room that is stuck temporarily continues
		// to measure until it is viewed again or ends.
		_ = one.room.Do(func(*systems.Server) { one.x.Close() })
	}
}
