// Package overlay draws a network debug view on top of a running game: figures and graphs of the client's netcode,
// the causes of corrections, the bytes by component, and the positions that the server has for drawn entities. Its
// sliders make the link worse. It draws on a [Canvas], an interface of five methods, and imports no graphics library.
//
// Three calls add it to a game:
//
//	net, err := overlay.New(overlay.Config{})  // once
//	net.Attach(client, link)                   // after each connection
//	net.Sample(now); net.Draw(canvas)          // each frame
//
// # Index of tasks
//
//   - Show or hide it with a key: [Overlay.Toggle]. It is hidden at first.
//   - Make the link worse: wrap the client's transport with netsys.Condition and pass the conditioner to [Overlay.Attach]. Pass on
//     mouse or touch input: [Overlay.Press], [Overlay.Move], [Overlay.Release]. From code: [Overlay.Set].
//   - Keep the game's own display out of its way: [Overlay.Takes], [Overlay.Covers].
//   - Draw the server's positions in the world: Config.Places, with the game's camera: [PlacesOf].
//   - Show the server's decisions about shots: [Overlay.Hit].
//   - Show the newest wrong prediction: set ClientConfig.Prediction.OnMismatch to [Overlay.Mismatch].
//   - Show the game's own figures: [Overlay.Figure].
//
// # Contents
//
// Graphs cover 24 seconds: the round trip and its jitter; the loss of incoming packets; the inputs that wait on the
// server; the tick lead, the number of ticks by which the client's world is ahead of the newest received state; the
// delay of drawn others behind this state; received bytes and corrections a second.
//
// With Config.Places the overlay also draws in the world: the server's last position of the own player, and its
// distance to the position predicted after the same input, 0 if the prediction was right; for other entities the two
// confirmed states between which they are drawn, and the drawn position; and shots as the server judged them.
//
// Bytes are counted by component of the received snapshots, including owner state, see systems.Client.Received.
//
// # Cost
//
// While hidden, the overlay reads the client's counters ten times a second. While shown, it costs up to an eighth of
// the decoding time, because bytes are counted, plus the drawing time. After the first frames it allocates nothing.
package overlay
