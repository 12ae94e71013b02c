package web

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/internal/jsonbody"
	"github.com/tactusgo/tactus/systems/rooms"
)

// FuzzJoin and the functions below check that an arbitrary body is refused with the remedy or decoded consistently, and that
// the handler answers it as the OpenAPI document says.
func FuzzJoin(f *testing.F) {
	fuzz[JoinBody](f, "/rooms/join", `{"kind":"field","options":{"map":"dust","level":3,"hard":true}}`)
}

func FuzzCreate(f *testing.F) {
	fuzz[CreateBody](f, "/rooms/create", `{"kind":"field","private":true,"options":{}}`)
}

func FuzzQueue(f *testing.F) {
	fuzz[QueueBody](f, "", `{"kind":"field","party":"us","party_size":2,"wait":1,"properties":{"skill":1500}}`)
}

func FuzzSeat(f *testing.F) {
	fuzz[SeatBody](f, "/rooms/abcdef/join", `{}`)
}

func FuzzReconnect(f *testing.F) {
	fuzz[SeatBody](f, "/rooms/abcdef/reconnect", `{}`)
}

// fuzz tries bodies of a type, at a path unless that may wait.
func fuzz[T any](f *testing.F, path, seed string) {
	for _, s := range []string{seed, ``, `{`, `{}`, `[]`, `null`, `{"kind":1}`, `{"Kind":"field"}`, `{"kind":"a","kind":"b"}`, seed + seed, `{"x":{}}`} {
		f.Add([]byte(s))
	}
	h, s, err := quiet(f, many(), here)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		body, err := jsonbody.Parse[T](b)
		if err != nil {
			if x, ok := errors.AsType[*jsonbody.Error](err); !ok || x.Code != "bad_body" || !strings.HasPrefix(x.Message, "The body must be") {
				t.Errorf("%q: %v", b, err)
			}
		} else if again, err := json.Marshal(body); err != nil {
			t.Errorf("%q is %+v, which cannot be written: %v", b, body, err)
		} else if _, err := jsonbody.Parse[T](again); err != nil {
			t.Errorf("%q is %s: %v", b, again, err)
		}
		if q, ok := any(body).(QueueBody); ok && err == nil {
			if wish, wait, err := h.wish(q, rooms.Player{ID: 1}); err == nil && (wait <= 0 || wait > defaultWait || len(wish.Options) > 16 || len(wish.Properties) > 16 || (wish.Player.Party != 0) != (q.Party != "")) {
				t.Errorf("%q: %+v for %v", b, wish, wait)
			}
		}
		if path == "" {
			return
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, post(path, string(b), nil))
		described(t, http.MethodPost, path, w.Code, w.Body.Bytes())
		if w.Code == http.StatusInternalServerError || err != nil && len(b) <= maxBody && w.Code != http.StatusBadRequest || len(b) > maxBody && w.Code != http.StatusRequestEntityTooLarge {
			t.Errorf("%q: %d %s", b, w.Code, w.Body)
		}
		for _, r := range s.Rooms() {
			r.End(nil)
		}
		s.Advance(s.Next())
	})
}

// FuzzList: a query is understood, within its bounds, or refused with advice.
func FuzzList(f *testing.F) {
	for _, s := range []string{"", "kind=field&free=2&limit=10", "is[map]=dust&min[level]=1e3&max[level]=-2", "after=0000000000001", "%zz", "min[level]=NaN", "is[]=1", "limit=0", "is%5Ba%5D=b"} {
		f.Add(s)
	}
	r := Listed{ID: 7, Kind: "field", Free: 3, Capacity: 4, Options: rooms.Options{"map": "dust", "level": 3.0, "hard": true}}
	f.Fuzz(func(t *testing.T, raw string) {
		q, err := parseFilter(raw)
		if err != nil {
			if x, ok := errors.AsType[*Failure](err); !ok || x.Code != "bad_query" || x.Message == "" {
				t.Errorf("%q: %v", raw, err)
			}
			return
		}
		if q.limit < 1 || q.limit > mostLimit || len(raw) > mostQuery || len(q.is)+len(q.min)+len(q.max) > mostFilters {
			t.Errorf("%q is %+v", raw, q)
		}
		for _, x := range []map[string]float64{q.min, q.max} {
			for key, v := range x {
				if math.IsNaN(v) || key == "" {
					t.Errorf("%q is %+v", raw, q)
				}
			}
		}
		if q.has(&r) && (q.kind != "" && q.kind != "field" || q.free > 3 || q.after >= 7) {
			t.Errorf("%q has a room that it does not ask for", raw)
		}
	})
}
