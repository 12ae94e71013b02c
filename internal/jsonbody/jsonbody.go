package jsonbody

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
)

// Error is the reason for refusing a body.
type Error struct {
	// Code is the machine-readable reason: no_json (the Content-Type is not JSON), too_long or bad_body.
	Code string
	// Message tells people what to send.
	Message string
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Read decodes the body of a request, of at most most bytes. T is a struct whose fields have json tags. Errors have
// type *[Error].
func Read[T any](w http.ResponseWriter, r *http.Request, most int64) (body T, err error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return body, &Error{"no_json", "Send JSON, with the header Content-Type: application/json."}
	}
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		return body, &Error{"too_long", fmt.Sprintf("The body has more than %d bytes.", most)}
	}
	if err != nil {
		return body, &Error{"bad_body", "The body did not arrive as a whole."}
	}
	return Parse[T](b)
}

// Parse decodes the bytes of a body. Errors have type *[Error], with the code bad_body.
func Parse[T any](b []byte) (body T, err error) {
	names := Fields(reflect.TypeFor[T]())
	bad := func(why string) (T, error) {
		var none T
		has := "no fields"
		if len(names) > 0 {
			has = strings.Join(names, ", ")
		}
		return none, &Error{"bad_body", "The body must be one JSON object with " + has + " and nothing else: " + why + "."}
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

// Fields returns the JSON names of the fields of a struct, in their order.
func Fields(of reflect.Type) (names []string) {
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}
