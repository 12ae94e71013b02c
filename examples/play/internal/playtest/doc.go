// Package playtest provides an arena match for tests of clients: a server with bots, the server's view of players, and a
// page.
package playtest
