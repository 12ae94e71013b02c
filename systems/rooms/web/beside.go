package web

import (
	"context"
	"net"
	"net/http"

	"github.com/tactusgo/tactus/internal/httpserve"
	"github.com/tactusgo/tactus/systems/rooms"
)

// Ready answers the probes of load balancers and of Kubernetes, which decide where newcomers go: 200 while a new player can
// get a seat here, else 503 with the reason. While the process drains it answers 503 even behind a lobby, which still gives
// seats in other processes. It asks for no player: mount it beside the handler, such as under /ready.
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

// Beside returns a function that serves HTTP until its context ends: for Beside of package serve, so that players find the
// way back to their seats while the process drains. Requests that wait then have two seconds. The function closes the
// listener.
//
// It closes connections that are idle for 30 s, and those of clients that send a request too slowly or stop reading an
// answer. The number of connections is bounded by half of the file descriptors that the process may have, and by 8,192:
// then a new connection takes the place of an idle one. Waiting requests, WebSockets and downloads on slow links may take
// as long as they need.
func Beside(l net.Listener, h http.Handler) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		return httpserve.Serve(ctx, l, h)
	}
}
