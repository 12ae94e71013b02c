// Package newgame creates games from the template in examples/starter as its README says, with each of its pages, in an empty
// folder, with this checkout in the place of the release. The games' own tests pass, also after the changes that a
// README shows, their servers and clients meet, and their pages are built and served.
//
//   - Create a game: [Make]; do something with it: [Folder.Run], [Folder.Start], [Folder.Change].
//
// TestStarter of examples/more/browsers plays on the page, in a browser.
package newgame
