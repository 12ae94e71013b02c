// Package wasm turns a game's client into a WebAssembly module without a window. A page, a worker or Node passes inputs and
// advances time through the module's exports, and reads the entities to draw directly from its memory. A program is
//
//	func main() { wasm.Serve(wasm.Game{Protocol: game.Protocol, Config: config}) }
//
// built with GOOS=js GOARCH=wasm. The npm package in systems/host/js loads the module and owns the socket.
//
//   - Make a module from a game: [Serve], [Game].
//
// # Exports
//
// Numbers have 32 bits, except now, a Unix time in milliseconds, and player; both are 64-bit floats. Texts and values pass
// through one buffer, which tactus_room returns. A host is a number from 1. A call with an unknown host or with lengths
// that exceed the buffer returns the error value. After an error, the buffer holds a text of tactus_text bytes.
//
//	tactus_abi() 4                                the version of this list
//	tactus_room(n) address                        of the buffer, with at least n bytes, up to 64 MiB, until the next call; 0: n is too large
//	tactus_text() n                               the bytes of the newest text, at tactus_room(0)
//	tactus_lines() n                              the text that bindings compare: host.Lines
//	tactus_open(now, server, token, login, player, flags) host
//	                                              the buffer holds, in this order, the server's name and port, a connect
//	                                              token (0: none) and the login (−1: none); the arguments are their lengths.
//	                                              player is the client id in development mode (0: random). flags: 1 draws
//	                                              between ticks, 2 lets development mode connect to other machines,
//	                                              4 disables prediction and interpolation: see systems.Thin,
//	                                              8 reconnects: see systems.ClientConfig.Session.Reconnect,
//	                                              16 plays a recording, which the buffer holds instead of the server's name.
//	                                              Such a host has no links, and tactus_frame lets its time pass.
//	                                              32 watches: see systems.ClientConfig.Spectate,
//	                                              64 plays the last seconds of the host whose number is player: see
//	                                              host.Host.Last. Bits from 256 on are how many seconds the host keeps for
//	                                              that: see host.Config.Keep.
//	                                              0: an error; tactus_failed returns its reason
//	tactus_failed() reason                        of the newest error of tactus_open: host.Reason
//	tactus_push(link, now, n) ok                  a datagram arrived, in the buffer; 0: it was dropped
//	tactus_input(host, n) ok                      the input, in the buffer; 0: an error
//	tactus_advance(host, now) ticks               the number of ticks that ran; −1: an error, or the session has ended
//	tactus_frame(host, now) address               of the block; 0: an error
//	tactus_send(host, what, which, n) ok          a value in the buffer; what is 0 for a message, 1 for an event, 2 for a command; 0: an error
//	tactus_out(link) address                      of the datagrams to send: their number n and the total size as 32-bit words,
//	                                              then for each datagram its length as a word and its bytes, padded to a
//	                                              multiple of 4. 0: the link is finished, close its socket
//	tactus_sent(link)                             the datagrams have been sent
//	tactus_ticket(host) n                         the newest ticket to another room as a text, once; call it after each
//	                                              tactus_advance; 0: none
//	tactus_replay(host, command, value) result    controls a recording: see host.Host.Control. Values and results are 64-bit floats;
//	                                              NaN: an error
//	tactus_hash(host) hash                        of the simulated world, in a replay of the view, 64 bits: ecs.World.Hash; 0: none
//	tactus_end(host) reason                       host.Reason, and a text: a line for players, then the error; 0: the session continues, −1: no such host
//	tactus_explain(reason) n                      the text for players about a host.Reason
//	tactus_away(host)                             the player is away and may return; send the datagrams of tactus_out
//	tactus_rejoin(host, now) ok                   starts another session after one has ended; 0: an error
//	tactus_rate(host, rate)                       asks for at most so many snapshots a second: see systems.Client.AskSendRate
//	tactus_wants(host) ok                         1: the host reconnects and waits for tactus_token
//	tactus_token(host, n) ok                      the token, in the buffer; 0: an error
//	tactus_close(host)                            leaves the server; send the datagrams of tactus_out, then call tactus_free
//	tactus_free(host)                             releases the host's number for reuse
//
// # Links
//
// A link is a host's end of one socket, which the page opens and closes. The first link has the number of its host. A
// ticket to another room creates another link, while the session continues over the current one. The lines of the ticket's
// text are the number of the link, the kind and the schema of the room, and its URLs for WebSocket and for WebTransport (""
// for none). The page opens a socket to one of these URLs and serves both links. Once the old link is finished, tactus_out
// returns 0 for it. If the number of the link is 0, the room has another protocol, and a sixth line contains the token in
// base64. The page then creates a host in a module with that protocol and closes the old host.
//
// # The block
//
// The block consists of 32-bit words. Missing addresses are 0. The block and the memory that it names are valid until the
// next call for any host. Any call may grow the memory, which detaches JavaScript's arrays over it.
//
//	0   words of the block
//	1   generation
//	2   tables
//	3   number of news items, of 32 bytes each: see host.News
//	4   address of the news
//	5   address of their values
//	6   bytes of the values
//	7   address of the numbers of host.Stats, in order
//	8   number of these
//	9   components, C: those of ecs.Protocol.Replicated
//	10  C addresses of singletons; then for each table
//	    mask low, mask high, rows, simulated, address of NetIDs, of handles, C addresses of columns
package wasm
