package rooms

import (
	"time"
)

// Info is what a room is at a time.
type Info struct {
	ID      ID     `json:"id"`
	Kind    string `json:"kind"`
	Code    string `json:"code"`
	Private bool   `json:"private"`
	Process string `json:"process"`
	// Epoch is which room of this id it is, from 1: one that was claimed after its process had died is another one.
	Epoch uint64 `json:"epoch"`
	// Orphaned rooms may be another process's by now: who is in plays on, nobody new gets a seat.
	Orphaned bool      `json:"orphaned"`
	State    State     `json:"state"`
	Created  time.Time `json:"created"`
	Options  Options   `json:"options"`
	SeatCounts
	Pace
}

// SeatCounts are how many seats there are, and what they are.
type SeatCounts struct {
	Capacity int `json:"capacity"`
	Taken    int `json:"taken"`    // their players are connected, or about to be
	Promised int `json:"promised"` // their players are on their way
	Waiting  int `json:"waiting"`  // their players were connected, and are waited for
}

// Free is how many seats are free.
func (c SeatCounts) Free() int { return c.Capacity - c.Taken - c.Promised - c.Waiting }

// Pace is how a room keeps up. Times are nanoseconds in JSON.
type Pace struct {
	Tick     uint32        `json:"tick"`      // the next
	TickTime time.Duration `json:"tick_time"` // what a turn takes, smoothed: a tick, as a rule
	Budget   time.Duration `json:"budget"`    // what it may take
	Late     time.Duration `json:"late"`      // by how much the latest turn began late
	Slow     bool          `json:"slow"`      // turns take longer than their budget
	Stuck    time.Duration `json:"stuck"`     // for how long a turn has not ended, once that is longer than Config.Stuck; else 0
}

// Info is what the room is right now.
func (r *Room) Info() Info {
	r.mu.Lock()
	defer r.mu.Unlock()
	counts := r.held.book.countByState()
	return Info{
		ID: r.about.id, Kind: r.kind.Name, Code: r.about.code, Private: r.about.private, Process: r.server.config.Process,
		Epoch: r.held.life.own.epoch.Load(), Orphaned: r.held.life.own.orphaned(),
		State: r.held.life.state(), Created: r.about.created, Options: r.held.life.options,
		SeatCounts: SeatCounts{r.kind.Capacity, counts[seatTaken] + counts[seatEntering], counts[seatPromised], counts[seatWaiting]},
		Pace:       r.watch.pace(r.budget()),
	}
}

// SeatInfo is what a seat of a room is at a time.
type SeatInfo struct {
	Number uint16    `json:"number"`
	State  string    `json:"state"` // promised, entering, taken or waiting
	Player uint64    `json:"player,string"`
	Party  uint64    `json:"party,string"`
	Client uint32    `json:"client"` // number of its client, 0 before it came
	Since  time.Time `json:"since"`
}

// Seats are the seats that are not free, by number.
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
