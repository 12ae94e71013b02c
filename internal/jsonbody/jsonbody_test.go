package jsonbody

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
)

type thing struct {
	Name string `json:"name"`
	Many int    `json:"many"`
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		kind, body, code string
		want             thing
	}{
		{"application/json", `{"name":"a","many":3}`, "", thing{"a", 3}},
		{"application/json; charset=utf-8", `{}`, "", thing{}},
		{"text/plain", `{}`, "no_json", thing{}},
		{"", `{}`, "no_json", thing{}},
		{"application/json", `{"name":"` + strings.Repeat("a", 100) + `"}`, "too_long", thing{}},
		{"application/json", ``, "bad_body", thing{}},
		{"application/json", `[]`, "bad_body", thing{}},
		{"application/json", `null`, "bad_body", thing{}},
		{"application/json", `{"name":1}`, "bad_body", thing{}},
		{"application/json", `{"Name":"a"}`, "bad_body", thing{}},
		{"application/json", `{"more":1}`, "bad_body", thing{}},
		{"application/json", `{"name":"a","name":"b"}`, "bad_body", thing{}},
		{"application/json", `{"name":"a"`, "bad_body", thing{}},
		{"application/json", `{}{}`, "bad_body", thing{}},
	} {
		r := httptest.NewRequest("POST", "/", strings.NewReader(c.body))
		r.Header.Set("Content-Type", c.kind)
		got, err := Read[thing](httptest.NewRecorder(), r, 64)
		x, _ := errors.AsType[*Error](err)
		if got != c.want || (err == nil) != (c.code == "") || x != nil && (x.Code != c.code || x.Message == "") {
			t.Errorf("%q %.60q: %+v, %v", c.kind, c.body, got, err)
		}
	}
}

// FuzzParse parses any body. It is refused, or its value is encoded and parsed again to the same value.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"name":"a","many":3}`, `{`, `{"name":null}`, `{"many":1e3}`, "{\"name\":\"\xff\"}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := Parse[thing](b)
		if err != nil {
			if x, ok := errors.AsType[*Error](err); !ok || x.Code != "bad_body" || v != (thing{}) {
				t.Errorf("%q: %+v, %v", b, v, err)
			}
			return
		}
		again, err := json.Marshal(v)
		if err != nil {
			t.Fatalf("%q is %+v: %v", b, v, err)
		}
		if w, err := Parse[thing](again); err != nil || w != v {
			t.Errorf("%q is %+v, and then %+v: %v", b, v, w, err)
		}
	})
}
