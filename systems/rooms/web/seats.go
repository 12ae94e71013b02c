package web

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Admission is the answer to who gets a seat. It is a secret: whoever has the token is the player.
type Admission struct {
	// Token is the connect token in base64: for systems.ClientConfig.Token, by netcode.ParseToken.
	Token string `json:"token"`
	// Endpoints are where to go with it, "" for what there is not.
	Endpoints Endpoints `json:"endpoints"`
	// Room is the id of the room, for /rooms/{id}/reconnect.
	Room rooms.ID `json:"room"`
	// Code is a short code of the room, to tell others.
	Code string `json:"code"`
	// Kind is the kind of the room.
	Kind string `json:"kind"`
	// Seat is which one, from 0.
	Seat uint16 `json:"seat"`
	// Player is whose it is, in decimal: numbers of JavaScript have 53 bits.
	Player string `json:"player"`
	// Expires is by when the token has to be used.
	Expires time.Time `json:"expires"`
	// ExpiresIn is how many seconds that is from now.
	ExpiresIn int `json:"expires_in"`
}

// admission is the answer of a seat.
func (h *Handler) admission(a rooms.Admission) Admission {
	code := ""
	if r := h.server.Room(a.Seat.Room); r != nil {
		code = r.Code()
	}
	return Admission{
		Token: base64.StdEncoding.EncodeToString(a.Token.Append(nil)), Endpoints: h.config.Endpoints,
		Room: a.Seat.Room, Code: code, Kind: a.Kind, Seat: a.Seat.Number, Player: strconv.FormatUint(a.Seat.Player, 10),
		Expires: a.Expires.UTC(), ExpiresIn: max(int(a.Expires.Sub(h.config.Now())/time.Second), 0),
	}
}

// one answers with the seat of the only player of a request.
func (h *Handler) one(status int, all []rooms.Admission, err error) (int, any, error) {
	if err != nil {
		return 0, nil, err
	}
	h.listing.stale()
	return status, h.admission(all[0]), nil
}

// check cleans the options that a player wants, and asks the game about them.
func (h *Handler) check(a Action, who rooms.Player, kind string, o *rooms.Options) (err error) {
	if *o, err = o.Clean(); err != nil {
		return err
	}
	if h.config.Check != nil {
		if err := h.config.Check(a, who, kind, *o); err != nil {
			return fail("forbidden", err.Error())
		}
	}
	return nil
}

// home is the failure of a server that is closed, which is no room that has ended.
func home(err error) error {
	if errors.Is(err, rooms.ErrEnded) {
		return later("draining", "This server is ending: try again later.", 10*time.Second)
	}
	return err
}

// join gives a seat in an open room, or a new one.
func (h *Handler) join(w http.ResponseWriter, r *http.Request, who rooms.Player) (int, any, error) {
	deadlines(w, 0)
	b, err := decode[JoinBody](r, w)
	if err == nil {
		err = h.check(Join, who, b.Kind, &b.Options)
	}
	if err != nil {
		return 0, nil, err
	}
	all, err := h.server.Join(b.Kind, b.Options, who)
	return h.one(http.StatusOK, all, home(err))
}

// create makes a room and gives a seat in it.
func (h *Handler) create(w http.ResponseWriter, r *http.Request, who rooms.Player) (int, any, error) {
	deadlines(w, 0)
	b, err := decode[CreateBody](r, w)
	if err == nil {
		err = h.check(Create, who, b.Kind, &b.Options)
	}
	if err != nil {
		return 0, nil, err
	}
	room, err := h.server.Create(b.Kind, rooms.Creation{Options: b.Options, Private: b.Private})
	if err != nil {
		return 0, nil, home(err)
	}
	all, err := room.Reserve(who)
	if err != nil && !errors.Is(err, rooms.ErrFull) { // full: others were faster
		room.End(err)
	}
	return h.one(http.StatusCreated, all, err)
}

// find is the room of a path, by id or code.
func (h *Handler) find(r *http.Request) (*rooms.Room, error) {
	name := r.PathValue("id")
	var room *rooms.Room
	if id, err := rooms.ParseID(name); err == nil {
		room = h.server.Room(id)
	} else {
		room = h.server.ByCode(name)
	}
	if room == nil {
		return nil, fail("no_room", "There is no such room, or no longer: GET /rooms lists those that there are.")
	}
	return room, nil
}

// seat gives a seat in a room.
func (h *Handler) seat(w http.ResponseWriter, r *http.Request, who rooms.Player) (int, any, error) {
	deadlines(w, 0)
	if _, err := decode[SeatBody](r, w); err != nil {
		return 0, nil, err
	}
	room, err := h.find(r)
	if err != nil {
		return 0, nil, err
	}
	all, err := room.Reserve(who)
	return h.one(http.StatusOK, all, err)
}

// reconnect gives another token for a seat.
func (h *Handler) reconnect(w http.ResponseWriter, r *http.Request, who rooms.Player) (int, any, error) {
	deadlines(w, 0)
	if _, err := decode[SeatBody](r, w); err != nil {
		return 0, nil, err
	}
	room, err := h.find(r)
	if err != nil {
		return 0, nil, err
	}
	a, err := room.Reconnect(who.ID, who.Data)
	return h.one(http.StatusOK, []rooms.Admission{a}, err)
}
