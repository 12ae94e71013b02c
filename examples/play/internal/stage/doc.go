// Package stage is the client of every world: the session, which it opens again when it
// ends, inputs from keys, mouse and thumbs, the status line, the chat, the overlay with its
// sliders, pictures, and what is shown while there is no session. A world brings the rest:
// [World], with its [Scene].
//
// The parts: online is the session, with a bad network on request; controls what the player
// does; panel the overlay; package paint draws.
package stage
