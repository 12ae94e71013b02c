// Package pages contains the parts that the commands of the example worlds share: sockets, an inspector, and a page to play
// on with links to the other worlds.
//
//   - The ports of the pages: [Worlds].
//   - The page of a world in examples/stage: [Page].
//   - A world with sockets, inspector and page: [Beside]; its command: [Main].
//
// Your own game writes these lines itself: see examples/more/first and examples/starter.
package pages
