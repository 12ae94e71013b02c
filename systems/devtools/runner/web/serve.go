package web

import (
	"context"
	"net"
	"net/http"

	"github.com/tactusgo/tactus/internal/httpserve"
)

// Serve serves h on l until ctx ends, then returns nil. Use it for a page of your own server on the open internet. At the
// end, running requests get 2 s. Serve closes l in all cases. The error comes from l.Accept.
//
// Serve closes connections that are idle for 30 s, and those of clients that send a request or read an answer too slowly.
// The number of connections is limited to half of the process's file descriptors and to 8,192. Above the limit, a new
// connection replaces an idle one. Waiting requests, WebSockets and downloads on slow links may last as long as they need.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	return httpserve.Serve(ctx, l, h)
}
