package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	defaultLimit = 50
	mostLimit    = 100
	mostFilters  = 16
	mostQuery    = 2 << 10
	// freshTime is how long a list of rooms is cached.
	freshTime = 200 * time.Millisecond
)

// Listed is a room in a list.
type Listed struct {
	ID       rooms.ID    `json:"id"`
	Kind     string      `json:"kind"`
	Schema   string      `json:"schema"` // of clients that can play there
	Code     string      `json:"code"`
	State    rooms.State `json:"state"` // open and running rooms take new players
	Created  time.Time   `json:"created"`
	Capacity int         `json:"capacity"`
	Free     int         `json:"free"`
	// Spectators is the number of spectators, MaxSpectators their maximum. If it is 0, the room cannot be watched.
	Spectators    int           `json:"spectators"`
	MaxSpectators int           `json:"max_spectators"`
	Options       rooms.Options `json:"options"`
}

// List is the response to /rooms. Rooms are sorted by id.
type List struct {
	Rooms []Listed `json:"rooms"`
	// Next is the value of after= for the next rooms, "" if there are none.
	Next string `json:"next"`
}

// listing caches the rooms that are not private.
type listing struct {
	mu   sync.Mutex
	all  []Listed
	made time.Time
}

// stale clears the cache.
func (l *listing) stale() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.made = time.Time{}
}

// rooms returns the rooms, sorted by id. The caller must not change the slice.
func (l *listing) rooms(s rooms.Seats, now time.Time) []Listed {
	l.mu.Lock()
	defer l.mu.Unlock()
	if age := now.Sub(l.made); age >= 0 && age < freshTime {
		return l.all
	}
	all := []Listed{}
	for _, r := range s.List() {
		if !r.Private && r.State != rooms.Created {
			all = append(all, Listed{r.ID, r.Kind, r.Schema, r.Code, r.State, r.Created, r.Capacity, r.Free, r.Spectators, r.MaxSpectators, r.Options})
		}
	}
	l.all, l.made = all, now
	return all
}

// filter is a query of /rooms.
type filter struct {
	kind     string
	free     int
	limit    int
	after    rooms.ID
	is       map[string]string
	min, max map[string]float64
}

// parseFilter parses a query. It returns a [Failure] for unknown or invalid filters.
func parseFilter(raw string) (filter, error) {
	f := filter{limit: defaultLimit, is: map[string]string{}, min: map[string]float64{}, max: map[string]float64{}}
	bad := func(format string, v ...any) (filter, error) {
		return filter{}, fail("bad_query", fmt.Sprintf(format, v...))
	}
	if len(raw) > mostQuery {
		return bad("The query has more than %d bytes.", mostQuery)
	}
	q, err := url.ParseQuery(raw)
	if err != nil {
		return bad("The query cannot be read: escape it as URLs are.")
	}
	if len(q) > mostFilters {
		return bad("There are more than %d filters.", mostFilters)
	}
	for key, values := range q {
		if len(values) != 1 {
			return bad("%.40q is there more than once.", key)
		}
		v := values[0]
		name, option, _ := strings.Cut(strings.TrimSuffix(key, "]"), "[")
		ranged := option != "" && strings.HasSuffix(key, "]")
		switch {
		case key == "kind":
			f.kind = v
		case key == "free" || key == "limit":
			n, err := strconv.Atoi(v)
			if err != nil || n < 1 || n > rooms.MaxCapacity || key == "limit" && n > mostLimit {
				return bad("%s is a number from 1 to %d.", key, map[string]int{"free": rooms.MaxCapacity, "limit": mostLimit}[key])
			}
			if key == "free" {
				f.free = n
			} else {
				f.limit = n
			}
		case key == "after":
			if f.after, err = rooms.ParseID(v); err != nil {
				return bad("after is the id of a room: next of the answer of before.")
			}
		case ranged && name == "is":
			f.is[option] = v
		case ranged && (name == "min" || name == "max"):
			x, err := strconv.ParseFloat(v, 64)
			if err != nil || x != x {
				return bad("%.40s is a number.", key)
			}
			map[string]map[string]float64{"min": f.min, "max": f.max}[name][option] = x
		default:
			return bad("%.40q is not known: there are kind, free, limit, after, is[KEY], min[KEY] and max[KEY].", key)
		}
	}
	return f, nil
}

// has reports whether a room matches the filter.
func (f *filter) has(r *Listed) bool {
	if f.kind != "" && f.kind != r.Kind || r.Free < f.free || r.ID <= f.after {
		return false
	}
	for key, want := range f.is {
		switch x := r.Options[key].(type) {
		case string:
			if x != want {
				return false
			}
		case bool:
			if strconv.FormatBool(x) != want {
				return false
			}
		case float64:
			if n, err := strconv.ParseFloat(want, 64); err != nil || n != x {
				return false
			}
		default:
			return false
		}
	}
	for key, least := range f.min {
		if x, ok := r.Options[key].(float64); !ok || x < least {
			return false
		}
	}
	for key, most := range f.max {
		if x, ok := r.Options[key].(float64); !ok || x > most {
			return false
		}
	}
	return true
}

// list serves GET /rooms.
func list(h *Handler, _ http.ResponseWriter, r *http.Request, _ rooms.Player) (int, any, error) {
	f, err := parseFilter(r.URL.RawQuery)
	if err != nil {
		return 0, nil, err
	}
	answer := List{Rooms: []Listed{}}
	all := h.listing.rooms(h.seats, h.config.Now())
	for i := range all {
		if !f.has(&all[i]) {
			continue
		}
		if len(answer.Rooms) == f.limit {
			answer.Next = answer.Rooms[f.limit-1].ID.String()
			break
		}
		answer.Rooms = append(answer.Rooms, all[i])
	}
	return http.StatusOK, answer, nil
}
