package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// HandOver implements rooms.Fleet. Another process with the schema of the room is preferred to one without.
func (f *Fleet) HandOver(ctx context.Context, r *rooms.Room, tick uint32, who []rooms.Player) ([]rooms.Admission, error) {
	e := r.Entry()
	q := seatRequest{
		Op: opHandOver, Kind: e.Kind, Room: uint64(e.ID), RoomEpoch: e.Epoch, Tick: tick,
		Giver: owner{f.server.Process, f.claimOf(r).Load()}, Players: requesting(who),
	}
	var to target
	var err error
	for _, schema := range []string{e.Schema, ""} {
		w := rooms.Wish{Kind: e.Kind, Schema: schema, Players: make([]rooms.Player, e.Capacity-e.Free)}
		f.mu.Lock()
		f.updateOwn()
		if to, err = f.view.choose(&w, true, map[string]bool{f.view.own: true}, f.config.Now()); err == nil {
			f.view.asked(to, false)
		}
		f.mu.Unlock()
		if err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	all, err := f.request(ctx, to.process.Process, q)
	if err != nil { // the request may still arrive: it is for the epoch that the room had
		f.link.RaiseEpoch(r)
	}
	return all, err
}

// takeOver continues a room that another process hands over, and gives its players their seats again. It returns at least one
// admission. A player who has no seat in the saved room gets one that opens nothing.
func (f *Fleet) takeOver(ctx context.Context, q *seatRequest) (all []rooms.Admission, err error) {
	var r *rooms.Room
	for range maxRoomTries {
		r, err = f.claim(ctx, rooms.RoomEntry{ID: rooms.ID(q.Room), Kind: q.Kind, Epoch: q.RoomEpoch}, q.Giver, q.Tick)
		if !errors.Is(err, ErrConflict) { // otherwise its process has just written the record
			break
		}
	}
	if err != nil {
		return nil, err
	}
	e := r.Entry()
	none := rooms.Admission{
		Kind: e.Kind, Schema: e.Schema, Code: e.Code, Loaded: r.Loaded(), Seat: rooms.Seat{Room: e.ID},
		Expires: time.Unix(f.config.Now().Unix(), 0).Add(f.server.Promise),
	}
	for _, p := range q.Players {
		x, err := r.Reconnect(rooms.Player(p))
		if err != nil {
			x = none
		}
		all = append(all, x)
	}
	if len(all) == 0 {
		all = append(all, none)
	}
	return all, nil
}
