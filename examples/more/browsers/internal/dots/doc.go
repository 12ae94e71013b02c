// Package dots is the least game that can be played on a page, for tests of the page: a dot for each player.
package dots
