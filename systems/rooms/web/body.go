package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"

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

// SeatBody is what /rooms/{id}/join and /rooms/{id}/reconnect take: it may be an empty object.
type SeatBody struct {
	// Schema is that of the client, as of rooms.SchemaOf; "" is any.
	Schema string `json:"schema"`
}

// wants is what a body asks for.
func (b *JoinBody) wants() (kind string, o *rooms.Options)   { return b.Kind, &b.Options }
func (b *CreateBody) wants() (kind string, o *rooms.Options) { return b.Kind, &b.Options }

// fields are the names of a body's fields, with where they stand.
func fields(of reflect.Type) (names []string) {
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// decode reads a body of one JSON object, and nothing that is not meant: names count as they are written, once each.
func decode[T any](r *http.Request, w http.ResponseWriter) (body T, err error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return body, fail("no_json", "Send JSON, with the header Content-Type: application/json.")
	}
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		return body, fail("too_long", fmt.Sprintf("The body has more than %d bytes.", maxBody))
	}
	if err != nil {
		return body, fail("bad_body", "The body did not arrive as a whole.")
	}
	return parse[T](b)
}

// parse reads the bytes of a body.
func parse[T any](b []byte) (body T, err error) {
	names := fields(reflect.TypeFor[T]())
	bad := func(why string) (T, error) {
		var none T
		has := "no fields"
		if len(names) > 0 {
			has = strings.Join(names, ", ")
		}
		return none, fail("bad_body", "The body must be one JSON object with "+has+" and nothing else: "+why+".")
	}
	d := json.NewDecoder(bytes.NewReader(b))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return bad("it is no object")
	}
	var seen []string
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return bad("it is no JSON")
		}
		if !slices.Contains(names, name) {
			return bad(fmt.Sprintf("%.40q is not known", name))
		}
		if slices.Contains(seen, name) {
			return bad(fmt.Sprintf("%s stands there twice", name))
		}
		seen = append(seen, name)
		field := reflect.ValueOf(&body).Elem().Field(slices.Index(names, name))
		if err := d.Decode(field.Addr().Interface()); err != nil {
			return bad(name + " is of another type, or no JSON")
		}
	}
	if end, err := d.Token(); err != nil || end != json.Delim('}') {
		return bad("it does not end")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return bad("something follows it")
	}
	return body, nil
}
