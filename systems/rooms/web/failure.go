package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/match"
)

// Failure is the body of a response that reports an error.
type Failure struct {
	// Code is the reason, for programs. The OpenAPI document lists the codes.
	Code string `json:"code"`
	// Message tells people the problem and what to do.
	Message string `json:"message"`

	status int           // HTTP status
	retry  time.Duration // value of Retry-After; 0: none
}

// Error returns the message.
func (f *Failure) Error() string { return f.Message }

// fail returns a failure.
func fail(code, message string) *Failure {
	return &Failure{Code: code, Message: message, status: statuses[code]}
}

// later returns a failure with a time after which the client should try again.
func later(code, message string, retry time.Duration) *Failure {
	f := fail(code, message)
	f.retry = retry
	return f
}

// statuses holds the HTTP status of each code.
var statuses = map[string]int{
	"bad_body":        http.StatusBadRequest,
	"bad_query":       http.StatusBadRequest,
	"bad_options":     http.StatusBadRequest,
	"bad_party":       http.StatusBadRequest,
	"bad_player":      http.StatusBadRequest,
	"unauthenticated": http.StatusUnauthorized,
	"forbidden":       http.StatusForbidden, // by the guard, or by Config.Check or Properties
	"banned":          http.StatusForbidden,
	"no_spectators":   http.StatusForbidden,
	"no_kind":         http.StatusNotFound,
	"no_room":         http.StatusNotFound,
	"no_seat":         http.StatusNotFound,
	"no_path":         http.StatusNotFound,
	"method":          http.StatusMethodNotAllowed,
	"full":            http.StatusConflict,
	"spectators":      http.StatusConflict,
	"seated":          http.StatusConflict,
	"superseded":      http.StatusConflict,
	"outdated":        http.StatusConflict,
	"ended":           http.StatusGone,
	"too_long":        http.StatusRequestEntityTooLarge,
	"no_json":         http.StatusUnsupportedMediaType,
	"locked":          http.StatusLocked,
	"limited":         http.StatusTooManyRequests,
	"failed":          http.StatusInternalServerError,
	"draining":        http.StatusServiceUnavailable,
	"busy":            http.StatusServiceUnavailable,
	"unavailable":     http.StatusServiceUnavailable,
}

// causes maps errors of rooms and of the queue to failures. The first entry that matches counts.
var causes = []struct {
	err     error
	code    string
	message string
	retry   time.Duration
}{
	{rooms.ErrKind, "no_kind", "There is no such kind of room: GET /rooms lists rooms with their kinds.", 0},
	{rooms.ErrFull, "full", "The room has not so many seats left: join another one, or any by /rooms/join.", 0},
	{rooms.ErrSpectators, "spectators", "The room has no place for another spectator: try again later, or watch another room.", 0},
	{rooms.ErrNoSpectators, "no_spectators", "This room cannot be watched: join it, or watch another room.", 0},
	{rooms.ErrLocked, "locked", "The room takes nobody new now: join another one.", 0},
	{rooms.ErrBanned, "banned", "You are banned from this room: join another one.", 0},
	{rooms.ErrSeated, "seated", "You have a seat in this room: ask for it by /rooms/{id}/reconnect.", 0},
	{rooms.ErrNoSeat, "no_seat", "You have no seat in this room: ask for one by /rooms/{id}/join.", 0},
	{rooms.ErrDraining, "draining", "Nobody new is taken here, because this server or room is about to end: try again, or another room.", 5 * time.Second},
	{rooms.ErrEnded, "ended", "The room has ended: join another one.", 0},
	{rooms.ErrRoom, "no_room", "There is no such room, or no longer: GET /rooms lists those that there are.", 0},
	{rooms.ErrSchema, "outdated", "No server has such rooms for your version of the game: get the newest one, and try again.", 0},
	{rooms.ErrSave, "unavailable", "This room cannot be opened now. Nothing in it is lost. Try again later, or join another room.", 10 * time.Second},
	{rooms.ErrUnavailable, "unavailable", "A server has stopped or cannot be reached. Another one takes over within seconds: try again then, or join a room that is listed.", 2 * time.Second},
	{rooms.ErrStuck, "busy", "The room does not answer: join another one, or try again.", 5 * time.Second},
	{rooms.ErrRooms, "busy", "There is no place for another room now: try again, or join one that is listed.", 10 * time.Second},
	{rooms.ErrOptions, "bad_options", "The options are too many, too long, or of another type: at most 16 strings of 64 bytes, bools and numbers, under keys of 32 bytes.", 0},
	{rooms.ErrPlayer, "bad_player", "This player cannot have a seat: its id is 0, or its data too long.", 0},
	{match.ErrFull, "busy", "Too many players wait: try again, or join a room that is listed.", 10 * time.Second},
	{match.ErrSuperseded, "superseded", "You have asked again, and the newer request gets the answer.", 0},
}

// failureOf returns the failure for an error. An unknown error becomes the failure "failed".
func failureOf(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	for _, c := range causes {
		if errors.Is(err, c.err) {
			retry := c.retry
			if u, ok := errors.AsType[*rooms.Unavailable](err); ok {
				retry = u.Again
			}
			return later(c.code, c.message, retry)
		}
	}
	if errors.Is(err, match.ErrParty) {
		return fail("bad_party", err.Error())
	}
	return fail("failed", "Something is wrong with this server: try again later.")
}

// refuse sends a failure.
func refuse(w http.ResponseWriter, f *Failure) {
	if f.retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int((f.retry+time.Second-1)/time.Second)))
	}
	if f.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	reply(w, f.status, f)
}

// reply sends a JSON response.
func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
