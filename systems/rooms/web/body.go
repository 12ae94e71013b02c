package web

import (
	"errors"
	"net/http"

	"github.com/tactusgo/tactus/internal/jsonbody"
	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	// maxBody bounds a request's body, in bytes.
	maxBody = 4 << 10
	// maxParty is the longest name of a party, in bytes.
	maxParty = 64
)

// JoinBody is what /rooms/join takes.
type JoinBody struct {
	// Kind is the kind of room.
	Kind string `json:"kind"`
	// Options are what the room has to publish, equal; a new one does.
	Options rooms.Options `json:"options"`
	// Schema is that of the client, as of rooms.SchemaOf; "" is any.
	Schema string `json:"schema"`
}

// CreateBody is what /rooms/create takes.
type CreateBody struct {
	// Kind is the kind of room.
	Kind string `json:"kind"`
	// Options are published.
	Options rooms.Options `json:"options"`
	// Private rooms are joined by id or code alone, and not listed.
	Private bool `json:"private"`
	// Schema is that of the client, as of rooms.SchemaOf; "" is any.
	Schema string `json:"schema"`
}

// QueueBody is what /rooms/queue takes.
type QueueBody struct {
	// Kind is the kind of room.
	Kind string `json:"kind"`
	// Options are what the room has to publish, equal.
	Options rooms.Options `json:"options"`
	// Properties are what the player says that it is, such as its skill.
	Properties rooms.Options `json:"properties"`
	// Party is a secret of those who play together, at most 64 bytes. All of them ask for the same kind and options.
	Party string `json:"party"`
	// PartySize is how many they are.
	PartySize int `json:"party_size"`
	// Wait is for how many seconds to wait for an answer, 1 to the server's; 0: as long as the server allows.
	Wait int `json:"wait"`
	// Schema is that of the client, as of rooms.SchemaOf; "" is any.
	Schema string `json:"schema"`
}

// SeatBody is what /rooms/{id}/join, /rooms/{id}/reconnect and /rooms/{id}/spectate take: it may be an empty object.
type SeatBody struct {
	// Schema is that of the client, as of rooms.SchemaOf; "" is any.
	Schema string `json:"schema"`
}

// wants is what a body asks for.
func (b *JoinBody) wants() (kind string, o *rooms.Options)   { return b.Kind, &b.Options }
func (b *CreateBody) wants() (kind string, o *rooms.Options) { return b.Kind, &b.Options }

// decode reads a body of one JSON object, and nothing that is not meant.
func decode[T any](r *http.Request, w http.ResponseWriter) (T, error) {
	body, err := jsonbody.Read[T](w, r, maxBody)
	if x, ok := errors.AsType[*jsonbody.Error](err); ok {
		return body, fail(x.Code, x.Message)
	}
	return body, err
}
