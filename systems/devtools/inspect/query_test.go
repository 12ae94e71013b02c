package inspect

import (
	"errors"
	"strings"
	"testing"
)

func TestParseQuery(t *testing.T) {
	for _, c := range []struct {
		raw  string
		want query
		ok   bool
	}{
		{"", query{limit: defaultLimit}, true},
		{"id=7", query{id: 7, limit: defaultLimit}, true},
		{"client=3&entity=4294967295", query{client: 3, entity: 1<<32 - 1, limit: defaultLimit}, true},
		{"after=0&limit=200&owner=0&component=Position", query{limit: 200, owned: true, component: "Position"}, true},
		{"archetypes=1", query{archetypes: true, limit: defaultLimit}, true},
		{"archetypes=2", query{}, false},
		{"id=0", query{}, false},
		{"id=-1", query{}, false},
		{"id=4294967296", query{}, false},
		{"id=1e3", query{}, false},
		{"id=1&id=2", query{}, false},
		{"limit=0", query{}, false},
		{"limit=201", query{}, false},
		{"nothing=1", query{}, false},
		{"component=%ff", query{}, false},
		{"component=" + strings.Repeat("x", mostName+1), query{}, false},
		{"%zz", query{}, false},
		{strings.Repeat("&", 2000), query{}, false},
	} {
		got, err := parseQuery(c.raw)
		if c.ok && (err != nil || got != c.want) || !c.ok && !errors.Is(err, errQuery) {
			t.Errorf("%.40q: %+v, %v", c.raw, got, err)
		}
	}
}

func FuzzParseQuery(f *testing.F) {
	for _, raw := range []string{"", "id=7", "client=1&entity=2", "after=3&limit=9&owner=0&component=A%20b", "archetypes=1", "id=1&id=1", "%zz", "a;b"} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		q, err := parseQuery(raw)
		if err != nil {
			if !errors.Is(err, errQuery) || len(err.Error()) > 8192 {
				t.Fatalf("%q: %v", raw, err)
			}
			return
		}
		if q.limit < 1 || q.limit > mostLimit || len(q.component) > mostName {
			t.Fatalf("%q: %+v", raw, q)
		}
		if again, err := parseQuery(raw); err != nil || again != q {
			t.Fatalf("%q: %+v, then %+v, %v", raw, q, again, err)
		}
	})
}
