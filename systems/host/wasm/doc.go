// Package wasm makes a WebAssembly module of a game's client without a window: the exports through which a page, a worker
// or Node gives inputs, lets time pass and reads what there is to draw, where it lies in the module's memory. A program is
//
//	func main() { wasm.Serve(wasm.Game{Protocol: game.Protocol, Config: config}) }
//
// built with GOOS=js GOARCH=wasm. Package npm in systems/host/js loads it, and owns the socket.
//
//   - Make a module of a game: [Serve], [Game].
//
// # Exports
//
// Numbers are 32 bits, but for now, a Unix time in milliseconds, and player, which are floats of 64. Text and values go in
// through the room, and text comes out of it. A host is a number from 1; what is called with another one, or with lengths
// that do not fit, returns the error. After an error the room has a text of as many bytes as tactus_text returns.
//
//	tactus_abi() 2                                the number of this list
//	tactus_room(n) address                        of at least n bytes, up to 1 MiB, until the next call of it; 0: too many
//	tactus_text() n                               the bytes of the newest text, at tactus_room(0)
//	tactus_lines() n                              what bindings compare, host.Lines; a text
//	tactus_open(now, server, token, login, player, flags) host
//	                                              in the room stand, one after the other, so many bytes of the server's
//	                                              name and port, of a connect token (0: none) and of the login (−1:
//	                                              none). player is the client id of development mode (0: random). flags: 1
//	                                              draws between ticks, 2 lets development mode leave this machine, 4 neither
//	                                              predicts nor draws between states: see systems.Thin, 8 reconnects: see
//	                                              systems.ClientConfig.Reconnect.
//	                                              0: an error, of which tactus_failed tells the reason
//	tactus_failed() reason                        of the newest error of tactus_open: host.Reason
//	tactus_push(link, now, n) ok                  a datagram came, in the room; 0: it was dropped
//	tactus_input(host, n) ok                      the input, in the room; 0: an error
//	tactus_advance(host, now) ticks               that ran; −1: an error, or it has ended
//	tactus_frame(host, now) address               of the block; 0: an error
//	tactus_send(host, what, which, n) ok          a value in the room: what 0 a message, 1 an event, 2 a command; 0: an error
//	tactus_out(link) address                      of datagrams to be sent: words of 32 bits n and size of all, then n times
//	                                              its length as a word and its bytes, filled up to a multiple of 4. 0: the
//	                                              link is over, close its socket
//	tactus_sent(link)                             they have been
//	tactus_ticket(host) n                         where the server sends this player, which is told once, after an advance; a
//	                                              text; 0: nowhere
//	tactus_hash(host) hash                        of the world that it simulates, 64 bits: ecs.World.Hash; 0: none
//	tactus_end(host) reason                       host.Reason, and a text: a line for players, then the error; 0: it goes on, −1: no such host
//	tactus_explain(reason) n                      what players are told of a host.Reason; a text
//	tactus_away(host)                             the player is away and may come back: send what tactus_out has
//	tactus_rejoin(host, now) ok                   another session after one has ended; 0: an error
//	tactus_wants(host) ok                         1: the host reconnects and waits for tactus_token
//	tactus_token(host, n) ok                      the token, in the room; 0: an error
//	tactus_close(host)                            says goodbye: send what tactus_out has, then call tactus_free
//	tactus_free(host)                             the number is another one's from now on
//
// # Links
//
// A link is a host's end of one socket, which the page opens and closes. The first has the host's number. A ticket makes
// another one, while the session goes on by the link at hand: lines of text say the number of the link, kind and schema of
// the room, its URLs by WebSocket and by WebTransport, "" for none. The page opens a socket to one of these and serves both links; of the one
// that is of no use any more tactus_out returns 0 then. Where the link is 0, the room speaks another protocol, and a sixth line is
// the token, in base64: whoever plays there makes a host of a module that speaks it, and closes this one.
//
// # The block
//
// Words of 32 bits; addresses are 0 where there is nothing. It is valid, as all that it names, until the next call for any
// host; memory may grow in any call, which detaches the arrays that JavaScript has over it.
//
//	0   words of the block
//	1   generation
//	2   tables
//	3   news: how many, of 32 bytes each: see host.News
//	4   where they are
//	5   where their values are
//	6   bytes of these
//	7   where the numbers of host.Stats are, in order
//	8   how many
//	9   components, C: those of ecs.Protocol.Replicated
//	10  C addresses of singletons; then for each table
//	    mask low, mask high, rows, simulated, address of NetIDs, of handles, C addresses of columns
package wasm
