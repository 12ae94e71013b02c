// Command play is the client of the example worlds, the same in a window and in a browser.
//
//	go -C examples/play run . arena                            # a match with bots of its own
//	go -C examples/play run . arena -connect 127.0.0.1:7777    # on a server, over UDP
//	go -C examples/play run . custom                           # another world
//
// With -token it plays on a seat in a room, for one session: the lobby of a page does that.
//
// go run ./examples/arena builds it for browsers and serves it. F3 shows the network, with
// sliders to make it worse; -h says what else the keys of a world do. On a touch screen the
// left thumb moves, the right one does the rest.
//
// Package stage is what all worlds share: the session, which is opened again when it ends,
// the devices, the status line, the chat, the overlay, pictures. Package paint draws: shapes
// and text, a flat world ([paint.Plane]), a world with depth ([paint.Space]). A world is a
// folder below worlds. Where there is no screen, package screen says so.
//
// # To add a world
//
// Write worlds/NAME/NAME.go and doc.go, with worlds/custom as the model, which has some
// 150 lines:
//
//   - func World() stage.World: its name, a line of help, its protocol, which keys and
//     thumbs press which buttons, and New, which makes its scene.
//   - Configure(*systems.ClientConfig), of the scene: stage.Inputs fills the input from
//     Controls.Held, Controls.Mouse, Controls.Stick, Controls.Look. Whom the client asks to
//     be, by Stage.Name, scopes and messages belong here too.
//   - Draw(*systems.Client, *paint.Canvas): first the ground, by paint.Plane.Field or
//     paint.Space.Look, then what is in Client.View. The client is nil while there is no
//     session; then the ground will do. It must not allocate.
//   - Perhaps Places, so that the overlay shows where the server has everything; Caption,
//     who the player is; Say, where there is a chat.
//
// Add it to worlds in main.go, and its match to worlds in internal/host. Look at it:
//
//	xvfb-run -a go -C examples/play run . NAME -auto -picture /tmp/NAME.png
//
// All tests that go by worlds take it from there.
package main
