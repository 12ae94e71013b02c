package web

import (
	"context"
	"net"
	"net/http"

	"github.com/tactusgo/tactus/internal/httpserve"
)

// Serve answers HTTP requests on l with h until ctx ends, and then returns nil: for a page beside a server of your own,
// which strangers can reach. Requests that are being answered then have 2 s. It closes l in any case. The error is that of
// l.Accept.
//
// Serve closes connections that are idle for 30 s, and those of clients that send a request too slowly or stop reading an
// answer. The number of connections is bounded by half of the file descriptors that the process may have, and by 8,192: then
// a new connection takes the place of an idle one. Waiting requests, WebSockets and downloads on slow links may take as long
// as they need.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	return httpserve.Serve(ctx, l, h)
}
