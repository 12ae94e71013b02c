// Command play is the client of the example worlds, for a window and for a browser.
//
//	go -C examples/play run . arena                            # a match with its own bots
//	go -C examples/play run . arena -connect 127.0.0.1:7777    # on a server, over UDP
//	go -C examples/play run . custom                           # another world
//
// With -token, it plays one session on a seat in a room; the lobby of a page starts it like this.
//
// go run ./examples/arena builds the client for browsers and serves it. F3 shows the network overlay with sliders that make
// the link worse; -h lists the other keys of a world. On a touch screen the left thumb moves and the right thumb does the
// rest.
//
// Package stage contains the common parts of all worlds: the session, which reconnects, input devices, the status line, the
// chat, the overlay and screenshots. Package paint draws shapes and text, flat worlds ([paint.Plane]) and three-dimensional
// worlds ([paint.Space]). Each world is a folder below worlds. Package screen prints an error if there is no screen.
//
// # To add a world
//
// Write worlds/NAME/NAME.go and doc.go. Use worlds/custom, which has about 150 lines, as the model:
//
//   - func World() stage.World returns the name, a line of help, the protocol, the buttons of keys and thumbs, and New,
//     which creates the scene.
//   - Configure(*systems.ClientConfig) of the scene sets the client's configuration: the input, with stage.Inputs from
//     Controls.Held, Controls.Mouse, Controls.Stick and Controls.Look; the login request, with Stage.Name; scopes and
//     messages.
//   - Draw(*systems.Client, *paint.Canvas) draws the ground first, with paint.Plane.Field or paint.Space.Look, then the
//     entities of Client.View. The client is nil while there is no session; then drawing the ground is enough. Draw must
//     not allocate.
//   - Optional: Places, to let the overlay show the server's positions; Caption, with the player's name; Say, for a chat.
//
// Add the world to worlds in main.go, and its match to worlds in internal/host. Check the result:
//
//	xvfb-run -a go -C examples/play run . NAME -auto -picture /tmp/NAME.png
//
// All tests over worlds then include it.
package main
