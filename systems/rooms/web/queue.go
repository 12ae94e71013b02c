package web

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"net/http"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/match"
)

// seatedInterval is how often a request whose player is being given a seat looks for the answer.
const seatedInterval = 100 * time.Millisecond

// seatedAtOnce is how many groups of the queue are given seats at once: other processes take a while to answer.
const seatedAtOnce = 64

// Waiting is the answer to who got no seat yet: ask again at once, the place in the queue is kept for five seconds.
type Waiting struct {
	// Queued is how many players wait, for all kinds; in a fleet, at all processes.
	Queued int `json:"queued"`
}

// Queued returns how many players wait in the queue at this process: for operator.Config.Queued.
func (h *Handler) Queued() int { return h.queue.Here() }

// wish is what a body asks for.
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

// wait gives a seat with others, as soon as there are some.
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
			over.Reset(seatedInterval) // it is being given a seat just now
		}
	}
}

// matching makes the queue run again and again, as long as it has to.
func (h *Handler) matching() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.matches {
		h.matches = true
		time.AfterFunc(h.queue.Interval(), h.match)
	}
}

// match runs the queue.
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
