// Package host is a client for programs that draw with something else: a page with three.js, a C program, an
// engine. The game's own client, with its prediction, reconciliation and interpolation, runs in it without a window. The
// program around it, the host, gives inputs as bytes, lets time pass, and reads the memory that the client draws into, as
// it lies.
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
//   - Make one: [New], [Config]; on a socket of the host's: [Wire], with the address that stands for the server,
//     [ServerOf].
//   - Say what an input is, and fill in what bytes cannot say, such as the claim of lag compensation: [InputOf]. Give
//     one: [Host.SetInput].
//   - Let time pass: [Host.Advance]. Draw: [Host.Frame], then [Host.Tables], [Host.Single], [Host.Drawing].
//   - Know that memory has moved: [Host.Generation].
//   - Learn what happened: [Host.News], for messages, events, outcomes, refusals, and what came and went;
//     which types of these there are says a [Book].
//   - Send: [Host.Send], [Host.Command], [Host.Raise].
//   - Show how the netcode does: [Host.Stats].
//   - Learn why it ended: [Host.End].
//   - Describe all of that to a generator of bindings: [Book], [Layout]; refuse old ones: [Lines].
//
// # What holds
//
//   - Whatever a host passes, in whatever order, ends in an error and never in a panic: lengths, times that go back,
//     calls after the end. What the game's own functions do is theirs.
//   - Memory of Tables, Single, News and Stats is valid until the next call of Advance, Frame, Send or Close.
//   - Values lie as Go lays them out: what is of a kind at a multiple of its size, in the byte order of the machine.
//   - A frame in which nothing comes, goes or is told allocates nothing.
//   - Times are of the day, as servers know it: see [ErrTime].
package host
