package wire

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/tactusgo/tactus/codec"
)

func randomSet(r *rand.Rand, base int) (s Set) {
	for left := base; left > 0 && r.IntN(3) > 0; {
		n := r.IntN(left + 1)
		s.Runs = append(s.Runs, uint32(n))
		left -= n
	}
	for range r.IntN(4) {
		s.News = append(s.News, NewEntity{uint32(r.IntN(300)), r.IntN(2) == 0})
	}
	id := uint32(0)
	for range r.IntN(3) {
		if id += 1 + uint32(r.IntN(1000)); base >= 0 {
			s.Less = append(s.Less, id)
		}
	}
	id = 0
	for range r.IntN(3) {
		id += 1 + uint32(r.IntN(1000))
		s.Gone = append(s.Gone, GoneEntity{id, r.IntN(2) == 0})
	}
	return s
}

func TestSetRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	var got Set
	for range 2000 {
		base := r.IntN(200) - 1
		s := randomSet(r, base)
		if !s.Any() {
			continue
		}
		b := s.Append(nil)
		rest, err := got.Read(append(b, "body"...), base)
		if err != nil || string(rest) != "body" || !bytes.Equal(got.Append(nil), b) {
			t.Fatalf("%+v: %+v, %q, %v", s, got, rest, err)
		}
		for cut := range b {
			if _, err := got.Read(b[:cut:cut], base); err != nil && !errors.Is(err, ErrMessage) {
				t.Fatalf("%d of %d bytes: %v", cut, len(b), err)
			}
		}
		var reader codec.ByteReader
		h := BlockHead{Age: uint32(r.IntN(40)), Set: true}
		h.Two = h.Age > 0 && r.IntN(2) == 0
		last := r.IntN(2) == 0
		reader.Reset(append(h.Append(nil, 3, len(b), last), b...))
		read, body, err := ReadBlock(&reader, 3)
		if err != nil || !reflect.DeepEqual(read, h) || !bytes.Equal(body, b) {
			t.Fatalf("%+v: %+v, %v", h, read, err)
		}
	}
}

func TestSetRefused(t *testing.T) {
	for name, x := range map[string]struct {
		body []byte
		base int
	}{
		"empty":                    {nil, 3},
		"an unknown flag":          {[]byte{1 << 4}, 3},
		"nothing":                  {[]byte{0}, 3},
		"less without a baseline":  {[]byte{setLess, 1, 1}, -1},
		"less twice":               {[]byte{setLess, 2, 2, 0}, 3},
		"runs beyond the baseline": {[]byte{setRuns, 1, 4}, 3},
		"runs without a baseline":  {[]byte{setRuns, 1, 0}, -1},
		"no runs":                  {[]byte{setRuns, 0, 0}, 3},
		"more news than bytes":     {[]byte{setNews, 9, 0, 0}, 3},
		"news too far":             {[]byte{setNews, 1, 0xff, 0xff, 0xff, 0x7f}, 3},
		"gone twice":               {[]byte{setGone, 2, 2, 1}, 3},
	} {
		var s Set
		if _, err := s.Read(x.body, x.base); !errors.Is(err, ErrMessage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
