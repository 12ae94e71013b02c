package crowd

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
)

// Trouble injects faults into some rooms of a process, one room per kind of fault, while the other rooms play. nil injects
// none.
type Trouble struct {
	kinds []string
	begun atomic.Bool
	hold  atomic.Pointer[[]byte]

	mu     sync.Mutex
	faults map[rooms.ID]string // the fault of each room
	base   map[rooms.ID]uint64 // dropped ticks of the other rooms before the faults
	told   map[string]string   // the operator's reports
	ended  map[rooms.ID]bool
}

// newTrouble parses a list such as "panic,loop,gib": a panic, an endless loop without calls, and the allocation and release
// of 1 GiB. mib=N allocates N MiB. It returns nil for "".
func newTrouble(list string) (*Trouble, error) {
	if list == "" {
		return nil, nil
	}
	t := &Trouble{faults: make(map[rooms.ID]string), base: make(map[rooms.ID]uint64), told: make(map[string]string), ended: make(map[rooms.ID]bool)}
	for kind := range strings.SplitSeq(list, ",") {
		if _, mib := size(kind); kind != "panic" && kind != "loop" && !mib {
			return nil, fmt.Errorf("trouble %q is none of panic, loop, gib, mib=N", kind)
		}
		t.kinds = append(t.kinds, kind)
	}
	return t, nil
}

// size returns the number of bytes that a fault allocates. ok is false for a fault that allocates nothing.
func size(kind string) (bytes int, ok bool) {
	if kind == "gib" {
		return 1 << 30, true
	}
	n, ok := strings.CutPrefix(kind, "mib=")
	mib, err := strconv.Atoi(n)
	return mib << 20, ok && err == nil && mib > 0 && mib <= 1<<14
}

// set assigns a fault to a room, until each fault has a room.
func (t *Trouble) set(r *rooms.Room, c *systems.ServerConfig) error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.faults) == len(t.kinds) {
		return nil
	}
	kind := t.kinds[len(t.faults)]
	t.faults[r.ID()] = kind
	name, _, _ := strings.Cut(kind, "=")
	c.Schedule = func(s *ecs.Schedule) error {
		done := false
		return s.InsertAfter("ServerApply", ecs.System{Name: name, Run: func(*ecs.World) {
			if t.begun.Load() && !done {
				done = true
				t.happen(kind)
			}
		}})
	}
	return nil
}

// happen causes the fault.
func (t *Trouble) happen(kind string) {
	bytes, takes := size(kind)
	switch {
	case kind == "panic":
		panic("trouble")
	case takes:
		b := make([]byte, bytes)
		t.hold.Store(&b)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		t.hold.Store(nil)
	default:
		//lint:ignore SA5002 because an endless loop without a call is the fault to test
		for {
		}
	}
}

// recordNotice records a report to the operator.
func (t *Trouble) recordNotice(n rooms.Notice) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	kind, mine := t.faults[n.Room]
	if n.Event == rooms.RoomEnded {
		t.ended[n.Room] = true
	}
	if mine && (n.Event == rooms.RoomFailed || n.Event == rooms.RoomStuck) {
		where := "without a stack"
		if strings.Contains(n.Stack, "happen") {
			where = "with its stack"
		}
		t.told[kind] = fmt.Sprintf("%s in system %s, %s", n.Event, n.System, where)
	}
}

// lost returns the number of due ticks that rooms without faults did not run: ticks dropped since the first call, and ticks
// overdue by more than a tick.
func (t *Trouble) lost(s *rooms.Server) (lost uint64, told map[string]string, err error) {
	if t == nil {
		return 0, nil, nil
	}
	first := !t.begun.Load()
	for _, r := range s.Rooms() {
		if t.in(r.ID()) {
			continue
		}
		if e := r.Do(func(game *systems.Server) {
			c := game.Config()
			given := game.Stats().TicksDropped
			if first {
				t.base[r.ID()] = given
				return
			}
			lost += given - t.base[r.ID()]
			if behind := time.Since(game.Next()); behind > 0 {
				lost += uint64(behind * time.Duration(c.TickRate) / time.Second)
			}
		}); e != nil {
			err = errors.Join(err, fmt.Errorf("a room without trouble: %w", e))
		}
	}
	t.begun.Store(true)
	t.mu.Lock()
	defer t.mu.Unlock()
	for id := range t.ended {
		if t.faults[id] != "panic" {
			err = errors.Join(err, fmt.Errorf("a room has ended whose trouble is %q", cmp.Or(t.faults[id], "none")))
		}
	}
	if missing := len(t.kinds) - len(t.faults); missing > 0 {
		err = errors.Join(err, fmt.Errorf("%d kinds of trouble and %d rooms", len(t.kinds), len(t.faults)))
	}
	return lost, maps.Clone(t.told), err
}

// in reports whether a room has a fault.
func (t *Trouble) in(id rooms.ID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.faults[id] != ""
}

// loops reports whether an endless loop was requested. looping reports whether it is running.
func (t *Trouble) loops() bool { return t != nil && slices.Contains(t.kinds, "loop") }

func (t *Trouble) looping() bool { return t.loops() && t.begun.Load() }
