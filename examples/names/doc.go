// Package names lets the players of a world choose their names, which all clients show.
package names
