package rooms

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/tactusgo/tactus/systems/rooms/internal/ledger"
)

// owned is whose a room is. Nobody else has a room that the directory was not told of. Of one that it was, its entry says
// it: the process that wrote it has the room as long as it has the claim that it wrote it under.
type owned struct {
	claim *ledger.Claim
	epoch atomic.Uint64 // of the room
	under atomic.Uint64 // the claim under which its entry stands, or may stand; 0: none was written
}

// orphaned reports whether somebody else may have the room, or take it.
func (o *owned) orphaned() bool {
	under := o.under.Load()
	return under != 0 && under != o.claim.Current()
}

// takeover makes a room anew whose process is gone.
type takeover struct {
	server *Server
	key    string
	was    RoomEntry
	over   uint64 // revision of the entry that was
}

// claim claims the room of an entry.
func (t *takeover) claim(ctx context.Context, e RoomEntry) (*Room, error) {
	s := t.server
	if old := s.Room(e.ID); old != nil {
		if old.held.life.own.orphaned() {
			return nil, ErrOrphaned
		}
		return old, nil
	}
	k, err := s.findKind(e.Kind, e.Schema)
	if err != nil {
		return nil, err
	}
	if err := t.look(ctx, e); err != nil {
		return nil, err
	}
	options, err := t.was.Options.Clean()
	if err != nil {
		return nil, err
	}
	r := s.newRoom(k, options, t.was.Epoch+1)
	for _, player := range t.was.Banned[:min(len(t.was.Banned), MaxBanned)] {
		r.held.book.ban(player)
	}
	a := about{id: t.was.ID, code: t.was.Code, private: t.was.Private}
	if len(a.code) != codeLength {
		a.code = ""
	}
	if err := s.registerRoom(r, a); err != nil {
		return nil, err
	}
	// Of several that write over the entry one does.
	if err := s.notes.Ledger().TakeOver(ctx, t.key, r, &claimedRecord{roomRecord{r}, t.was}, t.over); err != nil {
		s.listRoom(r, false)
		r.discard()
		return nil, err
	}
	err = r.createWorld()
	s.listRoom(r, err == nil)
	if err != nil {
		r.discard()
		return nil, err
	}
	r.changed()
	r.notify(Notice{Event: RoomClaimed})
	return r, nil
}

// claimedRecord writes the record of a room that this process has claimed and that has no world yet.
type claimedRecord struct {
	roomRecord
	entry RoomEntry // as it was
}

// Value implements [ledger.Saying].
func (t *claimedRecord) Value(claim uint64) any {
	own := t.held.life.own
	own.under.Store(claim)
	e := t.entry
	e.Process, e.ProcessEpoch, e.Epoch = t.server.config.Process, claim, own.epoch.Load()
	e.Schema, e.Created, e.Stuck = t.kind.schema, t.about.created.UTC(), false
	e.State, e.Capacity, e.Free, e.Code = Created, t.kind.Capacity, t.kind.Capacity, t.about.code
	return e
}

// look reads the entry anew, and whether its process is there.
func (t *takeover) look(ctx context.Context, e RoomEntry) (err error) {
	s := t.server
	if s.notes.Claim().Current() == 0 {
		return ledger.ErrLost
	}
	t.key = RoomKey(e.ID)
	if t.over, err = ledger.Find(ctx, s.config.Directory, t.key, &t.was); err != nil {
		return err
	}
	switch {
	case t.over == 0 || t.was.ID != e.ID || t.was.State == Ended:
		return ErrEnded
	case t.was.Epoch != e.Epoch || t.was.Kind != e.Kind:
		return fmt.Errorf("%w: it is of epoch %d, not %d", ErrConflict, t.was.Epoch, e.Epoch)
	case t.was.State == Draining:
		return ErrDraining
	}
	there, err := ledger.Holder{Process: t.was.Process, Claim: t.was.ProcessEpoch}.There(ctx, s.config.Directory)
	if err == nil && there {
		err = fmt.Errorf("%w: %s", ErrOwned, t.was.Process)
	}
	return err
}

// discard removes the directory's record of a room whose world was not made.
func (r *Room) discard() {
	close(r.gone)
	if n := r.server.notes; n.Ledger().By(RoomKey(r.about.id)) == any(r) {
		n.room(r)
	}
}
