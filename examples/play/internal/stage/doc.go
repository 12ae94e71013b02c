// Package stage is the client of every world: the session, which reconnects, inputs from keys, mouse and thumbs, the status
// line, the chat, the overlay with its sliders, screenshots, and messages while there is no session. A world adds a [World]
// with its [Scene].
//
// The main parts are online, the session; Controls, the input devices; panel, the overlay. Package paint draws.
package stage
