package rooms

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

const (
	// storeTimeout is the timeout of one call of a Store.
	storeTimeout = 10 * time.Second
	// maxSaving is how many rooms of a process are saved at a time, and how many are handed over.
	maxSaving = 4
)

// saves is the state of a room's saves.
type saves struct {
	// used with the floor

	due      time.Time    // of the next save
	waiting  []chan error // the calls of Durable that wait for it
	captures uint64

	busy    atomic.Bool // a capture is not stored yet
	failing atomic.Bool // the newest capture could not be stored
	last    atomic.Bool // the last tick is stored, and the room has ended with its process
	stays   atomic.Bool // the room has ended, and its save is not deleted yet
	known   atomic.Bool // the room is in the directory of the fleet
	// of is the time of the state in the newest save.
	of atomic.Pointer[time.Time]

	mu     sync.Mutex // held while the store is called
	stored uint64     // the newest capture that was stored; with mu
	pruned uint64     // the epoch under which earlier saves were removed; with mu
}

// capture is a room between two ticks.
type capture struct {
	room    *Room
	number  uint64
	saved   savedRoom
	encode  func() ([]byte, error)
	waiting []chan error
}

// Durable saves the room and returns when its current state is in the store, so that it outlives the process: call it after a
// purchase or a match result. Hooks and systems of the room must not call it. The error wraps [ErrConfig] without Config.Store,
// or [ErrEnded], or is that of ctx or of the store.
func (r *Room) Durable(ctx context.Context) error {
	if r.server.config.Store == nil {
		return fmt.Errorf("%w: Room.Durable needs a Store", ErrConfig)
	}
	stored := make(chan error, 1)
	r.Tell(func(*systems.Server) { r.saves.waiting = append(r.saves.waiting, stored) })
	select {
	case err := <-stored:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-r.gone:
	}
	select {
	case err := <-stored:
		return err
	default:
		return ErrEnded
	}
}

// saveAge returns Info.SaveAge.
func (r *Room) saveAge() time.Duration {
	if r.server.config.Store == nil {
		return 0
	}
	of := r.about.created
	if saved := r.saves.of.Load(); saved != nil {
		of = *saved
	}
	return max(r.server.config.Now().Sub(of), 0)
}

// Loaded returns the tick of the save with which the room began, 0 for a new world. Kind.Created must not populate a loaded
// world again.
func (r *Room) Loaded() uint32 { return r.loaded }

// saveIfDue starts to save the room if that is due. The caller holds the floor, between two ticks.
func (r *Room) saveIfDue(now time.Time) {
	s, x := r.server, &r.saves
	if s.config.Store == nil || now.Before(x.due) && len(x.waiting) == 0 || x.busy.Load() || r.handing.Load() || r.game.Tick() == 0 {
		return
	}
	r.mu.Lock()
	ended := r.held.life.state() == Ended
	r.mu.Unlock()
	if ended {
		return
	}
	select {
	case s.saving <- struct{}{}:
	default:
		return // other rooms are being saved: try again after the next turn
	}
	if !now.Before(x.due) {
		if x.due = x.due.Add(s.config.SaveInterval); !now.Before(x.due) {
			x.due = now.Add(s.config.SaveInterval)
		}
	}
	c := r.capture()
	x.busy.Store(true)
	s.tasks.add(func(ctx context.Context) {
		defer func() { <-s.saving }()
		data, err := c.seal()
		_ = c.store(context.WithoutCancel(ctx), data, err) // it has told the operator
		x.busy.Store(false)
	})
}

// capture captures the room. The caller holds the floor, between two ticks.
func (r *Room) capture() *capture {
	x := &r.saves
	x.captures++
	c := &capture{room: r, number: x.captures, saved: savedRoom{RoomEntry: r.Entry(), Fleet: r.server.config.Fleet, Saved: r.server.config.Now(), Tick: r.game.Tick()}, encode: r.game.Save(), waiting: x.waiting}
	x.waiting = nil
	r.mu.Lock()
	defer r.mu.Unlock()
	c.saved.Known = x.known.Load()
	c.saved.Begun, c.saved.Locked = r.held.life.begun, r.held.life.locked
	for n, s := range r.held.book.all() {
		if (s.here || s.waits) && !s.leaving {
			c.saved.Seats = append(c.saved.Seats, SeatInfo{uint16(n), seatWaiting.String(), s.player, s.party, s.client, s.since})
		}
	}
	return c
}

// seal encodes the save. One room of the process at a time is encoded.
func (c *capture) seal() (data []byte, err error) {
	c.room.server.encoding.Lock()
	defer c.room.server.encoding.Unlock()
	if c.saved.world, err = c.encode(); err != nil {
		return nil, err
	}
	data, err = c.saved.seal(c.room.server.config.Key)
	c.encode, c.saved.world = nil, nil
	return data, err
}

// store stores a sealed save, unless a newer one of the room was stored. err is that of sealing.
func (c *capture) store(ctx context.Context, data []byte, err error) error {
	r, x := c.room, &c.room.saves
	x.mu.Lock()
	if err == nil && c.number > x.stored {
		ctx, stop := context.WithTimeout(ctx, storeTimeout)
		epoch := r.epoch.Load()
		if err = r.server.config.Store.Put(ctx, r.about.id, epoch, data); err == nil {
			x.stored = c.number
			x.of.Store(&c.saved.Saved)
			if x.pruned != epoch && r.server.pruneSaves(ctx, r.about.id, x.pruned) == nil { // otherwise after the next save
				x.pruned = epoch
			}
		}
		stop()
	}
	x.mu.Unlock()
	for _, w := range c.waiting {
		w <- err
	}
	switch {
	case errors.Is(err, ErrStale):
		r.finish(err, ReasonClaimed)
	case err == nil:
		if x.failing.Swap(false) {
			r.notify(Notice{Event: RoomSaved})
		}
	case x.failing.Swap(true):
		r.counter().addEvent(string(RoomUnsaved))
	default:
		r.notify(Notice{Event: RoomUnsaved, Err: err})
	}
	return err
}

// pruneSaves removes the saves of a room beyond Config.Saves, the oldest first. own is the earlier epoch under which this process has
// saved the room, 0 if there is none: the newest save replaces that one. Saves that are kept stay.
func (s *Server) pruneSaves(ctx context.Context, id ID, own uint64) error {
	a, ok := s.config.Store.(Archive)
	if !ok {
		return nil
	}
	list, err := a.List(ctx, id)
	if err != nil {
		return err
	}
	left := s.config.Saves
	for _, e := range list {
		if e.Epoch != own {
			left--
		}
		if (left < 0 || e.Epoch == own) && !e.Kept {
			err = errors.Join(err, a.Remove(ctx, id, e.Epoch))
		}
	}
	return err
}

// lastSave saves a room whose process ends, and deletes the save of a room that has ended. The save of a room that has failed
// stays. The caller holds the floor.
func (r *Room) lastSave(why error, reason ending) {
	s := r.server
	outlives := reason == netsys.ReasonServerClosing || errors.Is(why, ErrDrained) && s.Draining() && r.kind.Linger < 0
	switch {
	case s.config.Store == nil || r.handing.Load():
	case outlives && r.game.Tick() > 0:
		c := r.capture()
		c.saved.Process = "" // this process lets it go
		data, err := c.seal()
		r.saves.last.Store(c.store(context.Background(), data, err) == nil)
	case reason == ReasonEnded:
		r.saves.stays.Store(true)
		s.tasks.add(r.deleteSave)
	}
}

// deleteSave deletes the save of the room, with retries until it succeeds. Then it lets the fleet remove the record: see Link.Deleting.
func (r *Room) deleteSave(ctx context.Context) {
	r.saves.mu.Lock()
	defer r.saves.mu.Unlock()
	r.saves.stored = math.MaxUint64
	ctx, stop := context.WithTimeout(ctx, storeTimeout)
	defer stop()
	if err := r.server.config.Store.Delete(ctx, r.about.id, r.epoch.Load()); err != nil {
		r.server.tasks.retry(r.deleteSave)
		return
	}
	r.saves.stays.Store(false)
	r.changed()
}

// Continue creates a room again from its save. It is for a process that is alone: in a fleet, rooms are claimed. The error wraps
// [ErrRoom] if the store has no save of the room, [ErrSave] if this process cannot use the save, or [ErrUnavailable], or is that of
// [Server.Create]. A room that exists is returned unchanged. [Here] calls Continue when a player asks for a room by its id.
func (s *Server) Continue(ctx context.Context, id ID) (*Room, error) {
	if r := s.Room(id); r != nil {
		return r, nil
	}
	s.opening.Lock() // players who ask meanwhile find the room
	defer s.opening.Unlock()
	if r := s.Room(id); r != nil {
		return r, nil
	}
	if s.config.Store == nil || s.fleet != nil {
		return nil, fmt.Errorf("%w: %v", ErrRoom, id)
	}
	saved, err := s.readSave(ctx, id)
	switch {
	case err != nil && !errors.Is(err, ErrUnavailable):
		return nil, s.cannotUse(id, "", err)
	case err != nil:
		return nil, err
	case saved == nil:
		return nil, fmt.Errorf("%w: %v", ErrRoom, id)
	}
	e := saved.RoomEntry
	e.Schema = "" // another version of the game loads the save
	return s.restoreRoom(ctx, e, saved, nil, false, func(*Room) error { return nil })
}

// unusableInterval is how long a process does not read a save again that it could not use.
const unusableInterval = 10 * time.Second

// unusable is a save that this process could not use.
type unusable struct {
	err   error
	until time.Time
}

// readSave returns the save of a room, nil if there is none. The error wraps ErrUnavailable, and ErrSave if this process cannot use the
// save.
func (s *Server) readSave(ctx context.Context, id ID) (*savedRoom, error) {
	if s.config.Store == nil {
		return nil, nil
	}
	now := s.config.Now()
	s.mu.Lock()
	u, is := s.table.unusable[id]
	s.mu.Unlock()
	if is && now.Before(u.until) {
		return nil, &Unavailable{Again: u.until.Sub(now), Err: u.err}
	}
	ctx, stop := context.WithTimeout(ctx, storeTimeout)
	defer stop()
	data, err := s.config.Store.Get(ctx, id)
	if errors.Is(err, ErrNoSave) {
		return nil, nil
	}
	if err != nil {
		return nil, &Unavailable{Again: time.Second, Err: err}
	}
	saved, err := openSave(s.config.keys(), id, data)
	if err == nil && saved.Fleet != "" && saved.Fleet != s.config.Fleet {
		saved, err = nil, fmt.Errorf("%w: it is of fleet %.64q, and this is fleet %q", ErrSaveFleet, saved.Fleet, s.config.Fleet)
	}
	return saved, err
}

// maxUnusable is the largest number of unusable saves that a process remembers.
const maxUnusable = 1024

// cannotUse returns the error for a save that this process cannot use. It tells the operator the first time, and
// again after unusableMemory. kind may be unknown.
func (s *Server) cannotUse(id ID, kind string, err error) error {
	now := s.config.Now()
	s.mu.Lock()
	t := &s.table
	s.forgetUnusable(now)
	_, told := t.unusable[id]
	if len(t.unusable) < maxUnusable {
		t.unusable[id] = unusable{err, now.Add(unusableInterval)}
	}
	s.mu.Unlock()
	if c := s.counts[kind]; c != nil {
		c.addEvent(string(RoomUnloaded))
	}
	if told {
		return &Unavailable{Again: unusableInterval, Err: err}
	}
	s.config.Logger.Warn("room not continued: its save cannot be used and stays in the store", "room", id, "reason", err)
	s.config.Told(Notice{At: now, Event: RoomUnloaded, Room: id, Kind: kind, Err: err})
	return &Unavailable{Again: unusableInterval, Err: err}
}

// unusableMemory is how long [Server.UnusableSaves] counts a save.
const unusableMemory = 10 * time.Minute

// forgetUnusable removes the saves that players have not asked for since unusableMemory. The caller holds the lock.
func (s *Server) forgetUnusable(now time.Time) {
	maps.DeleteFunc(s.table.unusable, func(_ ID, u unusable) bool { return now.Sub(u.until) >= unusableMemory })
}

// UnusableSaves returns how many saves this process could not use in the last ten minutes, and has not been able to use since: see
// [ErrSave].
func (s *Server) UnusableSaves() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgetUnusable(s.config.Now())
	return len(s.table.unusable)
}

// keepSave keeps the newest save of a room before a world begins that does not continue it, or not as a whole.
func (s *Server) keepSave(ctx context.Context, id ID) error {
	a, ok := s.config.Store.(Archive)
	if !ok {
		return fmt.Errorf("%w: the store keeps no copies: see Archive.Keep", ErrSave)
	}
	ctx, stop := context.WithTimeout(ctx, storeTimeout)
	defer stop()
	list, err := a.List(ctx, id)
	if err == nil && len(list) > 0 {
		err = a.Keep(ctx, id, list[0].Epoch)
	}
	if err != nil {
		err = &Unavailable{Again: time.Second, Err: err}
	}
	return err
}

// restoreRoom creates a room again, with its save or, if saved is nil, with a new world. unread is the reason why the save cannot
// be read; it may be nil: only LoadLossy begins a new world then. It calls claim when the save is loaded, or before a new world is
// created. must is whether the save must be loaded as a whole: the process of the room continues with it after an error.
func (s *Server) restoreRoom(ctx context.Context, e RoomEntry, saved *savedRoom, unread error, must bool, claim func(r *Room) error) (*Room, error) {
	k, err := s.findKind(e.Kind, e.Schema)
	if err != nil {
		return nil, err
	}
	lossy := k.Server.LoadLossy && !must
	if unread != nil && (!lossy || errors.Is(unread, ErrSaveKey) || errors.Is(unread, ErrSaveFleet)) {
		return nil, s.cannotUse(e.ID, k.Name, unread)
	}
	if unread != nil {
		if err := s.keepSave(ctx, e.ID); err != nil {
			return nil, err
		}
	}
	options, err := e.Options.Clean()
	if err != nil {
		return nil, err
	}
	if saved != nil {
		e.Epoch = max(e.Epoch, saved.Epoch+1)
		saved.RoomState = e.RoomState // the directory may have a newer one
	}
	r := s.newRoom(k, options, e.Epoch)
	for _, player := range e.Banned[:min(len(e.Banned), MaxBanned)] {
		r.held.book.ban(player)
	}
	a := about{id: e.ID, code: e.Code, private: e.Private}
	if len(a.code) != codeLength {
		a.code = ""
	}
	if err := s.registerRoom(r, a); err != nil {
		return nil, err
	}
	if unread != nil {
		r.notify(Notice{Event: RoomUnloaded, Err: unread})
	}
	if saved != nil { // a room whose save cannot be loaded is not claimed
		if err = r.createWorld(ctx, saved, lossy); err == nil {
			if err = claim(r); err != nil {
				r.discardGame(s.config.Now())
			}
		}
	} else if err = claim(r); err == nil {
		err = r.createGame(nil, false)
	}
	s.listRoom(r, err == nil)
	if err != nil {
		close(r.gone)
		r.changed()
		if errors.Is(err, systems.ErrLoad) && !must {
			err = s.cannotUse(e.ID, k.Name, fmt.Errorf("%w: %w", ErrSave, err))
		}
		return nil, err
	}
	s.mu.Lock()
	delete(s.table.unusable, e.ID)
	s.mu.Unlock()
	for _, x := range r.held.book.all() {
		if x.waits {
			s.seated(x.player, e.ID)
		}
	}
	r.changed()
	r.notify(Notice{Event: RoomClaimed})
	return r, nil
}

// resume continues with the seats and the state of a saved room. The caller holds the floor.
func (r *Room) resume(x *savedRoom) {
	r.loaded = r.game.Tick()
	r.mu.Lock()
	defer r.mu.Unlock()
	locked := x.Locked // a room that drains, has ended or is being created
	if x.State == Open || x.State == Running || x.State == Locked {
		locked = x.State == Locked
	}
	r.held.life.begun, r.held.life.locked = x.Begun || x.State == Running, locked
	for _, s := range x.Seats {
		if r.game.Expects(s.Player) {
			r.held.book.resume(int(s.Number), bookSeat{player: s.Player, party: s.Party, client: s.Client, since: s.Since, waits: true})
		}
	}
}
