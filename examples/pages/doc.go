// Package pages is what the commands of the example worlds have in common: sockets, an inspector, and a page to play on
// that names those of the others.
//
//   - Where the pages are: [Worlds].
//   - The page in three.js that some have: [Three].
//   - A world with all of that: [Beside]; its command: [Main].
//
// A game of one's own writes these lines itself: examples/first and examples/starter do.
package pages
