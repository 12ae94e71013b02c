// Package players is what a protocol says of players besides inputs: what they ask for ([Request]), of any type of
// world, and what happens when they come and go ([Rules]).
package players
