package inspect

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
)

//go:embed web
var web embed.FS

// errNone is wrapped by errors about objects that do not exist.
var errNone = errors.New("not found")

// routes returns the handler of all endpoints.
func (x *Inspector) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", file("index.html", "text/html; charset=utf-8"))
	mux.HandleFunc("GET /app.css", file("app.css", "text/css; charset=utf-8"))
	mux.HandleFunc("GET /app.js", file("app.js", "text/javascript; charset=utf-8"))
	mux.HandleFunc("GET /view.js", file("view.js", "text/javascript; charset=utf-8"))
	mux.HandleFunc("GET /icon.svg", file("icon.svg", "image/svg+xml"))
	for path, answer := range map[string]func(context.Context, query) (any, error){
		"status": x.status, "clients": x.clients, "traffic": x.traffic, "entities": x.entities,
		"entity": x.entity, "knows": x.knowledge, "blame": x.causes,
	} {
		mux.HandleFunc("GET /api/"+path, respond(answer))
	}
	mux.Handle("GET /metrics", x.metrics)
	mux.Handle("GET /debug/pprof/", Profiles(x.config.Logger))
	return mux
}

// ServeHTTP answers a request if access is allowed.
func (x *Inspector) ServeHTTP(w http.ResponseWriter, r *http.Request) { x.gate.ServeHTTP(w, r) }

// Answer answers a request without access control, for a page about several servers that has its own [Gate].
func (x *Inspector) Answer(w http.ResponseWriter, r *http.Request) { x.mux.ServeHTTP(w, r) }

// Files returns the files of the page, for pages about several servers: app.css; view.js, the drawing functions;
// app.js, the pages of one server, which requests data relative to the address of its document; icon.svg.
func Files() fs.FS {
	files, err := fs.Sub(web, "web")
	if err != nil {
		panic(err) // impossible: the directory is embedded
	}
	return files
}

// file returns a handler that serves a file of the page.
func file(name, kind string) http.HandlerFunc {
	b, err := fs.ReadFile(web, "web/"+name)
	return func(w http.ResponseWriter, _ *http.Request) {
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(b)
	}
}

// respond returns a handler that writes the answer as JSON.
func respond(answer func(context.Context, query) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q, err := parseQuery(r.URL.RawQuery)
		var a any
		if err == nil {
			a, err = answer(r.Context(), q)
		}
		var b []byte
		if err == nil {
			b, err = json.Marshal(a)
		}
		if err != nil {
			http.Error(w, err.Error(), statusOf(err))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(b)
	}
}

func statusOf(err error) int {
	switch {
	case errors.Is(err, errQuery):
		return http.StatusBadRequest
	case errors.Is(err, errNone):
		return http.StatusNotFound
	case errors.Is(err, errBusy), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// Allows returns an error that wraps [ErrConfig] if other machines can reach the address and there is no token.
func (x *Inspector) Allows(address net.Addr) error { return x.gate.Allows(address) }

// Serve answers requests on l until ctx ends. Then it closes l and returns nil. It returns an error for an address
// that [Inspector.Allows] rejects.
func (x *Inspector) Serve(ctx context.Context, l net.Listener) error { return x.gate.Serve(ctx, l) }
