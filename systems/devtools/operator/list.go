package operator

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	defaultLimit = 100
	mostLimit    = 500
	mostQuery    = 512 // bytes
)

// query is the parsed parameters of a list.
type query struct {
	kind, state, find, sort string
	limit                   int
	after                   uint64
	room                    rooms.ID
}

// errQuery is wrapped by errors about invalid parameters.
var errQuery = errors.New("this is not understood")

// orders are the sort orders of rooms. Equal rooms are sorted by creation.
var orders = map[string]func(a, b *rooms.Info) int{
	"age":     func(a, b *rooms.Info) int { return 0 },
	"kind":    func(a, b *rooms.Info) int { return cmp.Compare(a.Kind, b.Kind) },
	"state":   func(a, b *rooms.Info) int { return cmp.Compare(a.State, b.State) },
	"players": func(a, b *rooms.Info) int { return cmp.Compare(b.Taken+b.Waiting, a.Taken+a.Waiting) },
	"tick":    func(a, b *rooms.Info) int { return cmp.Compare(b.Tick, a.Tick) },
	"load":    func(a, b *rooms.Info) int { return cmp.Compare(load(b), load(a)) },
	"late":    func(a, b *rooms.Info) int { return cmp.Compare(b.Late, a.Late) },
	"trouble": func(a, b *rooms.Info) int { return cmp.Compare(trouble(b), trouble(a)) },
}

// load returns the share of its budget that a room's tick takes.
func load(i *rooms.Info) float64 { return float64(i.TickTime) / float64(max(i.Budget, 1)) }

// trouble returns the urgency of a room's problems.
func trouble(i *rooms.Info) int {
	switch {
	case i.Stuck > 0:
		return 2
	case i.Slow:
		return 1
	}
	return 0
}

// parseQuery parses the parameters of an address. known are the allowed names.
func parseQuery(raw string, known ...string) (query, error) {
	q := query{sort: "trouble", limit: defaultLimit}
	bad := func(format string, v ...any) (query, error) {
		return query{}, fmt.Errorf("%w: "+format, append([]any{errQuery}, v...)...)
	}
	if len(raw) > mostQuery {
		return bad("%d bytes, at most %d are allowed", len(raw), mostQuery)
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return bad("%.100q", raw)
	}
	for name, list := range values {
		if !slices.Contains(known, name) || len(list) != 1 {
			return bad("%.40q; there may be one each of %s", name, strings.Join(known, ", "))
		}
		value := list[0]
		switch name {
		case "kind":
			q.kind = value
		case "state":
			q.state = value
		case "find":
			q.find = strings.ToLower(value)
		case "sort":
			if q.sort = value; orders[value] == nil {
				return bad("sort=%.40q", value)
			}
		case "limit":
			if q.limit, err = strconv.Atoi(value); err != nil || q.limit < 1 || q.limit > mostLimit {
				return bad("limit=%.40q: 1 to %d are allowed", value, mostLimit)
			}
		case "after":
			if q.after, err = strconv.ParseUint(value, 10, 64); err != nil {
				return bad("after=%.40q", value)
			}
		case "room":
			if q.room, err = rooms.ParseID(value); err != nil {
				return bad("room=%.40q", value)
			}
		}
	}
	return q, nil
}

// wants reports whether a room matches the query.
func (q *query) wants(i *rooms.Info) bool {
	return (q.kind == "" || i.Kind == q.kind) && (q.state == "" || i.State.String() == q.state) &&
		(q.find == "" || strings.HasPrefix(i.ID.String(), q.find) || strings.HasPrefix(i.Code, q.find))
}

// listAnswer is the answer of /api/rooms.
type listAnswer struct {
	processStatus
	Found int          `json:"found"`
	Rooms []rooms.Info `json:"rooms"` // the first ones
}

// processStatus describes the process on all pages.
type processStatus struct {
	Process    string       `json:"process"`
	Draining   bool         `json:"draining"`
	Fenced     bool         `json:"fenced"` // it could not renew its claim in the directory
	Named      bool         `json:"named"`  // another process has its name
	Now        time.Time    `json:"now"`
	Seconds    float64      `json:"seconds"`   // age of the page
	Acts       bool         `json:"acts"`      // operators are configured
	Broadcasts bool         `json:"broadcast"` // broadcasts are configured
	Rooms      int          `json:"count"`
	Players    int          `json:"players"`
	Seats      int          `json:"seats"`
	Slow       int          `json:"slow"`
	Stuck      int          `json:"stuck"`
	Goroutines int          `json:"goroutines"`
	CPUs       int          `json:"cpus"`
	Kinds      []kindAnswer `json:"kinds"`
}

// kindAnswer holds the counters of one kind of room.
type kindAnswer struct {
	Name    string            `json:"name"`
	Ticks   uint64            `json:"ticks"`
	TurnsUs int64             `json:"turnsUs"` // time of all ticks
	Late    uint64            `json:"late"`
	Given   uint64            `json:"given"`
	Back    uint64            `json:"returned"`
	Refused map[string]uint64 `json:"refused"`
	Events  map[string]uint64 `json:"events"`
}

// process returns the state of the process and of each of its rooms.
func (p *Page) process() (a processStatus, all []rooms.Info) {
	a = processStatus{
		Process: p.server.Process(), Draining: p.server.Draining(), Fenced: p.server.Membership().Fenced, Named: p.server.Membership().Named, Now: time.Now().UTC(), Seconds: time.Since(p.began).Seconds(),
		Acts: len(p.config.Operators) > 0, Broadcasts: p.config.Broadcast != nil,
		Goroutines: runtime.NumGoroutine(), CPUs: runtime.GOMAXPROCS(0),
	}
	for _, r := range p.server.Rooms() {
		i := r.Info()
		all = append(all, i)
		a.Rooms++
		a.Players += i.Taken
		a.Seats += i.Capacity
		switch trouble(&i) {
		case 2:
			a.Stuck++
		case 1:
			a.Slow++
		}
	}
	for _, t := range p.server.Tallies() {
		a.Kinds = append(a.Kinds, kindAnswer{t.Kind, t.Ticks, t.Turns.Sum.Microseconds(), t.Late, t.Given, t.Returned, t.Refused, t.Events})
	}
	return a, all
}

// list answers with rooms.
func (p *Page) list(w http.ResponseWriter, r *http.Request) {
	q, err := parseQuery(r.URL.RawQuery, "kind", "state", "find", "sort", "limit")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	of, all := p.process()
	a := listAnswer{processStatus: of, Rooms: []rooms.Info{}}
	for i := range all {
		if q.wants(&all[i]) {
			a.Rooms = append(a.Rooms, all[i])
		}
	}
	slices.SortStableFunc(a.Rooms, func(x, y rooms.Info) int { return orders[q.sort](&x, &y) })
	a.Found = len(a.Rooms)
	a.Rooms = a.Rooms[:min(a.Found, q.limit)]
	reply(w, http.StatusOK, a)
}

// logAnswer is the answer of /api/log.
type logAnswer struct {
	Entries []Entry `json:"entries"`
}

// log answers with the audit log.
func (p *Page) log(w http.ResponseWriter, r *http.Request) {
	q, err := parseQuery(r.URL.RawQuery, "after", "room", "limit")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a := logAnswer{p.config.Audit.Entries(q.after, q.room, q.limit)}
	if a.Entries == nil {
		a.Entries = []Entry{}
	}
	reply(w, http.StatusOK, a)
}

// roomAnswer is the answer of /room/ID/api/room.
type roomAnswer struct {
	processStatus
	Room  rooms.Info       `json:"room"`
	Seats []rooms.SeatInfo `json:"taken"`
	Log   []Entry          `json:"log"` // of the room, newest first
}

// roomEntries is the number of log entries on the page of a room.
const roomEntries = 30

// room answers with a room and its seats.
func (p *Page) room(w http.ResponseWriter, r *http.Request) {
	room := p.find(w, r)
	if room == nil {
		return
	}
	of, _ := p.process()
	a := roomAnswer{of, room.Info(), room.Seats(), p.config.Audit.Entries(0, room.ID(), roomEntries)}
	if a.Seats == nil {
		a.Seats = []rooms.SeatInfo{}
	}
	if a.Log == nil {
		a.Log = []Entry{}
	}
	reply(w, http.StatusOK, a)
}
