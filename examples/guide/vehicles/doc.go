// Package vehicles is the game of docs/guide/vehicles.md: soldiers who board cars, drive them, ride in them and shoot
// from their seats. Its test plays it on a bad link.
package vehicles
