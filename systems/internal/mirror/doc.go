// Package mirror is what a server told a client of its world.
//
//	store.go    the states that sends told of: what later ones stand on and drawing goes through
//	replica.go  an entity of the server as the client knows it
//	records.go  what other rooms keep of each entity, by its index
package mirror
