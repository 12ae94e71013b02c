package web

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"net/http"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/match"
)

// seatedInterval is how often a request whose wait is over checks whether its player, who is just getting a seat, has it.
const seatedInterval = 100 * time.Millisecond

// seatedAtOnce is the number of groups of the queue that get seats at the same time. In a fleet a seat is a request to another
// process.
const seatedAtOnce = 64

// Waiting is the response to a player without a seat. Send the request again at once: the place in the queue is kept for five
// seconds.
type Waiting struct {
	// Queued is the number of waiting players of all kinds, in a fleet at all processes.
	Queued int `json:"queued"`
}

// Queued returns the number of players who wait in the queue at this process, for operator.Config.Queued.
func (h *Handler) Queued() int { return h.queue.Here() }

// wish returns the queue entry for a body, and how long the request waits.
func (h *Handler) wish(b QueueBody, who rooms.Player) (w match.Wish, wait time.Duration, err error) {
	wait = h.config.Wait
	switch {
	case len(b.Party) > maxParty:
		return w, 0, fail("bad_party", "The name of a party has at most 64 bytes.")
	case b.PartySize < 0 || b.PartySize == 0 && b.Party != "" || b.PartySize > 1 && b.Party == "" && who.Party == 0:
		return w, 0, fail("bad_party", "A party has a name that its members share, and a size: give party and party_size, or neither.")
	case b.Party != "" && who.Party != 0:
		return w, 0, fail("bad_party", "Your party is known to the game: give party_size alone.")
	case b.Wait < 0 || b.Wait > int(wait/time.Second): // compared in seconds: the product could overflow
		return w, 0, fail("bad_body", "wait is in seconds, from 1 to "+wait.String()+"; 0 is as long as that.")
	case b.Wait > 0:
		wait = time.Duration(b.Wait) * time.Second
	}
	if b.Party != "" {
		sum := sha256.Sum256([]byte(b.Party))
		who.Party = max(binary.LittleEndian.Uint64(sum[:]), 1)
	}
	if err := h.check(Queue, who, b.Kind, &b.Options); err != nil {
		return w, 0, err
	}
	if b.Properties, err = b.Properties.Clean(); err != nil {
		return w, 0, err
	}
	if h.config.Properties != nil {
		if b.Properties, err = h.config.Properties(who, b.Properties); err != nil {
			return w, 0, fail("forbidden", err.Error())
		}
	}
	return match.Wish{Kind: b.Kind, Schema: b.Schema, Player: who, Size: b.PartySize, Options: b.Options, Properties: b.Properties}, wait, nil
}

// wait serves POST /rooms/queue. It waits until the player has a seat, but not longer than the request allows.
func (h *Handler) wait(w http.ResponseWriter, r *http.Request, who rooms.Player) (int, any, error) {
	deadlines(w, 0)
	b, err := decode[QueueBody](r, w)
	if err != nil {
		return 0, nil, err
	}
	wish, wait, err := h.wish(b, who)
	if err != nil {
		return 0, nil, err
	}
	if err := h.seats.Ready(); err != nil {
		return 0, nil, err
	}
	have := rooms.Wish{Kind: wish.Kind, Options: wish.Options, Schema: wish.Schema, Players: []rooms.Player{wish.Player}}
	if all, err := h.seats.Renew(r.Context(), have, true); err == nil || errors.Is(err, rooms.ErrUnavailable) {
		return h.one(http.StatusOK, all, err) // the answer of an earlier request was lost
	}
	deadlines(w, wait)
	ticket, err := h.queue.Enter(h.config.Now(), wish)
	if err != nil {
		return 0, nil, err
	}
	h.matching()
	over := time.NewTimer(wait)
	defer over.Stop()
	for {
		select {
		case <-r.Context().Done():
			h.queue.Leave(ticket)
			return 0, nil, r.Context().Err()
		case a := <-ticket.Answer():
			return h.one(http.StatusOK, []rooms.Admission{a.Admission}, home(a.Err))
		case <-over.C:
			if h.queue.Pause(h.config.Now(), ticket) {
				return http.StatusAccepted, Waiting{h.queue.Len()}, nil
			}
			over.Reset(seatedInterval) // the player is just getting a seat
		}
	}
}

// matching starts to run the queue at intervals, until it is no longer busy.
func (h *Handler) matching() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.matches {
		h.matches = true
		time.AfterFunc(h.queue.Interval(), h.match)
	}
}

// match runs the queue once, and sets the timer for the next run if the queue is still busy.
func (h *Handler) match() {
	if err := h.queue.Run(context.Background(), h.config.Now()); err != nil {
		h.config.Logger.Error("rooms by HTTP: the game's Match", "error", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.matches = h.queue.Busy(); h.matches {
		time.AfterFunc(h.queue.Interval(), h.match)
	}
}
