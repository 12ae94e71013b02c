package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/tactusgo/tactus/systems/rooms"
)

// ErrOwned: the process that owns the room is alive. Request a seat from that process.
var ErrOwned = errors.New("fleet: another process owns the room")

// ErrClaimed is wrapped by the final error of a room that another process claimed after this process had lost its own
// claim.
var ErrClaimed = errors.New("fleet: another process has claimed the room")

// roomClaim is the process's claim under which the record of a room was, or may have been, written. 0: no record exists, so
// no other process knows the room.
type roomClaim struct{ atomic.Uint64 }

// claimOf returns the claim of a room.
func (f *Fleet) claimOf(r *rooms.Room) *roomClaim {
	if c, ok := f.claims.Load(r); ok {
		return c.(*roomClaim)
	}
	c, _ := f.claims.LoadOrStore(r, &roomClaim{})
	return c.(*roomClaim)
}

// Orphaned implements rooms.Fleet. Another process may own a room whose record was written under another claim.
func (f *Fleet) Orphaned(r *rooms.Room) bool {
	c, ok := f.claims.Load(r)
	if !ok {
		return false
	}
	under := c.(*roomClaim).Load()
	return under != 0 && under != f.publisher.claim.current()
}

// RoomChanged implements rooms.Fleet.
func (f *Fleet) RoomChanged(r *rooms.Room) {
	key := RoomKey(r.ID())
	select {
	case <-r.Done():
		if f.publisher.records.source(key) != any(r) {
			return // nothing was written about it; another room of this id may be marked
		}
	default:
	}
	f.publisher.mark(key, r)
}

// kept reports whether the record of a source stays when this process ends: another process may claim the room.
func (f *Fleet) kept(source any) bool {
	return f.link.Kept(source.(*rooms.Room))
}

// ProcessChanged implements rooms.Fleet.
func (f *Fleet) ProcessChanged() { f.publisher.markProcess() }

// MayAdmit implements rooms.Fleet. While another process has this process's name, players could not find their seats here
// again.
func (f *Fleet) MayAdmit() error {
	if f.publisher.claim.named() {
		return &rooms.Unavailable{Again: ProcessLease / 5, Err: errNamed}
	}
	return nil
}

// Membership implements rooms.Fleet.
func (f *Fleet) Membership() rooms.Membership {
	if f.publisher == nil {
		return rooms.Membership{}
	}
	claim := f.publisher.claim
	m := rooms.Membership{Member: claim.current() != 0, Fenced: claim.ended(), Named: claim.named(), Errors: f.publisher.errors.Load(), Panics: f.answers.panics.Load()}
	if d, ok := f.config.Directory.(ager); ok {
		m.Age = d.Age()
	}
	return m
}

// Epoch returns the number of this process's claim to its name, or 0 without a claim.
func (f *Fleet) Epoch() uint64 {
	if f.publisher == nil {
		return 0
	}
	return f.publisher.claim.current()
}

// processEntry returns the record of this process.
func (f *Fleet) processEntry(epoch uint64) any {
	c := &f.server
	e := ProcessEntry{
		Process: c.Process, Epoch: epoch, Addresses: c.Addresses, Endpoints: c.Endpoints, Kinds: f.here.Kinds(), Fingerprint: f.Fingerprint(),
		MaxRooms: c.MaxRooms, Draining: f.here.Draining(), Started: f.started,
	}
	for _, r := range f.config.Here.Rooms() {
		i := r.Info()
		e.Rooms++
		e.Players += i.Capacity - i.Free()
	}
	return e
}

// publication returns the record of a room, or nil for a record that stays as it is.
func (f *Fleet) publication(source any) (p publication, exists bool) {
	r := source.(*rooms.Room)
	select {
	case <-r.Done():
		if f.link.Deleting(r) {
			return nil, true // RoomChanged is called again
		}
		if f.kept(r) {
			return &releasedRecord{roomRecord{fleet: f, room: r, claim: &roomClaim{}}}, true
		}
		f.claims.Delete(r)
		return &roomRecord{fleet: f, room: r, claim: &roomClaim{}}, false
	default:
		return &roomRecord{fleet: f, room: r, claim: f.claimOf(r)}, true
	}
}

// markAll marks all rooms as changed.
func (f *Fleet) markAll(mark func(key string, source any)) {
	f.answers.update() // the claim is new
	for _, r := range f.config.Here.Rooms() {
		mark(RoomKey(r.ID()), r)
	}
}

// fenced notifies the operator that the claim has ended or a new one has begun.
func (f *Fleet) fenced(fenced bool) {
	event := rooms.ProcessBack
	if fenced {
		event = rooms.ProcessFenced
	}
	f.link.Notify(event)
}

// roomRecord is the record of a room. The room ends if another process has claimed it.
type roomRecord struct {
	fleet *Fleet
	room  *rooms.Room
	claim *roomClaim
	epoch uint64 // of the newest value
}

func (r *roomRecord) value(claim uint64) any {
	r.claim.CompareAndSwap(0, claim)
	e := r.room.Entry()
	e.ProcessEpoch, r.epoch = claim, e.Epoch
	return e
}

func (r *roomRecord) written(claim uint64) {
	r.claim.Store(claim)
	r.fleet.link.Published(r.room, r.epoch)
}

// removed raises the epoch of the room, because another process may have owned it meanwhile.
func (r *roomRecord) removed() { r.fleet.link.RaiseEpoch(r.room) }

func (r *roomRecord) yields(found []byte) bool {
	if r.owns(found) {
		return false // a refused write was done
	}
	var e rooms.RoomEntry
	_ = json.Unmarshal(found, &e) // an invalid record is not this process's record
	r.fleet.link.Lose(r.room, fmt.Errorf("%w: %s has it under epoch %d", ErrClaimed, e.Process, e.Epoch))
	return true
}

func (r *roomRecord) owns(found []byte) bool {
	var e struct {
		owner
		Epoch uint64 `json:"epoch"`
	}
	return json.Unmarshal(found, &e) == nil && e.Epoch == r.room.Epoch() && r.fleet.publisher.claim.owned(e.owner)
}

// releasedRecord is the last record of a room that was saved when it ended. No claim of a process is 0, so another process can claim
// the room although this one is alive.
type releasedRecord struct{ roomRecord }

func (r *releasedRecord) value(uint64) any {
	e := r.room.Entry()
	e.State = rooms.Draining
	return e
}

// Claim creates a room of a dead process again, with the same kind, id, code, options and bans, and a higher epoch, so that
// its players meet again. The room continues from its last save: see rooms.Config.Store. Without one, it has a new world and no
// players. If several processes claim a room, one succeeds. A room of this process is returned unchanged.
//
// The error wraps [ErrOwned] while the room's process is alive, rooms.ErrEnded if the directory has no such room,
// rooms.ErrDraining if the room was draining and is not saved, [ErrConflict] if the room has another epoch by now, rooms.ErrUnavailable, or
// an error of rooms.Server.Create.
func (f *Fleet) Claim(ctx context.Context, e rooms.RoomEntry) (*rooms.Room, error) {
	return f.claim(ctx, e, owner{}, 0)
}

// claim does what Claim does. In a handover, giver is the process that has saved the room at a tick, and lets it go.
func (f *Fleet) claim(ctx context.Context, e rooms.RoomEntry, giver owner, tick uint32) (*rooms.Room, error) {
	claimed := make(chan struct{})
	for _, other := f.claiming.LoadOrStore(e.ID, claimed); other; _, other = f.claiming.LoadOrStore(e.ID, claimed) {
		if f.awaitClaim(ctx, e.ID); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	defer close(claimed)
	defer f.claiming.Delete(e.ID)
	if r := f.config.Here.Room(e.ID); r != nil {
		if f.Orphaned(r) {
			return nil, rooms.ErrOrphaned
		}
		return r, nil
	}
	if f.server.Store != nil {
		e.Schema = "" // the save may be of another version of the game
	}
	if err := f.supports(e.Kind, e.Schema); err != nil {
		return nil, err
	}
	found, revision, err := f.claimable(ctx, e, giver)
	if err != nil {
		return nil, err
	}
	if f.server.Store != nil {
		found.Schema = ""
	}
	found.Epoch++
	key := RoomKey(e.ID)
	var restored *rooms.Room
	r, err := f.link.Restore(ctx, found, tick, func(r *rooms.Room) error {
		restored = r
		// One of several processes that overwrite the entry succeeds.
		return f.publisher.records.takeOver(ctx, key, r, &claimedRecord{roomRecord{fleet: f, room: r, claim: f.claimOf(r)}, found}, revision)
	})
	if err != nil && restored != nil {
		f.claims.Delete(restored)
	}
	return r, err
}

// awaitClaim waits until a room is not being claimed by this process. Meanwhile the directory may have its record, but the process not
// the room.
func (f *Fleet) awaitClaim(ctx context.Context, id rooms.ID) {
	if c, is := f.claiming.Load(id); is {
		select {
		case <-c.(chan struct{}):
		case <-ctx.Done():
		}
	}
}

// supports returns an error if this process lacks the kind or has it with another schema.
func (f *Fleet) supports(kind, schema string) error {
	for _, k := range f.here.Kinds() {
		if k.Kind == kind {
			if schema != "" && schema != k.Schema {
				return fmt.Errorf("%w: %s has %s, not %.40q", rooms.ErrSchema, kind, k.Schema, schema)
			}
			return nil
		}
	}
	return fmt.Errorf("%w: %.40q", rooms.ErrKind, kind)
}

// claimable reads the record of a room and returns an error if this process may not claim the room.
func (f *Fleet) claimable(ctx context.Context, e rooms.RoomEntry, giver owner) (found rooms.RoomEntry, revision uint64, err error) {
	if f.publisher.claim.current() == 0 {
		return found, 0, errNoClaim
	}
	if found, revision, err = f.read(ctx, e.ID); err != nil {
		return found, 0, err
	}
	has := owner{found.Process, found.ProcessEpoch}
	alive, err := has.exists(ctx, f.config.Directory)
	if err == nil && revision == 0 && found.Process != "" && found.Process != f.server.Process {
		var p claimRecord // it has the room, if it is alive, and is about to write the record
		newest, unread := find(ctx, f.config.Directory, ProcessKey(found.Process), &p)
		alive, err = newest != 0, unread
	}
	if err == nil {
		err = f.incomplete() // the reads above may have found missing records
	}
	switch {
	case err != nil:
		return found, 0, err
	case found.ID != e.ID || revision != 0 && found.State == rooms.Ended:
		return found, 0, rooms.ErrEnded
	case found.Epoch != e.Epoch || found.Kind != e.Kind:
		return found, 0, fmt.Errorf("%w: the room has epoch %d, not %d", ErrConflict, found.Epoch, e.Epoch)
	case has == giver:
	case found.State == rooms.Draining && f.server.Store == nil: // otherwise its process has died before it could hand it over
		return found, 0, rooms.ErrDraining
	case alive:
		return found, 0, fmt.Errorf("%w: %s", ErrOwned, found.Process)
	}
	return found, revision, nil
}

// read returns the record of a room. A room whose record is gone has revision 0, and its entry is that of its last save: processes
// that die leave both, and the record is removed after StayTime. There is no entry if the room has no save.
func (f *Fleet) read(ctx context.Context, id rooms.ID) (e rooms.RoomEntry, revision uint64, err error) {
	revision, err = find(ctx, f.config.Directory, RoomKey(id), &e)
	if err == nil && revision == 0 && f.server.Store != nil {
		if e, err = f.link.Saved(ctx, id); errors.Is(err, rooms.ErrNoSave) {
			return rooms.RoomEntry{}, 0, nil
		}
	}
	return e, revision, err
}

// claimedRecord is the first record of a claimed room, which has no world yet.
type claimedRecord struct {
	roomRecord
	entry rooms.RoomEntry // with the new epoch
}

func (c *claimedRecord) value(claim uint64) any {
	c.claim.Store(claim)
	e := c.entry
	e.Process, e.ProcessEpoch = c.fleet.server.Process, claim
	e.Created, e.Stuck, e.State, e.Code, e.Epoch = c.fleet.config.Now().UTC(), false, rooms.Created, c.room.Code(), c.room.Epoch()
	for _, k := range c.fleet.here.Kinds() {
		if k.Kind == e.Kind {
			e.Schema, e.Capacity, e.Free = k.Schema, k.Capacity, k.Capacity
		}
	}
	return e
}
