// Package newgame makes a game from examples/starter as its README says, in an empty folder, with this checkout in the
// place of the release: the game's own tests pass, also after the changes that the README shows, and its server and its
// clients meet.
package newgame
