package rooms

import (
	"cmp"
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// Creation configures one room.
type Creation struct {
	// Options are published. They override those of the kind.
	Options Options
	// Private rooms are not listed. Players join them by id or code only.
	Private bool
	// Schema is the [SchemaOf] of the client that asks. Default (""): any.
	Schema string
}

// cryptoRandom fills b by crypto/rand, which never fails.
func cryptoRandom(b []byte) { _, _ = cryptorand.Read(b) }

// Create creates an empty room of a kind. The error wraps [ErrKind], [ErrRooms], [ErrDraining], [ErrEnded] of a closed server,
// [ErrSchema], [ErrOptions] or [ErrPanic] of the game's functions, or is that of Kind.Set, Kind.Created or systems.NewServer.
func (s *Server) Create(kind string, c Creation) (*Room, error) {
	r, _, err := s.createRoom(kind, c, nil)
	return r, err
}

// findKind returns the kind with a name. The error wraps ErrKind, or ErrSchema if clients with the schema cannot play it.
func (s *Server) findKind(name, schema string) (*Kind, error) {
	k := s.kinds[name]
	switch {
	case k == nil:
		return nil, fmt.Errorf("%w: %.40q", ErrKind, name)
	case schema != "" && schema != k.schema:
		return nil, fmt.Errorf("%w: %s has %s, not %.40q", ErrSchema, name, k.schema, schema)
	}
	return k, nil
}

// createRoom creates a room with seats for players, before anybody else can find it. There may be no players.
func (s *Server) createRoom(kind string, c Creation, who []Player) (*Room, []Admission, error) {
	k, err := s.findKind(kind, c.Schema)
	if err != nil {
		return nil, nil, err
	}
	if len(who) > k.Capacity {
		return nil, nil, ErrFull
	}
	if len(who) > 0 {
		if err := s.mayAdmit(); err != nil {
			return nil, nil, err
		}
	}
	options, err := c.Options.Clean()
	if err == nil {
		options, err = k.Options.with(options).Clean()
	}
	if err != nil {
		return nil, nil, err
	}
	r := s.newRoom(k, options, 1)
	a := about{private: c.Private}
	if len(who) > 0 {
		a.creator = who[0].ID
	}
	if err := s.registerRoom(r, a); err != nil {
		return nil, nil, err
	}
	var all []Admission
	if err = r.createGame(nil, false); err != nil {
		s.listRoom(r, false)
		return nil, nil, err
	}
	if len(who) > 0 {
		all, err = r.reserveSeats(who)
	}
	s.listRoom(r, true)
	r.notify(Notice{Event: RoomCreated})
	r.changed()
	if err != nil {
		r.End(err)
		return r, all, err
	}
	for _, p := range who {
		s.releaseSeats(p.ID)
	}
	if a.creator != 0 {
		s.endUnused(a.creator)
	}
	return r, all, nil
}

// newRoom returns a room without a world. The first room of its id has epoch 1.
func (s *Server) newRoom(k *Kind, options Options, epoch uint64) *Room {
	r := &Room{
		server: s, kind: k, floor: make(chan struct{}, 1), wake: make(chan struct{}, 1), gone: make(chan struct{}),
		held: held{book: newSeatBook(k.Capacity, epoch), spectators: newSeatBook(0, epoch), life: life{options: options}},
	}
	r.epoch.Store(epoch)
	r.watch.base = s.config.Now()
	return r
}

// registerRoom counts a room that is being created, and gives it an id and a code if it has none.
func (s *Server) registerRoom(r *Room, a about) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &s.table
	switch {
	case t.closed:
		return ErrEnded
	case t.draining:
		return ErrDraining
	case len(t.list)+t.making >= s.config.MaxRooms:
		return fmt.Errorf("%w: there are %d", ErrRooms, s.config.MaxRooms)
	}
	a.created, a.number = s.config.Now(), t.made
	r.about = a
	for r.about.id == 0 || r.about.id != a.id && t.byID[r.about.id] != nil {
		r.about.id = ID(draw(s.random))
	}
	for r.about.code == "" || r.about.code != a.code && t.byCode[r.about.code] != nil {
		r.about.code = code(draw(s.random))
	}
	t.made++
	t.making++
	return nil
}

// listRoom adds a created room to the list. made is false for a room that could not be created.
func (s *Server) listRoom(r *Room, made bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &s.table
	t.making--
	if !made {
		t.closeIfDrained()
		return
	}
	t.list = append(slices.Clip(t.list), r)
	t.byID[r.about.id] = r
	if t.byCode[r.about.code] == nil { // another room may have the code of a claimed one
		t.byCode[r.about.code] = r
	}
	if t.draining {
		r.held.life.drain(r)
	}
	switch {
	case t.closed:
		r.held.life.ending, r.held.life.reason = ErrClosed, netsys.ReasonServerClosing
		fallthrough
	case t.run != nil:
		s.startRoom(r)
	}
}

// createWorld creates the world of the room: from a save, if that is not nil, otherwise a new one. If lossy is set and the save cannot
// be loaded as a whole, the store keeps it, and the world has what can be loaded, or is a new one.
func (r *Room) createWorld(ctx context.Context, saved *savedRoom, lossy bool) error {
	err := r.createGame(saved, false)
	if saved == nil || !lossy || !errors.Is(err, systems.ErrLoad) {
		return err
	}
	r.notify(Notice{Event: RoomUnloaded, Err: err})
	if err = r.server.keepSave(ctx, r.about.id); err != nil {
		return err
	}
	if err = r.createGame(saved, true); errors.Is(err, systems.ErrLoad) {
		err = r.createGame(nil, false)
	}
	return err
}

// createGame creates the server of the room. The error wraps systems.ErrLoad if the save cannot be loaded, as a whole unless lossy is
// set.
func (r *Room) createGame(saved *savedRoom, lossy bool) error {
	s, k := r.server, r.kind
	c := k.Server
	now := s.config.Now()
	var err error
	if failed := r.runGuarded(func() {
		c.Seed = cmp.Or(c.Seed, uint64(r.about.id))
		if c.Logger == nil {
			c.Logger = s.config.Logger.With("kind", k.Name, "room", r.about.id)
		}
		if err = k.configure(r, &c); err != nil {
			return
		}
		c.Session.Key, c.Session.ProtocolID, c.Session.Addresses = s.config.Key, s.config.ProtocolID, s.config.Addresses
		r.makePlaces(c.Players.Spectators)
		c.MaxClients = 2*k.Capacity + 4 // with handshakes that fail
		c.Players.Spectators *= 2       // likewise
		c.Session.MaxTokenLifetime = s.config.Promise + clocksDiffer
		c.Players.ReconnectWindow, c.Start, c.Players.Admission = k.Grace, firstTick(r.about.number, c, now), admission{r}
		if c.Overload.Clock == nil && s.clock != nil {
			c.Overload.Clock, c.Overload.Process = s.clock, s.processLoad
		}
		if s.config.Random != nil && c.Session.Random == nil {
			c.Session.Random = netsys.SeededRandom(draw(s.random))
		}
		r.keepFlight(&c)
		if saved != nil {
			c.Load, c.LoadLossy = saved.world, lossy
		}
		if r.game, err = systems.NewServer(r.port, k.Protocol(), c); err != nil {
			return
		}
		if saved != nil {
			r.resume(saved)
		}
		r.watch.follow(r.game.Schedule())
		if k.Created != nil {
			err = k.Created(r, r.game.World())
		}
	}); failed != nil {
		err = failed
	}
	if err != nil {
		r.discardGame(now)
		return fmt.Errorf("rooms: kind %s: %w", k.Name, err)
	}
	r.held.life.made, r.held.life.empty = true, now
	r.watch.tick.Store(r.game.Tick())
	if r.saves.due = now; saved == nil { // a loaded room is saved at once, so that nobody saves it under a lower epoch
		r.saves.due = now.Add(time.Duration(share(r.about.number) * float64(s.config.SaveInterval)))
	}
	return nil
}

// discardGame closes the server of a room that nobody can find.
func (r *Room) discardGame(now time.Time) {
	if r.game != nil {
		_ = r.runGuarded(func() { _ = r.game.Close(now) })
	}
	if r.port != nil {
		_ = r.port.Close()
	}
}

// share returns a number in 0..1 for the n-th room. Each new one is near the middle of the widest gap between the earlier ones.
func share(n uint64) float64 {
	_, x := math.Modf(float64(n) * (math.Sqrt(5) - 1) / 2)
	return x
}

// firstTick returns when the first tick of a room is due. The rooms of one rate are spread over the tick.
func firstTick(number uint64, c systems.ServerConfig, now time.Time) time.Time {
	step := time.Second * time.Duration(cmp.Or(c.WakeEvery, 1)) / time.Duration(cmp.Or(c.TickRate, ecs.DefaultTickRate))
	// Truncate drops the monotonic clock, so it must not give the time itself: the room would stand still when the wall clock is set
	// back.
	at := now.Truncate(step).Sub(now.Round(0)) + time.Duration(share(number)*float64(step))
	if at < 0 {
		at += step
	}
	return now.Add(at)
}

// Join gives players seats in the room of a kind that publishes these options and has the fewest free seats of those with enough
// seats, or in a new room with these options. Players who have seats in such a room get other tokens for these: asking again is safe.
// The error is that of [Room.Reserve] or [Server.Create].
func (s *Server) Join(kind string, wanted Options, who ...Player) ([]Admission, error) {
	return s.join(Wish{Kind: kind, Options: wanted, Players: who})
}

// join does what Join does for a wish.
func (s *Server) join(w Wish) ([]Admission, error) {
	k, err := s.findKind(w.Kind, w.Schema)
	if err != nil {
		return nil, err
	}
	if err = w.clean(); err == nil && w.Leaves == 0 {
		if all, err := s.renew(k, &w, false); !errors.Is(err, ErrNoSeat) {
			return all, err
		}
	}
	var all []Admission
	switch {
	case err != nil:
	case len(w.Players) > k.Capacity:
		err = ErrFull
	default:
		all, err = s.joinPlayers(k, &w)
	}
	count(s.counts[w.Kind], len(w.Players), err)
	return all, err
}

// clean cleans the options of a wish. The error wraps ErrPlayer or ErrOptions.
func (w *Wish) clean() error {
	err := check(w.Players)
	if err == nil {
		w.Options, err = w.Options.Clean()
	}
	return err
}

// joinPlayers gives players seats that they do not have.
func (s *Server) joinPlayers(k *Kind, w *Wish) ([]Admission, error) {
	all, err := s.joinExisting(k, w)
	if all == nil && err == nil {
		s.opening.Lock() // players who join meanwhile find the new room
		defer s.opening.Unlock()
		all, err = s.joinExisting(k, w)
	}
	if all == nil && err == nil {
		_, all, err = s.createRoom(k.Name, Creation{Options: w.Options}, w.Players)
	}
	return all, err
}

// joinExisting gives players seats in an existing room. It returns neither seats nor an error if no room has enough seats.
func (s *Server) joinExisting(k *Kind, w *Wish) ([]Admission, error) {
	type place struct {
		room *Room
		left int
	}
	var places []place
	for _, r := range s.Rooms() {
		if left := r.freeSeatsFor(k, w.Options); left >= len(w.Players) && r.about.id != w.Leaves {
			places = append(places, place{r, left})
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.left, b.left) })
	for _, p := range places {
		all, err := p.room.reserveSeats(w.Players)
		if err == nil || errors.Is(err, ErrPlayer) || errors.Is(err, ErrSeated) {
			return all, err
		}
	}
	return nil, nil
}

// renew returns other tokens for the seats that all players of a wish have in one room of a kind, which is the one where the first of
// them was seated last. The error wraps ErrNoSeat, or is that of Reconnect.
func (s *Server) renew(k *Kind, w *Wish, away bool) ([]Admission, error) {
	for _, id := range slices.Backward(s.roomsOf(w.Players[0].ID)) {
		r := s.Room(id)
		if r == nil || !r.hasSeatsOf(k, w, away) {
			continue
		}
		all := make([]Admission, len(w.Players))
		for i, p := range w.Players {
			var err error
			if all[i], err = r.Reconnect(p); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	return nil, ErrNoSeat
}

// hasSeatsOf reports whether a room has the seats of all players of a wish: see [Seats].Renew.
func (r *Room) hasSeatsOf(k *Kind, w *Wish, away bool) bool {
	if r.kind != k || r.about.private || r.watch.stuck.Load() != 0 {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held.life.state() == Ended || !r.held.life.options.Has(w.Options) {
		return false
	}
	open := !away && r.admits() == nil
	return !slices.ContainsFunc(w.Players, func(p Player) bool {
		_, s, has := r.held.book.seatOf(p.ID)
		return !has || s.leaving || !open && (s.state() == seatTaken || s.state() == seatEntering)
	})
}
