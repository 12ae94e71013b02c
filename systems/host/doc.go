// Package host runs a game's client for a program that draws with something other than this module: a page with three.js, a
// C program or a game engine. The client predicts, reconciles and interpolates as usual but opens no window. The
// surrounding program, the host, passes inputs as bytes, advances time, and reads entities directly from the client's
// memory.
//
//	wire, _ := host.NewWire(host.WireConfig{Out: socket.Send})
//	h, _ := host.New(game.Protocol(), wire, host.ServerOf("play.example:443"), now, host.Config{
//		Input: host.InputOf[game.Move](nil),
//	})
//	for each datagram of the socket { wire.Push(now, datagram) }
//	for each frame {
//		h.SetInput(bytes)
//		h.Advance(now)
//		h.Frame(now)
//		for _, t := range h.Tables() { draw(t.Rows, t.Columns[position]) }
//	}
//
// # Index of tasks
//
//   - Create a client: [New], [Config]. Use the host's own socket: [Wire], with an address from [ServerOf].
//   - Describe the input type, and complete the parts that bytes cannot express, such as the claim of lag compensation:
//     [InputOf]. Pass an input: [Host.SetInput].
//   - Advance time: [Host.Advance]. Draw: [Host.Frame], then [Host.Tables], [Host.Single].
//   - Notice that memory has moved: [Host.Generation].
//   - Receive messages, events, outcomes, refusals and entities that come and go: [Host.News]. List the types: [Book].
//   - Send: [Host.Send], [Host.Command], [Host.Raise].
//   - Show the quality of the connection: [Host.Stats].
//   - Find out why the session ended: [Host.End].
//   - Play a recording instead of connecting: [NewReplay]. Seek, pause and list what happened: [Replay], or [Host.Control] from other
//     languages.
//   - Describe the types to a generator of bindings: [Book], [Layout]. Detect stale bindings: [Lines].
//
// # Guarantees
//
//   - Invalid arguments in any order cause an error and never a panic: wrong lengths, decreasing times, calls after the
//     end. The game's own functions are not covered.
//   - The memory of Tables, Single, News and Stats is valid until the next call of Advance, Frame, Send or Close.
//   - Values have Go's memory layout: each field is aligned to its size, in the machine's byte order.
//   - A frame without news and without entities that come or go allocates nothing.
//   - Times are Unix times, because servers check tokens against the time of day: see [ErrTime].
package host
