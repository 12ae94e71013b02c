// Package playtest is the arena's match that tests of clients play on: a server with bots,
// what it knows of players, and a page.
package playtest
