package web

import (
	"errors"
	"net/http"

	"github.com/tactusgo/tactus/internal/jsonbody"
	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	// maxBody is the maximum size of a request's body in bytes.
	maxBody = 4 << 10
	// maxParty is the maximum length of a party's name in bytes.
	maxParty = 64
)

// JoinBody is the body of /rooms/join.
type JoinBody struct {
	// Kind is the kind of room.
	Kind string `json:"kind"`
	// Options must be published by the room with equal values. A new room publishes them.
	Options rooms.Options `json:"options"`
	// Schema is the rooms.SchemaOf of the client. Default (""): any.
	Schema string `json:"schema"`
}

// CreateBody is the body of /rooms/create.
type CreateBody struct {
	// Kind is the kind of room.
	Kind string `json:"kind"`
	// Options are published.
	Options rooms.Options `json:"options"`
	// Private rooms are not listed. Players join them by id or code only.
	Private bool `json:"private"`
	// Schema is the rooms.SchemaOf of the client. Default (""): any.
	Schema string `json:"schema"`
}

// QueueBody is the body of /rooms/queue.
type QueueBody struct {
	// Kind is the kind of room.
	Kind string `json:"kind"`
	// Options must be published by the room with equal values.
	Options rooms.Options `json:"options"`
	// Properties are the properties that the player claims, such as its skill.
	Properties rooms.Options `json:"properties"`
	// Party is a secret that the members of a party share, at most 64 bytes. All members send the same kind and options.
	Party string `json:"party"`
	// PartySize is the number of members.
	PartySize int `json:"party_size"`
	// Wait is how long the request waits for a seat, in seconds, up to Config.Wait. Default (0): Config.Wait.
	Wait int `json:"wait"`
	// Schema is the rooms.SchemaOf of the client. Default (""): any.
	Schema string `json:"schema"`
}

// SeatBody is the body of /rooms/{id}/join, /rooms/{id}/reconnect and /rooms/{id}/spectate. It may be an empty object.
type SeatBody struct {
	// Schema is the rooms.SchemaOf of the client. Default (""): any.
	Schema string `json:"schema"`
}

// wants returns the kind and the options of a body.
func (b *JoinBody) wants() (kind string, o *rooms.Options)   { return b.Kind, &b.Options }
func (b *CreateBody) wants() (kind string, o *rooms.Options) { return b.Kind, &b.Options }

// decode decodes the body of a request: one JSON object without unknown fields. It returns a [Failure] if the body is invalid.
func decode[T any](r *http.Request, w http.ResponseWriter) (T, error) {
	body, err := jsonbody.Read[T](w, r, maxBody)
	if x, ok := errors.AsType[*jsonbody.Error](err); ok {
		return body, fail(x.Code, x.Message)
	}
	return body, err
}
