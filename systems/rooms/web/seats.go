package web

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Admission is the response with a seat. Keep it secret: anybody who has the token can play as the player.
type Admission struct {
	// Token is the connect token in base64. netcode.ParseToken parses the bytes for systems.ClientConfig.Session.Token.
	Token string `json:"token"`
	// Endpoints are the endpoints of the room's process. A missing one is "".
	Endpoints rooms.Endpoints `json:"endpoints"`
	// Room is the id of the room, for /rooms/{id}/reconnect.
	Room rooms.ID `json:"room"`
	// Code is the short code of the room, for the player to share.
	Code string `json:"code"`
	// Kind is the kind of the room.
	Kind string `json:"kind"`
	// Seat is the number of the seat, from 0.
	Seat uint16 `json:"seat"`
	// Spectator means that the token is for a spectator: set systems.ClientConfig.Spectate.
	Spectator bool `json:"spectator"`
	// Player is the id of the player in decimal. It is a string because JavaScript numbers have only 53 bits.
	Player string `json:"player"`
	// Loaded is the tick of the save with which the room began, 0 for none. A player who returns has lost the ticks since.
	Loaded uint32 `json:"loaded"`
	// Expires is when the token expires.
	Expires time.Time `json:"expires"`
	// ExpiresIn is the number of seconds until then.
	ExpiresIn int `json:"expires_in"`
}

// admission returns the response for a seat.
func (h *Handler) admission(a rooms.Admission) Admission {
	return Admission{
		Token: base64.StdEncoding.EncodeToString(a.Token.Append(nil)), Endpoints: a.Endpoints,
		Room: a.Seat.Room, Code: a.Code, Kind: a.Kind, Seat: a.Seat.Number, Spectator: a.Spectator, Player: strconv.FormatUint(a.Seat.Player, 10), Loaded: a.Loaded,
		Expires: a.Expires.UTC(), ExpiresIn: max(int(a.Expires.Sub(h.config.Now())/time.Second), 0),
	}
}

// one returns the response with the seat of a request's player, or err.
func (h *Handler) one(status int, all []rooms.Admission, err error) (int, any, error) {
	if err != nil {
		return 0, nil, err
	}
	h.listing.stale()
	return status, h.admission(all[0]), nil
}

// check cleans the options of a request and calls Config.Check.
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

// home replaces ErrEnded by a failure. The requests that use it name no room, so ErrEnded means that the server is closed.
func home(err error) error {
	if errors.Is(err, rooms.ErrEnded) {
		return later("draining", "This server is ending: try again later.", 10*time.Second)
	}
	return err
}

// asked decodes the body of a request for a kind of room, and checks its options.
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

// join serves POST /rooms/join.
func (h *Handler) join(w http.ResponseWriter, r *http.Request, who rooms.Player) (int, any, error) {
	b, err := asked[JoinBody](h, Join, w, r, who)
	if err != nil {
		return 0, nil, err
	}
	all, err := h.seats.Join(r.Context(), rooms.Wish{Kind: b.Kind, Options: b.Options, Schema: b.Schema, Players: []rooms.Player{who}})
	return h.one(http.StatusOK, all, home(err))
}

// create serves POST /rooms/create.
func (h *Handler) create(w http.ResponseWriter, r *http.Request, who rooms.Player) (int, any, error) {
	b, err := asked[CreateBody](h, Create, w, r, who)
	if err != nil {
		return 0, nil, err
	}
	all, err := h.seats.Create(r.Context(), b.Kind, rooms.Creation{Options: b.Options, Private: b.Private, Schema: b.Schema}, who)
	return h.one(http.StatusCreated, all, home(err))
}

// named returns the room in the path of a request, by id or code. It decodes the body and checks the schema of the client.
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

// seat serves POST /rooms/{id}/join.
func (h *Handler) seat(w http.ResponseWriter, r *http.Request, who rooms.Player) (int, any, error) {
	room, err := h.named(w, r)
	if err != nil {
		return 0, nil, err
	}
	all, err := h.seats.Reserve(r.Context(), room.ID, who)
	if errors.Is(err, rooms.ErrSeated) { // the player asks again, because it has lost its token or its connection
		a, err := h.seats.Reconnect(r.Context(), room.ID, who)
		if errors.Is(err, rooms.ErrNoSeat) { // the seat is becoming free
			err = later("busy", "You are just leaving this room: try again.", time.Second)
		}
		return h.one(http.StatusOK, []rooms.Admission{a}, err)
	}
	return h.one(http.StatusOK, all, err)
}

// reconnect serves POST /rooms/{id}/reconnect.
func (h *Handler) reconnect(w http.ResponseWriter, r *http.Request, who rooms.Player) (int, any, error) {
	room, err := h.named(w, r)
	if err != nil {
		return 0, nil, err
	}
	a, err := h.seats.Reconnect(r.Context(), room.ID, who)
	return h.one(http.StatusOK, []rooms.Admission{a}, err)
}

// spectate serves POST /rooms/{id}/spectate.
func (h *Handler) spectate(w http.ResponseWriter, r *http.Request, who rooms.Player) (int, any, error) {
	room, err := h.named(w, r)
	if err != nil {
		return 0, nil, err
	}
	options := room.Options
	if err := h.check(Spectate, who, room.Kind, &options); err != nil {
		return 0, nil, err
	}
	a, err := h.seats.Spectate(r.Context(), room.ID, who)
	return h.one(http.StatusOK, []rooms.Admission{a}, err)
}
