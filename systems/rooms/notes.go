package rooms

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems/rooms/internal/ledger"
)

// notes is what this process says in the directory. It is written when it changes, and off the rooms' goroutines.
type notes struct {
	*ledger.Scribe
	server  *Server
	started time.Time
	kinds   []KindEntry

	mu    sync.Mutex
	seats map[string][]*PlayerEntry // by key, the newest last
}

func newNotes(s *Server, drawn bool) *notes {
	n := &notes{server: s, started: s.config.Now(), seats: make(map[string][]*PlayerEntry)}
	for _, k := range s.Kinds() {
		n.kinds = append(n.kinds, k.entry())
	}
	n.Scribe = ledger.NewScribe(ledger.Config{
		Directory: s.config.Directory, Process: s.config.Process, Drawn: drawn, Own: n.own, Say: n.say, All: n.all, Told: n.told,
		Prefixes: []string{PlayerPrefix, RoomPrefix}, Stay: StayTime, Now: s.config.Now, Logger: s.config.Logger,
	})
	return n
}

// room notes that a room has changed, or ended.
func (n *notes) room(r *Room) { n.Mark(RoomKey(r.about.id), r) }

// seated notes where a player has a seat. Of several seats the newest is told, and the one before when that is free.
func (n *notes) seated(s Seat, r *Room) {
	key := PlayerKey(s.Player)
	e := &PlayerEntry{
		Player: s.Player, Room: s.Room, Kind: r.kind.Name, Process: n.server.config.Process, Number: s.Number, Party: s.Party,
		Since: n.server.config.Now(),
	}
	n.mu.Lock()
	n.seats[key] = append(without(n.seats[key], s.Room), e)
	n.mu.Unlock()
	n.Mark(key, nil)
}

// roomsOf returns the rooms in which a player has a seat, the newest last.
func (n *notes) roomsOf(player uint64) (all []ID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, e := range n.seats[PlayerKey(player)] {
		all = append(all, e.Room)
	}
	return all
}

// freed notes that a player has no seat in a room any more.
func (n *notes) freed(player uint64, r *Room) {
	key := PlayerKey(player)
	n.mu.Lock()
	had := len(n.seats[key])
	left := without(n.seats[key], r.about.id)
	n.seats[key] = left
	if len(left) == 0 {
		delete(n.seats, key)
	}
	n.mu.Unlock()
	if len(left) < had {
		n.Mark(key, nil)
	}
}

// without are the seats of a player that are not in a room.
func without(seats []*PlayerEntry, room ID) []*PlayerEntry {
	return slices.DeleteFunc(seats, func(e *PlayerEntry) bool { return e.Room == room })
}

// own is what this process says of itself.
func (n *notes) own(epoch uint64) any {
	s := n.server
	e := ProcessEntry{
		Process: s.config.Process, Epoch: epoch, Addresses: s.config.Addresses, Endpoints: s.config.Endpoints, Kinds: n.kinds,
		Fingerprint: s.Fingerprint(),
		MaxRooms:    s.config.MaxRooms, Draining: s.Draining(), Started: n.started,
	}
	for _, r := range s.Rooms() {
		e.Rooms++
		e.Players += r.kind.Capacity - r.Info().Free()
	}
	return e
}

// say is what is to be said of a room, or, by nobody, of a player.
func (n *notes) say(key string, by any) (what ledger.Saying, says bool) {
	if r, ok := by.(*Room); ok {
		return roomRecord{r}, !r.over()
	}
	p := &playerRecord{claim: n.Claim()}
	n.mu.Lock()
	defer n.mu.Unlock()
	seats := n.seats[key]
	if len(seats) > 0 {
		p.entry = *seats[len(seats)-1]
	}
	return p, len(seats) > 0
}

// all marks everything.
func (n *notes) all(mark func(key string, by any)) {
	for _, r := range n.server.Rooms() {
		mark(RoomKey(r.about.id), r)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for key := range n.seats {
		mark(key, nil)
	}
}

// told tells the operator.
func (n *notes) told(fenced bool) {
	event := ProcessBack
	if fenced {
		event = ProcessFenced
	}
	n.server.config.Told(Notice{At: n.server.config.Now(), Event: event})
}

// roomRecord writes the record of a room to the directory. A room that another process has claimed ends.
type roomRecord struct{ *Room }

// Value implements [ledger.Saying].
func (r roomRecord) Value(claim uint64) any {
	r.held.life.own.under.CompareAndSwap(0, claim)
	e := r.entry()
	e.ProcessEpoch = claim
	return e
}

// Stands implements [ledger.Saying].
func (r roomRecord) Stands(claim uint64) { r.held.life.own.under.Store(claim) }

// Swept implements [ledger.Saying]: somebody may have had the room since, so it begins again above that.
func (r roomRecord) Swept() { r.held.life.own.epoch.Add(1) }

// Yields implements [ledger.Saying].
func (r roomRecord) Yields(there []byte) bool {
	if r.Wrote(there) {
		return false // it was refused, and written all the same
	}
	var e RoomEntry
	_ = json.Unmarshal(there, &e) // what cannot be read is not ours either
	r.finish(fmt.Errorf("%w: %s has it under epoch %d", ErrClaimed, e.Process, e.Epoch), ReasonClaimed)
	return true
}

// Wrote implements [ledger.Saying].
func (r roomRecord) Wrote(there []byte) bool {
	var e struct {
		ledger.Holder
		Epoch uint64 `json:"epoch"`
	}
	own := r.held.life.own
	return json.Unmarshal(there, &e) == nil && e.Epoch == own.epoch.Load() && own.claim.Mine(e.Holder)
}

// playerRecord writes the record of a player to the directory: the room of its newest seat.
type playerRecord struct {
	entry PlayerEntry
	claim *ledger.Claim
}

// Value implements [ledger.Saying].
func (p *playerRecord) Value(claim uint64) any {
	p.entry.ProcessEpoch = claim
	return p.entry
}

// Stands implements [ledger.Saying].
func (p *playerRecord) Stands(uint64) {}

// Swept implements [ledger.Saying].
func (p *playerRecord) Swept() {}

// Yields implements [ledger.Saying].
func (p *playerRecord) Yields(there []byte) bool {
	var e PlayerEntry
	return !p.Wrote(there) && json.Unmarshal(there, &e) == nil && e.Since.After(p.entry.Since)
}

// Wrote implements [ledger.Saying].
func (p *playerRecord) Wrote(there []byte) bool {
	var h ledger.Holder
	return json.Unmarshal(there, &h) == nil && p.claim.Mine(h)
}
