// Package browser is the page's side of a game: what a client compiled for js/wasm needs besides the game itself.
//
//   - Play on the server that the page names, again when the session has ended, a frame each time the browser draws
//     one: [Run].
//   - Read keys: [NewKeys], [Keys].
//   - Tell the player something: [Say].
//   - Play in rooms, on a page with the lobby of package web: [Run] takes its flag -token; [Players] tells it who is there.
//
// The page has an element with the id status, which says why there is no session, and starts the client by
// /start.js; package web serves both. Everything here runs in a browser alone: other builds see an empty package.
package browser
