package operator

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode"

	"github.com/tactusgo/tactus/internal/jsonbody"
	"github.com/tactusgo/tactus/systems/rooms"
)

// FuzzEmpty and the functions below parse any body. The order is within its bounds, or the body is refused with advice. The
// handler agrees.
func FuzzEmpty(f *testing.F) { fuzz[EmptyBody](f, "lock", `{}`) }

func FuzzEnd(f *testing.F) { fuzz[EndBody](f, "end", `{"reason":"over"}`) }

func FuzzPlayer(f *testing.F) { fuzz[PlayerBody](f, "ban", `{"player":"17"}`) }

func FuzzBroadcast(f *testing.F) { fuzz[BroadcastBody](f, "broadcast", `{"text":"good evening"}`) }

func FuzzDrain(f *testing.F) { fuzz[DrainBody](f, "", `{"process":"here"}`) }

// fuzz tries bodies of a type, for an action with a room, or "" for the process.
func fuzz[T interface{ order() (order, error) }](f *testing.F, name, seed string) {
	for _, s := range []string{seed, ``, `{`, `[]`, `null`, `{"player":7}`, `{"text":"\u0000"}`, seed + seed, `{"x":{}}`} {
		f.Add([]byte(s))
	}
	c := acting()
	c.Broadcast = func(*rooms.Room, string) error { return nil }
	f.Fuzz(func(t *testing.T, b []byte) {
		body, err := jsonbody.Parse[T](b)
		var o order
		if err == nil {
			o, err = body.order()
		} else if x, ok := errors.AsType[*jsonbody.Error](err); !ok || x.Code != "bad_body" {
			t.Fatalf("%q: %v", b, err)
		}
		if err == nil && (len(o.text) > maxText || strings.ContainsFunc(o.text, unicode.IsControl) || name == "ban" && o.player == 0 || name == "broadcast" && o.text == "" || name == "" && o.process == "") {
			t.Errorf("%q is %+v", b, o)
		}
		p, r := still(t, c)
		w := httptest.NewRecorder()
		p.ServeHTTP(w, post(r, func(x *http.Request) {
			bearer(adaToken)(x)
			if x.URL.Path = path(r, name); name == "" {
				x.URL.Path = "/drain"
			}
			x.Body = http.NoBody
			if len(b) > 0 {
				x.Body = httptest.NewRequest(http.MethodPost, "/", strings.NewReader(string(b))).Body
			}
		}))
		var x Failure
		if e := json.Unmarshal(w.Body.Bytes(), &x); e != nil {
			t.Fatalf("%q: %s", b, w.Body)
		}
		switch {
		case len(b) > maxBody:
			if x.Code != "too_long" {
				t.Errorf("%d bytes: %s", len(b), w.Body)
			}
		case err != nil:
			if x.Code != "bad_body" || x.Message == "" {
				t.Errorf("%q: %s, want %v", b, w.Body, err)
			}
		case w.Code != http.StatusOK && !(name == "" && o.process != "here" && x.Code == "process"):
			t.Errorf("%q: %d %s", b, w.Code, w.Body)
		}
	})
}

// FuzzQuery parses any query. The result is within its bounds, or the query is refused.
func FuzzQuery(f *testing.F) {
	for _, s := range []string{"", "kind=field&state=open&find=AB&sort=load&limit=10", "room=0000000000001&after=3", "%zz", "limit=501", "sort="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		q, err := parseQuery(raw, "kind", "state", "find", "sort", "limit", "after", "room")
		if err != nil {
			if !errors.Is(err, errQuery) {
				t.Errorf("%q: %v", raw, err)
			}
			return
		}
		if q.limit < 1 || q.limit > mostLimit || orders[q.sort] == nil || len(raw) > mostQuery {
			t.Errorf("%q is %+v", raw, q)
		}
	})
}
