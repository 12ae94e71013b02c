package inspect

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strconv"
	"time"
)

// Profiles use runtime/pprof, because package net/http/pprof registers itself on http.DefaultServeMux, without access
// control. The command line is not served, because it may contain secrets.

const (
	mostProfile  = time.Minute
	usualProfile = 10 * time.Second
)

// Profiles returns a handler for profiles of the whole program, below /debug/pprof/. It has no access control: put a
// [Gate] in front of it. log receives every profile that is taken; it may be nil.
func Profiles(log *slog.Logger) http.Handler {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/{$}", profiles)
	mux.HandleFunc("GET /debug/pprof/{name}", func(w http.ResponseWriter, r *http.Request) { profile(w, r, log) })
	return mux
}

// profiles lists the available profiles.
func profiles(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintf(w, "go tool pprof http://…/debug/pprof/NAME reads:\n\nprofile?seconds=N\ntrace?seconds=N (go tool trace)\n")
	for _, p := range pprof.Profiles() {
		fmt.Fprintf(w, "%s (%d)\n", p.Name(), p.Count())
	}
}

// profile writes a profile.
func profile(w http.ResponseWriter, r *http.Request, log *slog.Logger) {
	name := r.PathValue("name")
	values := r.URL.Query()
	length := usualProfile
	if text := values.Get("seconds"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > int(mostProfile/time.Second) {
			http.Error(w, fmt.Sprintf("seconds: 1 to %d are allowed", mostProfile/time.Second), http.StatusBadRequest)
			return
		}
		length = time.Duration(n) * time.Second
	}
	var out bytes.Buffer
	var err error
	switch name {
	case "profile":
		if err = pprof.StartCPUProfile(&out); err == nil {
			rest(r, length)
			pprof.StopCPUProfile()
		}
	case "trace":
		if err = trace.Start(&out); err == nil {
			rest(r, length)
			trace.Stop()
		}
	default:
		p := pprof.Lookup(name)
		if p == nil || !slices.Contains(pprof.Profiles(), p) {
			http.NotFound(w, r)
			return
		}
		debug := 0
		if values.Get("debug") == "1" {
			debug = 1
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		}
		err = p.WriteTo(&out, debug)
	}
	if err != nil {
		http.Error(w, "a profile is being taken already: "+err.Error(), http.StatusConflict)
		return
	}
	log.Info("inspector: profile taken", "name", name, "bytes", out.Len(), "address", r.RemoteAddr)
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", "attachment; filename="+strconv.Quote(name))
	}
	_, _ = w.Write(out.Bytes())
}

// rest waits for the length of a profile, or until the request is cancelled.
func rest(r *http.Request, length time.Duration) {
	t := time.NewTimer(length)
	defer t.Stop()
	select {
	case <-t.C:
	case <-r.Context().Done():
	}
}
