// Package browser connects a client compiled for js/wasm to its page.
//
//   - Play on the server that the page names, reconnect after the end of a session, and draw in each frame of the browser:
//     [Run].
//   - Read keys, thumbs and gamepads: [NewKeys], [Keys].
//   - Draw on a canvas that fits every screen: [Canvas].
//   - Show a message to the player: [Say].
//   - Play in rooms, on a page that requests seats: [Run] has the flag -token.
//
// The page needs an element with the id status, which shows why there is no session, and starts the client with start.js;
// package web serves both. The package is empty in builds for other platforms.
package browser
