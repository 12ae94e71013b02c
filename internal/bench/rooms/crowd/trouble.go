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

// Trouble is what goes wrong in some rooms of a process, one for each kind of trouble, while the others play. nil is
// none.
type Trouble struct {
	kinds []string
	begun atomic.Bool
	hold  atomic.Pointer[[]byte]

	mu    sync.Mutex
	of    map[rooms.ID]string // what goes wrong in which room
	base  map[rooms.ID]uint64 // ticks that others had given up before
	told  map[string]string   // what the operator was told
	ended map[rooms.ID]bool
}

// newTrouble reads a list such as "panic,loop,gib": a panic, a loop without an end and without calls, and a GiB of memory that
// is written to and let go; mib=N is N MiB. "" is nil.
func newTrouble(list string) (*Trouble, error) {
	if list == "" {
		return nil, nil
	}
	t := &Trouble{of: make(map[rooms.ID]string), base: make(map[rooms.ID]uint64), told: make(map[string]string), ended: make(map[rooms.ID]bool)}
	for kind := range strings.SplitSeq(list, ",") {
		if _, mib := size(kind); kind != "panic" && kind != "loop" && !mib {
			return nil, fmt.Errorf("trouble %q is none of panic, loop, gib, mib=N", kind)
		}
		t.kinds = append(t.kinds, kind)
	}
	return t, nil
}

// size is how many bytes a kind of trouble takes, and whether it takes any.
func size(kind string) (bytes int, ok bool) {
	if kind == "gib" {
		return 1 << 30, true
	}
	n, ok := strings.CutPrefix(kind, "mib=")
	mib, err := strconv.Atoi(n)
	return mib << 20, ok && err == nil && mib > 0 && mib <= 1<<14
}

// set gives a room of the kind its trouble: rooms get one each until there is no more.
func (t *Trouble) set(r *rooms.Room, c *systems.ServerConfig) error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.of) == len(t.kinds) {
		return nil
	}
	kind := t.kinds[len(t.of)]
	t.of[r.ID()] = kind
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

// happen is the trouble.
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
		//lint:ignore SA5002 because it is meant to: there is nothing in it at which Go could stop by itself
		for {
		}
	}
}

// hear notes what an operator is told.
func (t *Trouble) hear(n rooms.Notice) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	kind, mine := t.of[n.Room]
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

// lost is how many ticks of rooms without trouble were due and are not made: given up since the first call, or due for
// longer than a tick.
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
		if t.of[id] != "panic" {
			err = errors.Join(err, fmt.Errorf("a room has ended whose trouble is %q", cmp.Or(t.of[id], "none")))
		}
	}
	if missing := len(t.kinds) - len(t.of); missing > 0 {
		err = errors.Join(err, fmt.Errorf("%d kinds of trouble and %d rooms", len(t.kinds), len(t.of)))
	}
	return lost, maps.Clone(t.told), err
}

// in reports whether a room has trouble.
func (t *Trouble) in(id rooms.ID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.of[id] != ""
}

// loops reports whether there is a goroutine that will never come back, looping whether there is by now.
func (t *Trouble) loops() bool { return t != nil && slices.Contains(t.kinds, "loop") }

func (t *Trouble) looping() bool { return t.loops() && t.begun.Load() }
