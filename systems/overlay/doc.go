// Package overlay shows, over a running game, what the netcode of its client does: figures
// and graphs, what corrections are due to, what the bytes are, where the server has what is
// drawn elsewhere; and it makes the link worse, with sliders. It draws on whatever the
// game draws on, by a [Canvas] of five methods, and imports no graphics library.
//
// Three calls add it to a game:
//
//	net, err := overlay.New(overlay.Config{})  // once
//	net.Attach(client, link)                   // whenever it connects
//	net.Sample(now); net.Draw(canvas)          // each frame
//
// Tasks:
//
//   - Show it by a key: [Overlay.Toggle]. It is hidden at first.
//   - Make the link worse: wrap the client's wire with netsys.Condition, give the conditioner to
//     [Overlay.Attach], and pass pointers on, a mouse or fingers: [Overlay.Press],
//     [Overlay.Move], [Overlay.Release]; from code: [Overlay.Set].
//   - Keep the game's own display out of its way: [Overlay.Takes], [Overlay.Covers].
//   - Draw what the server has among the things of the world: Config.Places, with the game's
//     camera: [PlacesOf].
//   - Show what the server made of shots: [Overlay.Hit].
//   - Show the newest wrong prediction: [Overlay.Mismatch] as ClientConfig.OnMismatch.
//   - Show figures of the game's own: [Overlay.Figure].
//
// # What it shows
//
// Graphs go back 24 seconds: the round trip and its jitter; loss of what comes in; the inputs that
// wait on the server; the tick lead, by which the client's own world is ahead of the newest state of the server
// that has come; how far others are drawn behind that state; bytes and corrections a second.
//
// In the world it draws, with Config.Places: where the server last had the own player,
// and how far that is from what was predicted after the same input, 0 when the prediction was
// right; for each entity of others the two confirmed states that it is drawn between, and
// where; and shots as the server judged them.
//
// Bytes are by component of what snapshots carried, the own state of the client
// included: see systems.Client.Received.
//
// # What it costs
//
// Hidden, ten looks at the client's figures a second. Shown, up to an eighth of what decoding
// takes, which is counted then, and what drawing takes; nothing is allocated once the first
// frames have been drawn.
package overlay
