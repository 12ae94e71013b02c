package operator

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

// Failure is the body of the answer to a refused or failed request.
type Failure struct {
	// Code is the reason, for programs.
	Code string `json:"code"`
	// Message is for people and says what to do.
	Message string `json:"message"`

	retry time.Duration // 0: do not retry
}

// Error implements error.
func (f *Failure) Error() string { return f.Message }

// fail returns a failure.
func fail(code, message string) *Failure { return &Failure{Code: code, Message: message} }

// statuses are the HTTP statuses by code.
var statuses = map[string]int{
	"bad_body":     http.StatusBadRequest,
	"bad_query":    http.StatusBadRequest,
	"unauthorized": http.StatusUnauthorized,
	"off":          http.StatusForbidden, // not possible on this page
	"forbidden":    http.StatusForbidden, // refused by the guard
	"no_room":      http.StatusNotFound,
	"no_seat":      http.StatusNotFound,
	"no_path":      http.StatusNotFound,
	"process":      http.StatusConflict,
	"ended":        http.StatusGone,
	"too_long":     http.StatusRequestEntityTooLarge,
	"no_json":      http.StatusUnsupportedMediaType,
	"limited":      http.StatusTooManyRequests,
	"failed":       http.StatusInternalServerError,
	"busy":         http.StatusServiceUnavailable,
}

// failureOf returns the failure for an error.
func failureOf(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	switch {
	case errors.Is(err, rooms.ErrNoSeat):
		return fail("no_seat", "The player has no seat in this room.")
	case errors.Is(err, rooms.ErrEnded):
		return fail("ended", "The room has ended.")
	case errors.Is(err, rooms.ErrStuck):
		return &Failure{"busy", "The current tick of the room does not end.", 5 * time.Second}
	}
	return fail("failed", clip(err.Error(), mostDetail))
}

// refuse answers with a failure.
func refuse(w http.ResponseWriter, f *Failure) {
	if f.retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int((f.retry+time.Second-1)/time.Second)))
	}
	if f.Code == "unauthorized" {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	reply(w, statuses[f.Code], f)
}

// reply answers with JSON.
func reply(w http.ResponseWriter, status int, body any) {
	b, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b)
}
