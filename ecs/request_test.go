package ecs

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
)

// login has a value of each kind that can be wrong.
type login struct {
	Name  components.Text[[5]byte]
	Team  uint8 `net:"1..4"`
	Ready bool
	Items struct {
		N    uint8     `net:"count"`
		List [3]uint16 `net:"0..999"`
	}
}

func loginRequest() *Request {
	return newRequest("Join", func(*World, uint32, *login) {})
}

// forged returns encoded requests that no honest client sends, by name.
func forged(t testing.TB) map[string][]byte {
	var v login
	v.Name.Set("Ada")
	v.Team, v.Ready, v.Items.N = 2, true, 2
	good, err := loginRequest().Bytes(v)
	if err != nil {
		t.Fatal(err)
	}
	with := func(at int, b byte) []byte {
		c := bytes.Clone(good)
		c[at] = b
		return c
	}
	return map[string][]byte{
		"": good, "short": good[:len(good)-1], "long": append(bytes.Clone(good), 0), "one byte": good[:1],
		"a name longer than its room": with(0, 6), "neither true nor false": with(7, 2), "more items than there is room": with(8, 4),
	}
}

// Forged bytes of a request are decoded or refused before any peer runs the request.
func TestForgedRequestValues(t *testing.T) {
	for name, b := range forged(t) {
		v, err := loginRequest().Value(b)
		if (err == nil) != (name == "") || err != nil && !errors.Is(err, codec.ErrMalformed) && !errors.Is(err, codec.ErrShort) && !errors.Is(err, schema.ErrRange) {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
}

// FuzzRequestValue reads any bytes. An accepted value can run, and is encoded to the same bytes.
func FuzzRequestValue(f *testing.F) {
	f.Add([]byte(nil))
	for _, b := range forged(f) {
		f.Add(b)
	}
	r := loginRequest()
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := r.Value(b)
		if err != nil {
			return
		}
		r.Run(nil, 1, b)
		again, err := r.Bytes(reflect.ValueOf(v).Elem().Interface())
		if err != nil || len(b) > 0 && len(again) != len(b) {
			t.Fatalf("%x is %+v, which is %x: %v", b, v, again, err)
		}
		if w, err := r.Value(again); err != nil || !reflect.DeepEqual(v, w) {
			t.Errorf("%+v, and again %+v: %v", v, w, err)
		}
	})
}
