package web

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/tactusgo/tactus/systems/rooms"
)

const (
	headerTime   = 10 * time.Second
	shutdownTime = 2 * time.Second
)

// Ready answers whoever decides where newcomers go, such as a load balancer, or a readiness probe of Kubernetes: 200 while
// somebody new can get a room here, else 503 with why, as while the process drains. It asks for no player, and says nothing
// else: mount it beside the handler, such as under /ready.
func Ready(s rooms.Seats) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", http.MethodGet)
			refuse(w, fail("method", "Use GET for this path."))
			return
		}
		if err := s.Ready(); err != nil {
			refuse(w, failureOf(err))
			return
		}
		_, _ = w.Write([]byte("ready\n"))
	})
}

// Beside serves HTTP until its context ends: for Beside of package serve, so that players find the way back to their seats
// while the process drains. Requests that wait then have two seconds. The listener is its own.
func Beside(l net.Listener, h http.Handler) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		s := &http.Server{Handler: h, ReadHeaderTimeout: headerTime}
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(l) }()
		select {
		case err := <-ended:
			return err
		case <-ctx.Done():
		}
		last, stop := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer stop()
		if s.Shutdown(last) != nil {
			_ = s.Close()
		}
		<-ended
		return nil
	}
}
