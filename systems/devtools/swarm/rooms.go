package swarm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tactusgo/tactus/internal/hostname"
	"github.com/tactusgo/tactus/netsys/netcode"
)

const (
	defaultSeats = 8
	maxRooms     = 10_000
	// seatTime bounds a request for a seat, and the waits between them.
	seatTime = 30 * time.Second
	// maxAnswer bounds what is read of an answer.
	maxAnswer = 64 << 10
)

// RoomsConfig has the clients play in rooms, whose seats they get by HTTP, as systems/rooms/web gives them: the first
// player of each room creates it, and the others join it by its id. Whoever is told to ask again later does so. Thin
// clients compare what they are told within their room; Report.Distinct takes all rooms for one world.
type RoomsConfig struct {
	// URL is where /rooms is: such as https://play.example, or http://127.0.0.1:7780 on this machine.
	URL string
	// Kind is the kind of the rooms.
	Kind string
	// Rooms is how many there are to be, up to 10,000.
	Rooms int
	// Seats is how many players come to each; where it has fewer, the others are refused. Default (0): 8.
	Seats int
	// Options are what the rooms publish. Default (nil): nothing.
	Options map[string]any
	// Who says in a request who the n-th client is, as the game's Authenticate wants it. It may be called by several goroutines at
	// once. Default (nil): the header Player with the number n+1, for servers on this machine.
	Who func(n int, r *http.Request)
}

// Validate reports what is wrong with c. The errors wrap [ErrConfig].
func (c RoomsConfig) Validate() error {
	u, err := url.Parse(c.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !hostname.Loopback(u.Hostname())):
		return fmt.Errorf("%w: Rooms.URL %q: write where /rooms is, such as https://play.example, or http://127.0.0.1:7780 on this machine", ErrConfig, c.URL)
	case c.Kind == "":
		return fmt.Errorf("%w: Rooms.Kind is empty: write the kind of the rooms", ErrConfig)
	case c.Rooms < 1 || c.Rooms > maxRooms:
		return fmt.Errorf("%w: Rooms.Rooms %d is not in 1..%d", ErrConfig, c.Rooms, maxRooms)
	case c.Seats < 0:
		return fmt.Errorf("%w: Rooms.Seats %d is negative (0: %d)", ErrConfig, c.Seats, defaultSeats)
	}
	return nil
}

// seats is how many players come to each room.
func (c *RoomsConfig) seats() int { return cmp.Or(c.Seats, defaultSeats) }

// clients is how many players come in all, 0 without rooms.
func (c *RoomsConfig) clients() int {
	if c == nil || c.Rooms < 0 || c.Rooms > maxRooms || c.Seats < 0 {
		return 0
	}
	return c.Rooms * c.seats()
}

// InRooms is what became of rooms.
type InRooms struct {
	Wanted int `json:"wanted"` // rooms
	Made   int `json:"made"`
	Filled int `json:"filled"` // that gave seats to as many as it has
	Joins  int `json:"joins"`  // seats that were given
	// Refusals is how many players got none, and Reasons why, by the codes of the interface.
	Refusals int            `json:"refusals"`
	Reasons  map[string]int `json:"reasons"`
	Rooms    []InRoom       `json:"rooms"`
}

// InRoom is what became of one room.
type InRoom struct {
	ID       string         `json:"id"` // "": it was not made
	Code     string         `json:"code"`
	Joins    int            `json:"joins"`
	Refusals int            `json:"refusals"`
	Reasons  map[string]int `json:"reasons,omitempty"`
	Full     bool           `json:"full"` // all seats were given: to all who came, or until the others were refused
}

// NoSeat is why a client got no seat.
type NoSeat struct {
	// Code is that of the interface, such as full.
	Code string
	// Message is what it said.
	Message string
}

// Error implements error.
func (e *NoSeat) Error() string { return "no seat: " + e.Code + ": " + e.Message }

// given is the answer of a seat, and of a refusal.
type given struct {
	Token     string
	Endpoints struct{ UDP, WS string }
	Room      string
	ID        string
	Code      string
	Message   string
}

// house is the rooms of a swarm. Its methods may be called by several goroutines at once.
type house struct {
	config    RoomsConfig
	transport string
	client    http.Client
	first     *netcode.ConnectToken // of client 0, from when the address was asked for
	addr      string
	rooms     []lodging
}

// lodging is one of them.
type lodging struct {
	made      chan struct{} // closed when the first player has tried
	witnesses witnesses     // of what its clients are told

	mu    sync.Mutex
	about InRoom
}

// openHouse has the first client make its room, and so learns where the rooms are.
func openHouse(ctx context.Context, c *Config) (*house, error) {
	h := &house{config: *c.Rooms, transport: c.Transport, rooms: make([]lodging, c.Rooms.Rooms)}
	h.config.URL = strings.TrimSuffix(h.config.URL, "/")
	h.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for i := range h.rooms {
		h.rooms[i].made = make(chan struct{})
	}
	token, err := h.token(ctx, 0)
	if err != nil {
		return nil, fmt.Errorf("swarm: the first room at %s: %w", h.config.URL, err)
	}
	h.first = token
	return h, nil
}

// take is a [TokenFunc].
func (h *house) take(ctx context.Context, n int) (*netcode.ConnectToken, error) {
	if n == 0 {
		return h.first, nil
	}
	return h.token(ctx, n)
}

// token gets the n-th client a seat.
func (h *house) token(ctx context.Context, n int) (*netcode.ConnectToken, error) {
	x := h.of(n)
	path, body := "/rooms/create", map[string]any{"kind": h.config.Kind}
	if n%h.config.seats() == 0 {
		defer close(x.made)
		if h.config.Options != nil {
			body["options"] = h.config.Options
		}
	} else {
		select {
		case <-x.made:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		x.mu.Lock()
		id := x.about.ID
		x.mu.Unlock()
		if id == "" {
			return nil, x.refuse(&NoSeat{Code: "no_room", Message: "the first player could not make it"})
		}
		path, body = "/rooms/"+url.PathEscape(id)+"/join", map[string]any{}
	}
	ctx, cancel := context.WithTimeout(ctx, seatTime)
	defer cancel()
	g, err := h.ask(ctx, n, path, body)
	if err != nil {
		return nil, x.refuse(err)
	}
	token, err := h.read(g)
	if err != nil {
		return nil, x.refuse(err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.about.ID, x.about.Code = g.Room, g.Code
	x.about.Joins++
	return token, nil
}

// of is the room of the n-th client.
func (h *house) of(n int) *lodging { return &h.rooms[n/h.config.seats()] }

// refuse counts a client that got no seat.
func (x *lodging) refuse(err error) error {
	code := "failed"
	if no, ok := errors.AsType[*NoSeat](err); ok {
		code = no.Code
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.about.Refusals++
	if x.about.Reasons == nil {
		x.about.Reasons = make(map[string]int)
	}
	x.about.Reasons[code]++
	return err
}

// read is the token of a seat, which is where all others are.
func (h *house) read(g given) (*netcode.ConnectToken, error) {
	addr := g.Endpoints.UDP
	if h.transport == WebSocket {
		addr = g.Endpoints.WS
	}
	switch {
	case addr == "":
		return nil, &NoSeat{"no_endpoint", "the rooms have none for " + h.transport}
	case h.addr == "":
		h.addr = addr
	case h.addr != addr:
		return nil, &NoSeat{"elsewhere", "the room is at " + addr + ", and a swarm plays at one address: " + h.addr}
	}
	b, err := base64.StdEncoding.DecodeString(g.Token)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", netcode.ErrToken, err)
	}
	return netcode.ParseToken(b)
}

// ask asks for a seat until there is an answer other than to ask later.
func (h *house) ask(ctx context.Context, n int, path string, body any) (g given, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return g, fmt.Errorf("%w: Rooms.Options: %w", ErrConfig, err)
	}
	for {
		var later time.Duration
		if g, later, err = h.post(ctx, n, path, text); err == nil || later == 0 {
			return g, err
		}
		select {
		case <-time.After(later):
		case <-ctx.Done():
			return g, err
		}
	}
}

// post asks once. later is when to ask again, 0 where that is no use.
func (h *house) post(ctx context.Context, n int, path string, body []byte) (g given, later time.Duration, err error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, h.config.URL+path, bytes.NewReader(body))
	if err != nil {
		return g, 0, err
	}
	q.Header.Set("Content-Type", "application/json")
	if h.config.Who != nil {
		h.config.Who(n, q)
	} else {
		q.Header.Set("Player", strconv.Itoa(n+1))
	}
	r, err := h.client.Do(q)
	if err != nil {
		return g, 0, err
	}
	answer, err := io.ReadAll(io.LimitReader(r.Body, maxAnswer))
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return g, 0, err
	}
	if err := json.Unmarshal(answer, &g); err != nil {
		return g, 0, fmt.Errorf("%s answers %s, which is not of rooms: %.60q", path, r.Status, answer)
	}
	if r.StatusCode == http.StatusOK || r.StatusCode == http.StatusCreated {
		return g, 0, nil
	}
	if r.StatusCode == http.StatusTooManyRequests {
		seconds, _ := strconv.Atoi(r.Header.Get("Retry-After"))
		later = time.Duration(max(seconds, 1)) * time.Second
	}
	return g, later, &NoSeat{g.Code, g.Message}
}

// report is what became of all rooms, nil without.
func (h *house) report() *InRooms {
	if h == nil {
		return nil
	}
	r := &InRooms{Wanted: len(h.rooms), Reasons: make(map[string]int)}
	for i := range h.rooms {
		x := &h.rooms[i]
		x.mu.Lock()
		about := x.about
		about.Reasons = nil
		for code, n := range x.about.Reasons {
			if about.Reasons == nil {
				about.Reasons = make(map[string]int)
			}
			about.Reasons[code] = n
			r.Reasons[code] += n
		}
		x.mu.Unlock()
		about.Full = about.Joins == h.config.seats() || about.Joins > 0 && about.Reasons["full"] > 0
		if about.ID != "" {
			r.Made++
		}
		if about.Full {
			r.Filled++
		}
		r.Joins += about.Joins
		r.Refusals += about.Refusals
		r.Rooms = append(r.Rooms, about)
	}
	return r
}
