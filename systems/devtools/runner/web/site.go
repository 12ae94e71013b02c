package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"

	"github.com/tactusgo/tactus/internal/hostname"
)

// Site is a page with a client. Its handler may be used from any goroutine.
type Site struct {
	config Config
	front  front
	mux    http.ServeMux
	// recording reports whether the page plays a recording, at recordingPath.
	recording bool

	mu    sync.Mutex
	state state
	dir   string // of the client, if it is ready
}

// state is the progress of the preparation.
type state struct {
	State string `json:"state"` // building, ready, failed
	Done  int    `json:"done"`  // packages compiled
	Of    int    `json:"of"`    // estimated total
	Error string `json:"error,omitempty"`
}

// settings are passed from the page to the client.
type settings struct {
	Port   uint16   `json:"port"`
	Args   []string `json:"args"`
	Kind   string   `json:"kind,omitempty"`   // of rooms
	Schema string   `json:"schema,omitempty"` // of the client
}

// script is the content type of scripts.
const script = "text/javascript; charset=utf-8"

// New returns a site whose client is not ready: see [Site.Prepare]. It panics if Config.Lobby is incomplete or has
// no page, and if Config.Embed is invalid.
func New(c Config) *Site {
	if err := hostname.Embed(c.Embed).Validate(); err != nil {
		panic("web.New: Config.Embed: " + err.Error())
	}
	told := settings{Port: c.Port, Args: append([]string{}, c.Args...)}
	if l := c.Lobby; l != nil {
		if l.Rooms == nil || l.Kind == "" || c.Dist == nil && c.Page == "" {
			panic("web.New: Config.Lobby needs Rooms, the handler of systems/rooms/web, Kind, the kind of its rooms, and a page with a lobby: Config.Dist or Config.Page")
		}
		told.Kind, told.Schema = l.Kind, l.Schema
	}
	c.Dist = c.Dist.forSite(&c)
	s := &Site{config: c, front: newFront(&c), state: state{State: "building"}}
	fixed := func(path, kind string, body []byte) {
		s.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write(body)
		})
	}
	fixed("/{$}", "text/html; charset=utf-8", s.front.html)
	for path, kind := range map[string]string{
		"/page.css": "text/css; charset=utf-8", "/start.js": script, "/icon.svg": "image/svg+xml",
	} {
		body, err := page.ReadFile("page" + path)
		if err != nil {
			panic(err) // embedded files exist
		}
		fixed(path, kind, body)
	}
	s.mux.HandleFunc("GET /build.json", func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		now := s.state
		s.mu.Unlock()
		writeJSON(w, now)
	})
	s.mux.HandleFunc("GET /play.json", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, told) })
	s.mux.HandleFunc("GET /wasm_exec.js", s.file)
	s.mux.HandleFunc("GET /play.wasm", s.file)
	return s
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// adviseName is the answer to a request with a host name that is not allowed.
const adviseName = "This host name is not allowed, because any web site could use it to reach this server: open the page at an address of this machine, such as http://127.0.0.1 or http://localhost, " +
	"or start the server with the name (-names where there is such a flag)."

// ServeHTTP implements [http.Handler].
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ofRooms := s.config.Lobby != nil && (r.URL.Path == "/rooms" || strings.HasPrefix(r.URL.Path, "/rooms/"))
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !(hostname.Guard{Hosts: s.config.Hosts}).Allows(r.Host, from.Addr()) {
		if !ofRooms {
			http.Error(w, adviseName, http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_ = json.NewEncoder(w).Encode(struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		}{"forbidden", adviseName})
		return
	}
	if ofRooms {
		s.config.Lobby.Rooms.ServeHTTP(w, r)
		return
	}
	if s.config.Dist != nil && !s.ofClient(r.URL.Path) {
		s.config.Dist.ServeHTTP(w, r)
		return
	}
	h, embed := w.Header(), hostname.Embed(s.config.Embed)
	embed.Share(h, r)
	h.Set("Content-Security-Policy", fmt.Sprintf("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'%s; style-src 'self'%s; "+
		"img-src 'self' data:; connect-src 'self' ws://%s; base-uri 'none'; form-action 'none'; frame-ancestors %s",
		s.front.scripts, s.front.styles, s.socket(r), embed.Ancestors()))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	s.mux.ServeHTTP(w, r)
}

// ofClient reports whether a path belongs to the client that the site builds, or to its recording.
func (s *Site) ofClient(path string) bool {
	return s.recording && path == recordingPath ||
		!s.config.alone() && (path == "/build.json" || path == "/play.json" || path == "/play.wasm" || path == "/wasm_exec.js")
}

// socket returns the address of the game's WebSockets for a request.
func (s *Site) socket(r *http.Request) string {
	return net.JoinHostPort(hostname.Of(r.Host), fmt.Sprint(s.config.Port))
}

// file serves a file of the client.
func (s *Site) file(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	dir := s.dir
	s.mu.Unlock()
	if dir == "" {
		http.Error(w, "the client is not built yet", http.StatusServiceUnavailable)
		return
	}
	serveBest(w, r, dir, strings.TrimPrefix(r.URL.Path, "/"))
}

// ErrClient is wrapped by the errors of [Site.Prepare].
var ErrClient = errors.New("web: no client to serve")

// Prepare obtains the client: from Config.Dir, from the cache, or by building it, which takes up to a minute. Errors wrap
// [ErrClient] and say what to do. The page shows them too.
func (s *Site) Prepare(ctx context.Context) error {
	dir, err := s.find(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrClient, err)
		s.state = state{State: "failed", Error: err.Error()}
		return err
	}
	s.dir, s.state.State = dir, "ready"
	return nil
}
