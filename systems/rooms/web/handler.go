package web

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/tactusgo/tactus/internal/allowance"
	"github.com/tactusgo/tactus/internal/hostname"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/match"
)

// Handler serves requests for seats. Mount it under /rooms and /rooms/. It may be used from any goroutine.
type Handler struct {
	config    Config
	seats     rooms.Seats
	mux       http.ServeMux
	queue     match.Waitlist
	addresses *allowance.Limiter[netip.Addr]
	players   *allowance.Limiter[uint64]
	listing   listing

	mu      sync.Mutex
	matches bool // a timer for the next run of the queue is set
}

// The messages of failures of admit.
const (
	adviseOrigin = "Pages of other sites may not ask: open the page by the address of this server, or name its host in web.Config.Hosts."
	adviseName   = "Any web site could lead here under this name: use an address of this server, or name it in web.Config.Hosts, or the proxy that passes it on in TrustedProxies."
	adviseLocal  = "Without web.Config.Authenticate this machine alone is answered, by connections that no proxy has forwarded."
)

// playerHeader is the header with the player's id, without Config.Authenticate.
const playerHeader = "Player"

// route is a method and a path with the function that serves them.
type route struct {
	method, path string
	answer       func(h *Handler, w http.ResponseWriter, r *http.Request, who rooms.Player) (status int, body any, err error)
	open         bool // it needs no player
	body         any  // zero value of the request's body; nil: it has no body
	cost         int  // cost of a request in Config.PerPlayer
}

// routes are the routes of a Handler.
var routes = []route{
	{method: "GET", path: "/rooms", answer: list, open: true},
	{method: "GET", path: "/rooms/openapi.json", answer: serveOpenAPI, open: true},
	{method: "POST", path: "/rooms/join", answer: (*Handler).join, body: JoinBody{}, cost: 1},
	{method: "POST", path: "/rooms/create", answer: (*Handler).create, body: CreateBody{}, cost: 5},
	{method: "POST", path: "/rooms/queue", answer: (*Handler).wait, body: QueueBody{}, cost: 1},
	{method: "POST", path: "/rooms/{id}/join", answer: (*Handler).seat, body: SeatBody{}, cost: 1},
	{method: "POST", path: "/rooms/{id}/reconnect", answer: (*Handler).reconnect, body: SeatBody{}, cost: 1},
	{method: "POST", path: "/rooms/{id}/spectate", answer: (*Handler).spectate, body: SeatBody{}, cost: 1},
}

// New returns a handler for the rooms of a process (rooms.Here) or of a fleet. Seats with a method
// Queue(match.Config) match.Waitlist, such as those of a fleet, have a queue of their own. The error wraps [ErrConfig].
func New(c Config, s rooms.Seats) (*Handler, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.Authenticate == nil && !s.Local() {
		return nil, fmt.Errorf("%w: players reach the rooms from other machines: give Authenticate, so that they are who they say", ErrConfig)
	}
	c = c.filled()
	waits := match.Config{Match: c.Match, AtOnce: seatedAtOnce}
	h := &Handler{
		config: c, seats: s, queue: match.New(waits, match.Over(s)),
		addresses: allowance.New[netip.Addr](c.PerAddress, max(c.PerAddress/10, 5)),
		players:   allowance.New[uint64](c.PerPlayer, max(c.PerPlayer/6, 5)),
	}
	if f, ok := s.(interface {
		Queue(c match.Config) match.Waitlist
	}); ok {
		h.queue = f.Queue(waits)
	}
	for _, x := range routes {
		h.mux.HandleFunc(x.method+" "+x.path, func(w http.ResponseWriter, r *http.Request) { h.answer(w, r, x) })
	}
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, h.nowhere(w, r))
	})
	return h, nil
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := w.Header()
	x.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors "+hostname.Embed(h.config.Embed).Ancestors())
	x.Set("X-Content-Type-Options", "nosniff")
	x.Set("Referrer-Policy", "no-referrer")
	x.Set("Cross-Origin-Resource-Policy", "same-origin")
	x.Set("Cache-Control", "no-store")
	shared := hostname.Embed(h.config.Embed).Share(x, r)
	if f := h.admit(r, shared); f != nil {
		refuse(w, f)
		return
	}
	if shared {
		x.Set("Access-Control-Expose-Headers", "Retry-After")
		if r.Method == http.MethodOptions {
			x.Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers")) // Authenticate may need any
			x.Set("Access-Control-Max-Age", "600")
			w.WriteHeader(http.StatusNoContent)
			return
		}
	}
	h.mux.ServeHTTP(w, r)
}

// admit checks the origin, the host name and the address of a request, and the limit of the address. It returns nil if the
// request is admitted. shared is true for a page in a sandboxed frame that Config.Embed allows.
func (h *Handler) admit(r *http.Request, shared bool) *Failure {
	guard := h.config.guard()
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	switch {
	case err != nil:
		return fail("forbidden", adviseLocal)
	case !shared && guard.Foreign(r):
		return fail("forbidden", adviseOrigin)
	case h.config.Authenticate == nil && !h.seats.Local(), h.config.Authenticate == nil && (!remote.Addr().Unmap().IsLoopback() || hostname.Forwarded(r.Header)):
		return fail("forbidden", adviseLocal)
	case !guard.Allows(r.Host, remote.Addr()):
		return fail("forbidden", adviseName)
	}
	from, err := guard.Client(r)
	if err != nil {
		return fail("forbidden", adviseLocal)
	}
	if wait := h.addresses.Take(hostname.Network(from), 1, h.config.Now()); wait > 0 {
		return later("limited", "Too many requests from this address: ask again later.", wait)
	}
	return nil
}

// nowhere returns the failure for a request that matches no route: an unknown path, or a path with another method.
func (h *Handler) nowhere(w http.ResponseWriter, r *http.Request) *Failure {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := h.mux.Handler(other); pattern != "/" {
			w.Header().Set("Allow", method)
			return fail("method", "Use "+method+" for this path.")
		}
	}
	return fail("no_path", "There is nothing here: /rooms/openapi.json says what there is.")
}

// answer serves an admitted request.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, x route) {
	status, body, err := 0, any(nil), error(nil)
	var who rooms.Player
	if !x.open {
		who, err = h.player(r)
		if err == nil {
			if wait := h.players.Take(who.ID, x.cost, h.config.Now()); wait > 0 {
				err = later("limited", "You ask too often: ask again later.", wait)
			}
		}
	}
	if err == nil {
		status, body, err = x.answer(h, w, r, who)
	}
	switch {
	case err == nil:
		reply(w, status, body)
	case r.Context().Err() != nil: // the client has gone
	default:
		f := failureOf(err)
		if f.Code == "failed" {
			h.config.Logger.Error("rooms by HTTP: a request failed", "path", r.URL.Path, "error", err)
		}
		refuse(w, f)
	}
}

// player returns the player of a request.
func (h *Handler) player(r *http.Request) (rooms.Player, error) {
	if h.config.Authenticate != nil {
		who, err := h.config.Authenticate(r)
		switch {
		case errors.Is(err, rooms.ErrUnavailable):
			return rooms.Player{}, err
		case err != nil:
			return rooms.Player{}, fail("unauthenticated", err.Error())
		case who.ID == 0:
			return rooms.Player{}, errors.New("web: Config.Authenticate returned player 0: return an error for who is nobody, or another id")
		}
		return who, nil
	}
	said := r.Header.Get(playerHeader)
	if said == "" {
		var b [8]byte
		_, _ = rand.Read(b[:])
		return rooms.Player{ID: cmp.Or(binary.LittleEndian.Uint64(b[:]), 1)}, nil
	}
	id, err := strconv.ParseUint(said, 10, 64)
	if err != nil || id == 0 {
		return rooms.Player{}, fail("bad_player", "The header Player is a number from 1 to 18446744073709551615.")
	}
	return rooms.Player{ID: id}, nil
}

// deadlines gives a request ten seconds beyond wait to send its body and to read the response. This replaces the timeouts of the
// HTTP server.
func deadlines(w http.ResponseWriter, wait time.Duration) {
	c := http.NewResponseController(w)
	at := time.Now().Add(wait + 10*time.Second)
	_ = c.SetReadDeadline(at) // fails only if w supports no deadlines
	_ = c.SetWriteDeadline(at)
}
