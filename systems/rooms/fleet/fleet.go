package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/match"
)

// Fleet is one process's view of the fleet. It gives seats in the rooms of all processes and publishes the rooms of its own
// process. Any goroutine may call its methods.
type Fleet struct {
	config    Config
	server    rooms.Config // of Here
	link      *rooms.Link
	here      rooms.Seats // nil: no rooms in this process
	started   time.Time
	publisher *publisher // nil: no rooms in this process
	answers   answerer
	claims    sync.Map // *rooms.Room to *roomClaim
	claiming  sync.Map // rooms.ID to chan struct{}, which is closed when the room is claimed

	mu    sync.Mutex
	view  view
	runs  bool // Run was called
	ended bool // Run has returned
}

var (
	_ rooms.Seats = (*Fleet)(nil)
	_ rooms.Fleet = (*Fleet)(nil)
)

// ager is a directory that reports the time since its latest change.
type ager interface{ Age() time.Duration }

// incompleter is a directory that can lose its records. While it is incomplete, a missing record means nothing.
type incompleter interface{ Incomplete() bool }

// absent returns the error for a room without a record.
func (f *Fleet) absent(id rooms.ID) error {
	if err := f.incomplete(); err != nil {
		return err
	}
	return fmt.Errorf("%w: %v", rooms.ErrRoom, id)
}

// incomplete returns an error while processes are writing lost records again.
func (f *Fleet) incomplete() error {
	if d, ok := f.config.Directory.(incompleter); ok && d.Incomplete() {
		return &rooms.Unavailable{Again: time.Second, Err: errIncomplete}
	}
	return nil
}

// maxRenewals is the number of processes that Renew asks at a time.
const maxRenewals = 16

// maxRoomTries is the number of requests for a room whose process changes meanwhile.
const maxRoomTries = 3

var (
	errNoProcess = errors.New("fleet: no process with rooms is in the directory")
	errSilent    = errors.New("fleet: the other processes do not answer")
	// errForeign is the error of rooms whose process has another key: no token of this process opens a seat there.
	errForeign = errors.New("fleet: the room's process has another Key or ProtocolID")
	// errNamesake is the error of rooms whose process has this process's name. That process cannot be asked; its rooms are
	// created again when its lease has expired.
	errNamesake = errors.New("fleet: the room's process has the name of this one, or had it until a moment ago")
	// errEpoch is the error of a request to a process that has claimed its name again meanwhile.
	errEpoch = errors.New("fleet: the process has claimed its name again")
	errEnded = errors.New("fleet: Run has ended")
	// errIncomplete is the error for rooms without a record after the directory lost its records.
	errIncomplete = errors.New("fleet: the directory has lost its records; processes are writing them again")
)

// Join implements [rooms.Seats].
func (f *Fleet) Join(ctx context.Context, w rooms.Wish) ([]rooms.Admission, error) {
	if w.Leaves == 0 {
		if all, err := f.Renew(ctx, w, false); err == nil || errors.Is(err, rooms.ErrUnavailable) {
			return all, err
		}
	}
	q := seatRequest{Op: opJoin, Kind: w.Kind, Schema: w.Schema, Leaves: uint64(w.Leaves), Players: requesting(w.Players)}
	return f.seek(ctx, w, q, func() ([]rooms.Admission, error) { return f.here.Join(ctx, w) })
}

// Renew implements [rooms.Seats]. If the players have no seats here, it asks all processes that have the kind. A seat is not renewed
// while its process does not answer: Reconnect makes another process continue the room of a dead one.
func (f *Fleet) Renew(ctx context.Context, w rooms.Wish, away bool) ([]rooms.Admission, error) {
	if f.here != nil {
		if all, err := f.here.Renew(ctx, w, away); err == nil || errors.Is(err, rooms.ErrUnavailable) {
			return all, err
		}
	}
	if len(w.Players) == 0 {
		return nil, fmt.Errorf("%w: nobody wants a seat", rooms.ErrPlayer)
	}
	f.mu.Lock()
	processes := f.view.others(w.Kind, w.Schema)
	f.mu.Unlock()
	q := seatRequest{Op: opRenew, Kind: w.Kind, Options: w.Options, Schema: w.Schema, Away: away, Players: requesting(w.Players)}
	found := make([][]rooms.Admission, len(processes))
	match.Concurrently(maxRenewals, len(processes), func(i int) { found[i], _ = f.request(ctx, processes[i], q) })
	for _, all := range found {
		if all != nil {
			return all, nil
		}
	}
	return nil, rooms.ErrNoSeat
}

// Create implements [rooms.Seats].
func (f *Fleet) Create(ctx context.Context, kind string, c rooms.Creation, who ...rooms.Player) ([]rooms.Admission, error) {
	w := rooms.Wish{Kind: kind, Options: c.Options, Schema: c.Schema, Players: who}
	q := seatRequest{Op: opCreate, Kind: kind, Private: c.Private, Schema: c.Schema, Players: requesting(who)}
	return f.seek(ctx, w, q, func() ([]rooms.Admission, error) { return f.here.Create(ctx, kind, c, who...) })
}

// seek asks one process after another until one gives seats or no candidate remains.
func (f *Fleet) seek(ctx context.Context, w rooms.Wish, q seatRequest, local func() ([]rooms.Admission, error)) ([]rooms.Admission, error) {
	options, err := w.Options.Clean()
	if err == nil && len(w.Players) == 0 {
		err = fmt.Errorf("%w: nobody wants a seat", rooms.ErrPlayer)
	}
	if err != nil {
		return nil, err
	}
	w.Options, q.Options = options, options
	tried := make(map[string]bool)
	var last error
	for {
		f.mu.Lock()
		f.updateOwn()
		to, err := f.view.choose(&w, q.Op == opCreate, tried, f.config.Now())
		f.mu.Unlock()
		if err != nil {
			return nil, cmp.Or(last, err)
		}
		name := to.process.Process
		var all []rooms.Admission
		if name == f.view.own {
			all, err = local()
		} else {
			all, err = f.request(ctx, name, q)
		}
		f.mu.Lock()
		f.view.asked(to, err == nil)
		f.mu.Unlock()
		if err == nil || !worthAnother(err) {
			return all, err
		}
		tried[name], last = true, err
	}
}

// worthAnother reports whether to ask another process after an error. It is false after a timeout, because the first
// process may have given the seats.
func worthAnother(err error) bool {
	for _, x := range []error{
		rooms.ErrRooms, rooms.ErrDraining, rooms.ErrEnded, rooms.ErrStuck, rooms.ErrFull, rooms.ErrLocked, rooms.ErrKind,
		rooms.ErrSchema, rooms.ErrOrphaned, errEpoch, ErrNoHandler,
	} {
		if errors.Is(err, x) {
			return true
		}
	}
	return false
}

// Reserve implements [rooms.Seats].
func (f *Fleet) Reserve(ctx context.Context, room rooms.ID, who ...rooms.Player) ([]rooms.Admission, error) {
	q := seatRequest{Op: opReserve, Room: uint64(room), Players: requesting(who)}
	return f.seekRoom(ctx, room, q, func() ([]rooms.Admission, error) { return f.here.Reserve(ctx, room, who...) })
}

// Reconnect implements [rooms.Seats].
func (f *Fleet) Reconnect(ctx context.Context, room rooms.ID, who rooms.Player) (rooms.Admission, error) {
	return f.seekOne(ctx, opReconnect, room, who, func() (rooms.Admission, error) { return f.here.Reconnect(ctx, room, who) })
}

// Spectate implements [rooms.Seats].
func (f *Fleet) Spectate(ctx context.Context, room rooms.ID, who rooms.Player) (rooms.Admission, error) {
	return f.seekOne(ctx, opSpectate, room, who, func() (rooms.Admission, error) { return f.here.Spectate(ctx, room, who) })
}

// seekOne asks the process of a room for a seat of one player.
func (f *Fleet) seekOne(ctx context.Context, op string, room rooms.ID, who rooms.Player, local func() (rooms.Admission, error)) (rooms.Admission, error) {
	q := seatRequest{Op: op, Room: uint64(room), Players: requesting([]rooms.Player{who})}
	all, err := f.seekRoom(ctx, room, q, func() ([]rooms.Admission, error) {
		x, err := local()
		return []rooms.Admission{x}, err
	})
	if err != nil {
		return rooms.Admission{}, err
	}
	return all[0], nil
}

// seekRoom asks the process of a room. If that process is dead, another one claims the room.
func (f *Fleet) seekRoom(ctx context.Context, id rooms.ID, q seatRequest, local func() ([]rooms.Admission, error)) (all []rooms.Admission, err error) {
	for try := range maxRoomTries {
		f.awaitClaim(ctx, id)
		if f.here != nil && f.config.Here.Room(id) != nil {
			return local()
		}
		var process string
		var e rooms.RoomEntry
		if process, e, q.Claim, err = f.locate(ctx, id, len(q.Players), try > 0); err != nil {
			return nil, err
		}
		if process != f.view.own {
			all, err = f.request(ctx, process, q)
		} else if _, err = f.Claim(ctx, e); err == nil {
			return local()
		}
		if q.Claim && errors.Is(err, rooms.ErrEnded) { // the room has ended, or its process is about to write it again
			return nil, &rooms.Unavailable{Again: time.Second, Err: err}
		}
		if err == nil || !q.Claim && !errors.Is(err, errEpoch) || q.Claim && !errors.Is(err, ErrOwned) && !errors.Is(err, ErrConflict) {
			return all, err
		}
	}
	return nil, &rooms.Unavailable{Again: time.Second, Err: err}
}

// locate returns the process that owns a room or is to claim it. fresh forces a read from the directory.
func (f *Fleet) locate(ctx context.Context, id rooms.ID, players int, fresh bool) (process string, e rooms.RoomEntry, claim bool, err error) {
	f.mu.Lock()
	x := f.view.rooms[id]
	f.mu.Unlock()
	if x == nil || fresh {
		r, err := f.config.Directory.Load(ctx, RoomKey(id))
		if x != nil && errors.Is(err, ErrAbsent) { // the room has just ended, or its process is about to write it again
			return "", e, false, &rooms.Unavailable{Again: time.Second, Err: fmt.Errorf("%w: %v", ErrAbsent, id)}
		}
		if errors.Is(err, ErrAbsent) {
			return f.locateSaved(ctx, id, players)
		}
		if err != nil {
			return "", e, false, &rooms.Unavailable{Again: time.Second, Err: err}
		}
		f.mu.Lock()
		f.view.update(r)
		x = f.view.rooms[id]
		f.mu.Unlock()
		if x == nil {
			return "", e, false, f.absent(id)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.view.alive(x) && x.Process != f.view.own:
		return x.Process, x.RoomEntry, false, nil
	case f.endedHere(x):
		return "", e, false, fmt.Errorf("%w: %v", rooms.ErrRoom, id)
	case f.view.alive(x):
		return "", e, false, &rooms.Unavailable{Again: time.Second, Err: errNamesake}
	case x.ProcessEpoch != 0 && f.view.foreign[x.Process] == x.ProcessEpoch:
		return "", e, false, &rooms.Unavailable{Again: time.Second, Err: errForeign}
	}
	process, err = f.chooseClaimer(&x.RoomEntry, players)
	return process, x.RoomEntry, err == nil, err
}

// locateSaved returns the process that is to claim a room without a record, which has a save.
func (f *Fleet) locateSaved(ctx context.Context, id rooms.ID, players int) (process string, e rooms.RoomEntry, claim bool, err error) {
	if f.here != nil {
		if e, _, err = f.read(ctx, id); err != nil {
			return "", e, false, err
		}
	}
	if e.ID == 0 || f.incomplete() != nil {
		return "", e, false, f.absent(id)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.view.processes[e.Process] != nil { // it may have the room, and be about to write the record
		return e.Process, e, true, nil
	}
	process, err = f.chooseClaimer(&e, players)
	return process, e, err == nil, err
}

// chooseClaimer returns the process that is to claim a room. A process with another schema can claim the room if it is saved: one with
// the schema of the room is preferred. The caller holds the lock.
func (f *Fleet) chooseClaimer(e *rooms.RoomEntry, players int) (string, error) {
	f.updateOwn()
	w := rooms.Wish{Kind: e.Kind, Schema: e.Schema, Players: make([]rooms.Player, players)}
	to, err := f.view.choose(&w, true, nil, f.config.Now())
	if f.server.Store != nil && errors.Is(err, rooms.ErrSchema) {
		w.Schema = ""
		to, err = f.view.choose(&w, true, nil, f.config.Now())
	}
	if err != nil {
		return "", err
	}
	f.view.asked(to, false)
	return to.process.Process, nil
}

// endedHere reports whether the room was an ended room of this process. A room of another process with the same name may
// still run, or be claimed after that process has died. The caller holds the lock.
func (f *Fleet) endedHere(x *room) bool {
	if _, is := f.claiming.Load(x.ID); is {
		return false
	}
	return f.here != nil && x.Process == f.view.own && x.ProcessEpoch == f.Epoch() && f.view.alive(x)
}

// requesting returns the players of a request.
func requesting(who []rooms.Player) []requestingPlayer {
	all := make([]requestingPlayer, len(who))
	for i, p := range who {
		all[i] = requestingPlayer(p)
	}
	return all
}

// request asks another process for seats and issues the tokens.
func (f *Fleet) request(ctx context.Context, process string, q seatRequest) ([]rooms.Admission, error) {
	f.mu.Lock()
	p := f.view.processes[process]
	ended := f.ended
	f.mu.Unlock()
	if ended {
		return nil, &rooms.Unavailable{Again: time.Second, Err: errEnded}
	}
	if p == nil {
		return nil, &rooms.Unavailable{Again: time.Second, Err: ErrNoHandler}
	}
	q.Epoch = p.Epoch
	b, err := json.Marshal(q)
	if err != nil || len(b) > MaxRequestBytes || len(q.Players) > maxPlayers {
		return nil, fmt.Errorf("%w: %d players with what they carry are too many for a request to another process", rooms.ErrPlayer, len(q.Players))
	}
	call, stop := context.WithTimeout(ctx, f.config.RequestTimeout)
	defer stop()
	answer, err := f.config.Directory.Request(call, requestAddress(process, q.Epoch), b)
	if ctx.Err() != nil {
		return nil, ctx.Err() // the seats are freed when their promises expire
	}
	if err != nil {
		f.mu.Lock()
		p, level := f.view.processes[process], slog.LevelDebug
		if p != nil && p.Epoch == q.Epoch && p.silent != p.revision {
			p.silent, level = p.revision, slog.LevelWarn // once: all players of a dead process ask for their rooms
		}
		f.mu.Unlock()
		f.config.Logger.Log(ctx, level, "a process does not answer", "process", process, "players", len(q.Players), "error", err)
		return nil, &rooms.Unavailable{Again: time.Second, Err: fmt.Errorf("fleet: process %s: %w", process, err)}
	}
	a, err := parseReply(answer, &q)
	if err != nil {
		return nil, &rooms.Unavailable{Again: time.Second, Err: err}
	}
	if err := a.err(); err != nil {
		return nil, err
	}
	f.noteRoom(process, &q, &a)
	return f.issue(process, &q, &a)
}

// issue returns the admissions of a reply, with their tokens. No token is sent between processes.
func (f *Fleet) issue(process string, q *seatRequest, a *seatReply) (all []rooms.Admission, err error) {
	issued, lifetime := time.Unix(a.Issued, 0), time.Duration(a.Expires-a.Issued)*time.Second
	for i, p := range q.Players {
		s := a.Seats[i]
		x := rooms.Admission{
			Kind: a.Kind, Schema: a.Schema, Code: a.Code, Loaded: a.Loaded, Process: process, Expires: time.Unix(a.Expires, 0), Addresses: a.Addresses, Endpoints: a.Endpoints,
			Spectator: q.Op == opSpectate,
			Seat:      rooms.Seat{Room: rooms.ID(a.Room), Number: s.Number, Epoch: s.Epoch, Player: p.ID, Party: s.Party, Data: p.Data},
		}
		if err := x.Issue(f.config.Key, f.config.ProtocolID, lifetime, issued, f.config.Random); err != nil {
			return nil, &rooms.Unavailable{Again: time.Second, Err: err}
		}
		all = append(all, x)
	}
	return all, nil
}

// noteRoom records a room that is not in the directory yet, so that its code is found.
func (f *Fleet) noteRoom(process string, q *seatRequest, a *seatReply) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := rooms.ID(a.Room)
	p := f.view.processes[process]
	if p == nil || f.view.rooms[id] != nil {
		return
	}
	k := p.kind(a.Kind, "")
	if k == nil {
		return
	}
	f.view.replaceRoom(&room{until: f.config.Now().Add(unseenTimeout)}, rooms.RoomEntry{
		ID: id, Kind: a.Kind, Schema: k.Schema, Code: a.Code, Private: q.Private, Process: process, ProcessEpoch: q.Epoch,
		Capacity: k.Capacity, RoomState: rooms.RoomState{State: rooms.Open, Options: q.Options},
	})
}

// Queue returns a queue shared by all processes of the fleet: see [SharedQueue].
func (f *Fleet) Queue(c match.Config) match.Waitlist {
	return newSharedQueue(c, f, guardedDirectory{f.config.Directory, f}, f.config.Now)
}

// Fingerprint returns the [Fingerprint] of the fleet.
func (f *Fleet) Fingerprint() string { return f.view.fingerprint }

// Find implements [rooms.Seats]. It also finds rooms of dead processes, which are created again when a player wants a seat. Rooms whose
// process died more than StayTime ago are found by id, if this process has rooms and the room is saved. If no process has the schema of
// a room, its entry has none, because a process with another one can continue a saved room.
func (f *Fleet) Find(name string) (rooms.RoomEntry, bool) {
	if f.here != nil {
		if e, ok := f.here.Find(name); ok {
			return e, true
		}
	}
	id, unnamed := rooms.ParseID(name)
	f.mu.Lock()
	if unnamed != nil {
		id = f.view.codes[strings.ToLower(name)]
	}
	x := f.view.rooms[id]
	var e rooms.RoomEntry
	if x != nil && !f.endedHere(x) {
		e = x.RoomEntry
	}
	f.mu.Unlock()
	if x == nil && unnamed == nil { // this process may have started just now
		var err error
		if e, _, err = f.read(context.Background(), id); err != nil {
			return rooms.RoomEntry{ID: id}, true // a request for a seat gets the error
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, has := f.view.rankSchemas(e.Kind)[e.Schema]; !has && f.server.Store != nil {
		e.Schema = ""
	}
	return e, e.ID != 0
}

// List implements [rooms.Seats]. Entries of other processes' rooms come from the directory.
func (f *Fleet) List() (all []rooms.RoomEntry) {
	if f.here != nil {
		all = f.here.List()
	}
	f.mu.Lock()
	for _, x := range f.view.rooms {
		if x.Process != f.view.own && f.view.alive(x) && x.until.IsZero() {
			all = append(all, x.RoomEntry)
		}
	}
	f.mu.Unlock()
	slices.SortFunc(all, func(a, b rooms.RoomEntry) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// Kinds implements [rooms.Seats]. It omits draining processes.
func (f *Fleet) Kinds() (all []rooms.KindEntry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.updateOwn()
	for _, p := range f.view.processes {
		if p.Draining {
			continue
		}
		for _, k := range p.Kinds {
			if !slices.ContainsFunc(all, func(x rooms.KindEntry) bool { return x.Kind == k.Kind && x.Schema == k.Schema }) {
				all = append(all, k)
			}
		}
	}
	ranks := make(map[string]map[string]int)
	for _, k := range all {
		if ranks[k.Kind] == nil {
			ranks[k.Kind] = f.view.rankSchemas(k.Kind)
		}
	}
	slices.SortFunc(all, func(a, b rooms.KindEntry) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(ranks[a.Kind][a.Schema], ranks[b.Kind][b.Schema]))
	})
	return all
}

// Local implements [rooms.Seats]. It does not know processes missing from the directory.
func (f *Fleet) Local() bool {
	if f.here != nil && !f.here.Local() {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.view.processes {
		if slices.ContainsFunc(p.Addresses, func(at netip.AddrPort) bool { return !at.Addr().IsLoopback() }) {
			return false
		}
	}
	return true
}

// Draining implements [rooms.Seats]. A process without rooms does not drain.
func (f *Fleet) Draining() bool { return f.here != nil && f.here.Draining() }

// Ready implements [rooms.Seats].
func (f *Fleet) Ready() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.updateOwn()
	if f.here != nil {
		if err := f.here.Ready(); errors.Is(err, rooms.ErrUnavailable) {
			return err
		}
	}
	if len(f.view.processes) == 0 {
		return &rooms.Unavailable{Again: time.Second, Err: errNoProcess}
	}
	for _, p := range f.view.processes {
		if !p.Draining {
			return nil
		}
	}
	return rooms.ErrDraining
}

// updateOwn updates the view of this process, regardless of the directory. The caller holds the lock.
func (f *Fleet) updateOwn() {
	if f.here == nil {
		return
	}
	p := f.view.processes[f.view.own]
	if p == nil {
		p = &process{taken: f.view.takenSeats(f.view.own)}
		p.Process, p.Kinds, p.Addresses, p.Started = f.view.own, f.here.Kinds(), f.server.Addresses, f.started
		f.view.processes[f.view.own] = p
	}
	p.Draining = f.here.Draining()
	f.view.named = f.publisher.claim.named()
}
