package operator

import (
	"context"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/tactusgo/tactus/systems/devtools/inspect"
	"github.com/tactusgo/tactus/systems/rooms"
)

//go:embed web
var web embed.FS

// Page shows a process with rooms to browsers and Prometheus, and performs operators' actions. It is an http.Handler. Any
// goroutine may use it.
type Page struct {
	config     Config
	server     *rooms.Server
	gate       *inspect.Gate
	inspectors *inspectors
	began      time.Time
}

// New returns a page for a server. The error wraps [ErrConfig].
func New(s *rooms.Server, c Config) (*Page, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.filled()
	p := &Page{config: c, server: s, inspectors: newInspectors(s, c.inspectConfig()), began: time.Now()}
	act := newActor(s, c)
	gate, err := inspect.NewGate(c.inspectConfig(), p.routes(), inspect.Posts{Handler: act, Refused: act.refused})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	p.gate = gate
	return p, nil
}

// OperatorsVariable is the environment variable from which [Open] reads the operators. Command lines are visible to other users,
// so no flag should set them.
const OperatorsVariable = "TACTUS_OPERATORS"

// Open returns a page for a server, with the operators of [OperatorsVariable] and an audit log that is written to out. broadcast
// is that of [Config].
func Open(s *rooms.Server, broadcast func(r *rooms.Room, text string) error, out io.Writer) (*Page, error) {
	operators, err := ParseOperators(os.Getenv(OperatorsVariable))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", OperatorsVariable, err)
	}
	return New(s, Config{Operators: operators, Broadcast: broadcast, Audit: NewAudit(out)})
}

// Told adds a report of rooms to the audit log, for rooms.Config.Told.
func (p *Page) Told(n rooms.Notice) { p.config.Audit.Told(n) }

// ServeHTTP answers a request.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.gate.ServeHTTP(w, r) }

// Allows returns an error if other machines can reach the address and Config.Token is empty.
func (p *Page) Allows(address net.Addr) error { return p.gate.Allows(address) }

// Serve answers requests on l until ctx ends, then closes l, waits until the audit log is written, and returns nil. It
// returns an error if [Page.Allows] does.
func (p *Page) Serve(ctx context.Context, l net.Listener) error {
	defer p.config.Audit.Flush()
	return p.gate.Serve(ctx, l)
}

// routes returns the paths of the page, without the actions.
func (p *Page) routes() *http.ServeMux {
	mux := http.NewServeMux()
	files := inspect.Files()
	own, err := fs.Sub(web, "web")
	if err != nil {
		panic(err) // the name is valid
	}
	mux.HandleFunc("GET /{$}", file(own, "rooms.html"))
	mux.HandleFunc("GET /room/{id}/{$}", file(own, "room.html"))
	for name, from := range map[string]fs.FS{
		"app.css": files, "view.js": files, "app.js": files, "icon.svg": files,
		"rooms.css": own, "act.js": own, "rooms.js": own, "room.js": own,
	} {
		mux.HandleFunc("GET /"+name, file(from, name))
	}
	mux.HandleFunc("GET /api/rooms", p.list)
	mux.HandleFunc("GET /api/log", p.log)
	mux.HandleFunc("GET /room/{id}/api/room", p.room)
	mux.HandleFunc("GET /room/{id}/api/{name}", p.inspect)
	mux.Handle("GET /metrics", p.metrics())
	mux.Handle("GET /debug/pprof/", inspect.Profiles(p.config.Logger))
	return mux
}

// fileKinds are the content types by file extension.
var fileKinds = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// file returns a handler for an embedded file.
func file(from fs.FS, name string) http.HandlerFunc {
	b, err := fs.ReadFile(from, name)
	if err != nil {
		panic(err) // the file is embedded
	}
	kind := fileKinds[name[strings.LastIndexByte(name, '.'):]]
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(b)
	}
}

// find returns the room of a request, or answers with an error and returns nil.
func (p *Page) find(w http.ResponseWriter, r *http.Request) *rooms.Room {
	id, err := rooms.ParseID(r.PathValue("id"))
	if err == nil {
		if room := p.server.Room(id); room != nil {
			return room
		}
	}
	http.Error(w, "there is no such room here: it may have ended", http.StatusNotFound)
	return nil
}

// inspect answers with the data of package inspect about a room's server.
func (p *Page) inspect(w http.ResponseWriter, r *http.Request) {
	room := p.find(w, r)
	if room == nil {
		return
	}
	x, done, err := p.inspectors.inspector(room)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	defer done()
	inner := r.Clone(r.Context())
	inner.URL.Path = "/api/" + r.PathValue("name")
	x.Answer(w, inner)
}
