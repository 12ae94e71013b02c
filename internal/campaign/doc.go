// Package campaign plays whole matches in which everything happens at once, under every
// netcode model, and looks whether all that the netcode promises still holds. It has tests
// and nothing else.
//
// What happens in a match is drawn by its seed: the model, and its choices axis by axis;
// rates from 10 to 128 steps a second; links that lose, delay, repeat and reorder, or are
// dead for seconds; players who join late, leave, crash, come back, take over from themselves,
// hang for seconds, and whose clocks drift; a server that hangs; what clients may see, how
// many bytes they get and what matters most to them; what they simulate; entities that come
// and go in storms, change their components and their owners, to players that are there, that
// are not, and to nobody; lists and texts; predicted spawns; outcomes; events; components that
// clients write. Then it is quiet, and everybody must agree.
//
//	go test ./internal/campaign                                           a few seeds
//	TACTUS_SEEDS=1000 go test ./internal/campaign -timeout 2h             as many as you like
//	TACTUS_WITHOUT=hitch,visible go test ./internal/campaign -run …       to reduce a match that fails
//
// TestFingerprints plays some of these matches on the way, and compares every datagram with what
// it was: code that was only moved about changes none.
//
// A match that fails prints the command that repeats it and all that was drawn for it, in one
// line. TACTUS_WITHOUT takes the names in that line; what is left happens as before, as far as
// it does not depend on what is gone. Which model a seed plays is the seed modulo six.
package campaign
