package rooms

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	// noteTime is between two looks at what is to be written.
	noteTime = 20 * time.Millisecond
	// patientTime is how long one write may wait.
	patientTime = 5 * time.Second
	// againTime is after how long what could not be written is tried again.
	againTime = time.Second
)

// notes writes what this process says to the directory, when it changes and off the rooms' goroutines.
type notes struct {
	server  *Server
	started time.Time
	kinds   []KindEntry

	mu    sync.Mutex
	dirty map[string]*Room // what is to be written, by key; nil for what is no room
	seats map[string]*PlayerEntry

	// of who flushes
	revisions map[string]uint64
	renewed   time.Time
	waits     time.Time // nothing is written before
	failing   bool
}

func newNotes(s *Server) *notes {
	n := &notes{
		server: s, started: s.config.Now(), dirty: make(map[string]*Room),
		seats: make(map[string]*PlayerEntry), revisions: make(map[string]uint64),
	}
	for _, k := range s.Kinds() {
		n.kinds = append(n.kinds, k.entry())
	}
	return n
}

// room notes that a room has changed, or ended.
func (n *notes) room(r *Room) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dirty[RoomKey(r.about.id)] = r
}

// process notes that the process has changed.
func (n *notes) process() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dirty[ProcessKey(n.server.config.Process)] = nil
}

// seated notes where a player has a seat.
func (n *notes) seated(s Seat, r *Room) {
	key := PlayerKey(s.Player)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.seats[key] = &PlayerEntry{
		Player: s.Player, Room: s.Room, Kind: r.kind.Name, Process: n.server.config.Process, Number: s.Number, Party: s.Party,
		Since: n.server.config.Now(),
	}
	n.dirty[key] = nil
}

// freed notes that a player has no seat in a room any more.
func (n *notes) freed(player uint64, r *Room) {
	key := PlayerKey(player)
	n.mu.Lock()
	defer n.mu.Unlock()
	if e := n.seats[key]; e != nil && e.Room == r.about.id {
		delete(n.seats, key)
		n.dirty[key] = nil
	}
}

// run writes until ctx ends, and then takes everything back.
func (n *notes) run(ctx context.Context, done chan<- struct{}) {
	defer close(done)
	t := time.NewTicker(noteTime)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			n.last()
			return
		case <-t.C:
			n.flush(ctx, n.server.config.Now())
		}
	}
}

// last takes back all that this process has said.
func (n *notes) last() {
	ctx, stop := context.WithTimeout(context.Background(), patientTime)
	defer stop()
	for _, key := range slices.Sorted(maps.Keys(n.revisions)) {
		_ = n.server.config.Directory.Remove(ctx, key, n.revisions[key]) // its lease ends it, too
	}
	clear(n.revisions)
}

// flush writes what has changed, in the order of keys.
func (n *notes) flush(ctx context.Context, now time.Time) {
	if now.Before(n.waits) {
		return
	}
	n.mu.Lock()
	if now.Sub(n.renewed) >= renewTime {
		n.renewed = now
		n.dirty[ProcessKey(n.server.config.Process)] = nil
	}
	dirty := n.dirty
	if len(dirty) == 0 {
		n.mu.Unlock()
		return
	}
	n.dirty = make(map[string]*Room, len(dirty))
	n.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(dirty)) {
		r := dirty[key]
		if n.waits.After(now) || ctx.Err() != nil {
			n.again(key, r)
			continue
		}
		err := n.write(ctx, key, r)
		if err == nil {
			n.failing = false
			continue
		}
		n.again(key, r)
		n.waits = now.Add(againTime)
		if !n.failing && ctx.Err() == nil {
			n.failing = true
			n.server.config.Logger.Warn("the directory takes no writes; rooms go on", "error", err)
		}
	}
}

// again notes what could not be written.
func (n *notes) again(key string, r *Room) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, newer := n.dirty[key]; !newer {
		n.dirty[key] = r
	}
}

// write writes what is to be said under a key, or takes it back. Where somebody else has written, the newest counts.
func (n *notes) write(ctx context.Context, key string, r *Room) error {
	ctx, stop := context.WithTimeout(ctx, patientTime)
	defer stop()
	d := n.server.config.Directory
	entry, lease := n.entry(key, r)
	if entry == nil {
		revision, ours := n.revisions[key]
		delete(n.revisions, key)
		if !ours {
			return nil
		}
		err := d.Remove(ctx, key, revision)
		if errors.Is(err, ErrConflict) {
			return nil // it is somebody else's by now
		}
		if err != nil {
			n.revisions[key] = revision
		}
		return err
	}
	value, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	for {
		revision, err := d.Save(ctx, key, value, n.revisions[key], lease)
		if err == nil {
			n.revisions[key] = revision
			return nil
		}
		if !errors.Is(err, ErrConflict) {
			return err
		}
		switch newest, err := d.Load(ctx, key); {
		case errors.Is(err, ErrAbsent):
			delete(n.revisions, key)
		case err != nil:
			return err
		default:
			n.revisions[key] = newest.Revision
		}
	}
}

// entry is what is to be said under a key, nil for nothing.
func (n *notes) entry(key string, r *Room) (entry any, lease time.Duration) {
	s := n.server
	switch {
	case r != nil && r.over():
		return nil, 0
	case r != nil:
		return entryOf(r), 0
	case key == ProcessKey(s.config.Process):
		e := ProcessEntry{
			Process: s.config.Process, Addresses: s.config.Addresses, Endpoints: s.config.Endpoints, Kinds: n.kinds, MaxRooms: s.config.MaxRooms,
			Draining: s.Draining(), Started: n.started,
		}
		for _, r := range s.Rooms() {
			e.Rooms++
			e.Players += r.kind.Capacity - r.Info().Free()
		}
		return e, ProcessLease
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if e := n.seats[key]; e != nil {
		return e, 0
	}
	return nil, 0
}
