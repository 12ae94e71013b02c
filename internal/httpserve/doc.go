// Package httpserve serves HTTP with the timeouts and the connection limit that all servers of this repository share:
// [Serve]. Package rooms/web and package runner/web export it.
//
// A connection ends when it sends no request for 30 s, takes more than 10 s for the headers of a request or 30 s for the
// whole request, or accepts no part of an answer for a minute. A handler may wait and an answer may be as long as they
// like: a request that waits in a queue, a WebSocket and a large download on a slow link go on. A handler that needs other
// deadlines sets them with [net/http.ResponseController].
//
// A server has at most 8,192 connections, and at most half of the file descriptors that the WebSocket listeners of the process
// and 64 other files leave. All servers of a process together have at most these. At its limit, a new connection takes the place
// of the one that has waited for a request longest. When all connections are busy, the server closes the new one.
package httpserve
