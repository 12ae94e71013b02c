// Package hostname protects servers against DNS rebinding. The owner of a domain can point its name to any address,
// including 127.0.0.1. To the browser, a page of this domain and our server then have the same origin, so checks of
// the origin do not help. But the browser sends the name in the Host header. Nobody can redirect an IP address or
// localhost; any other name must be configured.
//
// [Guard] checks the name for every server that browsers can reach: the WebSocket side of package eventloop, the
// inspector, the page of package web, rooms over HTTP, and examples/tokens. It also detects requests from pages of
// other sites, [Guard.Foreign], and finds the client's address behind proxies, [Guard.Client]. [Embed] lists the sites that may show a page in a frame.
package hostname
