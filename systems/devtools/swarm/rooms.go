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
	// seatTime is the timeout of a request for a seat and the longest wait between requests.
	seatTime = 30 * time.Second
	// maxAnswer is the largest number of bytes read of an answer.
	maxAnswer = 64 << 10
)

// RoomsConfig makes the clients play in rooms. The clients request seats by HTTP from systems/rooms/web. The first client of
// each room creates the room, and the other clients join by the room's id. A client retries if the response asks for it. Thin
// clients compare snapshots within their room. Report.Distinct treats all rooms as one world.
type RoomsConfig struct {
	// URL is the address above /rooms, such as https://play.example, or http://127.0.0.1:7780 on this machine.
	URL string
	// Kind is the kind of the rooms.
	Kind string
	// Rooms is the number of rooms, up to 10,000.
	Rooms int
	// Seats is the number of players per room. If the room has fewer seats, the other players are refused. Default (0): 8.
	Seats int
	// Options are the published options of the rooms. Default (nil): none.
	Options map[string]any
	// Who identifies client n in a request, in the form that the game's Authenticate expects. Several goroutines may call
	// it at once. Default (nil): the header Player with the number n+1, for servers on this machine.
	Who func(n int, r *http.Request)
}

// Validate returns an error for an invalid configuration. The errors wrap [ErrConfig].
func (c RoomsConfig) Validate() error {
	u, err := url.Parse(c.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !hostname.Loopback(u.Hostname())):
		return fmt.Errorf("%w: Rooms.URL %q: give the address above /rooms, such as https://play.example, or http://127.0.0.1:7780 on this machine", ErrConfig, c.URL)
	case c.Kind == "":
		return fmt.Errorf("%w: Rooms.Kind is empty: write the kind of the rooms", ErrConfig)
	case c.Rooms < 1 || c.Rooms > maxRooms:
		return fmt.Errorf("%w: Rooms.Rooms %d is not in 1..%d", ErrConfig, c.Rooms, maxRooms)
	case c.Seats < 0:
		return fmt.Errorf("%w: Rooms.Seats %d is negative (0: %d)", ErrConfig, c.Seats, defaultSeats)
	}
	return nil
}

// seats returns the number of players per room.
func (c *RoomsConfig) seats() int { return cmp.Or(c.Seats, defaultSeats) }

// clients returns the total number of players, 0 without rooms.
func (c *RoomsConfig) clients() int {
	if c == nil || c.Rooms < 0 || c.Rooms > maxRooms || c.Seats < 0 {
		return 0
	}
	return c.Rooms * c.seats()
}

// InRooms is the result of the rooms.
type InRooms struct {
	Wanted int `json:"wanted"` // rooms
	Made   int `json:"made"`
	Filled int `json:"filled"` // rooms that gave all their seats
	Joins  int `json:"joins"`  // assigned seats
	// Refusals counts the players without a seat. Reasons counts them by the error code of the HTTP interface.
	Refusals int            `json:"refusals"`
	Reasons  map[string]int `json:"reasons"`
	Rooms    []InRoom       `json:"rooms"`
}

// InRoom is the result of one room.
type InRoom struct {
	ID       string         `json:"id"` // "": not created
	Code     string         `json:"code"`
	Joins    int            `json:"joins"`
	Refusals int            `json:"refusals"`
	Reasons  map[string]int `json:"reasons,omitempty"`
	Full     bool           `json:"full"` // every seat was assigned: to all players, or until the rest were refused
}

// NoSeat is the error of a refused seat.
type NoSeat struct {
	// Code is the error code of the HTTP interface, such as full.
	Code string
	// Message is the message of the HTTP interface.
	Message string
}

// Error implements error.
func (e *NoSeat) Error() string { return "no seat: " + e.Code + ": " + e.Message }

// given is the answer to a request for a seat.
type given struct {
	Token     string
	Endpoints struct{ UDP, WS string }
	Room      string
	ID        string
	Code      string
	Message   string
}

// roomSet is the set of a swarm's rooms. Several goroutines may call its methods at once.
type roomSet struct {
	config    RoomsConfig
	transport string
	client    http.Client
	first     *netcode.ConnectToken // token of client 0, from finding the rooms' address
	addr      string
	rooms     []swarmRoom
}

// swarmRoom is the state of one room.
type swarmRoom struct {
	made      chan struct{} // closed when the first player has tried to create the room
	witnesses witnesses     // compare the snapshots of the room's clients

	mu    sync.Mutex
	about InRoom
}

// openRooms makes the first client create its room, which reveals the address of the rooms.
func openRooms(ctx context.Context, c *Config) (*roomSet, error) {
	h := &roomSet{config: *c.Rooms, transport: c.Transport, rooms: make([]swarmRoom, c.Rooms.Rooms)}
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

// seatToken returns a [TokenFunc]. It returns the token of a seat.
func (h *roomSet) seatToken(ctx context.Context, n int) (*netcode.ConnectToken, error) {
	if n == 0 {
		return h.first, nil
	}
	return h.token(ctx, n)
}

// token gets a seat for client n.
func (h *roomSet) token(ctx context.Context, n int) (*netcode.ConnectToken, error) {
	x := h.roomOf(n)
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

// roomOf returns the room of client n.
func (h *roomSet) roomOf(n int) *swarmRoom { return &h.rooms[n/h.config.seats()] }

// refuse counts a client without a seat.
func (x *swarmRoom) refuse(err error) error {
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

// read returns the token of a seat. The rooms must all have the same address.
func (h *roomSet) read(g given) (*netcode.ConnectToken, error) {
	addr := g.Endpoints.UDP
	if h.transport == WebSocket {
		addr = g.Endpoints.WS
	}
	switch {
	case addr == "":
		return nil, &NoSeat{"no_endpoint", "the rooms have no endpoint for " + h.transport}
	case h.addr == "":
		h.addr = addr
	case h.addr != addr:
		return nil, &NoSeat{"elsewhere", "the room is at " + addr + ", but the swarm plays at " + h.addr}
	}
	b, err := base64.StdEncoding.DecodeString(g.Token)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", netcode.ErrToken, err)
	}
	return netcode.ParseToken(b)
}

// ask requests a seat until the answer is not to retry later.
func (h *roomSet) ask(ctx context.Context, n int, path string, body any) (g given, err error) {
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

// post sends one request. later is the time until a retry, or 0 if a retry is useless.
func (h *roomSet) post(ctx context.Context, n int, path string, body []byte) (g given, later time.Duration, err error) {
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

// report returns the result of all rooms, or nil without rooms.
func (h *roomSet) report() *InRooms {
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
