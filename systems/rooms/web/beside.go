package web

import (
	"context"
	"net"
	"net/http"

	"github.com/tactusgo/tactus/internal/httpserve"
	"github.com/tactusgo/tactus/systems/rooms"
)

// Ready returns a handler for the readiness probes of load balancers and Kubernetes: 200 while new players can get seats here, otherwise
// 503 with the reason. It answers 503 while the process drains, even if it still gives seats in other processes of a fleet. Mount it
// beside the [Handler], for example under /ready.
func Ready(s rooms.Seats) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", http.MethodGet)
			refuse(w, fail("method", "Use GET for this path."))
			return
		}
		err := s.Ready()
		if err == nil && s.Draining() {
			err = rooms.ErrDraining
		}
		if err != nil {
			refuse(w, failureOf(err))
			return
		}
		_, _ = w.Write([]byte("ready\n"))
	})
}

// Beside returns a function that serves HTTP until its context ends, for serve.Config.Beside: so players can return to their seats while
// the process drains. Waiting requests then have two seconds. The function closes the listener.
//
// It closes connections that are idle for 30 s, and those of clients that send a request too slowly or stop reading an answer. The
// number of connections is limited to half of the file descriptors of the process, at most 8,192: then a new connection replaces an
// idle one. Waiting requests, WebSockets and downloads on slow links are not limited in time.
func Beside(l net.Listener, h http.Handler) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		return httpserve.Serve(ctx, l, h)
	}
}
