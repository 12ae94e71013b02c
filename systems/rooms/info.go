package rooms

import (
	"time"
)

// Info is the state of a room at one time.
type Info struct {
	ID      ID     `json:"id"`
	Kind    string `json:"kind"`
	Code    string `json:"code"`
	Private bool   `json:"private"`
	Process string `json:"process"`
	// Epoch is [Room.Epoch].
	Epoch uint64 `json:"epoch"`
	// Orphaned reports that another process may own the room by now: players play on, new players get no seats.
	Orphaned bool `json:"orphaned"`
	// Unsaved reports that the room could not be saved: see [RoomUnsaved].
	Unsaved bool `json:"unsaved"`
	// SaveAge is the time since the state of the newest save of the room or, without one, since the room was created. It is
	// nanoseconds in JSON, and 0 without Config.Store.
	SaveAge time.Duration `json:"save_age"`
	State   State         `json:"state"`
	Created time.Time     `json:"created"`
	Options Options       `json:"options"`
	SeatCounts
	Pace
}

// SeatCounts counts the seats of a room by state.
type SeatCounts struct {
	Capacity int `json:"capacity"`
	Taken    int `json:"taken"`    // their players are connected, or in a handshake
	Promised int `json:"promised"` // their tokens were not used yet
	Waiting  int `json:"waiting"`  // the sessions of their players timed out
	// Spectators are connected or have a token that they have not used yet. MaxSpectators is their largest number.
	Spectators    int `json:"spectators"`
	MaxSpectators int `json:"max_spectators"`
}

// Free returns how many seats are free.
func (c SeatCounts) Free() int { return c.Capacity - c.Taken - c.Promised - c.Waiting }

// Pace has the tick times of a room. Times are nanoseconds in JSON.
type Pace struct {
	Tick     uint32        `json:"tick"`      // the next
	TickTime time.Duration `json:"tick_time"` // average time of a turn, usually of one tick
	Budget   time.Duration `json:"budget"`    // longest allowed time of a turn
	Late     time.Duration `json:"late"`      // how late the newest turn began
	Slow     bool          `json:"slow"`      // turns take longer than their budget
	Stuck    time.Duration `json:"stuck"`     // how long the current turn has taken, if longer than Config.Stuck; otherwise 0
}

// Info returns the state of the room.
func (r *Room) Info() Info {
	r.mu.Lock()
	defer r.mu.Unlock()
	counts := r.held.book.countByState()
	return Info{
		ID: r.about.id, Kind: r.kind.Name, Code: r.about.code, Private: r.about.private, Process: r.server.config.Process,
		Epoch: r.epoch.Load(), Orphaned: r.orphaned(), Unsaved: r.saves.failing.Load(), SaveAge: r.saveAge(),
		State: r.held.life.state(), Created: r.about.created, Options: r.held.life.options,
		SeatCounts: SeatCounts{r.kind.Capacity, counts[seatTaken] + counts[seatEntering], counts[seatPromised], counts[seatWaiting], len(r.held.spectators.byPlayer), len(r.held.spectators.seats)},
		Pace:       r.watch.pace(r.budget()),
	}
}

// SeatInfo is the state of a seat at one time.
type SeatInfo struct {
	Number uint16    `json:"number"`
	State  string    `json:"state"` // promised, entering, taken or waiting
	Player uint64    `json:"player,string"`
	Party  uint64    `json:"party,string"`
	Client uint32    `json:"client"` // number of its client, 0 before it came
	Since  time.Time `json:"since"`
}

// Seats returns the seats that are not free, by number.
func (r *Room) Seats() (all []SeatInfo) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n, s := range r.held.book.all() {
		if st := s.state(); st != seatFree {
			all = append(all, SeatInfo{uint16(n), st.String(), s.player, s.party, s.client, s.since})
		}
	}
	return all
}
