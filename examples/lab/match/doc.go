// Package match is the match of the laboratory: a server of the arena, its clients and their links in one process, on a clock of its
// own. Its caller lets the time pass, changes the links and draws.
package match
