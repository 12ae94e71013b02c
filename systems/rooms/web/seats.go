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
	// Token is the connect token in base64: for systems.ClientConfig.Session.Token, by netcode.ParseToken.
	Token string `json:"token"`
	// Endpoints are where to go with it, "" for what there is not.
	Endpoints rooms.Endpoints `json:"endpoints"`
	// Room is the id of the room, for /rooms/{id}/reconnect.
	Room rooms.ID `json:"room"`
	// Code is a short code of the room, to tell others.
	Code string `json:"code"`
	// Kind is the kind of the room.
	Kind string `json:"kind"`
	// Seat is which one, from 0.
	Seat uint16 `json:"seat"`
	// Spectator means that the token is for a spectator: set systems.ClientConfig.Spectate.
	Spectator bool `json:"spectator"`
	// Player is whose it is, in decimal: numbers of JavaScript have 53 bits.
	Player string `json:"player"`
	// Loaded is the tick of the save with which the room began, 0 for none. A player who returns has lost the ticks since.
	Loaded uint32 `json:"loaded"`
	// Expires is by when the token has to be used.
	Expires time.Time `json:"expires"`
	// ExpiresIn is how many seconds that is from now.
	ExpiresIn int `json:"expires_in"`
}

// admission is the answer of a seat.
func (h *Handler) admission(a rooms.Admission) Admission {
	return Admission{
		Token: base64.StdEncoding.EncodeToString(a.Token.Append(nil)), Endpoints: a.Endpoints,
		Room: a.Seat.Room, Code: a.Code, Kind: a.Kind, Seat: a.Seat.Number, Spectator: a.Spectator, Player: strconv.FormatUint(a.Seat.Player, 10), Loaded: a.Loaded,
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

// asked reads a body that asks for a kind of room, and asks the game about it.
func asked[T any, B interface {
	*T
	wants() (kind string, o *rooms.Options)
}](h *Handler, a Action, w http.ResponseWriter, r *http.Request, who rooms.Player) (body T, err error) {
	deadlines(w, 0)
	if body, err = decode[T](r, w); err == nil {
		kind, options := B(&body).wants()
		err = h.check(a, who, kind, options)
	}
	return body, err
}

// join gives a seat in an open room, or a new one.
func (h *Handler) join(w http.ResponseWriter, r *http.Request, who rooms.Player) (int, any, error) {
	b, err := asked[JoinBody](h, Join, w, r, who)
	if err != nil {
		return 0, nil, err
	}
	all, err := h.seats.Join(r.Context(), rooms.Wish{Kind: b.Kind, Options: b.Options, Schema: b.Schema, Players: []rooms.Player{who}})
	return h.one(http.StatusOK, all, home(err))
}

// create makes a room and gives a seat in it.
func (h *Handler) create(w http.ResponseWriter, r *http.Request, who rooms.Player) (int, any, error) {
	b, err := asked[CreateBody](h, Create, w, r, who)
	if err != nil {
		return 0, nil, err
	}
	all, err := h.seats.Create(r.Context(), b.Kind, rooms.Creation{Options: b.Options, Private: b.Private, Schema: b.Schema}, who)
	return h.one(http.StatusCreated, all, home(err))
}

// named reads the body of a request for a room, and is the room of the path, by id or code.
func (h *Handler) named(w http.ResponseWriter, r *http.Request) (rooms.RoomEntry, error) {
	deadlines(w, 0)
	b, err := decode[SeatBody](r, w)
	if err != nil {
		return rooms.RoomEntry{}, err
	}
	room, ok := h.seats.Find(r.PathValue("id"))
	switch {
	case !ok:
		return room, rooms.ErrRoom
	case b.Schema != "" && room.Schema != "" && b.Schema != room.Schema:
		return room, rooms.ErrSchema
	}
	return room, nil
}

// seat gives a seat in a room.
func (h *Handler) seat(w http.ResponseWriter, r *http.Request, who rooms.Player) (int, any, error) {
	room, err := h.named(w, r)
	if err != nil {
		return 0, nil, err
	}
	all, err := h.seats.Reserve(r.Context(), room.ID, who)
	return h.one(http.StatusOK, all, err)
}

// reconnect gives another token for a seat.
func (h *Handler) reconnect(w http.ResponseWriter, r *http.Request, who rooms.Player) (int, any, error) {
	room, err := h.named(w, r)
	if err != nil {
		return 0, nil, err
	}
	a, err := h.seats.Reconnect(r.Context(), room.ID, who)
	return h.one(http.StatusOK, []rooms.Admission{a}, err)
}

// spectate gives a token to watch a room.
func (h *Handler) spectate(w http.ResponseWriter, r *http.Request, who rooms.Player) (int, any, error) {
	room, err := h.named(w, r)
	if err != nil {
		return 0, nil, err
	}
	a, err := h.seats.Spectate(r.Context(), room.ID, who)
	return h.one(http.StatusOK, []rooms.Admission{a}, err)
}
